import type { Limit } from '../../settings/index.js';
import {
  laterDraft,
  quotaItems,
  serviceLimits,
  wholeNumber,
  withoutPartitionKeys,
  type ServiceLimit,
} from './fields.js';
import { draft, findingsOf, type AnswerCheck, type HeaderFinding } from './header-finding.js';
import { cacheableRefusal, retryAfterChecks } from './refusal-checks.js';
import { judgeCountedFailures } from '../judge-uncounted.js';
import { formChecks, presenceChecks } from './judge-form.js';
import { judgePromises } from './judge-promises.js';
import { judgeRefusedRemaining, judgeRemaining, remainingChecks } from './judge-remaining.js';
import { distantReset, judgeReset, type FixedWindows } from './judge-reset.js';
import { judgeUntrueRemaining } from './judge-untrue-remaining.js';
import { planNumbers, type PlanNumbers } from '../model.js';
import { intervalsOf } from '../request-intervals.js';
import type { Trace } from '../trace.js';

/** Assumptions about the service whose headers are judged. */
export interface HeaderOptions {
  /** Nobody else uses the key: without it, promises of acceptance are not judged. */
  readonly alone: boolean;
  /** Resets of fixed windows must count down; where nothing is said, windows may be anything but fixed. */
  readonly fixed?: FixedWindows;
}

/** Reports certainly incorrect headers as failures, and departures from the drafts' advice as warnings. */
export function judgeHeaders(trace: Trace, limits: readonly Limit[], options: HeaderOptions): readonly HeaderFinding[] {
  const numbers = planNumbers(limits);
  const inOrder = trace.records
    .filter(({ outcome }) => outcome === 'accepted' || outcome === 'refused')
    .sort((a, b) => a.sentMs - b.sentMs);
  const written = intervalsOf(trace, 0);
  const refused = inOrder.filter(({ outcome }) => outcome === 'refused');
  return [
    ...findingsOf(inOrder, [...presenceChecks, ...formChecks, ...planChecks(limits), agreement]),
    ...judgeCountedFailures(trace.records),
    ...judgeRemaining(inOrder, numbers),
    ...judgeUntrueRemaining(written, inOrder, numbers, options.alone),
    ...judgeRefusedRemaining(written, refused),
    ...judgeReset(trace, written, inOrder, numbers, options.fixed ?? 'excluded'),
    ...(options.alone ? judgePromises(trace, written, numbers) : []),
    ...findingsOf(refused, [cacheableRefusal, ...retryAfterChecks(inOrder, numbers)]),
  ];
}

/** What each answer to a key of this plan shows by itself. */
export function planChecks(limits: readonly Limit[]): readonly AnswerCheck[] {
  const numbers = planNumbers(limits);
  return [planLimit(numbers), ...remainingChecks, distantReset(numbers)];
}

/** Accepts either number of the plan, and their sum where one limit is an allowance above the other. */
function planLimit({ burst, sustained }: PlanNumbers): AnswerCheck {
  const both = sustained === null ? [] : [sustained.count, burst.count + sustained.count];
  const allowed = new Set([burst.count, ...both]);
  return {
    id: 'LIMIT-07',
    severity: 'fail',
    code: 'other-limit',
    expected: `RateLimit-Limit is the plan's (${draft}, section 3.1): ${[burst, sustained].flatMap((each) => each?.count ?? []).join(' or ')}`,
    shows: ({ limit }) => {
      const items = limit === undefined ? null : quotaItems(limit);
      return items?.[0] !== undefined && !allowed.has(items[0].count);
    },
    tell: ({ limit }) => `RateLimit-Limit: ${limit ?? ''}`,
  };
}

/** A service may send the single field of later drafts as well: one of its policies is then the one that the three fields describe. */
const agreement: AnswerCheck = {
  id: 'LIMIT-10',
  severity: 'warn',
  code: 'fields-differ',
  expected: `RateLimit (${laterDraft}, section 4) and the three fields to say the same`,
  shows: ({ combined, remaining, reset }) => {
    const limits = combined === undefined ? null : serviceLimits(combined);
    const [count, seconds] = [remaining, reset].map((raw) => wholeNumber(raw ?? ''));
    if (limits === null || typeof count !== 'number') return false;
    const isSame = (each: ServiceLimit): boolean =>
      each.remaining === count &&
      (each.resetSeconds === null || typeof seconds !== 'number' || Math.abs(each.resetSeconds - seconds) <= 1);
    return !limits.some(isSame);
  },
  tell: ({ combined, remaining, reset }) =>
    `RateLimit: ${withoutPartitionKeys(combined ?? '')}, RateLimit-Remaining: ${remaining ?? ''}, RateLimit-Reset: ${reset ?? 'none'}`,
};
