import { countBelow, countUpTo } from './rank.js';
import type { Refill } from './refill-excess.js';
import type { Tally } from './unjustified.js';
import { earliestAnswers } from './window-evidence.js';

/** Something let in between two refusals, and too few in all to have emptied again what a timer had filled. */
export interface RefillShortage {
  /** Positions in the columns of refusals: the one before, and the one after. */
  readonly before: number;
  readonly after: number;
  /** Position in the columns of acceptances. */
  readonly accepted: number;
  /** How many may have been decided between the refusals, at most, and how many it takes, at least. */
  readonly most: number;
  readonly least: number;
}

/**
 * A bucket that refuses holds less than one token. Where it is filled up in steps only, what it lets in afterwards shows that a step has
 * come, and before it refuses again all that the step brought is spent, but for less than one token. Refusals that may themselves take
 * tokens count as spending, and so does whatever may have been decided in between. Null where nothing contradicts.
 */
export function refillShortage(tally: Tally, refill: Refill): RefillShortage | null {
  const { accepted, refused, everything } = tally;
  const least = Math.min(refill.perMs * refill.leastTickMs, refill.capacity) - 1;
  if (least <= 1) return null;
  const earliest = earliestAnswers(refused);
  let answered = 0;
  let before = -1;
  for (let k = 0; k < accepted.count; k += 1) {
    const sentMs = accepted.sent[k] ?? 0;
    for (; answered < refused.count && (refused.receivedSorted[answered] ?? 0) < sentMs; answered += 1)
      before = Math.max(before, refused.byReceived[answered] ?? -1);
    const next = countUpTo(refused.sent, accepted.received[k] ?? Infinity);
    const nextMs = earliest[next] ?? Infinity;
    if (before < 0 || nextMs === Infinity) continue;
    const fromMs = refused.sent[before] ?? 0;
    const most = countUpTo(everything.sent, nextMs) - countBelow(everything.receivedSorted, fromMs) - 2;
    if (most >= least - 1e-6) continue;
    const after = refused.received.indexOf(nextMs, next);
    return { before, after, accepted: k, most, least };
  }
  return null;
}
