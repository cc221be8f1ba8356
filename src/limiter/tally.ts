import { originOf, spansOf } from './spans.js';
import type { Trace } from './trace.js';
import type { Tally } from './unjustified.js';

/** Sorts a trace's requests by what they may have done to the limiter; instants count from the first request. */
export function tallyOf(trace: Trace): Tally & { readonly originMs: number } {
  const originMs = originOf(trace);
  return {
    originMs,
    accepted: spansOf(trace, originMs, (record) => record.outcome === 'accepted' && Number.isFinite(record.receivedMs)),
    refused: spansOf(trace, originMs, (record) => record.outcome === 'refused'),
    spent: spansOf(trace, originMs, (record) => record.outcome !== 'refused'),
    everything: spansOf(trace, originMs, () => true),
    idleBeforeMs: trace.idleBeforeMs,
    memo: new Map(),
  };
}
