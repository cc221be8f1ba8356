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
export function everyWindow(windows: readonly [Window, ...Window[]], countRefused: boolean): Limiter {
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
export function anyWindow(windows: readonly [Window, ...Window[]]): Limiter {
  const open = (nowMs: number): Window | undefined => windows.find((window) => window.look(nowMs).allowed);
  return {
    windows,
    count: (nowMs) => (open(nowMs) ?? windows[0]).take(nowMs),
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
