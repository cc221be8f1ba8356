import type { Excess, LineEnvelope, Slack, StepEnvelope } from '../model.js';
import type { RequestIntervals } from '../request-intervals.js';

const ticksPerMs = 1024;

/**
 * The ends of intervals in whole ticks, widened outwards by the clock's error and the limiter's quantum: `end − start` is then an
 * exact integer, so that two ways of comparing it with a window agree to the last bit. There is room for 48 days.
 */
export interface Ticks {
  readonly start: Uint32Array;
  /** By position, not by rank. */
  readonly end: Uint32Array;
}

/** Whole ticks of a window, rounded towards leniency. */
export function windowTicks(windowMs: number): number {
  return Math.max(1, Math.floor(windowMs * ticksPerMs));
}

/** Milliseconds of a number of ticks. */
function msOfTicks(ticks: number): number {
  return ticks / ticksPerMs;
}

/** Converts the columns; answers that never came have no place here. */
export function ticksOf(intervals: RequestIntervals, slack: Slack): Ticks {
  const scale = (1 + slack.clockErrorRate) * ticksPerMs;
  const start = new Uint32Array(intervals.count);
  const end = new Uint32Array(intervals.count);
  for (let k = 0; k < intervals.count; k += 1) {
    start[k] = Math.floor((intervals.sent[k] ?? 0) * scale);
    end[k] = Math.ceil((intervals.received[k] ?? 0) * scale + slack.quantumMs * ticksPerMs);
  }
  return { start, end };
}

/** Absorbs rounding of products of times and rates, so that it never causes a failure. */
const roundingMargin = 1e-6;

/**
 * The first answer at which some interval certainly contains more acceptances than a line allows, or null. A segment tree over the sending
 * times keeps the best interval that ends now: each node holds its number of answered requests, the best start, and what that is worth.
 */
export function lineExcess(intervals: RequestIntervals, ticks: Ticks, envelope: LineEnvelope): Excess | null {
  if (intervals.count <= envelope.capacity) return null;
  const perTick = msOfTicks(envelope.perMs);
  let leaves = 1;
  while (leaves < intervals.count) leaves *= 2;
  const answered = new Int32Array(2 * leaves);
  const best = new Float64Array(2 * leaves).fill(-Infinity);
  const bestAt = new Uint32Array(2 * leaves);
  for (const last of intervals.byReceived) {
    let node = leaves + last;
    answered[node] = 1;
    best[node] = 1 + perTick * (ticks.start[last] ?? 0);
    bestAt[node] = last;
    for (node >>= 1; node >= 1; node >>= 1) {
      const [left, right] = [2 * node, 2 * node + 1];
      const throughLeft = (best[left] ?? 0) + (answered[right] ?? 0);
      const inRight = best[right] ?? 0;
      answered[node] = (answered[left] ?? 0) + (answered[right] ?? 0);
      best[node] = Math.max(throughLeft, inRight);
      bestAt[node] = bestAt[throughLeft > inRight ? left : right] ?? 0;
    }
    const first = bestAt[1] ?? 0;
    const length = (ticks.end[last] ?? 0) - (ticks.start[first] ?? 0);
    const accepted = Math.round((best[1] ?? 0) - perTick * (ticks.start[first] ?? 0));
    const allowed = envelope.capacity + perTick * length;
    if (accepted - allowed > roundingMargin) return { first, last, accepted, allowed, lengthMs: msOfTicks(length) };
  }
  return null;
}

/** An interval that certainly contains more acceptances than a step function of its length allows, one of the shortest; or null. */
export function stepExcess(intervals: RequestIntervals, ticks: Ticks, envelope: StepEnvelope): Excess | null {
  const window = windowTicks(envelope.windowMs);
  for (let windows = 0; ; windows += 1) {
    const allowed = envelope.base + envelope.perWindow * windows;
    if (intervals.count <= allowed) return null;
    // The longest interval whose length still rounds to this many windows.
    const longest = envelope.rounding === 'floor' ? (windows + 1) * window - 1 : windows * window;
    const found = sweep(intervals, ticks, longest, allowed);
    if (found !== null) return found;
  }
}

function sweep(intervals: RequestIntervals, ticks: Ticks, longest: number, allowed: number): Excess | null {
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
