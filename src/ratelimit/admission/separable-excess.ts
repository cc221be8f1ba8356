import type { Excess, StepEnvelope } from '../models/envelope.js';
import { lowerBound } from '../rank.js';
import type { RequestIntervals } from '../request-intervals.js';
import { msOfTicks, type Ticks } from './ticks.js';

/**
 * The pairs (i, j) with `answered by end j − sent before start i > base + perWindow · round((end − start) / window)`.
 *
 * With end = (A + f) windows and start = (B + g) windows, the rounded quotient is A − B, less one where f < g (floor) or plus one
 * where f > g (ceil). So the condition splits into P(j) − Q(i) > a constant that depends only on the order of f and g: a sweep over
 * time, with a tree over the fractions g that answers "the least Q among the starts whose fraction lies above f".
 */
export function separableExcess(
  intervals: RequestIntervals,
  ticks: Ticks,
  envelope: StepEnvelope,
  window: number,
): Excess | null {
  const least = envelope.rounding === 'floor' ? envelope.base - envelope.perWindow : envelope.base;
  if (!mayExceed(intervals, ticks, envelope, window, least)) return null;
  const worthOf = (start: number, before: number): number => before - envelope.perWindow * Math.floor(start / window);
  const mostFrom = mostWorthFrom(intervals, ticks, worthOf);
  const fractions = fractionsThatMatter(
    intervals,
    ticks,
    window,
    (rank, worth) => (mostFrom[rank] ?? 0) - worth > least,
    worthOf,
  );
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
    if (worth - leastOfAll > least + envelope.perWindow) return locate(intervals, ticks, envelope, window, rank);
    if (worth - leastOfAll <= least) continue;
    const fraction = end % window;
    const from = envelope.rounding === 'floor' ? lowerBound(fractions, fraction + 1) : lowerBound(fractions, fraction);
    if (worth - leastIn(tree, fractions.length - from) > least) return locate(intervals, ticks, envelope, window, rank);
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

/** A linear look without the fractions, which spares most traces the tree. */
function mayExceed(
  intervals: RequestIntervals,
  ticks: Ticks,
  envelope: StepEnvelope,
  window: number,
  least: number,
): boolean {
  let leastOfAll = Infinity;
  let opened = 0;
  for (let rank = 0; rank < intervals.count; rank += 1) {
    const end = ticks.end[intervals.byReceived[rank] ?? 0] ?? 0;
    for (; opened < intervals.count && (ticks.start[opened] ?? 0) <= end; opened += 1) {
      const worth = opened - envelope.perWindow * Math.floor((ticks.start[opened] ?? 0) / window);
      if (worth < leastOfAll) leastOfAll = worth;
    }
    if (rank + 1 - envelope.perWindow * Math.floor(end / window) - leastOfAll > least) return true;
  }
  return false;
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

function locate(
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
