import type { Limit } from '../../src/settings/limits.js';
import type { Decide } from './test-kit.js';

/** A limiter for one limit: whether it has room at an instant, and how it counts an admitted or refused request. */
interface Counter {
  room(atMs: number): boolean;
  take(atMs: number): void;
}

/** Counts anew from each request that begins a window. */
function windowed(limit: Limit, begins: (atMs: number) => boolean): Counter {
  let count = 0;
  const roll = (atMs: number): void => {
    if (begins(atMs)) count = 0;
  };
  return {
    room: (atMs) => (roll(atMs), count < limit.count),
    take: (atMs) => {
      roll(atMs);
      count += 1;
    },
  };
}

/** Counters begin at the first request, or where the clock says. */
export function fixedAnchored(limit: Limit): Counter {
  let endMs = -Infinity;
  return windowed(limit, (atMs) => {
    const begins = atMs >= endMs;
    if (begins) endMs = atMs + limit.windowSeconds * 1000;
    return begins;
  });
}

export function fixedByClock(limit: Limit, phaseMs: number): Counter {
  let window = -Infinity;
  return windowed(limit, (atMs) => {
    const before = window;
    window = Math.floor((atMs + phaseMs) / (limit.windowSeconds * 1000));
    return window !== before;
  });
}

export function slidingLog(limit: Limit): Counter {
  const windowMs = limit.windowSeconds * 1000;
  const log: number[] = [];
  return {
    room: (atMs) => {
      while ((log[0] ?? Infinity) <= atMs - windowMs) log.shift();
      return log.length < limit.count;
    },
    take: (atMs) => void log.push(atMs),
  };
}

export function slidingCounter(limit: Limit, phaseMs: number): Counter {
  const windowMs = limit.windowSeconds * 1000;
  let window = -Infinity;
  let previous = 0;
  let count = 0;
  const roll = (atMs: number): number => {
    const current = Math.floor((atMs + phaseMs) / windowMs);
    if (current !== window) {
      previous = current === window + 1 ? count : 0;
      count = 0;
      window = current;
    }
    return (atMs + phaseMs) / windowMs - current;
  };
  return {
    room: (atMs) => {
      const elapsed = roll(atMs);
      return previous * (1 - elapsed) + count < limit.count;
    },
    take: (atMs) => {
      roll(atMs);
      count += 1;
    },
  };
}

/** The last N segments of a window count, the current one included. */
export function segmented(limit: Limit, segments: number): Counter {
  const segmentMs = (limit.windowSeconds * 1000) / segments;
  const counts = new Map<number, number>();
  return {
    room: (atMs) => {
      const current = Math.floor(atMs / segmentMs);
      let sum = 0;
      for (let back = 0; back < segments; back += 1) sum += counts.get(current - back) ?? 0;
      return sum < limit.count;
    },
    take: (atMs) => {
      const current = Math.floor(atMs / segmentMs);
      counts.set(current, (counts.get(current) ?? 0) + 1);
    },
  };
}

/** Continuous, or topped up every `tickMs`. */
export function tokenBucket(capacity: number, perSecond: number, tickMs = 0): Counter {
  let tokens = capacity;
  let lastMs = 0;
  return {
    room: (atMs) => {
      const nowMs = tickMs === 0 ? atMs : Math.floor(atMs / tickMs) * tickMs;
      tokens = Math.min(capacity, tokens + ((nowMs - lastMs) * perSecond) / 1000);
      lastMs = nowMs;
      return tokens >= 1 - 1e-9;
    },
    take: () => void (tokens = Math.max(0, tokens - 1)),
  };
}

export function gcra(capacity: number, perSecond: number): Counter {
  const emission = 1000 / perSecond;
  let arrival = -Infinity;
  return {
    room: (atMs) => Math.max(arrival, atMs) - (capacity - 1) * emission <= atMs + 1e-9,
    take: (atMs) => void (arrival = Math.max(arrival, atMs) + emission),
  };
}

/** Every counter must have room. Refused requests count, or do not unless said. */
export function all(counters: readonly Counter[], countRefused = false): Decide {
  return (atMs) => {
    const accepted = counters.map((counter) => counter.room(atMs)).every(Boolean);
    if (accepted || countRefused) for (const counter of counters) counter.take(atMs);
    return accepted;
  };
}

/** One after another: a later counter does not see what an earlier one turned away. */
export function stacked(counters: readonly Counter[]): Decide {
  return (atMs) =>
    counters.every((counter) => {
      const accepted = counter.room(atMs);
      counter.take(atMs);
      return accepted;
    });
}

/** What the first has no room for goes to the second. */
export function spilling(first: Counter, second: Counter, countRefused: boolean): Decide {
  return (atMs) => {
    for (const counter of [first, second]) {
      const room = counter.room(atMs);
      if (room || countRefused) counter.take(atMs);
      if (room) return true;
    }
    return false;
  };
}

/** The same counter with a clock that tells whole seconds. */
export function inWholeSeconds(counter: Counter): Counter {
  const second = (atMs: number): number => Math.floor(atMs / 1000) * 1000;
  return { room: (atMs) => counter.room(second(atMs)), take: (atMs) => counter.take(second(atMs)) };
}

/** A window from the first hit whose timer ends it up to `lateMs` late. */
export function endedLate(limit: Limit, lateMs: number, random: () => number): Counter {
  let endMs = -Infinity;
  let count = 0;
  return {
    room: (atMs) => atMs >= endMs || count < limit.count,
    take: (atMs) => {
      if (atMs >= endMs) {
        endMs = atMs + limit.windowSeconds * 1000 + lateMs * random();
        count = 0;
      }
      count += 1;
    },
  };
}
