import { expect, test } from '@playwright/test';
import { bench, deviations } from './bench.js';

test('the deviation is that from the even grid which fits best', () => {
  const even = Array.from({ length: 100 }, (_, at) => 5_000 + at * 10);
  expect(deviations(even, 100)).toEqual({ p50Ms: 0, p99Ms: 0 });
  const late = even.map((at, index) => (index === 7 ? at + 4 : at));
  expect(deviations(late, 100).p99Ms).toBeCloseTo(4);
  expect(deviations([], 100)).toEqual({ p50Ms: 0, p99Ms: 0 });
});

test('a bench has a row for every engine and for every length of trace, and its own engine sends exactly what it should', async () => {
  const table = await bench({ seconds: 0.5, rounds: 2, rates: [100], traces: [1_000], faults: 2 });
  expect(table).toMatch(/\| 100\/s \| this suite \| 50 \|/);
  expect(table.split('| stock autocannon |')).toHaveLength(3);
  expect(table).toMatch(/\| 1,000 \| \d/);
  expect(table).toMatch(/\| [\d,]+ \| 2 of 2 \|/);
});
