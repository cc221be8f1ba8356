/** The decision of a limiter about one request. `resetSeconds`: until a request is free again. */
export interface Decision {
  readonly allowed: boolean;
  readonly limit: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** One limit of one key. `look` judges without counting, `take` counts one request, be it of an earlier instant; in milliseconds. */
export interface Window {
  look(nowMs: number): Decision;
  take(nowMs: number): void;
}

/** Makes the window of a fresh key. */
export type MakeWindow = (limit: number, windowSeconds: number) => Window;

/** A window that allows a request where one is left. */
function leaving(
  limit: number,
  windowSeconds: number,
  left: (nowMs: number) => number,
  resetSeconds: (nowMs: number) => number,
  take: Window['take'],
): Window {
  const look: Window['look'] = (nowMs) => {
    const remaining = Math.max(0, Math.floor(left(nowMs) + 1e-9));
    return { allowed: remaining > 0, limit, windowSeconds, remaining, resetSeconds: Math.max(0, resetSeconds(nowMs)) };
  };
  return { look, take };
}

/** Fixed windows; `startOf` says when one begins whose first request comes now. */
function fixedWindow(limit: number, windowSeconds: number, startOf: (nowMs: number) => number): Window {
  const lengthMs = windowSeconds * 1_000;
  let startMs = -Infinity;
  let count = 0;
  const isOpen = (nowMs: number): boolean => nowMs < startMs + lengthMs;
  return leaving(
    limit,
    windowSeconds,
    (nowMs) => limit - (isOpen(nowMs) ? count : 0),
    (nowMs) => ((isOpen(nowMs) ? startMs : startOf(nowMs)) + lengthMs - nowMs) / 1_000,
    (nowMs) => {
      if (nowMs < startMs) return;
      if (!isOpen(nowMs)) [startMs, count] = [startOf(nowMs), 0];
      count += 1;
    },
  );
}

/** Each begins with the first request after the one before it has ended. */
export const fixedByFirstRequest: MakeWindow = (limit, seconds) => fixedWindow(limit, seconds, (nowMs) => nowMs);
/** Each begins at a whole multiple of its length on the clock. */
export const fixedByClock: MakeWindow = (limit, seconds) =>
  fixedWindow(limit, seconds, (nowMs) => Math.floor(nowMs / (seconds * 1_000)) * seconds * 1_000);

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
  return leaving(
    limit,
    windowSeconds,
    (nowMs) => {
      forget(nowMs);
      return limit - instants.length + head;
    },
    // The one whose leaving brings the count below the limit.
    (nowMs) => ((instants[Math.max(head, instants.length - limit)] ?? nowMs) + lengthMs - nowMs) / 1_000,
    (nowMs) => {
      forget(nowMs);
      instants.push(Math.max(nowMs, instants.at(-1) ?? nowMs));
      if (instants.length - head > limit) head += 1;
    },
  );
}

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

/** A bucket of `capacity` tokens, full at first, refilled evenly at `perSecond`. `windowSeconds` is what its policy advertises. */
export function tokenBucket(capacity: number, perSecond: number, windowSeconds: number): Window {
  let tokens = capacity;
  let atMs = -Infinity;
  const level = (nowMs: number): number =>
    atMs === -Infinity ? capacity : Math.min(capacity, tokens + (Math.max(0, nowMs - atMs) / 1_000) * perSecond);
  return leaving(
    capacity,
    windowSeconds,
    level,
    (nowMs) => ((level(nowMs) >= 1 - 1e-9 ? capacity : 1) - level(nowMs)) / perSecond,
    (nowMs) => {
      // What other servers accepted may leave a debt.
      tokens = level(nowMs) - 1;
      atMs = Math.max(atMs, nowMs);
    },
  );
}
