import { lowerBound, upperBound } from '../rank.js';
import type { Refill } from './refill-excess.js';
import type { RequestGroups } from '../refusals/justification.js';
import { earliestAnswers } from '../windows/window-evidence.js';

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
