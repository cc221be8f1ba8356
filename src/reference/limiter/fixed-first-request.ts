import type { Window } from './window.js';

/** Fixed windows; each begins with the first request after the one before it has ended. */
export function fixedByFirstRequest(limit: number, windowSeconds: number): Window {
  const lengthMs = windowSeconds * 1_000;
  let startMs = -Infinity;
  let count = 0;
  return {
    limit,
    windowSeconds,
    look(nowMs) {
      const open = nowMs < startMs + lengthMs;
      const used = open ? count : 0;
      const resetSeconds = open ? (startMs + lengthMs - nowMs) / 1_000 : windowSeconds;
      return { allowed: used < limit, limit, windowSeconds, remaining: Math.max(0, limit - used), resetSeconds };
    },
    take(nowMs) {
      if (nowMs < startMs) return;
      if (nowMs >= startMs + lengthMs) {
        startMs = nowMs;
        count = 0;
      }
      count += 1;
    },
  };
}
