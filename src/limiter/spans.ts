import { orderBy } from './order.js';
import type { Trace, TraceRecord } from './trace.js';

/**
 * Some requests of a trace as columns, in the order in which they were sent. Instants are milliseconds after the first request
 * of the trace; the service decided request k somewhere in [sent[k], received[k]].
 */
export interface Spans {
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

/** Gathers the records that `wanted` takes; requests that were never written are left out. */
export function spansOf(trace: Trace, originMs: number, wanted: (record: TraceRecord) => boolean): Spans {
  const { records } = trace;
  const chosen = new Uint32Array(records.length);
  let count = 0;
  for (let position = 0; position < records.length; position += 1) {
    const record = records[position];
    if (record === undefined || record.outcome === 'unsent' || !wanted(record)) continue;
    chosen[count] = position;
    count += 1;
  }
  const rawSent = new Float64Array(count);
  for (let k = 0; k < count; k += 1) rawSent[k] = (records[chosen[k] ?? 0]?.sentMs ?? 0) - originMs;
  return sortedSpans(records, originMs, chosen, rawSent);
}

function sortedSpans(
  records: readonly TraceRecord[],
  originMs: number,
  chosen: Uint32Array,
  rawSent: Float64Array,
): Spans {
  const count = rawSent.length;
  const bySent = orderBy(rawSent);
  const sent = new Float64Array(count);
  const received = new Float64Array(count);
  const position = new Uint32Array(count);
  for (let k = 0; k < count; k += 1) {
    const raw = bySent[k] ?? 0;
    const place = chosen[raw] ?? 0;
    sent[k] = rawSent[raw] ?? 0;
    position[k] = place;
    // An answer cannot precede its request: a clock read out of order only widens the interval.
    received[k] = Math.max((records[place]?.receivedMs ?? Infinity) - originMs, rawSent[raw] ?? 0);
  }
  const byReceived = orderBy(received);
  const receivedSorted = new Float64Array(count);
  for (let k = 0; k < count; k += 1) receivedSorted[k] = received[byReceived[k] ?? 0] ?? 0;
  return { count, sent, received, position, byReceived, receivedSorted };
}

/** The columns' requests whose position in the trace is marked 1, or those that are not. */
export function pick(spans: Spans, marked: Uint8Array, mark: 0 | 1): Spans {
  let count = 0;
  for (let k = 0; k < spans.count; k += 1) if (marked[spans.position[k] ?? 0] === mark) count += 1;
  const sent = new Float64Array(count);
  const received = new Float64Array(count);
  const position = new Uint32Array(count);
  const place = new Uint32Array(spans.count);
  let next = 0;
  for (let k = 0; k < spans.count; k += 1) {
    if (marked[spans.position[k] ?? 0] !== mark) continue;
    sent[next] = spans.sent[k] ?? 0;
    received[next] = spans.received[k] ?? 0;
    position[next] = spans.position[k] ?? 0;
    place[k] = next;
    next += 1;
  }
  const byReceived = new Uint32Array(count);
  const receivedSorted = new Float64Array(count);
  let rank = 0;
  for (let old = 0; old < spans.count; old += 1) {
    const k = spans.byReceived[old] ?? 0;
    if (marked[spans.position[k] ?? 0] !== mark) continue;
    byReceived[rank] = place[k] ?? 0;
    receivedSorted[rank] = spans.received[k] ?? 0;
    rank += 1;
  }
  return { count, sent, received, position, byReceived, receivedSorted };
}
