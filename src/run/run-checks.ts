import type { Requirement } from '../requirement/requirement.js';
import type { RequirementResult } from '../requirement/types.js';
import { execute } from './execute.js';
import type { Run } from './run.js';

/** Callbacks for a caller. */
export interface RunListener {
  readonly starting?: (check: Requirement) => void;
  readonly done?: (result: RequirementResult) => void;
}

/** Resolves when the run is called off. */
export function whenCalledOff({ calledOff }: Pick<Run, 'calledOff'>): Promise<null> {
  return new Promise((resolve) => {
    if (calledOff.aborted) resolve(null);
    calledOff.addEventListener('abort', () => resolve(null), { once: true });
  });
}

/** Runs checks one after another in this process, until all are judged or the run is called off. */
export async function runChecks(
  checks: readonly Requirement[],
  run: Run,
  listener: RunListener = {},
): Promise<RequirementResult[]> {
  const results: RequirementResult[] = [];
  const calledOff = whenCalledOff(run);
  for (const check of checks) {
    if (run.calledOff.aborted) break;
    listener.starting?.(check);
    const result = await Promise.race([execute(check, run), calledOff]);
    if (result === null) break;
    results.push(result);
    listener.done?.(result);
  }
  return results;
}
