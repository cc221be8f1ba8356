import { SettingsError } from '../../settings/settings-error.js';
import { assertInternals } from '../../traffic/engine/autocannon-internals.js';
import type { Arguments } from '../arguments.js';
import { exportLoad } from '../load/load-export.js';
import { loadClock } from '../load/parts/load-clock.js';
import { loadJudge } from '../load/parts/load-judge.js';
import { loadPart } from '../load/parts/load-part.js';
import { loadLimits } from '../load/load-limits.js';
import { planOption, scenarioOption, soakArguments } from '../load/load-options.js';
import { loadSoak } from '../load/load-soak.js';

/** The flags for several machines, and where each belongs. */
const partFlags: Readonly<Record<string, readonly string[]>> = {
  'start-at': ['--part', 'load export'],
  trace: ['--part'],
  clock: ['--part'],
  source: ['--part'],
  listen: ['load clock'],
  tolerance: ['load judge'],
  generators: ['load export'],
  kubernetes: ['load export'],
  parallelism: ['load export'],
};

function assertOwnFlags({ options }: Arguments, operand: string | undefined): void {
  const given = operand === undefined && options['part'] !== undefined ? '--part' : `load ${operand ?? ''}`;
  const stray = Object.keys(partFlags).find((flag) => options[flag] !== undefined && !partFlags[flag]?.includes(given));
  if (stray !== undefined)
    throw new SettingsError(`--${stray} belongs to ${partFlags[stray]?.join(' or ') ?? ''}: leave it out.`);
}

/** `load`: one scenario, or `load export`; the process's exit status. Throws SettingsError. */
export async function load(parsed: Arguments): Promise<number> {
  const [operand, ...others] = parsed.operands;
  const stray = ['only', 'path', 'requests'].find((name) => parsed.options[name] !== undefined);
  if (stray !== undefined)
    throw new SettingsError(`--${stray} is not for load: expected --scenario, --plan and the flags of a soak.`);
  assertOwnFlags(parsed, operand);
  if (operand === 'export') return exportLoad(parsed);
  if (operand === 'judge') return loadJudge(parsed, others);
  if (operand === 'clock' && others.length === 0) return loadClock(parsed);
  if (operand !== undefined)
    throw new SettingsError(
      `"${operand}" is not understood after load: expected flags, or "load export", "load clock" or "load judge".`,
    );
  for (const format of ['k6', 'artillery', 'prometheus']) {
    if (parsed.options[format] !== undefined)
      throw new SettingsError(`--${format} belongs to "load export": write load export --${format} FILE.`);
  }
  const scenario = scenarioOption(parsed);
  const plan = planOption(parsed);
  // Before anything is announced or sent.
  assertInternals();
  if (parsed.options['part'] !== undefined) {
    if (scenario !== null && scenario !== 'soak')
      throw new SettingsError(
        `--scenario ${scenario} is given with --part: expected soak or none, as the parts of a run have a schedule of their own.`,
      );
    const stray = ['fail-on', 'history'].find((name) => parsed.options[name] !== undefined);
    if (stray !== undefined) throw new SettingsError(`--${stray} belongs to load judge here: leave it out.`);
    return loadPart(parsed, plan, scenario === 'soak' ? soakArguments(parsed) : null);
  }
  if (scenario !== 'soak') return loadLimits(parsed, scenario, plan);
  return loadSoak(parsed, soakArguments(parsed), plan);
}
