import { decodeJson } from '../../http/index.js';
import { asObject } from '../../openapi/index.js';
import type { TraceOutcome, TraceRecord } from '../../ratelimit/index.js';
import type { Settled } from './connections.js';
import { type Segment, type SendOptions, sendSegment, type Sent } from './send-load.js';

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

/** The headers that a limiter's judge reads; a field on several lines is joined by commas. */
export function limitHeaders(
  headers: Iterable<readonly [name: string, value: string | readonly string[] | undefined]>,
): Partial<Record<HeaderField, string>> {
  const found: Partial<Record<HeaderField, string>> = {};
  for (const [name, value] of headers) {
    const field = fields.get(name.toLowerCase());
    if (field !== undefined) found[field] = [found[field] ?? [], value ?? []].flat().join(', ');
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
function recordOf(index: number, dueMs: number, settled: Settled): TraceRecord {
  const { sentMs, span } = settled.written;
  const spanned = span === undefined ? {} : { span };
  if (settled.kind !== 'answered') return { ...unsentRecord(index, dueMs), sentMs, ...spanned, outcome: settled.kind };
  const { status, headMs: receivedMs } = settled;
  const hasEnvelope = status >= 400 ? isFailureBody(settled.body()) : null;
  const said = limitHeaders(Object.entries(settled.headers));
  return { index, dueMs, sentMs, receivedMs, status, outcome: outcomeOf(status), hasEnvelope, ...spanned, ...said };
}

/** The record of a slot for which no connection was free. */
export function unsentRecord(index: number, dueMs: number): TraceRecord {
  return { index, dueMs, sentMs: dueMs, receivedMs: Infinity, outcome: 'unsent', status: null, hasEnvelope: null };
}

const loopback = /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether load may be sent to this URL: loopback always, any other host only where ALLOW_LOAD names it (with or without its port). */
export function allowedToLoad(url: string, allowLoad: readonly string[]): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname, host } = new URL(url);
  return (
    loopback.test(hostname.toLowerCase()) ||
    allowLoad.some((name) => name === hostname.toLowerCase() || name === host.toLowerCase())
  );
}

/** The most requests and seconds one drive may be asked for. */
export const driveBounds = { requests: 5_000_000, seconds: 86_400 } as const;

/** Throws RangeError where a drive would be larger than `driveBounds` or is no drive at all. */
export function assertBounded(count: number, seconds: number, connections: number): void {
  const whole = Number.isInteger(count) && Number.isInteger(connections);
  if (!whole || count < 1 || count > driveBounds.requests)
    throw new RangeError(`a drive of ${count} requests: expected 1 to ${driveBounds.requests}`);
  if (!(seconds >= 0) || seconds > driveBounds.seconds)
    throw new RangeError(`a drive of ${seconds} s: expected at most ${driveBounds.seconds} s`);
  if (connections < 1 || connections > 2_000) throw new RangeError(`${connections} connections: expected 1 to 2000`);
}

/** One drive: every slot's record in order of its index. */
export interface Drive extends Pick<Segment, 'ratePerSecond' | 'connections'>, Pick<Sent, 'startedMs' | 'endedMs'> {
  readonly records: readonly TraceRecord[];
  /** Why the first failed request failed or no connection could be opened, or null. */
  readonly trouble: string | null;
}

/** How many requests had each outcome, where sent = answered + failed + timeout, and by when nearly all were written after they were due. */
export function booksOf(records: readonly TraceRecord[]) {
  const counts = { accepted: 0, refused: 0, other: 0, failed: 0, timeout: 0, unsent: 0 };
  for (const { outcome } of records) counts[outcome] += 1;
  const written = records.filter(({ outcome }) => outcome !== 'unsent');
  const late = Float64Array.from(written, ({ sentMs, dueMs }) => sentMs - dueMs).sort();
  const answered = counts.accepted + counts.refused + counts.other;
  return { ...counts, sent: written.length, answered, lateMs: late[Math.floor(late.length * 0.99)] ?? 0 };
}

/**
 * Sends a segment, and collects the records: one for every slot, unsent where no connection was free. Fewer only where `enoughRefusals` came back
 * before all were sent, and then there are no more records than were sent.
 */
export async function drive(segment: Segment, options: SendOptions): Promise<Drive> {
  const { count, ratePerSecond, connections, enoughRefusals = Infinity } = segment;
  assertBounded(count, ratePerSecond === null ? 0 : count / ratePerSecond, connections);
  const found = new Array<TraceRecord | undefined>(count);
  let trouble: string | null = null;
  let refusals = 0;
  const isEnough = (): boolean => refusals >= enoughRefusals;
  const { startedMs, endedMs, connectError } = await sendSegment(segment, options, {
    isEnough,
    onSettled({ index, dueMs }, settled) {
      if (settled === null) {
        found[index] = unsentRecord(index, dueMs);
        return null;
      }
      if (settled.kind === 'failed') trouble ??= settled.reason;
      // As fast as they go, requests are due when a connection is free.
      const fromMs = ratePerSecond === null ? settled.written.sentMs : dueMs;
      const record = recordOf(index, fromMs, settled);
      found[index] = record;
      if (settled.kind === 'answered' && settled.status >= 400) refusals += 1;
      const { method = 'GET', path = options.url } = options.shapeOf?.(index) ?? {};
      const { status, outcome } = record;
      const endMs = settled.kind === 'answered' ? settled.endMs : performance.now();
      const seconds = settled.kind === 'failed' ? null : (endMs - fromMs) / 1000;
      const isError = outcome !== 'accepted' && outcome !== 'refused';
      return { method, path, status: String(status ?? outcome), seconds, isError };
    },
  });
  if (isEnough()) found.length = found.findLastIndex((record) => record?.outcome !== 'unsent') + 1;
  const records = Array.from(found, (record, index) => record ?? unsentRecord(index, endedMs));
  return { records, ratePerSecond, connections, startedMs, endedMs, trouble: trouble ?? connectError };
}
