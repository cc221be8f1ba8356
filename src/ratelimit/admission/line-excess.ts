import type { Excess, LineEnvelope } from '../model.js';
import type { RequestIntervals } from '../request-intervals.js';
import { msOfTicks, type Ticks } from './ticks.js';

/** Absorbs rounding of products of times and rates, so that it never causes a failure. */
export const roundingMargin = 1e-6;

/**
 * The first answer at which some interval certainly contains more acceptances than a line allows, or null. A segment tree over the sending
 * times keeps the best interval that ends now: each node holds its number of answered requests and the best start.
 */
export function lineExcess(intervals: RequestIntervals, ticks: Ticks, envelope: LineEnvelope): Excess | null {
  if (intervals.count <= envelope.capacity) return null;
  const perTick = msOfTicks(envelope.perMs);
  let leaves = 1;
  while (leaves < intervals.count) leaves *= 2;
  const answered = new Int32Array(2 * leaves);
  const best = new Float64Array(2 * leaves).fill(-Infinity);
  for (let rank = 0; rank < intervals.count; rank += 1) {
    const k = intervals.byReceived[rank] ?? 0;
    let node = leaves + k;
    answered[node] = 1;
    best[node] = 1 + perTick * (ticks.start[k] ?? 0);
    for (node >>= 1; node >= 1; node >>= 1) {
      const right = 2 * node + 1;
      const throughLeft = (best[2 * node] ?? 0) + (answered[right] ?? 0);
      const inRight = best[right] ?? 0;
      answered[node] = (answered[2 * node] ?? 0) + (answered[right] ?? 0);
      best[node] = throughLeft > inRight ? throughLeft : inRight;
    }
    const worth = (best[1] ?? 0) - perTick * (ticks.end[k] ?? 0) - envelope.capacity;
    if (worth > roundingMargin) return locate(intervals, ticks, envelope, rank);
  }
  return null;
}

function locate(intervals: RequestIntervals, ticks: Ticks, envelope: LineEnvelope, rank: number): Excess {
  const last = intervals.byReceived[rank] ?? 0;
  const end = ticks.end[last] ?? 0;
  const perTick = msOfTicks(envelope.perMs);
  let answered = 0;
  let found: Excess = { first: last, last, accepted: 1, allowed: envelope.capacity, lengthMs: 0 };
  let worst = -Infinity;
  for (let k = intervals.count - 1; k >= 0; k -= 1) {
    if ((intervals.received[k] ?? 0) > (intervals.received[last] ?? 0)) continue;
    answered += 1;
    const length = end - (ticks.start[k] ?? 0);
    const allowed = envelope.capacity + perTick * length;
    if (answered - allowed <= worst) continue;
    worst = answered - allowed;
    found = { first: k, last, accepted: answered, allowed, lengthMs: msOfTicks(length) };
  }
  return found;
}
