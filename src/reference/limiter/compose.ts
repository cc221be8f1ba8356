import type { Decision, Window } from './window.js';

/** Several windows of one key as one limiter. */
export interface Limiter {
  readonly windows: readonly Window[];
  /**
   * Judges and, where allowed (or `countRefused`), counts one request; says the window with the least left. Only faults look at the request;
   * `source` is the address that it came from.
   */
  decide(nowMs: number, request?: string, source?: string): Decision;
  /** Counts a request that another server accepted. */
  count(nowMs: number): void;
}

function tightest(decisions: readonly Decision[]): Decision {
  return decisions.reduce((least, one) =>
    one.remaining < least.remaining || (one.remaining === least.remaining && one.resetSeconds > least.resetSeconds)
      ? one
      : least,
  );
}

/** All windows have to allow a request. */
export function everyWindow(windows: readonly Window[], countRefused: boolean): Limiter {
  const lookAll = (nowMs: number): Decision[] => windows.map((window) => window.look(nowMs));
  return {
    windows,
    count: (nowMs) => windows.forEach((window) => window.take(nowMs)),
    decide(nowMs) {
      const refused = lookAll(nowMs).filter((one) => !one.allowed);
      if (refused.length === 0 || countRefused) for (const window of windows) window.take(nowMs);
      if (refused.length === 0) return { ...tightest(lookAll(nowMs)), allowed: true };
      const longest = refused.reduce((most, one) => (one.resetSeconds > most.resetSeconds ? one : most));
      return { ...longest, allowed: false, remaining: 0 };
    },
  };
}

/** One window after the other has to be exhausted before a request is refused. */
export function anyWindow(windows: readonly Window[]): Limiter {
  const open = (nowMs: number): Window | undefined => windows.find((window) => window.look(nowMs).allowed);
  return {
    windows,
    count: (nowMs) => (open(nowMs) ?? windows[0])?.take(nowMs),
    decide(nowMs) {
      const window = open(nowMs);
      window?.take(nowMs);
      if (window) return { ...window.look(nowMs), allowed: true };
      const looks = windows.map((one) => one.look(nowMs));
      const soonest = looks.reduce((least, one) => (one.resetSeconds < least.resetSeconds ? one : least));
      return { ...soonest, allowed: false, remaining: 0 };
    },
  };
}

const howMany = 3;

/** The server that a client meets, by the last character of its address. */
const placeOf = (source: string): number => (source.at(-1)?.charCodeAt(0) ?? 0) % howMany;

/** Servers that count for themselves. Each tells the others at each multiple of `everyMs` what it accepted; a client always meets the same one. */
export function severalServers(everyMs: number, make: () => Limiter): Limiter {
  const first = make();
  const servers = [first, ...Array.from({ length: howMany - 1 }, make)];
  const untold: { readonly by: Limiter; readonly atMs: number }[] = [];
  return {
    ...first,
    decide(nowMs, request, source = '') {
      const toldMs = Math.floor(nowMs / everyMs) * everyMs;
      const next = untold.findIndex(({ atMs }) => atMs >= toldMs);
      for (const { by, atMs } of untold.splice(0, next < 0 ? untold.length : next))
        for (const server of servers) if (server !== by) server.count(atMs);
      const own = servers[placeOf(source)] ?? first;
      const decision = own.decide(nowMs, request);
      if (decision.allowed) untold.push({ by: own, atMs: nowMs });
      return decision;
    },
  };
}
