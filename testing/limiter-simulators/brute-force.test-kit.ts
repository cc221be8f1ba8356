import type { Limit } from '../../src/settings/limits.js';
import type { Trace } from '../../src/ratelimit/trace.js';

/** State machines small enough to enumerate; `state` is JSON. */
export interface Machine {
  readonly start: readonly number[][];
  step(
    state: readonly number[],
    at: number,
    countRefused: boolean,
  ): { readonly accepted: boolean; readonly state: number[] };
}

/** A sliding log on whole instants. */
export function slidingMachine(limit: Limit): Machine {
  const window = limit.windowSeconds * 1000;
  return {
    start: [[]],
    step: (state, at, countRefused) => {
      const live = state.filter((each) => each > at - window);
      const accepted = live.length < limit.count;
      return { accepted, state: accepted || countRefused ? [...live, at] : live };
    },
  };
}

/** A window from the first hit, or, in a state with a phase, by the clock: `[start, count, phase]`, phase −1 for none. */
export function fixedMachine(limit: Limit, grid: number): Machine {
  const window = limit.windowSeconds * 1000;
  const phases = Array.from({ length: window / grid }, (_, index) => index * grid);
  return {
    start: [[-1e9, 0, -1], ...phases.map((phase) => [-1e9, 0, phase])],
    step: ([begun = 0, count = 0, phase = -1], at, countRefused) => {
      const start =
        phase < 0 ? (at >= begun + window ? at : begun) : Math.floor((at - phase) / window) * window + phase;
      const used = start === begun ? count : 0;
      const accepted = used < limit.count;
      return { accepted, state: [start, used + (accepted || countRefused ? 1 : 0), phase] };
    },
  };
}

/** A bucket of `count` that fills up in one window, full at first or, given a grid, as full as it may be. */
export function bucketMachine(limit: Limit, grid?: number): Machine {
  const perMs = limit.count / (limit.windowSeconds * 1000);
  const levels = grid === undefined ? 0 : Math.round(limit.count / (grid * perMs));
  return {
    start: Array.from({ length: 1 + levels }, (_, k) => [limit.count * (1 - k / Math.max(1, levels)), 0]),
    step: ([tokens = 0, since = 0], at, countRefused) => {
      const now = Math.min(limit.count, tokens + (at - since) * perMs);
      const accepted = now >= 1 - 1e-9;
      return { accepted, state: [accepted ? now - 1 : countRefused ? Math.max(0, now - 1) : now, at] };
    },
  };
}

/** Whether some choice of decision instants on the grid, in any order of ties, makes the machine give exactly the answers seen. */
export function feasible(trace: Trace, machine: Machine, grid: number): boolean {
  const { records } = trace;
  const full = (1 << records.length) - 1;
  return [false, true].some((countRefused) => {
    const seen = new Set<string>();
    const visit = (done: number, at: number, state: readonly number[]): boolean => {
      if (done === full) return true;
      const key = `${done} ${at} ${JSON.stringify(state)}`;
      if (seen.has(key)) return false;
      seen.add(key);
      return [...records].some((record, index) => {
        if ((done & (1 << index)) !== 0) return false;
        const last = Math.floor(record.receivedMs / grid) * grid;
        for (let now = Math.max(at, Math.ceil(record.sentMs / grid) * grid); now <= last; now += grid) {
          const next = machine.step(state, now, countRefused);
          if (next.accepted === (record.outcome === 'accepted') && visit(done | (1 << index), now, next.state))
            return true;
        }
        return false;
      });
    };
    return machine.start.some((state) => visit(0, 0, state));
  });
}
