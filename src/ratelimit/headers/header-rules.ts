import { type RequestIntervals, type Trace, type TraceRecord, upperBound } from '../trace.js';
import { formatCount } from '../violation.js';
import type { PlanNumbers } from '../model.js';
import {
  isFresh,
  isRetryAfter,
  laterDraft,
  leftOf,
  quotaItems,
  quotaOf,
  resetSeconds,
  retrySeconds,
  type ServiceLimit,
  serviceLimits,
} from './fields.js';

/** Something the headers of a trace say that cannot be so, or that the drafts advise against. */
export interface HeaderFinding {
  readonly id: 'LIMIT-05' | 'LIMIT-06' | 'LIMIT-07' | 'LIMIT-10';
  readonly severity: 'fail' | 'warn';
  readonly code: string;
  readonly expected: string;
  readonly actual: string;
  /** The `index` of up to ten records that show it. */
  readonly records: readonly number[];
}

/** The last draft with three separate fields; later ones merge them. */
export const draft = 'draft-ietf-httpapi-ratelimit-headers-06';

/** The trace of a plan, as the rules about several answers look at it. */
export interface Answers {
  readonly trace: Trace;
  readonly numbers: PlanNumbers;
  /** All that was written, by the client's clock. */
  readonly written: RequestIntervals;
  /** What the limiter answered, in the order in which it was asked. */
  readonly inOrder: readonly TraceRecord[];
  /** Nobody else uses the key: without it, promises of acceptance are not judged. */
  readonly alone: boolean;
  /** Whether the limiter's windows are fixed: the operator says so, what was seen allows it, or nothing does. */
  readonly fixed: 'pinned' | 'possible' | 'excluded';
}

/** The name of a finding, independent of the records that show it. */
type FindingHead = Pick<HeaderFinding, 'id' | 'severity' | 'code' | 'expected'>;

/** A finding that an answer shows by itself, whatever the others say. */
export interface AnswerRule extends FindingHead {
  readonly shows: (record: TraceRecord) => boolean;
  /** The text of such an answer. */
  readonly tell: (record: TraceRecord) => string;
}

const mostQuoted = 10;

/** One finding for all records of a kind, which quotes the first of them; none where there are no records. */
export function findingOf(
  head: FindingHead,
  records: readonly TraceRecord[],
  tell: (record: TraceRecord) => string,
): HeaderFinding[] {
  const [first] = records;
  if (first === undefined) return [];
  const { id, severity, code, expected } = head;
  const others = records.length === 1 ? '' : ` (and ${records.length - 1} more such answers)`;
  const actual = `answer to request ${first.index} of the trace (the first is 0): ${tell(first)}${others}`;
  return [{ id, severity, code, expected, actual, records: records.slice(0, mostQuoted).map(({ index }) => index) }];
}

/** One finding for each of the rules that some answer breaks. */
export function findingsOf(answers: readonly TraceRecord[], rules: readonly AnswerRule[]): HeaderFinding[] {
  return rules.flatMap((rule) => findingOf(rule, answers.filter(rule.shows), rule.tell));
}

/** What a finding of each kind is: of waits and caches, of form, of what the fields say, and of advice. */
export const waits = { id: 'LIMIT-05', severity: 'fail' } as const;
export const form = { id: 'LIMIT-06', severity: 'fail' } as const;
export const truth = { id: 'LIMIT-07', severity: 'fail' } as const;
export const advice = { id: 'LIMIT-10', severity: 'warn' } as const;

const names = {
  limit: 'RateLimit-Limit',
  remaining: 'RateLimit-Remaining',
  reset: 'RateLimit-Reset',
  policy: 'RateLimit-Policy',
  combined: 'RateLimit',
  retryAfter: 'Retry-After',
  cdnCacheControl: 'CDN-Cache-Control',
  cacheControl: 'Cache-Control',
  expires: 'Expires',
} as const;

type Field = keyof typeof names;

