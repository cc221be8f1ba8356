import { expect, test } from '@playwright/test';
import { growth } from '../steps.test-kit.js';
import { trace } from './oracle.cost.test-kit.js';
import { longProofs } from '../../testing/limiter-simulators/test-kit.js';

// n log n would be 4.5; a quadratic step anywhere would be 16.
const most = 6;

test('judging takes little more than proportionally many steps to the length of a trace', async () => {
  expect(await growth('ratelimit/oracle', 'trace', 20_000)).toBeLessThan(most);
});

test('judging headers takes little more than proportionally many steps to the length of a trace', async () => {
  expect(await growth('ratelimit/oracle', 'headers', 6_000)).toBeLessThan(most);
});

if (longProofs)
  test('a trace of a million requests is judged', () => {
    const judge = trace(1_000_000);
    const before = performance.now();
    judge();
    console.info(
      `1,000,000 requests judged in ${Math.round(performance.now() - before)} ms, ${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB`,
    );
  });
