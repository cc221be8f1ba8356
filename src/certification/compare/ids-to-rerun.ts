import type { Report } from '../../requirement/types.js';

/** What has to be run again, and with which seed: what failed, was blocked or made the suite fail, and nothing else. */
export function idsToRerun(report: Pick<Report, 'requirements' | 'seed'>): {
  readonly ids: readonly string[];
  readonly seed: number;
} {
  const again = report.requirements.filter(
    ({ verdict }) => verdict === 'fail' || verdict === 'blocked' || verdict === 'error' || verdict === 'waived',
  );
  return { ids: again.map((result) => result.id), seed: report.seed };
}
