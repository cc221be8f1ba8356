import type { Slack } from '../model.js';
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
  /** The longest single request. */
  readonly longest: number;
}

/** Whole ticks of a window, rounded towards leniency. */
export function windowTicks(windowMs: number): number {
  return Math.max(1, Math.floor(windowMs * ticksPerMs));
}

/** Milliseconds of a number of ticks. */
export function msOfTicks(ticks: number): number {
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
