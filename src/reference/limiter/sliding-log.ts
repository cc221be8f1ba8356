import type { Window } from './window.js';

/** At most `limit` counted requests in any stretch of the window's length. Keeps the newest `limit` instants, which decide. */
export function slidingLog(limit: number, windowSeconds: number): Window {
  const lengthMs = windowSeconds * 1_000;
  const instants: number[] = [];
  let head = 0;
  const forget = (nowMs: number): void => {
    while (head < instants.length && (instants[head] ?? 0) + lengthMs <= nowMs) head += 1;
    if (head > 1_024 && head * 2 > instants.length) {
      instants.splice(0, head);
      head = 0;
    }
  };
  return {
    limit,
    windowSeconds,
    look(nowMs) {
      forget(nowMs);
      const used = instants.length - head;
      // The one whose leaving brings the count below the limit.
      const deciding = instants[Math.max(head, instants.length - limit)];
      const resetSeconds = deciding === undefined ? windowSeconds : Math.max(0, deciding + lengthMs - nowMs) / 1_000;
      return { allowed: used < limit, limit, windowSeconds, remaining: Math.max(0, limit - used), resetSeconds };
    },
    take(nowMs) {
      forget(nowMs);
      instants.push(Math.max(nowMs, instants.at(-1) ?? nowMs));
      if (instants.length - head > limit) head += 1;
    },
  };
}
