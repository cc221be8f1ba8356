import { expect, test } from '@playwright/test';
import { moreThanBearable, rateOf } from './load-target.js';
import { atMost } from '../../../testing/limiter-simulators/test-kit.js';

const limits = [atMost(600, 60), atMost(100, 1)];

test('the usual rate is one that the reading bears for hours', () => {
  expect(rateOf({ plan: 'independent', limits }, 'auto', undefined)).toBeCloseTo(8);
  expect(rateOf({ plan: 'independent', limits }, 'bucket', undefined)).toBeCloseTo(80);
  expect(moreThanBearable(40, limits, 'auto')).toMatch(/more than the 10 a second .* expect refusals/);
  for (const bearable of [moreThanBearable(10, limits, 'auto'), moreThanBearable(1e6, null, 'auto')])
    expect(bearable).toBeNull();
});
