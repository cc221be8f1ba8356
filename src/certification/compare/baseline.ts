import type { SinceBaseline } from '../../reports/index.js';
import type { Report } from '../../requirement/index.js';
import { loadReport } from '../load-report.js';
import { compareReports } from './compare.js';

/** An earlier report, and the name that a person gave it. */
export interface Baseline {
  readonly name: string;
  readonly report: Report;
}

/** Reads the report that `--baseline` names; throws SettingsError. */
export function readBaseline(name: string | null): Baseline | null {
  return name === null ? null : { name, report: loadReport(name, '--baseline').report };
}

/** What differs from the baseline, and why the two may differ for another reason than the service. */
export function sinceBaseline(baseline: Baseline, report: Report): SinceBaseline {
  const { a, b, changes, sameCatalogue } = compareReports(baseline, { name: 'this run', report });
  const { blocked } = baseline.report.counts;
  return {
    name: baseline.name,
    changes,
    notes: [
      ...(blocked === 0 ? [] : [{ text: 'The baseline did not judge everything:', value: `${blocked} blocked` }]),
      ...(a.baseUrl === b.baseUrl ? [] : [{ text: 'The baseline is of another target:', value: a.baseUrl }]),
      ...(sameCatalogue
        ? []
        : [{ text: 'The baseline was judged by other requirements, those of suite', value: a.suite }]),
    ],
  };
}
