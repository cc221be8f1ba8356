import type { Limit } from '../target/limits.js';
import { seconds } from './instants.js';
import type { Trace, TraceRecord } from './trace.js';
import { planNumbers } from './reading.js';

/** The verdict of the strongest test: after a rest, nothing within the limits may be refused, whatever the mechanism. */
export type IdleProbe =
  | { readonly kind: 'kept' }
  | { readonly kind: 'unfit'; readonly reason: string }
  | { readonly kind: 'broken'; readonly sentence: string; readonly records: readonly number[] };

/**
 * Judges the first requests after an idle stretch. Every limiter must accept as many as its smallest number from rest, so the refusal of
 * any that was certainly among them is unjustified without any clock. Longer traces are judged as far as the smallest number goes.
 */
export function judgeIdleProbe(trace: Trace, limits: readonly Limit[]): IdleProbe {
  const { burst } = planNumbers(limits);
  const neededMs = 2 * burst.windowSeconds * 1000 * (1 + trace.clockErrorRate) + trace.quantumMs;
  if (trace.idleBeforeMs < neededMs) {
    return { kind: 'unfit', reason: `idle for ${seconds(trace.idleBeforeMs)}, where ${seconds(neededMs)} are needed` };
  }
  const first = Math.min(...limits.map((limit) => limit.count));
  const sent = trace.records.filter(({ outcome }) => outcome !== 'unsent').sort((a, b) => a.sentMs - b.sentMs);
  if (sent.length === 0) return { kind: 'unfit', reason: 'nothing was sent' };
  const early = sent.filter((record, k) => record.outcome === 'refused' && mayPrecede(sent, record, k) < first);
  const [refusal] = early;
  if (refusal === undefined) return { kind: 'kept' };
  const before = mayPrecede(sent, refusal, sent.indexOf(refusal));
  return {
    kind: 'broken',
    sentence:
      `request ${refusal.index} was refused after at most ${before} others, ` +
      `although the key had rested for ${seconds(trace.idleBeforeMs)} and ${first} are allowed at once`,
    records: early.slice(0, 10).map((record) => record.index),
  };
}

/** How many others may have been decided before it; scanning stops at the first request sent after its answer. */
function mayPrecede(sent: readonly TraceRecord[], record: TraceRecord, at: number): number {
  let until = at;
  while (until + 1 < sent.length && (sent[until + 1]?.sentMs ?? Infinity) <= record.receivedMs) until += 1;
  return until;
}
