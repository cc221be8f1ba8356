import {
  accepted,
  argsort,
  type CoreColumns,
  coreOf,
  refused,
  type TraceRecord,
  unsent,
} from '../../ratelimit/index.js';

/** The instants of a trace that its charts are drawn from, in milliseconds after its first request; each ascends on its own. */
export interface TraceColumns {
  readonly originMs: number;
  readonly lengthMs: number;
  readonly acceptedSent: Float64Array;
  readonly acceptedReceived: Float64Array;
  readonly refusedReceived: Float64Array;
}

/** When the answer to request `at` was in; when it was sent, where none came. */
export function settledMs({ sentMs, receivedMs }: CoreColumns, at: number): number {
  const ms = receivedMs[at] ?? Infinity;
  return Number.isFinite(ms) ? ms : (sentMs[at] ?? 0);
}

const known = new WeakMap<readonly TraceRecord[], TraceColumns>();

/** The columns of some records, gathered once. */
export function columnsOf(records: readonly TraceRecord[]): TraceColumns {
  const columns = known.get(records) ?? gather(records);
  known.set(records, columns);
  return columns;
}

function gather(records: readonly TraceRecord[]): TraceColumns {
  const core = coreOf(records);
  let originMs = Infinity;
  let endMs = -Infinity;
  for (let at = 0; at < core.outcome.length; at += 1) {
    if (core.outcome[at] === unsent) continue;
    originMs = Math.min(originMs, core.sentMs[at] ?? 0);
    endMs = Math.max(endMs, settledMs(core, at));
  }
  if (!Number.isFinite(originMs)) originMs = endMs = 0;
  const instants = (outcome: number, msOf: (at: number) => number): Float64Array => {
    const found = new Float64Array(core.outcome.length);
    let count = 0;
    for (let at = 0; at < found.length; at += 1) if (core.outcome[at] === outcome) found[count++] = msOf(at) - originMs;
    const keys = found.slice(0, count);
    const order = argsort(keys);
    return keys.map((_, rank) => keys[order[rank] ?? 0] ?? 0);
  };
  return {
    originMs,
    lengthMs: Math.max(1, endMs - originMs),
    acceptedSent: instants(accepted, (at) => core.sentMs[at] ?? 0),
    acceptedReceived: instants(accepted, (at) => settledMs(core, at)),
    refusedReceived: instants(refused, (at) => settledMs(core, at)),
  };
}
