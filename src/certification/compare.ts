import type { Report, Verdict } from '../requirement/types.js';
import { observationDifferences } from './differences.js';
import type { Difference } from './differences.js';

/** From best to worst: what is not judged is worse than what held, and better than what failed. */
const rank: readonly Verdict[] = ['pass', 'warn', 'not-applicable', 'blocked', 'error', 'fail'];

/** One requirement whose verdict is another in B than in A; null where a report does not have it. */
export interface VerdictChange {
  readonly id: string;
  readonly title: string;
  readonly from: Verdict | null;
  readonly to: Verdict | null;
  readonly change: 'worse' | 'better' | 'new' | 'gone';
  /** What B says of it, or A where B says nothing. */
  readonly reason: string;
}

/** What differs between two reports; `stated` of an observation is A's, `found` is B's. */
export interface Comparison {
  readonly a: ComparedSide;
  readonly b: ComparedSide;
  /** Whether both were judged by the same requirements. */
  readonly sameCatalogue: boolean;
  readonly changes: readonly VerdictChange[];
  readonly observations: readonly Difference[];
  readonly worse: boolean;
}

/** One side of a comparison. */
export interface ComparedSide {
  readonly name: string;
  readonly baseUrl: string;
  readonly started: string;
  readonly suite: string;
  readonly outcome: Report['outcome'];
  readonly document: string | null;
}

function side(name: string, report: Report): ComparedSide {
  const { target, started, suite, outcome } = report;
  return {
    name,
    baseUrl: target.embedded ? 'the embedded reference service' : target.baseUrl,
    started,
    suite: suite.version,
    outcome,
    document: target.document,
  };
}

function changeOf(from: Verdict | null, to: Verdict | null): VerdictChange['change'] {
  // What was not judged before either is no loss.
  if (to === null) return from !== null && ['pass', 'warn', 'fail'].includes(from) ? 'worse' : 'gone';
  if (from === null) return rank.indexOf(to) >= rank.indexOf('blocked') ? 'worse' : 'new';
  return rank.indexOf(to) > rank.indexOf(from) ? 'worse' : 'better';
}

/** Compares two reports; B is worse where any requirement is, or is no longer judged. */
export function compareReports(
  a: { readonly name: string; readonly report: Report },
  b: { readonly name: string; readonly report: Report },
): Comparison {
  const ids = [...new Set([...a.report.requirements, ...b.report.requirements].map((one) => one.id))];
  const changes = ids.flatMap((id): VerdictChange[] => {
    const before = a.report.requirements.find((one) => one.id === id);
    const after = b.report.requirements.find((one) => one.id === id);
    const [from, to] = [
      before?.waivedVerdict ?? before?.verdict ?? null,
      after?.waivedVerdict ?? after?.verdict ?? null,
    ];
    if (from === to) return [];
    const told = after ?? before;
    return [
      {
        id,
        title: told?.title ?? '',
        from,
        to,
        change: changeOf(from, to),
        reason: after?.reason ?? 'B has no verdict on it',
      },
    ];
  });
  const order = ['worse', 'better', 'new', 'gone'] as const;
  changes.sort(
    (x, y) => order.indexOf(x.change) - order.indexOf(y.change) || x.id.localeCompare(y.id, 'en', { numeric: true }),
  );
  return {
    a: side(a.name, a.report),
    b: side(b.name, b.report),
    sameCatalogue: a.report.suite.catalogue === b.report.suite.catalogue,
    changes,
    observations: observationDifferences(a.report.observations, b.report.observations),
    worse: changes.some((one) => one.change === 'worse'),
  };
}
