import { granularityMs } from '../models/granularity.js';
import { lowerBound } from '../rank.js';
import { fixedFault, type WindowBounds, type WindowEvidence, type WindowFault } from './window-evidence.js';

/** A contradiction found in a window, with the bounds of the window. */
export interface Misfit {
  readonly fault: WindowFault;
  readonly bounds: WindowBounds;
}

/**
 * Follows windows that begin with the first request after the previous window, each of exact length. Where the begin is known only as an
 * interval, carries the interval along; it narrows wherever traffic paused. Null where nothing (of kind `only`, if given) contradicts.
 */
export function anchoredMisfit(evidence: WindowEvidence, only?: WindowFault['kind']): Misfit | null {
  const { accepted, others, owned, slack } = evidence;
  const windowMs = evidence.limit.windowSeconds * 1000;
  if (evidence.idleBeforeMs < windowMs * (1 + slack.clockErrorRate) + slack.quantumMs || accepted.count === 0)
    return null;
  let beginLo = Math.min(others.sent[0] ?? Infinity, owned.sent[0] ?? Infinity);
  let beginHi = accepted.receivedSorted[0] ?? Infinity;
  // Whatever was sent once the window before was certainly over belongs to this one, its opener included.
  let certainFrom = beginLo;
  for (;;) {
    const endLo = beginLo + windowMs / (1 + slack.clockErrorRate) - slack.quantumMs;
    // A limiter that stores whole seconds may end a window up to one second late; that admits no more requests.
    const lateMs = Math.max(slack.quantumMs, granularityMs(evidence.limit));
    const endHi = beginHi + windowMs * (1 + slack.clockErrorRate) + lateMs;
    // Once nothing is certainly inside a window there is nothing left to learn.
    if (endLo <= beginHi) return null;
    const bounds = { beginLo, beginHi: Math.min(beginHi, certainFrom), endLo };
    const fault = fixedFault(evidence, bounds, only);
    if (fault !== null) return { fault, bounds };
    const opener = evidence.acceptedFrom[lowerBound(accepted.sent, endHi)] ?? Infinity;
    beginLo = Math.min(firstPossible(others, endLo), firstPossible(owned, endLo));
    beginHi = opener;
    certainFrom = Math.max(beginLo, endHi);
    if (opener === Infinity) return only === 'overfull' ? null : refusedToOpen(evidence, beginLo, certainFrom);
  }
}

/** Whether what came once the last window was certainly over was refused, where nothing accepted can have opened another one. */
function refusedToOpen(evidence: WindowEvidence, beginLo: number, beginHi: number): Misfit | null {
  const { limit, slack } = evidence;
  const endLo = beginLo + (limit.windowSeconds * 1000) / (1 + slack.clockErrorRate) - slack.quantumMs;
  const bounds = { beginLo, beginHi, endLo };
  const fault = fixedFault(evidence, bounds);
  return fault?.kind === 'strict' ? { fault, bounds } : null;
}

/** The earliest instant from `fromMs` on at which one of the requests may have been decided. */
function firstPossible(intervals: WindowEvidence['others'], fromMs: number): number {
  const sentBefore = lowerBound(intervals.sent, fromMs);
  const answeredBefore = lowerBound(intervals.receivedSorted, fromMs);
  if (sentBefore > answeredBefore) return fromMs;
  return intervals.sent[sentBefore] ?? Infinity;
}
