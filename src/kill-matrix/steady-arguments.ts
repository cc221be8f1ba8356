import { parseArgs } from 'node:util';
import { SettingsError } from '../target/settings-error.js';

/** What a steady run does: rounds, judgements side by side, busy loops, minutes at the most, and which services it takes. */
export interface SteadyArguments {
  readonly times: number;
  readonly atOnce: number;
  readonly burn: number;
  readonly minutes: number;
  readonly match: RegExp;
  readonly faults: boolean;
  readonly real: boolean;
}

const known =
  '--times N, --at-once N, --burn N, --minutes N, --match EXPRESSION, --real (the plans’ own numbers) and --faults';

function whole(flag: string, value: string, least: number): number {
  const number = Number(value);
  if (value.trim() !== '' && Number.isInteger(number) && number >= least) return number;
  throw new SettingsError(`--${flag} is "${value}": expected a whole number of ${least} or more.`);
}

function expression(value: string): RegExp {
  try {
    return new RegExp(value);
  } catch {
    throw new SettingsError(
      `--match is "${value}": expected a regular expression that names of services fit, such as "^token-bucket".`,
    );
  }
}

/** Takes the flags apart; throws SettingsError in one sentence. */
export function readSteadyArguments(argv: readonly string[]): SteadyArguments {
  const taken = () => {
    try {
      return parseArgs({
        args: [...argv],
        options: {
          times: { type: 'string', default: '10' },
          'at-once': { type: 'string', default: '3' },
          burn: { type: 'string', default: '2' },
          minutes: { type: 'string', default: '30' },
          match: { type: 'string', default: '' },
          faults: { type: 'boolean', default: false },
          real: { type: 'boolean', default: false },
        },
      }).values;
    } catch (error) {
      throw new SettingsError(`${(error as Error).message.split('. ')[0] ?? ''}: expected ${known}.`);
    }
  };
  const { times, 'at-once': atOnce, burn, minutes, match, faults, real } = taken();
  return {
    times: whole('times', times, 1),
    atOnce: whole('at-once', atOnce, 1),
    burn: whole('burn', burn, 0),
    minutes: whole('minutes', minutes, 1),
    match: expression(match),
    faults,
    real,
  };
}
