import type { RefusalContext } from './refusal-context.js';
import { upperBound } from '../rank.js';
import type { Justification } from '../models/model.js';

/**
 * For each refusal (1 or 0), whether a bucket may have been empty. Refill arrives at most a quantum and a tick late. Let h(i) = rate ×
 * (instant of answer i) − i, and K = refill until the refusal − tokens possibly taken. The bucket certainly held a token if its level rose
 * from zero after an answer with h(i) ≤ K and did not overflow since, that is h(m) ≤ K + capacity − 1 for all later m. Where refusals take
 * no tokens, the level is never below zero; otherwise only a long rest gives a known level.
 */
export function bucketEmpty(
  context: RefusalContext,
  before: Int32Array,
  justification: Justification & { kind: 'bucket' },
): Uint8Array<ArrayBuffer> {
  const { refused, counted, slack, self, idleBeforeMs } = context;
  const holds = new Uint8Array(refused.count);
  const rate = justification.perMs * (1 - slack.clockErrorRate);
  const lateMs = slack.quantumMs + justification.tickMs;
  const restedFull = idleBeforeMs >= justification.capacity / rate;
  if (self === 1 && !restedFull) return holds.fill(1);
  const spare = justification.capacity - 1;
  const atStart = restedFull ? -Infinity : 1 - rate * idleBeforeMs;
  const heights = settledHeights(counted.count);
  let settled = 0;
  for (let k = 0; k < refused.count; k += 1) {
    const untilMs = (refused.sent[k] ?? 0) - lateMs;
    while (settled < counted.count && (counted.receivedSorted[settled] ?? 0) <= untilMs) {
      heights.push(rate * (counted.receivedSorted[settled] ?? 0) - settled);
      settled += 1;
    }
    const taken = before[k] ?? 0;
    const level = rate * untilMs - taken;
    const from = self === 1 ? -1 : heights.lastUpTo(level - 1e-6);
    const known = from >= 0 || atStart <= level;
    const held = known && taken - settled <= spare && heights.highestAfter(from) <= level + spare + 1e-6;
    if (!held) holds[k] = 1;
  }
  return holds;
}

/**
 * A growing list of at most `most` numbers. In logarithmic time it finds the last position with a value at or below a bound, and the
 * maximum since a position.
 */
function settledHeights(most: number) {
  // Only what is lower, or higher, than all that came later can be an answer: lows ascend, highs descend.
  const lows = new Float64Array(most);
  const lowAt = new Uint32Array(most);
  const highs = new Float64Array(most);
  const highAt = new Uint32Array(most);
  let [lowCount, highCount, count] = [0, 0, 0];
  return {
    push(height: number): void {
      while (lowCount > 0 && (lows[lowCount - 1] ?? 0) >= height) lowCount -= 1;
      while (highCount > 0 && (highs[highCount - 1] ?? 0) <= height) highCount -= 1;
      lows[lowCount] = height;
      lowAt[lowCount] = count;
      highs[highCount] = height;
      highAt[highCount] = count;
      lowCount += 1;
      highCount += 1;
      count += 1;
    },
    /** The last position that is no higher than that; -1 where there is none. */
    lastUpTo(height: number): number {
      const found = upperBound(lows, height, lowCount);
      return found === 0 ? -1 : (lowAt[found - 1] ?? -1);
    },
    /** The highest beyond a position; -Infinity where nothing follows. */
    highestAfter(at: number): number {
      const found = upperBound(highAt, at, highCount);
      return found === highCount ? -Infinity : (highs[found] ?? -Infinity);
    },
  };
}
