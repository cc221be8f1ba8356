import { quotaItems, wholeNumber } from './fields.js';
import { findingOf, type HeaderFinding } from './header-finding.js';
import { retryAfterSeconds } from './http-date.js';
import type { TraceRecord } from './trace.js';

/** Seconds since 1970 have passed this since 2001; no window is that long. */
const timeStamp = 1e9;

const fields = [
  ['RateLimit-Limit', (record: TraceRecord) => record.limit],
  ['RateLimit-Remaining', (record: TraceRecord) => record.remaining],
  ['RateLimit-Reset', (record: TraceRecord) => record.reset],
] as const;

/** Presence and form of the three fields on the answers that a limiter decided. */
export function judgeForm(answers: readonly TraceRecord[], required: boolean): HeaderFinding[] {
  const breach = { id: 'LIMIT-06', severity: 'breach' } as const;
  const missing = fields.flatMap(([name, read]) =>
    findingOf(
      { ...breach, expected: `${name} on every accepted and every refused response` },
      required ? answers.filter((record) => read(record) === undefined) : [],
      (record) => `status ${record.status ?? 'none'} without ${name}`,
    ),
  );
  const malformed = [
    ...findingOf(
      { ...breach, expected: 'RateLimit-Limit is a non-negative integer, with policies at most' },
      answers.filter(({ limit }) => limit !== undefined && quotaItems(limit) === null),
      ({ limit }) => `RateLimit-Limit: ${limit ?? ''}`,
    ),
    ...findingOf(
      { ...breach, expected: 'RateLimit-Policy is a list of quotas such as 600;w=60' },
      answers.filter(({ policy }) => policy !== undefined && quotaItems(policy) === null),
      ({ policy }) => `RateLimit-Policy: ${policy ?? ''}`,
    ),
    ...findingOf(
      { ...breach, expected: 'RateLimit-Remaining is an integer' },
      answers.filter(({ remaining }) => remaining !== undefined && !/^\s*-?\d{1,15}\s*$/.test(remaining)),
      ({ remaining }) => `RateLimit-Remaining: ${remaining ?? ''}`,
    ),
    ...findingOf(
      { ...breach, expected: 'RateLimit-Reset is a non-negative whole number of seconds, not a time stamp' },
      answers.filter(({ reset }) => reset !== undefined && (wholeNumber(reset) ?? Infinity) >= timeStamp),
      ({ reset }) => `RateLimit-Reset: ${reset ?? ''}`,
    ),
  ];
  return [...missing, ...malformed];
}

/** The seconds until reset, where the field is present and well-formed. */
export function resetSeconds(record: TraceRecord): number | null {
  const value = record.reset === undefined ? null : wholeNumber(record.reset);
  return value === null || value >= timeStamp ? null : value;
}

/** The seconds that a refusal asks to wait, where `Retry-After` is present and well-formed. */
export function retrySeconds(record: TraceRecord): number | null {
  return record.retryAfter === undefined ? null : retryAfterSeconds(record.retryAfter, record.date);
}
