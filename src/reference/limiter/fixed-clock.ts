import type { Window } from './window.js';

/** Fixed windows that begin at whole multiples of their length on the clock. */
export function fixedByClock(limit: number, windowSeconds: number): Window {
  const lengthMs = windowSeconds * 1_000;
  let current = -1;
  let count = 0;
  return {
    limit,
    windowSeconds,
    look(nowMs) {
      const index = Math.floor(nowMs / lengthMs);
      const used = index === current ? count : 0;
      const resetSeconds = ((index + 1) * lengthMs - nowMs) / 1_000;
      return { allowed: used < limit, limit, windowSeconds, remaining: Math.max(0, limit - used), resetSeconds };
    },
    take(nowMs) {
      const index = Math.floor(nowMs / lengthMs);
      if (index < current) return;
      if (index !== current) {
        current = index;
        count = 0;
      }
      count += 1;
    },
  };
}
