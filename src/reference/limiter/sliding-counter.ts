import type { Window } from './window.js';

/** The share of the last clock window that still overlaps, plus the count of this one: the usual approximation of a sliding log. */
export function slidingCounter(limit: number, windowSeconds: number): Window {
  const lengthMs = windowSeconds * 1_000;
  let current = -2;
  let count = 0;
  let before = 0;
  const at = (nowMs: number): { index: number; count: number; before: number } => {
    const index = Math.floor(nowMs / lengthMs);
    if (index === current) return { index, count, before };
    return { index, count: 0, before: index === current + 1 ? count : 0 };
  };
  return {
    limit,
    windowSeconds,
    look(nowMs) {
      const state = at(nowMs);
      const elapsed = nowMs / lengthMs - state.index;
      const estimate = state.before * (1 - elapsed) + state.count;
      const remaining = Math.max(0, Math.floor(limit - estimate));
      const allowed = estimate + 1 <= limit + 1e-9;
      return { allowed, limit, windowSeconds, remaining, resetSeconds: waitSeconds(state, elapsed) };
    },
    take(nowMs) {
      if (nowMs < current * lengthMs) {
        if (nowMs >= (current - 1) * lengthMs) before += 1;
        return;
      }
      const state = at(nowMs);
      current = state.index;
      before = state.before;
      count = state.count + 1;
    },
  };

  function waitSeconds(state: { count: number; before: number }, elapsed: number): number {
    const room = limit - 1 - state.count;
    if (room >= 0) {
      if (state.before * (1 - elapsed) <= room) return (1 - elapsed) * windowSeconds;
      return Math.max(0, 1 - room / state.before - elapsed) * windowSeconds;
    }
    // This window is full by itself: its own share has to fade in the next one.
    return (1 - elapsed + Math.max(0, 1 - (limit - 1) / state.count)) * windowSeconds;
  }
}
