import type { Slack } from './envelope.js';
import { excused, mayPrecede, unheld, type Backlog } from './backlog.js';
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
  /** Readings share most of their excuses: what has been computed for one serves the others. */
  readonly memo: Map<string, Float64Array | Uint8Array>;
}

/** The refusals that a reading cannot explain, and whether it must count refused requests to explain the others. */
export interface Unjustified {
  /** Positions in the columns of refusals. */
  readonly refusals: Uint32Array;
  readonly needsRefusalsCounted: boolean;
}

/**
 * Holds each refusal against the reading's excuses. A limiter may count refused requests or not. If it does, refusals can excuse later
 * refusals, yet never the first: a chain of refusals must begin at one that requests not refused explain by themselves.
 */
export function unjustified(tally: Tally, excuses: Reading['excuses'], slack: Slack): Unjustified {
  const { refused, idleBeforeMs } = tally;
  if (refused.count === 0) return { refusals: new Uint32Array(0), needsRefusalsCounted: false };
  const alone = holding({ refused, counted: tally.spent, self: 0, idleBeforeMs, slack }, excuses, tally.memo);
  if (!alone.includes(0)) return { refusals: new Uint32Array(0), needsRefusalsCounted: false };
  const together = holding({ refused, counted: tally.everything, self: 1, idleBeforeMs, slack }, excuses, tally.memo);
  for (let k = 0; k < alone.length; k += 1) together[k] = (together[k] ?? 0) | (alone[k] ?? 0);
  if (together.includes(0)) return { refusals: unheld(together), needsRefusalsCounted: true };
  const [only, ...others] = excuses.flat();
  if (only?.kind === 'bucket' && others.length === 0 && !mayCharge(tally, only, slack))
    return { refusals: unheld(alone), needsRefusalsCounted: false };
  const lookBackMs = Math.max(...excuses.flat().map((excuse) => reach(excuse, slack)));
  chain(refused, alone, together, lookBackMs);
  return { refusals: unheld(alone), needsRefusalsCounted: true };
}

/**
 * Whether refusals may take from a bucket: they leave nothing in it, so that nothing is let in after one before a whole token has flowed
 * in, and all that a timer owes.
 */
function mayCharge({ accepted, refused }: Tally, excuse: Excuse & { kind: 'bucket' }, slack: Slack): boolean {
  const tokenMs = 1 / (excuse.perMs * (1 + slack.clockErrorRate)) - slack.quantumMs - excuse.tickMs;
  let answered = 0;
  let emptyMs = -Infinity;
  for (let j = 0; j < accepted.count; j += 1) {
    const sentMs = accepted.sent[j] ?? 0;
    for (; answered < refused.count && (refused.receivedSorted[answered] ?? 0) < sentMs; answered += 1)
      emptyMs = Math.max(emptyMs, refused.sent[refused.byReceived[answered] ?? 0] ?? -Infinity);
    if ((accepted.received[j] ?? 0) - emptyMs < tokenMs) return false;
  }
  return true;
}

function reach(excuse: Excuse, slack: Slack): number {
  if (excuse.kind === 'bucket') return Infinity;
  return (excuse.kind === 'counter' ? 2 : 1) * excuse.lookBackMs * (1 + slack.clockErrorRate) + slack.quantumMs;
}

function holding(backlog: Backlog, groups: Reading['excuses'], memo: Tally['memo']): Uint8Array {
  const before = once(memo, `before ${backlog.self}`, () => mayPrecede(backlog));
  const any = new Uint8Array(backlog.refused.count);
  for (const group of groups) {
    const all = new Uint8Array(backlog.refused.count).fill(1);
    for (const excuse of group) {
      const key = JSON.stringify([backlog.self, backlog.slack, { ...excuse, part: null }]);
      const holds = once(memo, key, () => excused(backlog, before, excuse));
      for (let k = 0; k < all.length; k += 1) all[k] = (all[k] ?? 0) & (holds[k] ?? 0);
    }
    for (let k = 0; k < any.length; k += 1) any[k] = (any[k] ?? 0) | (all[k] ?? 0);
  }
  return any;
}

function once<Column extends Float64Array | Uint8Array>(
  memo: Tally['memo'],
  key: string,
  compute: () => Column,
): Column {
  const known = memo.get(key);
  // A key names one kind of column only.
  if (known !== undefined) return known as Column;
  const fresh = compute();
  memo.set(key, fresh);
  return fresh;
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
      // However far back a bucket remembers, a chain does not begin by itself.
      if (latestMs === -Infinity) continue;
      if (rounds < patience && latestMs < (refused.sent[k] ?? 0) - lookBackMs) continue;
      explained[k] = 1;
      changed = true;
      latestMs = Math.max(latestMs, receivedMs);
    }
  }
}
