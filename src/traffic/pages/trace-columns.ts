import type { TraceRecord } from '../../ratelimit/trace.js';

/** The instants of a trace that its charts are drawn from, in milliseconds after its first request; each ascends on its own. */
export interface TraceColumns {
  readonly originMs: number;
  readonly lengthMs: number;
  readonly acceptedSent: Float64Array;
  readonly acceptedReceived: Float64Array;
  readonly refusedReceived: Float64Array;
}

/** Whether a request was written at all. */
export function wasSent(record: TraceRecord): boolean {
  return record.outcome !== 'unsent';
}

/** When a request's answer was in; when it was sent, where none came. */
export function settledMs(record: TraceRecord): number {
  return Number.isFinite(record.receivedMs) ? record.receivedMs : record.sentMs;
}

function instants(
  records: readonly TraceRecord[],
  outcome: TraceRecord['outcome'],
  at: (record: TraceRecord) => number,
): Float64Array {
  return Float64Array.from(records.filter((record) => record.outcome === outcome).map(at)).sort();
}

/** Gathers the columns. */
export function columnsOf(records: readonly TraceRecord[]): TraceColumns {
  let originMs = Infinity;
  let endMs = -Infinity;
  for (const record of records) {
    if (!wasSent(record)) continue;
    originMs = Math.min(originMs, record.sentMs);
    endMs = Math.max(endMs, settledMs(record));
  }
  if (!Number.isFinite(originMs)) originMs = endMs = 0;
  return {
    originMs,
    lengthMs: Math.max(1, endMs - originMs),
    acceptedSent: instants(records, 'accepted', (record) => record.sentMs - originMs),
    acceptedReceived: instants(records, 'accepted', (record) => settledMs(record) - originMs),
    refusedReceived: instants(records, 'refused', (record) => settledMs(record) - originMs),
  };
}
