import { expect, test } from '@playwright/test';
import type { Limit } from '../settings/limits.js';
import {
  all,
  fixedAnchored,
  fixedByClock,
  slidingLog,
  spilling,
  tokenBucket,
} from '../../testing/limiter-simulators/simulated-limiters.test-kit.js';
import { spareExcess } from './admission.js';
import { groupRequests } from './trace.js';
import {
  judgeTrace,
  longProofs,
  record,
  randomFrom,
  simulate,
  traceOf,
} from '../../testing/limiter-simulators/test-kit.js';

const base: Limit = { count: 100, windowSeconds: 1 };
const spare: Limit = { count: 600, windowSeconds: 60 };
const slack = { clockErrorRate: 0.001, quantumMs: 1 };

/** `count` bursts of `of` acceptances within 0.3 s, `apartMs` apart. */
function bursts(count: number, of: number, apartMs: number): ReturnType<typeof traceOf> {
  const each = (burst: number) =>
    Array.from({ length: of }, (_, k) => {
      const atMs = burst * apartMs + (300 * k) / of;
      return record(burst * of + k, atMs, atMs + 2);
    });
  return traceOf(Array.from({ length: count }, (_, burst) => each(burst)).flat());
}

test('what bursts take beyond two windows of the base adds up to the spare of two windows at the most', () => {
  for (const [count, of, apartMs, fits] of [
    [1, 1_400, 7_000, true],
    [1, 1_401, 7_000, false],
    [3, 600, 7_000, true],
    [4, 500, 7_000, true],
    [4, 501, 7_000, false],
    // Over two minutes there are three windows of spare.
    [4, 501, 30_000, true],
    [4, 651, 30_000, false],
  ] as const) {
    const found = spareExcess(groupRequests(bursts(count, of, apartMs)).accepted, { base, spare }, slack);
    expect(found === null, `${count} x ${of}`).toBe(fits);
  }
});

test('a bucket refilled within seconds is distinguished from an allowance for a minute, also one with the bucket’s numbers', () => {
  const full = (capacity: number, rate: number) => {
    const plan = Array.from({ length: 5 }, (_, burst) =>
      Array.from({ length: capacity + 80 }, (_unused, k) => 7_000 * burst + 0.5 * k),
    ).flat();
    return judgeTrace(simulate(plan, all([tokenBucket(capacity, rate)]), 5, randomFrom(1)), [spare, base], {
      model: 'auto',
    });
  };
  const admitted = ({ models }: ReturnType<typeof full>) =>
    models.filter((limiter) => limiter.admitted).map(({ name }) => name);
  expect(admitted(full(600, 100))).toEqual(['bucket']);
  const larger = full(720, 100);
  expect(larger.violations.map(({ id }) => id)).toEqual(['LIMIT-02']);
  const spill = larger.models.find(({ name }) => name === 'spill');
  expect(spill?.counterevidence[0]?.sentence).toMatch(
    /^\d+ requests accepted above 100 every 1 s, in \d bursts within .*request \d+/u,
  );
  expect(full(600, 80).violations.map(({ id }) => id)).toEqual(['LIMIT-01']);
});

test('nobody spends more than there is to spare, whatever keeps the two limits', () => {
  const few: Limit = { count: 10, windowSeconds: 1 };
  const many: Limit = { count: 60, windowSeconds: 60 };
  for (let round = 0; round < (longProofs ? 1_000 : 100); round += 1) {
    const random = randomFrom(round);
    const kinds = [fixedAnchored(few), fixedByClock(few, 1_000 * random()), slidingLog(few), tokenBucket(10, 10)];
    const spares = [fixedAnchored(many), fixedByClock(many, 60_000 * random()), slidingLog(many), tokenBucket(60, 1)];
    const [first, second] = [kinds[round % 4], spares[Math.floor(round / 4) % 4]];
    if (first === undefined || second === undefined) throw new RangeError('no limiter');
    let atMs = 0;
    const plan = Array.from({ length: 25 }, () => {
      atMs += 300 + 9_000 * random();
      const apartMs = 20 * random();
      return Array.from({ length: 20 + Math.floor(120 * random()) }, () => (atMs += apartMs));
    }).flat();
    const trace = simulate(plan, spilling(first, second, random() < 0.5), [1, 5, 50][round % 3] ?? 5, random);
    expect(spareExcess(groupRequests(trace).accepted, { base: few, spare: many }, slack), `round ${round}`).toBeNull();
  }
});