/** Quotes those of some fields that an answer has, without their partition keys, which may hold a secret. */
export function quoting(...fields: readonly Field[]): AnswerRule['tell'] {
  return (record) =>
    fields
      .filter((field) => record[field] !== undefined)
      .map((field) => `${names[field]}: ${(record[field] ?? '').replace(/;\s*pk=:[^:]*:/g, ';pk=…')}`)
      .join(', ');
}

/** A rule about the form of one field, where it is present. */
function formOf(field: Field, expected: string, isWellFormed: (raw: string) => boolean): AnswerRule {
  const code = `odd-${field}`;
  const shows = ({ [field]: raw }: TraceRecord): boolean => raw !== undefined && !isWellFormed(raw);
  return { ...form, code, expected: `${names[field]} is ${expected}`, shows, tell: quoting(field) };
}

/** Presence of the three fields on the answers that a limiter decided. */
export const presenceRules: readonly AnswerRule[] = (['limit', 'remaining', 'reset'] as const).map((field) => ({
  ...form,
  code: `no-${names[field].toLowerCase()}`,
  expected: `${names[field]} on every accepted and every refused response (§8, response headers)`,
  shows: (record) => record[field] === undefined,
  tell: (record) => {
    const later = `, but with ${quoting('combined')(record)}, the one field of ${laterDraft} (section 4); §8 names the three of earlier drafts`;
    return `status ${record.status ?? 'none'} without ${names[field]}${record.combined === undefined ? '' : later}`;
  },
}));

/** Form of the fields, where they are present. */
export const formRules: readonly AnswerRule[] = [
  formOf(
    'limit',
    `a non-negative integer, with policies at most (${draft}, section 3.1)`,
    (raw) => quotaItems(raw) !== null,
  ),
  formOf('policy', `a list of quotas such as 600;w=60 (${draft}, section 3.2)`, (raw) => quotaItems(raw) !== null),
  formOf('remaining', `an integer (${draft}, section 3.3)`, (raw) => /^\s*-?\d{1,15}\s*$/.test(raw)),
  formOf(
    'reset',
    `a non-negative whole number of seconds, not a time stamp (${draft}, section 3.4)`,
    (reset) => resetSeconds({ reset }) !== null,
  ),
];

/** A count that is below zero or above its limit. */
export const remainingRules: readonly AnswerRule[] = [
  {
    ...truth,
    code: 'remaining-negative',
    expected: `RateLimit-Remaining is never negative (${draft}, section 3.3)`,
    shows: ({ remaining = '' }) => /^\s*-\d+\s*$/.test(remaining),
    tell: quoting('remaining'),
  },
  {
    ...truth,
    code: 'remaining-above-limit',
    expected: `RateLimit-Remaining is never above the limit (${draft}, sections 3.1 and 3.3)`,
    shows: (record) => (leftOf(record) ?? -1) > (quotaOf(record) ?? Infinity),
    tell: quoting('remaining', 'limit'),
  },
];

/** The reset of an answer, and its instant. */
export const resetAt = (record: TraceRecord): string =>
  `${quoting('reset')(record)} at ${(record.sentMs / 1000).toFixed(2)} s of the client's clock`;

/** What each answer to a key of this plan shows by itself. */
export function planRules({ burst, sustained }: PlanNumbers): readonly AnswerRule[] {
  const counts = [burst.count, ...(sustained === null ? [] : [sustained.count])];
  // Where one limit is an allowance above the other, their sum is announced.
  const allowed = new Set([...counts, counts.reduce((sum, count) => sum + count, 0)]);
  return [
    {
      ...truth,
      code: 'other-limit',
      expected: `RateLimit-Limit is the plan's (${draft}, section 3.1): ${counts.join(' or ')}`,
      shows: ({ limit = '' }) => !allowed.has(quotaItems(limit)?.[0]?.count ?? burst.count),
      tell: quoting('limit'),
    },
    ...remainingRules,
    {
      ...truth,
      code: 'distant-reset',
      expected: `RateLimit-Reset is in seconds, and no window is longer than ${burst.windowSeconds} s (${draft}, section 3.4)`,
      shows: (record) => (resetSeconds(record) ?? 0) > distantSeconds(burst),
      tell: resetAt,
    },
  ];
}

