import { expect, test } from '@playwright/test';
import { refillExcess } from './admission.js';
import { groupRequests } from './trace.js';
import { judgeTrace, record, traceOf } from '../../testing/limiter-simulators/test-kit.js';

const limits = [{ count: 100, windowSeconds: 60 }];
const slack = { clockErrorRate: 0.001, quantumMs: 1 };
const refused = { outcome: 'refused', status: 429 } as const;

/** A hundred requests at once and one refused; then, after a rest, `count` at twenty a second. */
function afterARest(restMs: number, count: number): ReturnType<typeof traceOf> {
  const burst = Array.from({ length: 100 }, (_, k) => record(k, k, k + 5));
  const later = Array.from({ length: count }, (_, k) => record(101 + k, restMs + 50 * k, restMs + 50 * k + 5));
  return traceOf([...burst, record(100, 200, 205, refused), ...later]);
}

/** What a bucket of a hundred a minute, filled up every `tickMs`, cannot have admitted after a refusal. */
function excessOf(trace: ReturnType<typeof traceOf>, tickMs: number): ReturnType<typeof refillExcess> {
  const refill = { perMs: 100 / 60_000, tickMs, leastTickMs: tickMs, capacity: 100, part: 'both' } as const;
  return refillExcess(groupRequests(trace), refill, slack);
}

test('after a refusal, a bucket admits only what was refilled since', () => {
  // 100 in 60 s are 50 in the 30 s since the refusal, and some more while they are spent.
  expect([50, 60].map((count) => excessOf(afterARest(30_000, count), 0) === null)).toEqual([true, false]);
  const { models } = judgeTrace(afterARest(30_000, 60), limits, { model: 'bucket' });
  const sentences = models[0]?.counterevidence.map(({ sentence }) => sentence) ?? [];
  expect(sentences).toContainEqual(expect.stringMatching(/requests accepted .* after request 100 was refused/));
});

test('a bucket that is topped up in steps may be so right after a refusal', () => {
  expect(excessOf(afterARest(400, 20), 0)).not.toBeNull();
  expect(excessOf(afterARest(400, 20), 15_000)).toBeNull();
});
