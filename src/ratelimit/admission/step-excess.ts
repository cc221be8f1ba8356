import type { Excess, StepEnvelope } from '../models/envelope.js';
import { separableExcess } from './separable-excess.js';
import type { RequestIntervals } from '../request-intervals.js';
import { msOfTicks, windowTicks, type Ticks } from './ticks.js';

/**
 * Whether some interval certainly contains more acceptances than a step function of its length allows, in about n log n.
 *
 * A request lies inside [start, end] unless it was sent before or answered after, so the count is `answered by end − sent before start`,
 * plus the requests that span the whole interval. No request spans an interval longer than the longest request: there the count is a
 * difference of two terms (`separableExcess`). Shorter intervals are few windows long: one linear sweep for each number of windows.
 */
export function stepExcess(intervals: RequestIntervals, ticks: Ticks, envelope: StepEnvelope): Excess | null {
  if (intervals.count <= envelope.base) return null;
  const window = windowTicks(envelope.windowMs);
  // If no single window holds more than its share, no longer interval holds more than the shares of the windows that cover it.
  if (busiestWindow(ticks, window) <= Math.min(envelope.base, envelope.perWindow)) return null;
  const sweeps = Math.min(Math.floor(ticks.longest / window) + 1, Math.ceil(intervals.count / envelope.perWindow));
  for (let windows = 0; windows <= sweeps; windows += 1) {
    // The longest interval whose length still rounds to this many windows.
    const longest = envelope.rounding === 'floor' ? (windows + 1) * window - 1 : windows * window;
    const found = sweep(intervals, ticks, longest, envelope.base + envelope.perWindow * windows);
    if (found !== null) return found;
  }
  return separableExcess(intervals, ticks, envelope, window);
}

/** The most requests sent within less than one window. */
function busiestWindow({ start }: Ticks, window: number): number {
  let busiest = 0;
  let first = 0;
  for (let last = 0; last < start.length; last += 1) {
    while ((start[last] ?? 0) - (start[first] ?? 0) >= window) first += 1;
    if (last - first + 1 > busiest) busiest = last - first + 1;
  }
  return busiest;
}

function sweep(intervals: RequestIntervals, ticks: Ticks, longest: number, allowed: number): Excess | null {
  if (intervals.count <= allowed) return null;
  const answered = new Uint8Array(intervals.count);
  let first = 0;
  let inside = 0;
  for (let rank = 0; rank < intervals.count; rank += 1) {
    const k = intervals.byReceived[rank] ?? 0;
    const end = ticks.end[k] ?? 0;
    while (first < intervals.count && end - (ticks.start[first] ?? 0) > longest) {
      inside -= answered[first] ?? 0;
      first += 1;
    }
    answered[k] = 1;
    if (k >= first) inside += 1;
    if (inside <= allowed) continue;
    while (answered[first] === 0) first += 1;
    const lengthMs = msOfTicks(end - (ticks.start[first] ?? 0));
    return { first, last: k, accepted: inside, allowed, lengthMs };
  }
  return null;
}
