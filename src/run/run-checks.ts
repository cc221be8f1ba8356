import type { CollectedCheck } from '../requirement/collector.js';
import { mergeResults } from '../requirement/merge.js';
import type { RequirementResult } from '../requirement/types.js';
import { execute } from './execute.js';
import type { Run } from './run.js';

/** The envelope is judged over every answer of the run, so its checks come last. */
export function inOrder(checks: readonly CollectedCheck[]): CollectedCheck[] {
  return [...checks.filter((check) => check.section !== 'ENV'), ...checks.filter((check) => check.section === 'ENV')];
}

/** Runs checks one after another in this process; `done` hears each verdict as it falls. */
export async function runChecks(checks: readonly CollectedCheck[], run: Run, done?: (result: RequirementResult) => void): Promise<RequirementResult[]> {
  const results: RequirementResult[] = [];
  for (const check of inOrder(checks)) {
    const result = await execute(check, run);
    results.push(result);
    done?.(result);
  }
  return mergeResults(results);
}
