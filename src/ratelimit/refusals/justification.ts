import type { Slack } from '../models/envelope.js';
import { justifiedBy, countPossiblyBefore, unmarked, type RefusalContext } from './refusal-context.js';
import type { Justification, LimiterModel } from '../models/model.js';
import type { RequestIntervals } from '../request-intervals.js';

/** The requests of one trace by what they may have done to the limiter. */
export interface RequestGroups {
  readonly accepted: RequestIntervals;
  readonly refused: RequestIntervals;
  /** All that may have been counted but the refusals. */
  readonly spent: RequestIntervals;
  /** All that may have been counted, refusals too. */
  readonly everything: RequestIntervals;
  readonly idleBeforeMs: number;
  /** Models share most of their justifications: what has been computed for one serves the others. */
  readonly memo: Map<string, Int32Array | Uint8Array>;
}

/** The refusals that a model cannot explain, and whether it must count refused requests to explain the others. */
export interface UnjustifiedRefusals {
  /** Positions in the columns of refusals. */
  readonly refusals: Uint32Array;
  readonly needsRefusalsCounted: boolean;
}

/**
 * Holds each refusal against the model's justifications. A limiter may count refused requests or not. If it does, refusals can explain later
 * refusals, yet never the first: a chain of refusals must begin at one that requests not refused explain by themselves.
 */
export function unjustifiedRefusals(
  groups: RequestGroups,
  justifications: LimiterModel['justifications'],
  slack: Slack,
): UnjustifiedRefusals {
  const { refused, idleBeforeMs } = groups;
  if (refused.count === 0) return { refusals: new Uint32Array(0), needsRefusalsCounted: false };
  const alone = holding({ refused, counted: groups.spent, self: 0, idleBeforeMs, slack }, justifications, groups.memo);
  if (!alone.includes(0)) return { refusals: new Uint32Array(0), needsRefusalsCounted: false };
  const together = holding(
    { refused, counted: groups.everything, self: 1, idleBeforeMs, slack },
    justifications,
    groups.memo,
  );
  for (let k = 0; k < alone.length; k += 1) together[k] = (together[k] ?? 0) | (alone[k] ?? 0);
  if (together.includes(0)) return { refusals: unmarked(together), needsRefusalsCounted: true };
  const [only, ...others] = justifications.flat();
  if (only?.kind === 'bucket' && others.length === 0 && !mayCharge(groups, only, slack))
    return { refusals: unmarked(alone), needsRefusalsCounted: false };
  const lookBackMs = Math.max(...justifications.flat().map((justification) => reach(justification, slack)));
  chain(refused, alone, together, lookBackMs);
  return { refusals: unmarked(alone), needsRefusalsCounted: true };
}

/**
 * Whether refusals may take tokens from a bucket. They would leave it empty, so nothing may be accepted after one until a whole token, or
 * the next timer step, was refilled.
 */
function mayCharge(
  { accepted, refused }: RequestGroups,
  justification: Justification & { kind: 'bucket' },
  slack: Slack,
): boolean {
  const tokenMs = 1 / (justification.perMs * (1 + slack.clockErrorRate)) - slack.quantumMs - justification.tickMs;
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

function reach(justification: Justification, slack: Slack): number {
  if (justification.kind === 'bucket') return Infinity;
  return (
    (justification.kind === 'counter' ? 2 : 1) * justification.lookBackMs * (1 + slack.clockErrorRate) + slack.quantumMs
  );
}

function holding(
  context: RefusalContext,
  alternatives: LimiterModel['justifications'],
  memo: RequestGroups['memo'],
): Uint8Array {
  const before = once(memo, `before ${context.self}`, () => countPossiblyBefore(context));
  const any = new Uint8Array(context.refused.count);
  for (const alternative of alternatives) {
    const all = new Uint8Array(context.refused.count).fill(1);
    for (const justification of alternative) {
      const key = JSON.stringify([context.self, context.slack, { ...justification, part: null }]);
      const holds = once(memo, key, () => justifiedBy(context, before, justification));
      for (let k = 0; k < all.length; k += 1) all[k] = (all[k] ?? 0) & (holds[k] ?? 0);
    }
    for (let k = 0; k < any.length; k += 1) any[k] = (any[k] ?? 0) | (all[k] ?? 0);
  }
  return any;
}

/** What has been computed before, or is now. */
export function once<Column extends Int32Array | Uint8Array>(
  memo: RequestGroups['memo'],
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
 * Marks in `explained` the refusals that follow from marked ones: each holds once refusals count, and is within reach of a marked one. The
 * order of concurrent decisions is unknown, so it repeats until nothing changes.
 */
function chain(refused: RequestIntervals, explained: Uint8Array, together: Uint8Array, lookBackMs: number): void {
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
