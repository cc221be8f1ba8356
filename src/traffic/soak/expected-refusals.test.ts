import { expect, test } from '@playwright/test';
import type { LimitModel } from '../../settings/target.js';
import { expectedRefusals, moreThanBearable, soakRate } from './expected-refusals.js';
import { atMost } from '../../../testing/limiter-simulators/test-kit.js';

const limits = [atMost(600, 60), atMost(100, 1)];

const courses: readonly (readonly [LimitModel, number, number, number])[] = [
  // The one-second window admits 100 each second, the one-minute window 600 in all.
  ['auto', 50, 12, 0],
  ['auto', 50, 24, 0.5],
  ['fixed', 150, 2, 1 / 3],
  ['sliding', 20, 90, 1 / 3],
  ['auto', 50, 86_400, 0.8],
  // A bucket of 600 into which 100 a second flow.
  ['bucket', 200, 6, 0],
  ['bucket', 200, 12, 0.25],
  // A bucket of 600 into which 10 a second flow, and no more than 100 a second.
  ['bucket-slow', 60, 12, 0],
  ['bucket-slow', 60, 24, 1 - 840 / 1440],
  ['bucket-slow', 200, 2, 0.5],
  // 100 a second, and 600 a minute beyond them.
  ['spill', 200, 6, 0],
  ['spill', 200, 12, 0.25],
];

test('expected refusals follow from what the limits admit during a soak', () => {
  for (const [model, ratePerSecond, durationSeconds, share] of courses) {
    const course = { ratePerSecond, durationSeconds };
    expect(expectedRefusals(course, limits, model), JSON.stringify([model, course])).toBeCloseTo(share, 2);
  }
  const short = { ratePerSecond: 50, durationSeconds: 12 };
  expect(moreThanBearable(short, limits, 'auto')).toMatch(
    /for long, though hardly in 12 s: expect next to no refusals/,
  );
  expect(moreThanBearable({ ...short, durationSeconds: 24 }, limits, 'auto')).toMatch(/about 50 % refusals/);
});

test('the usual rate is one that the reading bears for hours', () => {
  expect(soakRate(limits, 'auto')).toBeCloseTo(8);
  expect(soakRate(limits, 'bucket')).toBeCloseTo(80);
  const hour = (ratePerSecond: number) => ({ ratePerSecond, durationSeconds: 3_600 });
  expect(moreThanBearable(hour(40), limits, 'auto')).toMatch(/more than the 10 a second .* 75 % refusals/);
  for (const bearable of [moreThanBearable(hour(10), limits, 'auto'), moreThanBearable(hour(1e6), null, 'auto')])
    expect(bearable).toBeNull();
});
