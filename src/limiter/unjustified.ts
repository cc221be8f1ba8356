import type { Slack } from './envelope.js';
import { excused, mayPrecede, type Backlog } from './backlog.js';
import type { Excuse, Reading } from './reading.js';
import type { Spans } from './spans.js';

/** The requests of one trace by what they may have done to the limiter. */
export interface Tally {
  readonly accepted: Spans;
  readonly refused: Spans;
  /** All that may have been counted but the refusals. */
  readonly spent: Spans;
  /** All that may have been counted, refusals too. */
  readonly everything: Spans;
  readonly idleBeforeMs: number;
}

/** The refusals that a reading cannot explain, and whether it must count refused requests to explain the others. */
export interface Unjustified {
  /** Positions in the columns of refusals. */
  readonly refusals: readonly number[];
  readonly needsRefusalsCounted: boolean;
}

/**
 * Holds each refusal against the reading's excuses. A limiter may count refused requests or not. If it does, refusals can excuse later
 * refusals, yet never the first: a chain of refusals must begin at one that requests not refused explain by themselves.
 */
export function unjustified(tally: Tally, excuses: Reading['excuses'], slack: Slack): Unjustified {
  const { refused, idleBeforeMs } = tally;
  if (refused.count === 0) return { refusals: [], needsRefusalsCounted: false };
  const alone = holding({ refused, counted: tally.spent, self: 0, idleBeforeMs, slack }, excuses);
  if (alone.every((holds) => holds === 1)) return { refusals: [], needsRefusalsCounted: false };
  const together = holding({ refused, counted: tally.everything, self: 1, idleBeforeMs, slack }, excuses);
  const lookBackMs = Math.max(...excuses.flat().map((excuse) => reach(excuse, slack)));
  chain(refused, alone, together, lookBackMs);
  const refusals: number[] = [];
  for (let k = 0; k < refused.count; k += 1) if (alone[k] === 0) refusals.push(k);
  return { refusals, needsRefusalsCounted: true };
}

function reach(excuse: Excuse, slack: Slack): number {
  return excuse.kind === 'bucket' ? Infinity : excuse.lookBackMs * (1 + slack.clockErrorRate) + slack.quantumMs;
}

function holding(backlog: Backlog, groups: Reading['excuses']): Uint8Array {
  const before = mayPrecede(backlog);
  const any = new Uint8Array(backlog.refused.count);
  for (const group of groups) {
    const all = new Uint8Array(backlog.refused.count).fill(1);
    for (const excuse of group) {
      const holds = excused(backlog, before, excuse);
      for (let k = 0; k < all.length; k += 1) all[k] = (all[k] ?? 0) & (holds[k] ?? 0);
    }
    for (let k = 0; k < any.length; k += 1) any[k] = (any[k] ?? 0) | (all[k] ?? 0);
  }
  return any;
}

/** Rounds after which whatever might still hold is taken to hold. */
const patience = 50;

/**
 * Marks in `explained` what chains from it: a refusal that holds once refusals count, within reach behind one explained already. The order
 * of concurrent decisions is unknown, so it goes round until nothing changes.
 */
function chain(refused: Spans, explained: Uint8Array, together: Uint8Array, lookBackMs: number): void {
  let rounds = 0;
  for (let changed = true; changed; rounds += 1) {
    changed = false;
    let opened = 0;
    let latestMs = -Infinity;
    for (const k of refused.byReceived) {
      const receivedMs = refused.received[k] ?? 0;
      for (; opened < refused.count && (refused.sent[opened] ?? 0) <= receivedMs; opened += 1) {
        if (explained[opened] === 1) latestMs = Math.max(latestMs, refused.received[opened] ?? 0);
      }
      if (explained[k] === 1 || together[k] === 0) continue;
      if (rounds < patience && latestMs < (refused.sent[k] ?? 0) - lookBackMs) continue;
      explained[k] = 1;
      changed = true;
      latestMs = Math.max(latestMs, receivedMs);
    }
  }
}
