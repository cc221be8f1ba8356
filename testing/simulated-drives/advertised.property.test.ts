import { expect, test } from '@playwright/test';
import { atMost, longProofs } from '../limiter-simulators/test-kit.js';
import { variantOptions } from '../../src/reference/variant-options.js';
import type { Limit } from '../../src/settings/limits.js';
import type { LimitModel } from '../../src/settings/target.js';
import { judgePlan } from '../../src/traffic/limit-verdicts.js';
import { reportedOf, simulateDrive } from './simulated-drive.test-kit.js';
import { referenceLimiter } from './advertising-service.test-kit.js';

const plans = [[atMost(60, 60), atMost(10, 1)], [atMost(60, 6), atMost(20, 0.5)], [atMost(30, 60)]] as const;

const seeds = longProofs ? [1, 2, 3, 4] : [1];

/** What is held against the service, or advised, in a few drives under the open model. */
function findings(variant: Readonly<Record<string, string>>): string[] {
  return plans.flatMap((plan) =>
    [5, 300].flatMap((jitterMs) =>
      seeds
        .map((round) => {
          const drive = simulateDrive(plan, referenceLimiter(variant, plan, jitterMs, round * 7 + jitterMs));
          const { violations, headers } = judgePlan(drive, 'auto');
          return [...violations, ...headers].map(({ id, expected, actual }) => `${id}: ${expected}; ${actual}`);
        })
        .flat(),
    ),
  );
}

const limiters = variantOptions.find(({ name }) => name === 'limiter')?.values ?? [];

const everyForm = [
  ['no', 'bare'],
  ['no', 'policy'],
  ['yes', 'bare'],
  ['yes', 'policy'],
] as const;

// Without a network that delays, virtual-limits.service.test.ts judges each limiter with its headers.
for (const limiter of longProofs ? limiters : []) {
  test(`what ${limiter} advertises leads to no failure and no warning, refusals counted or not`, () => {
    test.setTimeout(1_800_000);
    for (const [counted, form] of everyForm) {
      const found = findings({ limiter, 'refused-counted': counted, 'limit-header': form });
      expect(found, `refused-counted=${counted}, limit-header=${form}`).toEqual([]);
    }
  });
}

const sold: readonly [Limit, Limit] = [atMost(600, 60), atMost(100, 1)];
const [long, short] = sold;

/** The share of a few drives that convict a service that says of itself exactly what it does, and keeps other numbers than were sold. */
function convicted(limiter: string, kept: readonly Limit[], model: LimitModel): number {
  const found = seeds.filter((seed) => {
    const service = referenceLimiter({ limiter, 'refused-counted': seed % 2 === 0 ? 'yes' : 'no' }, kept, 5, seed);
    return judgePlan(simulateDrive(sold, service), model).violations.length > 0;
  });
  return found.length / seeds.length;
}

test('an incorrect longer limit is detected at every position of the windows on the clock', () => {
  for (const factor of [0.8, 0.9, 1.1, 1.2, 1.5]) {
    const kept = [{ ...long, count: long.count * factor }, short];
    expect(convicted('fixed-clock', kept, 'auto'), `× ${factor}`).toBe(1);
  }
  expect(convicted('fixed-clock', sold, 'auto')).toBe(0);
  // A window that ends a second late may be the work of a limiter that stores whole seconds.
  expect(convicted('fixed-first-request', [{ ...long, windowSeconds: 61 }, short], 'fixed')).toBe(0);
});

test('an incorrect longer limit is detected where the stream within the limits is longer than its window', () => {
  const plan = [atMost(500, 60), atMost(10, 1)] as const;
  const [slow, second] = plan;
  for (const limiter of ['fixed-first-request', 'fixed-clock'])
    for (const factor of [1, 1.1]) {
      const kept = [{ ...slow, count: slow.count * factor }, second];
      const service = referenceLimiter({ limiter }, kept, 5, 1);
      const ids = judgePlan(simulateDrive(plan, service), 'fixed').violations.map(({ id }) => id);
      expect(ids, `${limiter}, × ${factor}`).toEqual(factor === 1 ? [] : ['LIMIT-02']);
    }
});

const single: readonly [Limit] = [atMost(100, 60)];
const stretchedBy = (factor: number, [first, ...others]: readonly [Limit, ...Limit[]]): Limit[] => [
  { ...first, windowSeconds: factor * first.windowSeconds },
  ...others,
];

test('long windows shorter or longer than sold are detected under the open model, too', () => {
  test.setTimeout(600_000);
  for (const limiter of ['fixed-first-request', 'fixed-clock', 'sliding-log'])
    for (const plan of [sold, single])
      for (const factor of [0.5, 1, 2])
        for (const seed of seeds) {
          const { ids } = reportedOf(plan, referenceLimiter({ limiter }, stretchedBy(factor, plan), 5, seed));
          const broken = factor === 1 ? [] : [factor < 1 ? 'LIMIT-02' : 'LIMIT-01'];
          expect.soft(ids, `${limiter}, ${plan.length} limits, window x ${factor}, seed ${seed}`).toEqual(broken);
        }
});

test('a window that is too long is detected although the resets name it correctly', () => {
  const stretched = (factor: number) => stretchedBy(factor, sold);
  for (const factor of [1.2, 1.3, 1.5])
    expect(convicted('fixed-first-request', stretched(factor), 'fixed'), `× ${factor}`).toBe(1);
  const kept = stretched(1.5);
  expect(convicted('sliding-log', kept, 'sliding')).toBe(1);
  const [first] = kept;
  for (const plan of [sold, [long]]) {
    const other = plan.length === 1 && first !== undefined ? [first] : kept;
    const service = referenceLimiter({ limiter: 'fixed-first-request' }, other, 5, 1);
    expect(judgePlan(simulateDrive(plan, service), 'fixed').violations[0]?.id).toBe('LIMIT-01');
  }
});
