import type { Excess, LineEnvelope, Slack, StepEnvelope } from '../model.js';
import { lowerBound, type RequestIntervals } from '../request-intervals.js';

const ticksPerMs = 1024;

/**
 * The ends of intervals in whole ticks, widened outwards by the clock's error and the limiter's quantum: `end − start` is then an
 * exact integer, so that two ways of comparing it with a window agree to the last bit. There is room for 48 days.
 */
export interface Ticks {
  readonly start: Uint32Array;
  /** By position, not by rank. */
  readonly end: Uint32Array;
  /** The longest single request. */
  readonly longest: number;
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
  let longest = 0;
  for (let k = 0; k < intervals.count; k += 1) {
    const from = Math.floor((intervals.sent[k] ?? 0) * scale);
    const to = Math.ceil((intervals.received[k] ?? 0) * scale + slack.quantumMs * ticksPerMs);
    start[k] = from;
    end[k] = to;
    if (to - from > longest) longest = to - from;
  }
  return { start, end, longest };
}

/** Absorbs rounding of products of times and rates, so that it never causes a failure. */
const roundingMargin = 1e-6;

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
    if (worth > roundingMargin) return locateOverLine(intervals, ticks, envelope, rank);
  }
  return null;
}

function locateOverLine(intervals: RequestIntervals, ticks: Ticks, envelope: LineEnvelope, rank: number): Excess {
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

/**
 * The pairs (i, j) with `answered by end j − sent before start i > base + perWindow · round((end − start) / window)`.
 *
 * With end = (A + f) windows and start = (B + g) windows, the rounded quotient is A − B, less one where f < g (floor) or plus one
 * where f > g (ceil). So the condition splits into P(j) − Q(i) > a constant that depends only on the order of f and g: a sweep over
 * time, with a tree over the fractions g that answers "the least Q among the starts whose fraction lies above f".
 */
function separableExcess(
  intervals: RequestIntervals,
  ticks: Ticks,
  envelope: StepEnvelope,
  window: number,
): Excess | null {
  const least = envelope.rounding === 'floor' ? envelope.base - envelope.perWindow : envelope.base;
  const worthOf = (start: number, before: number): number => before - envelope.perWindow * Math.floor(start / window);
  const mostFrom = mostWorthFrom(intervals, ticks, worthOf);
  const fractions = fractionsThatMatter(
    intervals,
    ticks,
    window,
    (rank, worth) => (mostFrom[rank] ?? 0) - worth > least,
    worthOf,
  );
  if (fractions.length === 0) return null;
  const tree = new Float64Array(fractions.length + 1).fill(Infinity);
  let leastOfAll = Infinity;
  let opened = 0;
  for (let rank = 0; rank < intervals.count; rank += 1) {
    const last = intervals.byReceived[rank] ?? 0;
    const end = ticks.end[last] ?? 0;
    for (; opened < intervals.count && (ticks.start[opened] ?? 0) <= end; opened += 1) {
      const start = ticks.start[opened] ?? 0;
      const worth = worthOf(start, opened);
      if ((mostFrom[rank] ?? 0) - worth <= least) continue;
      if (worth < leastOfAll) leastOfAll = worth;
      // Ranks count from the top, so that "above f" is a prefix of the tree.
      lower(tree, fractions.length - lowerBound(fractions, start % window), worth);
    }
    const worth = worthOf(end, rank + 1);
    if (worth - leastOfAll > least + envelope.perWindow)
      return locateOverSteps(intervals, ticks, envelope, window, rank);
    if (worth - leastOfAll <= least) continue;
    const fraction = end % window;
    const from = envelope.rounding === 'floor' ? lowerBound(fractions, fraction + 1) : lowerBound(fractions, fraction);
    if (worth - leastIn(tree, fractions.length - from) > least)
      return locateOverSteps(intervals, ticks, envelope, window, rank);
  }
  return null;
}

type WorthOf = (instant: number, before: number) => number;

/** For each answer the most that it or a later one is worth. */
function mostWorthFrom({ count, byReceived }: RequestIntervals, { end }: Ticks, worthOf: WorthOf): Float64Array {
  const most = new Float64Array(count);
  let soFar = -Infinity;
  for (let rank = count - 1; rank >= 0; rank -= 1) {
    soFar = Math.max(soFar, worthOf(end[byReceived[rank] ?? 0] ?? 0, rank + 1));
    most[rank] = soFar;
  }
  return most;
}

/** The fractions, ascending, of the starts that some answer from theirs on may exceed the envelope with. */
function fractionsThatMatter(
  { count, byReceived }: RequestIntervals,
  { start, end }: Ticks,
  window: number,
  matters: (rank: number, worth: number) => boolean,
  worthOf: WorthOf,
): Float64Array {
  const found = new Float64Array(count);
  let opened = 0;
  let kept = 0;
  for (let rank = 0; rank < count; rank += 1) {
    const endTick = end[byReceived[rank] ?? 0] ?? 0;
    for (; opened < count && (start[opened] ?? 0) <= endTick; opened += 1) {
      const tick = start[opened] ?? 0;
      if (matters(rank, worthOf(tick, opened))) found[kept++] = tick % window;
    }
  }
  return found.slice(0, kept).sort();
}

function lower(tree: Float64Array, place: number, value: number): void {
  for (let node = place; node < tree.length; node += node & -node) {
    if (value < (tree[node] ?? 0)) tree[node] = value;
  }
}

function leastIn(tree: Float64Array, places: number): number {
  let least = Infinity;
  for (let node = places; node > 0; node -= node & -node) {
    const value = tree[node] ?? Infinity;
    if (value < least) least = value;
  }
  return least;
}

function locateOverSteps(
  intervals: RequestIntervals,
  ticks: Ticks,
  envelope: StepEnvelope,
  window: number,
  rank: number,
): Excess {
  const last = intervals.byReceived[rank] ?? 0;
  const end = ticks.end[last] ?? 0;
  let found: Excess = { first: last, last, accepted: 0, allowed: 0, lengthMs: 0 };
  for (let k = 0; k < intervals.count && (ticks.start[k] ?? 0) <= end; k += 1) {
    const length = end - (ticks.start[k] ?? 0);
    const windows = envelope.rounding === 'floor' ? Math.floor(length / window) : Math.ceil(length / window);
    const allowed = envelope.base + envelope.perWindow * windows;
    const accepted = rank + 1 - k;
    // The shortest of the intervals that are too full reads best.
    if (accepted > allowed) found = { first: k, last, accepted, allowed, lengthMs: msOfTicks(length) };
  }
  return found;
}

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
