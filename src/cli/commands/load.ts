import { SettingsError } from '../../settings/settings-error.js';
import { assertInternals } from '../../traffic/engine/autocannon-internals.js';
import type { Arguments } from '../arguments.js';
import { exportLoad } from '../load/load-export.js';
import { loadLimits } from '../load/load-limits.js';
import { planOption, scenarioOption, soakArguments } from '../load/load-options.js';
import { loadSoak } from '../load/load-soak.js';

/** `load`: one scenario, or `load export`; the process's exit status. Throws SettingsError. */
export async function load(parsed: Arguments): Promise<number> {
  const [operand] = parsed.operands;
  const stray = ['only', 'path', 'requests'].find((name) => parsed.options[name] !== undefined);
  if (stray !== undefined)
    throw new SettingsError(`--${stray} is not for load: expected --scenario, --plan and the flags of a soak.`);
  if (operand === 'export') return exportLoad(parsed);
  if (operand !== undefined)
    throw new SettingsError(`"${operand}" is not understood after load: expected flags, or "load export".`);
  for (const format of ['k6', 'artillery', 'prometheus']) {
    if (parsed.options[format] !== undefined)
      throw new SettingsError(`--${format} belongs to "load export": write load export --${format} FILE.`);
  }
  const scenario = scenarioOption(parsed);
  const plan = planOption(parsed);
  // Before anything is announced or sent.
  assertInternals();
  if (scenario !== 'soak') return loadLimits(parsed, scenario, plan);
  return loadSoak(parsed, soakArguments(parsed), plan);
}