/** A wait that lies far beyond any window. */
const distantSeconds = ({ windowSeconds }: PlanNumbers['burst']): number => 10 * windowSeconds + 10;

/** A service may send the single field of later drafts as well: one of its policies is then the one that the three fields describe. */
export const agreement: AnswerRule = {
  ...advice,
  code: 'fields-differ',
  expected: `RateLimit (${laterDraft}, section 4) and the three fields to say the same`,
  shows: (record) => {
    const limits = record.combined === undefined ? null : serviceLimits(record.combined);
    const [count, seconds] = [leftOf(record), resetSeconds(record)];
    const isSame = ({ remaining, resetSeconds: other }: ServiceLimit): boolean =>
      remaining === count && (other === null || seconds === null || Math.abs(other - seconds) <= 1);
    return limits !== null && count !== null && !limits.some(isSame);
  },
  tell: quoting('combined', 'remaining', 'reset'),
};

/** What each refusal shows; the answers are in the order of their requests. */
export function refusalRules(inOrder: readonly TraceRecord[], { burst }: PlanNumbers): AnswerRule[] {
  const acceptedAfter = acceptances(inOrder);
  return [
    {
      ...waits,
      code: 'cacheable',
      // RFC 6585 §4 forbids caches to store a 429; freshness given explicitly invites them to.
      expected: 'a 429 carries no explicit freshness, so that no cache stores it',
      shows: (record) => record.status === 429 && isFresh(record),
      tell: quoting('cdnCacheControl', 'cacheControl', 'expires'),
    },
    { ...formOf('retryAfter', 'a number of seconds or an HTTP date', isRetryAfter), ...waits, code: 'odd-retry-after' },
    {
      ...waits,
      code: 'distant-retry-after',
      expected: `Retry-After is in seconds from now, and no window is longer than ${burst.windowSeconds} s`,
      // Far beyond any window, and requests were accepted before that all the same.
      shows: (record) => (retrySeconds(record) ?? 0) > distantSeconds(burst) && acceptedAfter(record) !== null,
      tell: (record) =>
        `${quoting('retryAfter')(record)}, although a request was accepted ${formatCount(acceptedAfter(record) ?? 0)} s later`,
    },
    {
      ...advice,
      code: 'no-retry-after',
      expected: 'Retry-After on a 429',
      shows: ({ status, retryAfter }) => status === 429 && retryAfter === undefined,
      tell: () => 'status 429 without Retry-After',
    },
    {
      ...advice,
      code: 'two-instants',
      expected: 'RateLimit-Reset and Retry-After name the same instant',
      // Each is rounded, and a server may send one Date for more than a second.
      shows: (record) => Math.abs((resetSeconds(record) ?? NaN) - (retrySeconds(record) ?? NaN)) > 2.5,
      tell: quoting('reset', 'retryAfter'),
    },
  ];
}

/** How many seconds after a refusal a request was accepted, or null where none was before the refusal's word was over. */
function acceptances(inOrder: readonly TraceRecord[]): (refusal: TraceRecord) => number | null {
  const accepted = inOrder.filter(({ outcome }) => outcome === 'accepted');
  const sentMs = Float64Array.from(accepted, (record) => record.sentMs);
  return (refusal) => {
    const next = accepted[upperBound(sentMs, refusal.receivedMs)];
    const overMs = refusal.receivedMs + 1000 * (retrySeconds(refusal) ?? 0);
    return next === undefined || next.receivedMs >= overMs ? null : (next.sentMs - refusal.receivedMs) / 1000;
  };
}
