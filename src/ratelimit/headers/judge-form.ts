import { laterDraft, quotaItems, wholeNumber, withoutPartitionKeys } from './fields.js';
import { draft, type AnswerCheck } from './header-finding.js';
import { retryAfterSeconds } from './refusal-checks.js';
import type { TraceRecord } from '../trace.js';

/** Seconds since 1970 have passed this since 2001; no window is that long. */
const timeStamp = 1e9;

const fields = [
  ['RateLimit-Limit', (record: TraceRecord) => record.limit],
  ['RateLimit-Remaining', (record: TraceRecord) => record.remaining],
  ['RateLimit-Reset', (record: TraceRecord) => record.reset],
] as const;

const breach = { id: 'LIMIT-06', severity: 'fail' } as const;

/** Presence of the three fields on the answers that a limiter decided. */
export const presenceChecks: readonly AnswerCheck[] = fields.map(([name, read]) => ({
  ...breach,
  code: `no-${name.toLowerCase()}`,
  expected: `${name} on every accepted and every refused response (§8, response headers)`,
  shows: (record) => read(record) === undefined,
  tell: (record) => `status ${record.status ?? 'none'} without ${name}${laterFieldOf(record)}`,
}));

/** What an answer has instead of the three fields, where it has what replaced them in later drafts. */
function laterFieldOf({ combined }: TraceRecord): string {
  return combined === undefined
    ? ''
    : `, but with RateLimit: ${withoutPartitionKeys(combined)}, the one field of ${laterDraft} (section 4); §8 names the three of earlier drafts`;
}

/** Form of the fields, where they are present. */
export const formChecks: readonly AnswerCheck[] = [
  {
    ...breach,
    code: 'odd-limit',
    expected: `RateLimit-Limit is a non-negative integer, with policies at most (${draft}, section 3.1)`,
    shows: ({ limit }) => limit !== undefined && quotaItems(limit) === null,
    tell: ({ limit }) => `RateLimit-Limit: ${limit ?? ''}`,
  },
  {
    ...breach,
    code: 'odd-policy',
    expected: `RateLimit-Policy is a list of quotas such as 600;w=60 (${draft}, section 3.2)`,
    shows: ({ policy }) => policy !== undefined && quotaItems(policy) === null,
    tell: ({ policy }) => `RateLimit-Policy: ${withoutPartitionKeys(policy ?? '')}`,
  },
  {
    ...breach,
    code: 'odd-remaining',
    expected: `RateLimit-Remaining is an integer (${draft}, section 3.3)`,
    shows: ({ remaining }) => remaining !== undefined && !/^\s*-?\d{1,15}\s*$/.test(remaining),
    tell: ({ remaining }) => `RateLimit-Remaining: ${remaining ?? ''}`,
  },
  {
    ...breach,
    code: 'odd-reset',
    expected: `RateLimit-Reset is a non-negative whole number of seconds, not a time stamp (${draft}, section 3.4)`,
    shows: ({ reset }) => reset !== undefined && (wholeNumber(reset) ?? Infinity) >= timeStamp,
    tell: ({ reset }) => `RateLimit-Reset: ${reset ?? ''}`,
  },
];

/** The seconds until reset, where the field is present and well-formed. */
export function resetSeconds(record: TraceRecord): number | null {
  const value = record.reset === undefined ? null : wholeNumber(record.reset);
  return value === null || value >= timeStamp ? null : value;
}

/** The seconds that a refusal asks to wait, where `Retry-After` is present and well-formed. */
export function retrySeconds(record: TraceRecord): number | null {
  return record.retryAfter === undefined ? null : retryAfterSeconds(record.retryAfter, record.date);
}
