import type { LimitRole, Slack } from '../model.js';
import { lowerBound, upperBound } from '../rank.js';
import { earliestAnswers, type RequestGroups, type RequestIntervals } from '../request-intervals.js';

/** How a bucket fills: by tokens a millisecond, all the time or all that is due every `tickMs`, and up to how many. */
export interface Refill {
  readonly perMs: number;
  readonly tickMs: number;
  /** Its timer is no faster than this: `tickMs` unless the granularity gives it. */
  readonly leastTickMs: number;
  readonly capacity: number;
  /** The number of the plan that sets the refill rate. */
  readonly part: LimitRole;
}

/** More acceptances after a refusal than can have flowed in since. */
export interface RefillExcess {
  /** Position in the columns of refusals. */
  readonly refusal: number;
  /** Position in the columns of acceptances: the one that is too many. */
  readonly last: number;
  readonly accepted: number;
  readonly allowed: number;
  readonly lengthMs: number;
}

/**
 * A bucket that refuses holds less than one token, so it can admit afterwards only what was refilled since. Finds the refusal with the
 * largest certain excess over that; null where there is none.
 */
export function refillExcess(
  accepted: RequestIntervals,
  refused: RequestIntervals,
  refill: Refill,
  slack: Slack,
): RefillExcess | null {
  const perMs = refill.perMs * (1 + slack.clockErrorRate);
  // A tick may fall right after the refusal.
  const spare = 1 + refill.perMs * refill.tickMs;
  const beyond = new Float64Array(accepted.count + 1).fill(-Infinity);
  const at = new Uint32Array(accepted.count + 1);
  for (let k = accepted.count - 1; k >= 0; k -= 1) {
    const here = k + 1 - perMs * (accepted.receivedSorted[k] ?? 0);
    const isMost = here > (beyond[k + 1] ?? -Infinity);
    beyond[k] = isMost ? here : (beyond[k + 1] ?? -Infinity);
    at[k] = isMost ? k : (at[k + 1] ?? 0);
  }
  let found: RefillExcess | null = null;
  let most = 1e-6;
  for (let j = 0; j < refused.count; j += 1) {
    const [sentMs, receivedMs] = [refused.sent[j] ?? 0, refused.received[j] ?? 0];
    const from = upperBound(accepted.receivedSorted, receivedMs);
    const before = upperBound(accepted.sent, receivedMs);
    const emptyMs = sentMs - slack.quantumMs;
    const excess = (beyond[from] ?? -Infinity) - before + perMs * emptyMs - spare;
    if (excess <= most) continue;
    most = excess;
    const rank = at[from] ?? 0;
    const lengthMs = (accepted.receivedSorted[rank] ?? 0) - emptyMs;
    found = {
      refusal: j,
      last: accepted.byReceived[rank] ?? 0,
      accepted: rank + 1 - before,
      allowed: Math.floor(spare + perMs * lengthMs),
      lengthMs,
    };
  }
  return found;
}

/** The pair of refusals with an acceptance and the fewest other acceptances between them. */
export interface Interlude {
  /** Positions in the columns of refusals: the one before, and the one after. */
  readonly before: number;
  readonly after: number;
  /** Position in the columns of acceptances. */
  readonly accepted: number;
  /** How many may have been decided between the refusals, refused or not. */
  readonly most: number;
}

/** The acceptance that stands between two refusals with the fewest requests between them; null where none certainly does. */
export function shortestInterlude({ accepted, refused, everything }: RequestGroups): Interlude | null {
  const earliest = earliestAnswers(refused);
  let found: { accepted: number; before: number; next: number; most: number } | null = null;
  let answered = 0;
  let before = -1;
  for (let k = 0; k < accepted.count; k += 1) {
    const sentMs = accepted.sent[k] ?? 0;
    for (; answered < refused.count && (refused.receivedSorted[answered] ?? 0) < sentMs; answered += 1)
      before = Math.max(before, refused.byReceived[answered] ?? -1);
    const next = upperBound(refused.sent, accepted.received[k] ?? Infinity);
    const nextMs = earliest[next] ?? Infinity;
    if (before < 0 || nextMs === Infinity) continue;
    const fromMs = refused.sent[before] ?? 0;
    const most = upperBound(everything.sent, nextMs) - lowerBound(everything.receivedSorted, fromMs) - 2;
    if (found === null || most < found.most) found = { accepted: k, before, next, most };
  }
  if (found === null) return null;
  const { next, ...interlude } = found;
  return { ...interlude, after: refused.received.indexOf(earliest[next] ?? 0, next) };
}

/**
 * The minimum that a bucket refilled in steps admits between two refusals with an acceptance in between. It holds less than one token at
 * each refusal, and the acceptance proves a refill step, so nearly all of that step was spent. Refusals that may take tokens count as
 * spending.
 */
export function leastBetween({ perMs, leastTickMs, capacity }: Refill): number {
  return Math.min(perMs * leastTickMs, capacity) - 1;
}
