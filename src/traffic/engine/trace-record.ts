import { decodeJson } from '../../http/index.js';
import { asObject } from '../../openapi/index.js';
import type { TraceOutcome, TraceRecord } from '../../ratelimit/index.js';
import type { Settled, Written } from './connection.js';

const fieldNames = [
  ['ratelimit-limit', 'limit'],
  ['ratelimit-policy', 'policy'],
  ['ratelimit', 'combined'],
  ['ratelimit-remaining', 'remaining'],
  ['ratelimit-reset', 'reset'],
  ['retry-after', 'retryAfter'],
  ['cache-control', 'cacheControl'],
  ['cdn-cache-control', 'cdnCacheControl'],
  ['expires', 'expires'],
  ['date', 'date'],
] as const;

type HeaderField = (typeof fieldNames)[number][1];
const fields: ReadonlyMap<string, HeaderField> = new Map(fieldNames);

/** The headers that a limiter's judge reads, from a flat list of names and values; a field on several lines is joined by commas. */
export function limitHeaders(headers: readonly string[]): Partial<Record<HeaderField, string>> {
  const found: Partial<Record<HeaderField, string>> = {};
  for (let at = 0; at < headers.length; at += 2) {
    const field = fields.get((headers[at] ?? '').toLowerCase());
    const value = headers[at + 1];
    if (field === undefined || value === undefined) continue;
    found[field] = found[field] === undefined ? value : `${found[field]}, ${value}`;
  }
  return found;
}

/** Whether a body is `{ok: false, error: {…}}`. */
export function isFailureBody(text: string): boolean {
  const body = asObject(decodeJson(text));
  return body?.['ok'] === false && asObject(body['error']) !== null;
}

/** What the status of an answer says about a limit. */
export function outcomeOf(status: number): TraceOutcome {
  if (status >= 200 && status < 300) return 'accepted';
  return status === 429 ? 'refused' : 'other';
}

/** The record of one request that was written. */
export function recordOf(index: number, dueMs: number, { sentMs, span }: Written, settled: Settled): TraceRecord {
  const spanned = span === undefined ? {} : { span };
  const nothing = { index, dueMs, sentMs, ...spanned, receivedMs: Infinity, status: null, hasEnvelope: null };
  if (settled.kind !== 'answered') return { ...nothing, outcome: settled.kind };
  const { status } = settled;
  const hasEnvelope = status >= 400 ? isFailureBody(settled.body()) : null;
  return {
    index,
    dueMs,
    sentMs,
    ...spanned,
    receivedMs: settled.headMs,
    status,
    outcome: outcomeOf(status),
    ...limitHeaders(settled.headers),
    hasEnvelope,
  };
}

/** The record of a slot for which no connection was free. */
export function unsentRecord(index: number, dueMs: number): TraceRecord {
  return { index, dueMs, sentMs: dueMs, receivedMs: Infinity, outcome: 'unsent', status: null, hasEnvelope: null };
}

/** How many requests had each outcome. */
export function outcomesOf(records: readonly TraceRecord[]): Record<TraceOutcome, number> {
  const counts = { accepted: 0, refused: 0, other: 0, failed: 0, timeout: 0, unsent: 0 };
  for (const { outcome } of records) counts[outcome] += 1;
  return counts;
}
