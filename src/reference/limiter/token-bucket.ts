import type { Window } from './window.js';

/** A bucket of `capacity` tokens, full at first, refilled evenly at `perSecond`. `windowSeconds` is what its policy advertises. */
export function tokenBucket(capacity: number, perSecond: number, windowSeconds: number): Window {
  let tokens = capacity;
  let atMs = -Infinity;
  const level = (nowMs: number): number =>
    atMs === -Infinity ? capacity : Math.min(capacity, tokens + (Math.max(0, nowMs - atMs) / 1_000) * perSecond);
  return {
    limit: capacity,
    windowSeconds,
    look(nowMs) {
      const now = level(nowMs) + 1e-9;
      const resetSeconds = now >= 1 ? (capacity - now) / perSecond : (1 - now) / perSecond;
      return {
        allowed: now >= 1,
        limit: capacity,
        windowSeconds,
        remaining: Math.max(0, Math.floor(now)),
        resetSeconds: Math.max(0, resetSeconds),
      };
    },
    take(nowMs) {
      // What other servers accepted may leave a debt.
      tokens = level(nowMs) - 1;
      atMs = Math.max(atMs, nowMs);
    },
  };
}
