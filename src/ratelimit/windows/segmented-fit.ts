import { certainlyAccepted, type WindowEvidence } from './window-evidence.js';

/** Number of intervals into which the possible begin of a window is divided. */
const places = 480;

/**
 * Whether a limiter that counts in `segments` equal parts of its window, aligned to the clock, can have admitted the acceptances: any
 * `segments` consecutive parts hold no more than the limit. Tries every interval in which the parts may begin.
 */
export function fitsSegments(evidence: WindowEvidence, segments: number): boolean {
  const windowMs = evidence.limit.windowSeconds * 1000;
  const width = windowMs / places;
  for (let offset = 0; offset < windowMs / segments; offset += width) {
    if (fitsAt(evidence, segments, offset - windowMs, width)) return true;
  }
  return false;
}

function fitsAt(evidence: WindowEvidence, segments: number, fromMs: number, width: number): boolean {
  const { limit, slack } = evidence;
  const windowMs = limit.windowSeconds * 1000;
  const lastMs = evidence.accepted.receivedSorted.at(-1) ?? 0;
  const drift = (atMs: number): number => Math.abs(atMs) * slack.clockErrorRate + slack.quantumMs;
  for (let beginMs = fromMs; beginMs <= lastMs; beginMs += windowMs / segments) {
    const latestMs = beginMs + width + drift(beginMs + width);
    const endMs = beginMs + windowMs - drift(beginMs + windowMs);
    if (certainlyAccepted(evidence, latestMs, endMs) > limit.count) return false;
  }
  return true;
}
