import { expect, test } from '@playwright/test';
import { emptyTooSoon } from './admission.js';
import { all, tokenBucket } from '../../testing/limiter-simulators/simulated-limiters.test-kit.js';
import { groupRequests } from './trace.js';
import {
  judgeTrace,
  longProofs,
  record,
  randomFrom,
  simulate,
  traceOf,
} from '../../testing/limiter-simulators/test-kit.js';

const limit = { count: 100, windowSeconds: 60 };
const perMs = limit.count / 60_000;
const refused = { outcome: 'refused', status: 429 } as const;
const everyTwelve = { perMs, tickMs: 12_000, leastTickMs: 12_000, capacity: 100, part: 'both' as const };

/** A refusal, `accepted` acceptances at ten a second, and a refusal. */
function between(accepted: number): ReturnType<typeof traceOf> {
  const inside = Array.from({ length: accepted }, (_, k) => record(1 + k, 100 * (k + 1), 100 * (k + 1) + 5));
  const endMs = 100 * (accepted + 1);
  return traceOf([record(0, 0, 5, refused), ...inside, record(accepted + 1, endMs, endMs + 5, refused)]);
}

test('what a step has brought is spent before the bucket refuses again, but for less than one token', () => {
  const isTooSoon = (accepted: number, more: ReturnType<typeof record>[] = []): boolean =>
    emptyTooSoon(groupRequests(traceOf([...between(accepted).records, ...more])), everyTwelve) !== null;
  expect([1, 18, 19, 20].map((accepted) => isTooSoon(accepted))).toEqual([true, true, false, false]);
  expect(emptyTooSoon(groupRequests(between(1)), { ...everyTwelve, tickMs: 0, leastTickMs: 0 })).toBeNull();
  // Whatever may have been decided between the refusals counts, refused or never answered.
  const pending = Array.from({ length: 18 }, (_, k) =>
    record(3 + k, 2, Infinity, { outcome: 'timeout', status: null, receivedMs: Infinity }),
  );
  expect([isTooSoon(1, pending), isTooSoon(1, pending.slice(1))]).toEqual([false, true]);
});

test('a bucket filled up in steps, slow or fast, with refusals that take tokens or not, is never short', () => {
  const rounds = longProofs ? 240 : 60;
  for (let round = 0; round < rounds; round += 1) {
    const random = randomFrom(round);
    const tickMs = [6_000, 12_000, 15_000, 20_000, 30_000][round % 5] ?? 0;
    const count = 40 + Math.floor(random() * 160);
    const rate = count / 60_000;
    const plan = Array.from({ length: 900 }, (_, k) => 120 * k + 5_000 * Math.floor(k / 150) * random());
    const decide = all([tokenBucket(count, count / 60, tickMs)], random() < 0.5);
    const trace = simulate(
      plan.sort((a, b) => a - b),
      decide,
      [5, 50, 300][round % 3] ?? 5,
      random,
    );
    const refill = { perMs: rate, tickMs, leastTickMs: tickMs, capacity: count, part: 'both' as const };
    expect(emptyTooSoon(groupRequests(trace), refill), `round ${round}`).toBeNull();
    expect(judgeTrace(trace, [{ count, windowSeconds: 60 }], { model: 'auto' }).violations).toEqual([]);
  }
});

test('one refill timer must explain both the acceptances and the refusals', () => {
  // A timer of six seconds explains ten more than the bucket holds, but not single acceptances after that.
  const burst = Array.from({ length: 110 }, (_, k) => record(k, 4 * k, 4 * k + 3));
  const after = [
    record(110, 500, 503, refused),
    record(111, 1_200, 1_203),
    record(112, 1_300, 1_303, refused),
    record(113, 1_900, 1_903),
    record(114, 2_000, 2_003, refused),
  ];
  const shortageOf = (records: readonly ReturnType<typeof record>[]) =>
    judgeTrace(traceOf([...records]), [limit], { model: 'auto' }).models.find(({ name }) => name === 'bucket');
  expect(shortageOf(burst)).toMatchObject({ admitted: true, needsTimer: true });
  expect(shortageOf([...burst, ...after])).toMatchObject({ admitted: false, needsTimer: false });
  expect(shortageOf([...burst.slice(0, 100), ...after])).toMatchObject({ admitted: true, needsTimer: false });
});
