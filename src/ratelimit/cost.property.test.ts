import { expect, test } from '@playwright/test';
import { growth } from '../steps.test-kit.js';

// n log n would be 4.5; a quadratic step anywhere would be 16.
const most = 6;

test('judging takes little more than proportionally many steps to the length of a trace', async () => {
  expect(await growth('ratelimit/oracle', 'trace', 20_000)).toBeLessThan(most);
});

test('judging headers takes little more than proportionally many steps to the length of a trace', async () => {
  expect(await growth('ratelimit/oracle', 'headers', 6_000)).toBeLessThan(most);
});
