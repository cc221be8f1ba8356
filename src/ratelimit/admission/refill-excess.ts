import type { Slack } from '../models/envelope.js';
import { upperBound } from '../rank.js';
import type { LimitRole } from '../models/model.js';
import type { RequestIntervals } from '../request-intervals.js';

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
