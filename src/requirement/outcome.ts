import type { Report, RequirementResult, Verdict } from './types.js';

type Judged = Pick<RequirementResult, 'verdict'>;

/** How many requirements got each verdict. */
export function countsOf(results: readonly Judged[]): Record<Verdict, number> {
  const counts = { pass: 0, fail: 0, warn: 0, 'not-applicable': 0, blocked: 0, error: 0, waived: 0 };
  for (const { verdict } of results) counts[verdict] += 1;
  return counts;
}

/** One breach decides; else anything left unjudged leaves it open, and so does a run that judged nothing at all. */
export function outcomeOf(results: readonly Judged[]): Report['outcome'] {
  const counts = countsOf(results);
  if (counts.fail > 0) return 'nonconformant';
  if (counts.error > 0 || counts.blocked > 0) return 'incomplete';
  return counts.pass + counts.warn + counts.waived > 0 ? 'conformant' : 'incomplete';
}

/**
 * The exit status of the process: 1 for a failure or an expired waiver, else 4 if the suite itself failed, else 3 if something could not be
 * judged, else 0; 2 if nothing was selected.
 */
export function exitStatus(report: Pick<Report, 'requirements' | 'outdatedWaivers'>): 0 | 1 | 2 | 3 | 4 {
  if (report.requirements.length === 0) return 2;
  const counts = countsOf(report.requirements);
  if (counts.fail > 0 || report.outdatedWaivers !== undefined) return 1;
  if (counts.error > 0) return 4;
  return outcomeOf(report.requirements) === 'conformant' ? 0 : 3;
}
