import type { Report } from '../../requirement/types.js';

/** The requirements that failed, were blocked or broke the suite, and the seed to repeat them with. */
export function idsToRerun(report: Pick<Report, 'requirements' | 'seed'>): {
  readonly ids: readonly string[];
  readonly seed: number;
} {
  const again = report.requirements.filter(
    ({ verdict }) => verdict === 'fail' || verdict === 'blocked' || verdict === 'error' || verdict === 'waived',
  );
  return { ids: again.map((result) => result.id), seed: report.seed };
}
