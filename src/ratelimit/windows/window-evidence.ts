import type { Slack } from '../models/envelope.js';
import { lowerBound, upperBound } from '../rank.js';
import type { RequestIntervals } from '../request-intervals.js';
import type { Limit } from '../../settings/index.js';

/** What a trace shows about the windows of one limit. */
export interface WindowEvidence {
  readonly limit: Limit;
  readonly slack: Slack;
  readonly idleBeforeMs: number;
  readonly accepted: RequestIntervals;
  /** Refusals that only this limit can explain. */
  readonly owned: RequestIntervals;
  /** All that may have been counted but the refusals owned. */
  readonly others: RequestIntervals;
  /** For each refusal owned, the earliest answer among those sent no earlier. */
  readonly earliestAnswer: Float64Array;
  /** The same of the acceptances. */
  readonly acceptedFrom: Float64Array;
}

/**
 * Where a window begins and ends, as far as is known: it begins no earlier than beginLo, what is sent from beginHi on is not in an earlier
 * one, and it ends no earlier than endLo.
 */
export interface WindowBounds {
  readonly beginLo: number;
  readonly beginHi: number;
  readonly endLo: number;
}

/** What contradicts a window at that place. */
export type WindowFault =
  { readonly kind: 'overfull'; readonly accepted: number } | { readonly kind: 'strict'; readonly owned: number };

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

/** Acceptances certainly decided between two instants, counted from below. */
export function certainlyAccepted(evidence: WindowEvidence, fromMs: number, untilMs: number): number {
  return lowerBound(evidence.accepted.receivedSorted, untilMs) - lowerBound(evidence.accepted.sent, fromMs);
}

/** Others that may have been decided between two instants. */
export function possiblyCounted(evidence: WindowEvidence, fromMs: number, untilMs: number): number {
  return upperBound(evidence.others.sent, untilMs) - lowerBound(evidence.others.receivedSorted, fromMs);
}

/** The earliest answer to a refusal that was certainly decided inside the window, or null. */
export function firstOwnedRefusal(evidence: WindowEvidence, bounds: WindowBounds): number | null {
  const from = lowerBound(evidence.owned.sent, bounds.beginHi);
  const answeredMs = evidence.earliestAnswer[from] ?? Infinity;
  return answeredMs < bounds.endLo ? answeredMs : null;
}

/**
 * Whether a fixed window at that position admitted too many, or refused before it was full. Before its first refusal only acceptances can
 * have filled it. `only` restricts the test to one of the two.
 */
export function fixedFault(
  evidence: WindowEvidence,
  bounds: WindowBounds,
  only?: WindowFault['kind'],
): WindowFault | null {
  const accepted = only === 'strict' ? 0 : certainlyAccepted(evidence, bounds.beginHi, bounds.endLo);
  if (accepted > evidence.limit.count) return { kind: 'overfull', accepted };
  if (only === 'overfull') return null;
  const refusedMs = firstOwnedRefusal(evidence, bounds);
  if (refusedMs === null) return null;
  const owned = possiblyCounted(evidence, bounds.beginLo, refusedMs);
  return owned < evidence.limit.count ? { kind: 'strict', owned } : null;
}
