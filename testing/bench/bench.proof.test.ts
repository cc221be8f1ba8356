import { expect, test } from '@playwright/test';
import { bench, deviations } from './bench.js';

test('a bench has a row for every client, and deviations are those from the even grid that fits best', async () => {
  const even = Array.from({ length: 100 }, (_, at) => 5_000 + at * 10);
  expect(deviations(even, 100)).toEqual({ p50Ms: 0, p99Ms: 0 });
  expect(deviations(even.with(7, 5_074), 100).p99Ms).toBeCloseTo(4);
  const table = await bench({ seconds: 0.5, rounds: 1, rates: [100], judged: 1_000, roundTrips: [] });
  expect(table).toMatch(/^Judge of 1,000 requests: \d/m);
  expect(table).toMatch(/^\| this suite \| \d+\.\d\d \/ \d+\.\d\d \| \d+ \|$/m);
});
