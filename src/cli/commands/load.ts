import type { Arguments } from '../arguments.js';
import { exportLoad } from '../load/load-export.js';
import { loadJudge } from '../load/load-judge.js';
import { loadLimits } from '../load/load-limits.js';
import { loadSoak } from '../load/load-soak.js';

/** `load`: one scenario, `load export` or `load judge`; the process's exit status. Throws SettingsError. */
export async function load(parsed: Arguments): Promise<number> {
  const [operand, ...others] = parsed.operands;
  if (operand === 'export') return exportLoad(parsed);
  if (operand === 'judge') return loadJudge(parsed, others);
  const { plan = null, scenario = null } = parsed.options;
  return scenario === 'soak' ? loadSoak(parsed, plan) : loadLimits(parsed, scenario, plan);
}
