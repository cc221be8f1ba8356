import { sharedCauses, type VerdictChange } from '../../reports/index.js';
import type { Report, Verdict } from '../../requirement/index.js';
import { lastingText, observationDifferences, type ReportDifference } from './differences.js';

/** Verdicts from best to worst; not judged is worse than passed and better than failed, and what a waiver accepts is better than both. */
const rank: readonly Verdict[] = ['pass', 'warn', 'not-applicable', 'waived', 'blocked', 'error', 'fail'];

/** The differences between two reports; `stated` is the observation of A, `found` that of B. */
export interface Comparison {
  readonly a: ComparedSide;
  readonly b: ComparedSide;
  /** Whether both were judged by the same requirements. */
  readonly sameCatalogue: boolean;
  readonly changes: readonly VerdictChange[];
  readonly observations: readonly ReportDifference[];
  readonly worse: boolean;
}

/** One side of a comparison. */
export type ComparedSide = ReturnType<typeof side>;

function side(name: string, report: Report) {
  const { target, started, suite, outcome } = report;
  return {
    name,
    baseUrl: target.embedded ? 'the embedded reference service' : target.baseUrl,
    started,
    suite: suite.set === undefined ? suite.version : `${suite.version}, set ${suite.set}`,
    outcome,
    document: target.document,
  };
}

function changeOf(from: Verdict | null, to: Verdict | null, isOwedOnce: boolean): VerdictChange['change'] {
  if (to === null) return 'gone';
  if (from === null) return 'new';
  if (to === 'waived') return 'waived';
  // The service need not have changed: one of the two sets does not hold the requirement yet.
  if (isOwedOnce) return 'new';
  return rank.indexOf(to) > rank.indexOf(from) ? 'worse' : 'better';
}

/** The verdict of a requirement; null where the run left it out, as `--only` does and as the gate leaves out limits. */
function verdictIn(report: Report, id: string): Verdict | null {
  const found = report.requirements.find((one) => one.id === id);
  if (found === undefined || (found.verdict === 'not-applicable' && found.remedy?.act === 'run')) return null;
  return found.verdict;
}

/** Whether one run left it out, and the other did not judge it either. */
const isJudgedInNeither = ({ from, to }: VerdictChange): boolean =>
  (from === null || to === null) && ['not-applicable', 'blocked'].includes(from ?? to ?? '');

/** Compares two reports; B is worse where any requirement of both is, or can no longer be judged. */
export function compareReports(
  a: { readonly name: string; readonly report: Report },
  b: { readonly name: string; readonly report: Report },
): Comparison {
  const ids = [...new Set([...a.report.requirements, ...b.report.requirements].map((one) => one.id))];
  const changes = ids.flatMap((id): VerdictChange[] => {
    const [from, to] = [verdictIn(a.report, id), verdictIn(b.report, id)];
    if (from === to) return [];
    const [before, after] = [a, b].map(({ report }) => report.requirements.find((one) => one.id === id));
    const { title } = after ?? before ?? { title: '' };
    const isOwedOnce = (before?.upcoming === undefined) !== (after?.upcoming === undefined);
    return [
      { id, title, from, to, change: changeOf(from, to, isOwedOnce), reason: after?.reason ?? 'not judged in B' },
    ];
  });
  const order = ['worse', 'better', 'waived', 'new', 'gone'] as const;
  changes.sort(
    (x, y) => order.indexOf(x.change) - order.indexOf(y.change) || x.id.localeCompare(y.id, 'en', { numeric: true }),
  );
  const [better, others] = [a, b].map(({ report }) => sharedCauses(report.requirements));
  const told = changes.map((one): VerdictChange => {
    const cause = (one.change === 'better' ? better : others)?.get(one.id)?.id;
    const isTold = changes.some(({ id, change }) => id === cause && change === one.change);
    return cause !== undefined && isTold ? { ...one, cause } : one;
  });
  const leftOut = new Set(changes.filter(({ change }) => change === 'new' || change === 'gone').map(({ id }) => id));
  const observations = observationDifferences(a.report.observations, b.report.observations, lastingText);
  return {
    a: side(a.name, a.report),
    b: side(b.name, b.report),
    sameCatalogue: a.report.suite.catalogue === b.report.suite.catalogue,
    changes: told.filter((one) => !isJudgedInNeither(one)),
    observations: observations.filter(({ id }) => !leftOut.has(id)),
    worse: changes.some((one) => one.change === 'worse'),
  };
}
