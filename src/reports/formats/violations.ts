import type { Report, RequirementResult } from '../../requirement/types.js';
import { outdatedWaiverResults } from '../judged.js';

/** The results that show a violation, waived ones included, and the waivers that are out of date. What was not judged shows none. */
export function violationsOf(report: Report): RequirementResult[] {
  return [...report.requirements, ...outdatedWaiverResults(report)].filter(
    ({ verdict, waivedVerdict }) => verdict === 'warn' || (waivedVerdict ?? verdict) === 'fail',
  );
}

/** The same for the same service in every run: the host and path of its base URL; an embedded service has a new port in each. */
export function targetId({ target }: Pick<Report, 'target'>): string {
  if (target.embedded || !URL.canParse(target.baseUrl)) return 'embedded';
  const { host, pathname } = new URL(target.baseUrl);
  return `${host}${pathname}`.replace(/(?<!\/)\/+$/, '');
}
