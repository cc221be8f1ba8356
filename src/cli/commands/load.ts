import { SettingsError } from '../../settings/index.js';
import type { Arguments } from '../arguments.js';
import { exportLoad } from '../load/load-export.js';
import { loadJudge } from '../load/load-judge.js';
import { loadLimits } from '../load/load-limits.js';
import { scenarioOf, soakArguments } from '../load/load-options.js';
import { loadSoak } from '../load/load-soak.js';

/** The flags of one form of the command, and which. */
const ownFlags = { k6: 'export', kubernetes: 'export', parallelism: 'export', 'clock-error': 'judge' } as const;

/** `load`: one scenario, `load export` or `load judge`; the process's exit status. Throws SettingsError. */
export async function load(parsed: Arguments): Promise<number> {
  const [operand, ...others] = parsed.operands;
  for (const [flag, form] of Object.entries(ownFlags))
    if (flag in parsed.options && form !== operand)
      throw new SettingsError(`--${flag} belongs to load ${form}: leave it out.`);
  if (operand === 'export') return exportLoad(parsed);
  if (operand === 'judge') return loadJudge(parsed, others);
  const scenario = scenarioOf(parsed.options);
  const { plan = null } = parsed.options;
  // Before anything is announced or sent.
  if (scenario !== 'soak') return loadLimits(parsed, scenario, plan);
  return loadSoak(parsed, soakArguments(parsed.options), plan);
}
