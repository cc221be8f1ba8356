/**
 * The outcome of one request: `accepted` is a 2xx, `refused` a 429 (or another status that the scenario counts as a refusal), `other` any
 * different answer, `failed` a broken connection, `unsent` a slot without a free connection, so that nothing was written.
 */
export type TraceOutcome = 'accepted' | 'refused' | 'other' | 'failed' | 'timeout' | 'unsent';

/** One request of a scenario; instants in milliseconds on one monotonic client clock, headers as they were received. */
export interface TraceRecord {
  readonly index: number;
  readonly dueMs: number;
  /** Just before the bytes were written. */
  readonly sentMs: number;
  /** The number of its span in the trace of the run; absent where it had none, and in records of earlier versions. */
  readonly span?: number;
  /** After the head of the response; Infinity where none came. */
  readonly receivedMs: number;
  readonly outcome: TraceOutcome;
  readonly status: number | null;
  readonly limit?: string;
  readonly policy?: string;
  /** The single field `RateLimit` of later drafts. */
  readonly combined?: string;
  readonly remaining?: string;
  readonly reset?: string;
  readonly retryAfter?: string;
  readonly cacheControl?: string;
  readonly cdnCacheControl?: string;
  readonly expires?: string;
  readonly date?: string;
  /** The kind of request, unless it is a plain read: a record that does not exist, or a create. */
  readonly asked?: 'missing' | 'create';
  /** Whether the body was the failure envelope; null where nobody looked. */
  readonly hasEnvelope: boolean | null;
}

/** Every request one scenario made with one key, or with several that may share a counter. */
export interface Trace {
  readonly records: readonly TraceRecord[];
  /** How far the two clocks may drift apart, as a fraction: 0.001 unless something better is known. */
  readonly clockErrorRate: number;
  /** The coarsest step in which the limiter is assumed to tell time: 1 or 1000. */
  readonly quantumMs: number;
  /** How long the key had certainly been unused, by this run, before the first record. */
  readonly idleBeforeMs: number;
}

/** The number of ascending values below `bound`. */
export function lowerBound(sorted: ArrayLike<number>, bound: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The number of ascending values (all, or the first `length`) at or below `bound`. */
export function upperBound(sorted: ArrayLike<number>, bound: number, length = sorted.length): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Positions in ascending order of their keys; equal ones keep their order. */
export function argsort(keys: Float64Array): Uint32Array {
  return new Uint32Array(keys.length).map((_, at) => at).sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0));
}

/**
 * Some requests of a trace as columns, in the order in which they were sent. Instants are milliseconds after the first request
 * of the trace; the service decided request k somewhere in [sent[k], received[k]].
 */
export interface RequestIntervals {
  readonly count: number;
  /** Of the whole trace. */
  readonly records: readonly TraceRecord[];
  readonly sent: Float64Array;
  readonly received: Float64Array;
  /** Positions in `records`. */
  readonly position: Uint32Array;
  /** Positions in these columns, by the instant of the answer. */
  readonly byReceived: Uint32Array;
  /** The answers' instants alone, ascending. */
  readonly receivedSorted: Float64Array;
}

/** The instant that all others are counted from: the first byte written. */
export function originOf(trace: Trace): number {
  let originMs = Infinity;
  for (const { outcome, sentMs } of trace.records) if (outcome !== 'unsent' && sentMs < originMs) originMs = sentMs;
  return Number.isFinite(originMs) ? originMs : 0;
}

