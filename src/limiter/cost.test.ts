import { expect, test } from '@playwright/test';
import { detectForeignUse } from './detect-foreign-use.js';
import { judgeHeaders } from './judge-headers.js';
import { judgeTrace } from './judge-trace.js';
import { fixedAnchored, all, slidingLog } from './simulated-limiters.js';
import { longProofs, seededRandom, simulate } from './test-kit.js';

const limits = [
  { count: 600, windowSeconds: 60 },
  { count: 100, windowSeconds: 1 },
];

/** Evenly sent at 500 a second, over a lively network. */
function judgeTimed(requests: number): { milliseconds: number; explained: boolean } {
  const random = seededRandom(requests);
  const plan = Array.from({ length: requests }, (_, index) => index * 2);
  const build = limits.map((limit) => (random() < 0.5 ? fixedAnchored(limit) : slidingLog(limit)));
  const trace = simulate(plan, all(build, false), 40, random);
  // CPU time, as the machine may be busy with other things.
  const started = process.cpuUsage();
  const { explained } = judgeTrace(trace, limits, { model: 'auto' });
  return { milliseconds: process.cpuUsage(started).user / 1000, explained };
}

test('judging costs little more than proportionally to the length of a trace', () => {
  test.setTimeout(120_000);
  judgeTimed(20_000);
  const small = judgeTimed(40_000);
  const large = judgeTimed(160_000);
  expect(small.explained && large.explained).toBe(true);
  // n log n would be 4.5; a quadratic step anywhere would be 16.
  expect(large.milliseconds / small.milliseconds).toBeLessThan(9);
  if (!longProofs) return;
  const million = judgeTimed(1_000_000);
  console.info(
    `1,000,000 requests judged in ${Math.round(million.milliseconds)} ms, ${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB`,
  );
  expect(million.explained).toBe(true);
});

/** What headers say of a trace in which nothing is in flight most of the time, and whether somebody else is on the key. */
function headersTimed(requests: number): number {
  const random = seededRandom(requests);
  const plan = Array.from({ length: requests }, (_, index) => index * 8);
  const bare = simulate(plan, all(limits.map(fixedAnchored), false), 3, random, {}, 0);
  const records = bare.records.map((record) => {
    const remaining = record.outcome === 'accepted' ? '5' : '0';
    return { ...record, limit: '600, 600;w=60', remaining, reset: '30', retryAfter: '30' };
  });
  const trace = { ...bare, records };
  const started = process.cpuUsage();
  judgeHeaders(trace, limits, { required: true, identicalPlan: true, alone: true });
  detectForeignUse(trace, limits);
  return process.cpuUsage(started).user / 1000;
}

test('judging headers costs little more than proportionally to the length of a trace', () => {
  test.setTimeout(120_000);
  headersTimed(5_000);
  expect(headersTimed(24_000) / headersTimed(6_000)).toBeLessThan(9);
});
