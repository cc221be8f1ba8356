import type { Limit } from '../../settings/index.js';

/** Windows of at least this many seconds are often kept in whole seconds; shorter ones by timers that fire a little late. */
const longSeconds = 20;

/** Whether a window may be kept in whole seconds, and is long enough to show how it is kept. */
export function isLong(limit: Limit): boolean {
  return limit.windowSeconds >= longSeconds;
}

/** How far a window's begin and end may be off, in milliseconds. */
export function granularityMs(limit: Limit): number {
  return isLong(limit) ? 1000 : 5;
}

/** How late a limiter may look at its window of `windowMs` where the process that keeps it is busy. */
export function latenessMs(windowMs: number): number {
  return windowMs >= longSeconds * 1000 ? 1000 : Math.min(50, windowMs / 20);
}