/** All requests of a trace that were written. */
export function intervalsOf({ records }: Trace, originMs: number): RequestIntervals {
  const written: number[] = [];
  for (let at = 0; at < records.length; at += 1) if (records[at]?.outcome !== 'unsent') written.push(at);
  const bySent = argsort(Float64Array.from(written, (at) => records[at]?.sentMs ?? 0));
  const position = bySent.map((rank) => written[rank] ?? 0);
  const count = position.length;
  const sent = new Float64Array(count);
  const received = new Float64Array(count);
  for (let k = 0; k < count; k += 1) {
    const { sentMs = 0, receivedMs = 0 } = records[position[k] ?? 0] ?? {};
    sent[k] = sentMs - originMs;
    // An answer cannot precede its request: a clock read out of order only widens the interval.
    received[k] = Math.max(receivedMs, sentMs) - originMs;
  }
  const byReceived = argsort(received);
  return { count, records, sent, received, position, byReceived, receivedSorted: at(byReceived, received) };
}

/** The record's own number behind a position in columns. */
export function indexOf({ records, position }: RequestIntervals, k: number): number {
  return records.at(position[k] ?? 0)?.index ?? -1;
}

/** The columns' requests whose position in the trace is marked 1, or those that are not. */
export function pick(intervals: RequestIntervals, marked: Uint8Array, mark: 0 | 1): RequestIntervals {
  const isPicked = (k: number): boolean => marked[intervals.position[k] ?? 0] === mark;
  const picked = intervals.position.map((_, k) => k).filter(isPicked);
  const rank = new Uint32Array(intervals.count);
  for (let at = 0; at < picked.length; at += 1) rank[picked[at] ?? 0] = at;
  const answered = intervals.byReceived.filter(isPicked);
  return {
    count: picked.length,
    records: intervals.records,
    sent: at(picked, intervals.sent),
    received: at(picked, intervals.received),
    position: picked.map((k) => intervals.position[k] ?? 0),
    byReceived: answered.map((k) => rank[k] ?? 0),
    receivedSorted: at(answered, intervals.received),
  };
}

/** The entries of a column at some positions. */
const at = (positions: Uint32Array, column: Float64Array): Float64Array =>
  new Float64Array(positions.length).map((_, k) => column[positions[k] ?? 0] ?? 0);

/** For each request the earliest answer to it or to one sent later. */
export function earliestAnswers(owned: RequestIntervals): Float64Array {
  const earliest = new Float64Array(owned.count);
  let leastMs = Infinity;
  for (let k = owned.count - 1; k >= 0; k -= 1) {
    leastMs = Math.min(leastMs, owned.received[k] ?? Infinity);
    earliest[k] = leastMs;
  }
  return earliest;
}

/** The requests of one trace by what they may have done to the limiter. */
export interface RequestGroups {
  readonly accepted: RequestIntervals;
  readonly refused: RequestIntervals;
  /** All that may have been counted but the refusals. */
  readonly spent: RequestIntervals;
  /** All that may have been counted, refusals too. */
  readonly everything: RequestIntervals;
  readonly idleBeforeMs: number;
  /** Models share most of their justifications: what has been computed for one serves the others. */
  readonly memo: Map<string, unknown>;
}

/** Sorts a trace's requests by what they may have done to the limiter; instants count from the first request. */
export function groupRequests(trace: Trace): RequestGroups {
  const everything = intervalsOf(trace, originOf(trace));
  const isRefused = Uint8Array.from(trace.records, ({ outcome }) => (outcome === 'refused' ? 1 : 0));
  const isAccepted = Uint8Array.from(trace.records, ({ outcome, receivedMs }) =>
    outcome === 'accepted' && receivedMs !== Infinity ? 1 : 0,
  );
  const [admitted, turnedAway] = [pick(everything, isAccepted, 1), pick(everything, isRefused, 1)];
  return {
    accepted: admitted,
    refused: turnedAway,
    spent: admitted.count + turnedAway.count === everything.count ? admitted : pick(everything, isRefused, 0),
    everything,
    idleBeforeMs: trace.idleBeforeMs,
    memo: new Map(),
  };
}

/** What has been computed before, or is now; a key names one kind of value only. */
export function once<Value>(memo: RequestGroups['memo'], key: string, compute: () => Value): Value {
  if (!memo.has(key)) memo.set(key, compute());
  return memo.get(key) as Value;
}
