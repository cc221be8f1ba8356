import { expect, test } from '@playwright/test';
import { countPossiblyBefore, justifiedBy, type RefusalContext } from './refusals.js';
import { latenessMs } from './model.js';
import { intervalsOf, type RequestIntervals } from './trace.js';
import { longProofs, record, randomFrom, traceOf } from '../../testing/limiter-simulators/test-kit.js';

/** Requests at random, so dense that about as many as the limit fall into a window. */
function intervals(random: () => number, count: number, windowMs: number): RequestIntervals {
  const records = Array.from({ length: count }, (_, k) => {
    const sentMs = 4 * windowMs * random();
    return record(k, sentMs, sentMs + 0.1 * windowMs * random());
  });
  return intervalsOf(traceOf(records), 0);
}

/** The definition, word for word: some sixty-fourth of the phases, at which what is in sight weighs enough. For comparison only. */
function naive(
  { refused, counted, self, idleBeforeMs, slack }: RefusalContext,
  limit: number,
  windowMs: number,
): number[] {
  const lateMs = Math.max(slack.quantumMs, latenessMs(windowMs));
  return [...refused.sent].map((sentMs, k) => {
    const seenSince = (fromMs: number): number => {
      const inTime = [...counted.sent].filter((sent) => sent <= (refused.received[k] ?? 0)).length;
      return inTime - self - [...counted.received].filter((received) => received < fromMs).length;
    };
    const holds = Array.from({ length: 64 }, (_, phase) => {
      const since = (windows: number): number => sentMs - windows * windowMs * (1 + slack.clockErrorRate) - lateMs;
      const [whole, current] = [since(1 + (phase + 1) / 64), since((phase + 1) / 64)];
      const weighed = (1 - phase / 64) * seenSince(whole) + (phase / 64) * seenSince(current);
      return weighed > limit - 1 + 1e-9 || whole < -idleBeforeMs;
    });
    const full = sentMs - windowMs * (1 + slack.clockErrorRate) - slack.quantumMs;
    return holds.includes(true) || full < -idleBeforeMs || seenSince(full) >= limit ? 1 : 0;
  });
}

test('what an interpolated counter justifies is what trying every phase of it would', () => {
  let justifiedCount = 0;
  let judged = 0;
  for (let round = 0; round < (longProofs ? 120 : 30); round += 1) {
    const random = randomFrom(round);
    const windowMs = [1_000, 60_000][round % 2] ?? 1_000;
    const counted = intervals(random, 60, windowMs);
    const context: RefusalContext = {
      refused: round % 3 === 0 ? counted : intervals(random, 30, windowMs),
      counted,
      self: round % 3 === 0 ? 1 : 0,
      idleBeforeMs: random() < 0.5 ? 0.3 * windowMs : 10 * windowMs,
      slack: { clockErrorRate: 0.001, quantumMs: 1 },
    };
    const limit = 5 + Math.floor(20 * random());
    const justification = { kind: 'counter', part: 'both', count: limit, lookBackMs: windowMs } as const;
    const holds = justifiedBy(context, countPossiblyBefore(context), justification);
    expect([...holds], `round ${round}`).toEqual(naive(context, limit, windowMs));
    judged += holds.length;
    justifiedCount += holds.filter((one) => one === 1).length;
  }
  expect(justifiedCount).toBeGreaterThan(0.1 * judged);
  expect(justifiedCount).toBeLessThan(0.9 * judged);
});
