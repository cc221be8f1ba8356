import { join } from 'node:path';
import { makeFolder } from '../reports/index.js';
import { orSettingsError, planNames, SettingsError } from '../settings/index.js';
import { claimFolder } from './claim-folder.js';
import { setAside } from '../certification/index.js';

/** Reads the text of a flag: its value, or undefined where it is not what is expected. */
interface Reader<T> {
  readonly expected: string;
  readonly read: (text: string) => T | undefined;
}

function number(pattern: RegExp, least: number, most: number, what: string): Reader<number> {
  return {
    expected: `${what} from ${least} to ${most}`,
    read: (text) => (pattern.test(text) && Number(text) >= least && Number(text) <= most ? Number(text) : undefined),
  };
}

const whole = (least: number, most: number): Reader<number> => number(/^\d+$/, least, most, 'a whole number');

function oneOf<T extends string>(names: readonly T[]): Reader<T> {
  return { expected: `one of ${names.join(', ')}`, read: (text) => names.find((name) => name === text) };
}

function someOf<T extends string>(names: readonly T[]): Reader<readonly T[]> {
  return {
    expected: `one or more of ${names.join(', ')}, with commas`,
    read(text) {
      const parts = text.split(',').map((part) => names.find((name) => name === part.trim()));
      return parts.every((part) => part !== undefined) ? parts : undefined;
    },
  };
}

const secondsPer = { ms: 0.001, s: 1, m: 60, h: 3_600 } as const;
const daySeconds = 86_400;

/** `90s`, `10m`, `1h30m` or bare seconds, in seconds. */
function time(leastSeconds: number): Reader<number> {
  return {
    expected: `a length of time such as 60s, 10m or 1h30m, of ${leastSeconds === 0 ? '' : `at least ${leastSeconds} s and `}at most 24 h`,
    read(text) {
      if (!/^(?:\d+(?:\.\d+)?|(?:\d+(?:\.\d+)?(?:ms|s|m|h))+)$/.test(text)) return undefined;
      let seconds = 0;
      for (const [, count, unit = 's'] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)?/g))
        seconds += Number(count) * secondsPer[unit as keyof typeof secondsPer];
      return seconds >= leastSeconds && seconds <= daySeconds ? seconds : undefined;
    },
  };
}

/** Scenarios whose checks judge limits, one file each in `load/`. */
export const limitScenarios = ['burst', 'sustained', 'boundary', 'recovery', 'probe'] as const;

/** A scenario that judges limits. */
export type LimitScenario = (typeof limitScenarios)[number];

const failOns = ['slower', 'errors'] as const;

/** A difference from earlier nights that `--fail-on` makes a failure. */
export type FailOn = (typeof failOns)[number];

/** What each flag holds, in whatever commands: nothing, a text, a list of texts, or what its reader makes of its text. */
const holdings = {
  'allow-incomplete': 'nothing',
  baseline: 'text',
  bundle: 'text',
  'clock-error': time(0),
  concurrency: whole(1, 64),
  duration: time(1),
  embedded: 'nothing',
  'embedded-if-unset': 'nothing',
  expires: 'text',
  'fail-on': someOf(failOns),
  fault: 'text',
  help: 'nothing',
  host: 'text',
  json: 'nothing',
  k6: 'text',
  keep: 'nothing',
  key: 'texts',
  kubernetes: 'text',
  list: 'nothing',
  'max-time': whole(0, daySeconds),
  mix: 'text',
  nonce: 'text',
  only: 'text',
  out: 'text',
  parallelism: whole(1, 64),
  path: 'text',
  plan: oneOf(planNames),
  port: whole(0, 65_535),
  product: 'text',
  quiet: 'nothing',
  rate: number(/^\d+(\.\d+)?$/, 0.1, 20_000, 'requests a second'),
  reason: 'text',
  requests: whole(0, 1_000_000),
  require: 'texts',
  scenario: oneOf([...limitScenarios, 'soak'] as const),
  set: 'text',
  threshold: 'text',
  variant: 'text',
  version: 'nothing',
  wait: whole(0, daySeconds),
  'wait-ready': whole(0, daySeconds),
  waivers: 'text',
  webhook: 'text',
} as const satisfies Readonly<Record<string, 'nothing' | 'text' | 'texts' | Reader<unknown>>>;

type Holdings = typeof holdings;
type Held<H> = H extends 'nothing'
  ? true
  : H extends 'text'
    ? string
    : H extends Reader<infer T>
      ? T
      : readonly string[];

/** The flags of a command line with their values. */
export type Options = { readonly [Name in keyof Holdings]?: Held<Holdings[Name]> | undefined };

export const isFlag = (name: string): name is keyof Holdings => Object.hasOwn(holdings, name);

/** Whether a flag stands alone. */
export const holdsNothing = (name: string): boolean => isFlag(name) && holdings[name] === 'nothing';

/** The values of flags from their texts, in the order of the command line; throws SettingsError. */
export function readOptions(texts: Readonly<Record<string, readonly string[] | true>>): Options {
  const read = Object.entries(texts).flatMap(([name, given]) => {
    if (!isFlag(name)) return [];
    const holding = holdings[name];
    if (given === true || holding === 'texts') return [[name, given]];
    const text = given.join(',');
    if (typeof holding !== 'object') return [[name, text]];
    const value: unknown = holding.read(text);
    if (value === undefined) throw new SettingsError(`--${name} is "${text}": expected ${holding.expected}.`);
    return [[name, value]];
  });
  return Object.fromEntries(read) as Options;
}

/**
 * The folder for output with `inner` inside, made where it is missing and claimed for this run; throws SettingsError where that cannot be
 * done. Where it is for evidence, an earlier run's report is set aside.
 */
export function openOut({ out = 'reports' }: Options, inner: 'evidence' | 'load'): string {
  orSettingsError(
    () => {
      makeFolder(out);
      claimFolder(out);
      makeFolder(join(out, inner));
      if (inner === 'evidence') setAside(out);
    },
    (code) => `--out names "${out}", which cannot be written to (${code}): expected a folder that can be made.`,
  );
  return out;
}
