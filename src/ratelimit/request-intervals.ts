import type { Trace } from './trace.js';

/**
 * Some requests of a trace as columns, in the order in which they were sent. Instants are milliseconds after the first request
 * of the trace; the service decided request k somewhere in [sent[k], received[k]].
 */
export interface RequestIntervals {
  readonly count: number;
  readonly sent: Float64Array;
  readonly received: Float64Array;
  /** Positions in `trace.records`. */
  readonly position: Uint32Array;
  /** Positions in these columns, by the instant of the answer. */
  readonly byReceived: Uint32Array;
  /** The answers' instants alone, ascending. */
  readonly receivedSorted: Float64Array;
}

/** The instant that all others are counted from: the first byte written. */
export function originOf(trace: Trace): number {
  let originMs = Infinity;
  for (const record of trace.records) {
    if (record.outcome !== 'unsent' && record.sentMs < originMs) originMs = record.sentMs;
  }
  return Number.isFinite(originMs) ? originMs : 0;
}

/** All requests of a trace that were written. */
export function intervalsOf(trace: Trace, originMs: number): RequestIntervals {
  const { records } = trace;
  const chosen = new Uint32Array(records.length);
  const rawSent = new Float64Array(records.length);
  const rawReceived = new Float64Array(records.length);
  let count = 0;
  for (let at = 0; at < records.length; at += 1) {
    const record = records[at];
    if (record === undefined || record.outcome === 'unsent') continue;
    chosen[count] = at;
    rawSent[count] = record.sentMs - originMs;
    // An answer cannot precede its request: a clock read out of order only widens the interval.
    rawReceived[count] = Math.max(record.receivedMs, record.sentMs) - originMs;
    count += 1;
  }
  const bySent = argsort(rawSent.subarray(0, count));
  const sent = gather(rawSent, bySent);
  const received = gather(rawReceived, bySent);
  const position = bySent.map((raw) => chosen[raw] ?? 0);
  const byReceived = argsort(received);
  return { count, sent, received, position, byReceived, receivedSorted: gather(received, byReceived) };
}

/** The positions 0…n−1 in ascending order of `keys`; equal ones keep their order. */
function argsort(keys: Float64Array): Uint32Array {
  return Uint32Array.from(keys.keys()).sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0));
}

function gather(values: Float64Array, order: Uint32Array): Float64Array {
  return Float64Array.from(order, (at) => values[at] ?? 0);
}

/** The columns' requests whose position in the trace is marked 1, or those that are not. */
export function pick(intervals: RequestIntervals, marked: Uint8Array, mark: 0 | 1): RequestIntervals {
  let count = 0;
  for (let k = 0; k < intervals.count; k += 1) if (marked[intervals.position[k] ?? 0] === mark) count += 1;
  const sent = new Float64Array(count);
  const received = new Float64Array(count);
  const position = new Uint32Array(count);
  const place = new Uint32Array(intervals.count);
  let next = 0;
  for (let k = 0; k < intervals.count; k += 1) {
    if (marked[intervals.position[k] ?? 0] !== mark) continue;
    sent[next] = intervals.sent[k] ?? 0;
    received[next] = intervals.received[k] ?? 0;
    position[next] = intervals.position[k] ?? 0;
    place[k] = next;
    next += 1;
  }
  const byReceived = new Uint32Array(count);
  const receivedSorted = new Float64Array(count);
  let rank = 0;
  for (let old = 0; old < intervals.count; old += 1) {
    const k = intervals.byReceived[old] ?? 0;
    if (marked[intervals.position[k] ?? 0] !== mark) continue;
    byReceived[rank] = place[k] ?? 0;
    receivedSorted[rank] = intervals.received[k] ?? 0;
    rank += 1;
  }
  return { count, sent, received, position, byReceived, receivedSorted };
}
