import { originOf, spansOf } from './spans.js';
import type { Trace } from './trace.js';
import type { Tally } from './unjustified.js';

/** Sorts a trace's requests by what they may have done to the limiter; instants count from the first request. */
export function tallyOf(trace: Trace): Tally & { readonly originMs: number } {
  const originMs = originOf(trace);
  const accepted = spansOf(
    trace,
    originMs,
    (record) => record.outcome === 'accepted' && Number.isFinite(record.receivedMs),
  );
  const refused = spansOf(trace, originMs, (record) => record.outcome === 'refused');
  const others = accepted.count < trace.records.length;
  const spent = others ? spansOf(trace, originMs, (record) => record.outcome !== 'refused') : accepted;
  return {
    originMs,
    accepted,
    refused,
    spent,
    everything: refused.count > 0 ? spansOf(trace, originMs, () => true) : spent,
    idleBeforeMs: trace.idleBeforeMs,
    memo: new Map(),
  };
}
