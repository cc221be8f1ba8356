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

function tightest(decisions: readonly [Decision, ...Decision[]]): Decision {
  return decisions.reduce((least, one) =>
    one.remaining < least.remaining || (one.remaining === least.remaining && one.resetSeconds > least.resetSeconds)
      ? one
      : least,
  );
}

/** All windows have to allow a request. */
export function everyWindow(windows: readonly [Window, ...Window[]], countRefused: boolean): Limiter {
  return {
    windows,
    count: (nowMs) => windows.forEach((window) => window.take(nowMs)),
    decide(nowMs) {
      const [first, ...rest] = windows;
      const before: [Decision, ...Decision[]] = [first.look(nowMs), ...rest.map((window) => window.look(nowMs))];
      const refused = before.filter((one) => !one.allowed);
      if (refused.length === 0 || countRefused) for (const window of windows) window.take(nowMs);
      if (refused.length > 0) {
        const longest = refused.reduce((most, one) => (one.resetSeconds > most.resetSeconds ? one : most));
        return { ...longest, allowed: false, remaining: 0 };
      }
      const after: [Decision, ...Decision[]] = [first.look(nowMs), ...rest.map((window) => window.look(nowMs))];
      return { ...tightest(after), allowed: true };
    },
  };
}

/** One window after the other has to be exhausted before a request is refused. */
export function anyWindow(windows: readonly [Window, ...Window[]]): Limiter {
  return {
    windows,
    count: (nowMs) => (windows.find((window) => window.look(nowMs).allowed) ?? windows[0]).take(nowMs),
    decide(nowMs) {
      const open = windows.find((window) => window.look(nowMs).allowed);
      if (open) {
        open.take(nowMs);
        return { ...open.look(nowMs), allowed: true };
      }
      const soonest = windows
        .map((window) => window.look(nowMs))
        .reduce((least, one) => (one.resetSeconds < least.resetSeconds ? one : least));
      return { ...soonest, allowed: false, remaining: 0 };
    },
  };
}
