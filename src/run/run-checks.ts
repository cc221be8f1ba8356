import type { CollectedCheck } from '../requirement/collector.js';
import { mergeResults } from '../requirement/merge.js';
import type { RequirementResult } from '../requirement/types.js';
import { execute } from './execute.js';
import type { Run } from './run.js';

/** The envelope is judged over every answer of the run, so its checks come last. */
export function inOrder(checks: readonly CollectedCheck[]): CollectedCheck[] {
  return [...checks.filter((check) => check.section !== 'ENV'), ...checks.filter((check) => check.section === 'ENV')];
}

/** What a caller may hear of, and how it may end a run early. */
export interface RunListener {
  readonly starting?: (check: CollectedCheck) => void;
  readonly done?: (result: RequirementResult) => void;
  /** Ends the run between two checks. */
  readonly signal?: AbortSignal;
}

/** Runs checks one after another in this process. */
export async function runChecks(
  checks: readonly CollectedCheck[],
  run: Run,
  listener: RunListener = {},
): Promise<RequirementResult[]> {
  const results: RequirementResult[] = [];
  for (const check of inOrder(checks)) {
    if (listener.signal?.aborted === true) break;
    listener.starting?.(check);
    const result = await execute(check, run);
    results.push(result);
    listener.done?.(result);
  }
  return mergeResults(results);
}
