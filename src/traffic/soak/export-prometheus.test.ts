import { expect, test } from '@playwright/test';
import { exportPrometheus } from './export-prometheus.js';
import type { Night } from './history.js';
import { count, figuresOf, newTally } from './latency.js';
import { night } from './night.test-kit.js';

const plain = night(1, 8, 5);
const { total } = plain.service;

/** The samples of a night's text, by series. */
function samples(changes: Partial<Night['service']>): Map<string, number> {
  const text = exportPrometheus({
    ...plain,
    target: 'https://user:secret@service.example:8443/api?key=secret',
    conditions: 'franchise, operations 0123456789ab, ramp 0 s',
    service: { ...plain.service, ...changes },
  });
  expect(text).not.toContain('secret');
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const series = new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
  expect(series.size, 'no series twice').toBe(lines.length);
  return series;
}

const where = 'target="service.example:8443",plan="franchise"';

test('a night says where, when and on which plan it was, how it ended and which thresholds it kept', () => {
  const thresholds = [
    { text: 'p95<200ms', value: 8, kept: true },
    { text: 'p95<200ms', value: 8, kept: true },
    { text: 'max<1ms', value: 9, kept: false },
  ];
  const series = samples({ thresholds, total: { ...total, statuses: { 200: 6_000 } } });
  expect(series.get(`dealership_soak_requests{operation="all",status="200",${where}}`)).toBe(6_000);
  expect(series.get(`dealership_soak_threshold_kept{threshold="p95<200ms",${where}}`)).toBe(1);
  expect(series.get(`dealership_soak_threshold_kept{threshold="max<1ms",${where}}`)).toBe(0);
  expect(series.get(`dealership_soak_complete{${where}}`)).toBe(1);
  expect(series.get(`dealership_soak_start_timestamp_seconds{${where}}`)).toBe(Date.UTC(2026, 0, 1, 2) / 1000);
  expect(samples({ ended: 'aborted' }).get(`dealership_soak_complete{${where}}`)).toBe(0);
});

test('a night without an answer has no latency, rather than one of nothing', () => {
  const none = { ...total, errors: 6_000, statuses: { 'broken off': 6_000 }, p50Ms: 0, p95Ms: 0, p99Ms: 0, maxMs: 0 };
  const series = samples({ total: none });
  expect([...series.keys()].filter((name) => name.includes('latency'))).toEqual([]);
  expect(series.get(`dealership_soak_errors{operation="all",${where}}`)).toBe(6_000);
});

test('operations of one name are told apart', () => {
  const names = ['units', 'units', 'all', 'units (2)'];
  const series = samples({ operations: names.map((name, at) => ({ ...total, name, errors: at })) });
  const errors = ['units', 'units (2)', 'all (2)', 'units (2) (2)'].map((name) =>
    series.get(`dealership_soak_errors{operation="${name}",${where}}`),
  );
  expect(errors).toEqual([0, 1, 2, 3]);
});

test('no percentile lies beyond the maximum, neither where it is counted nor in what was kept before', () => {
  const tally = newTally();
  for (const latencyMs of [7_585.001, 7_585.003]) count(tally, { status: '200', latencyMs, error: false, bare: false });
  const figures = figuresOf(tally);
  expect(figures.percentileMs(99)).toBeLessThanOrEqual(figures.maxMs);
  const series = samples({ total: { ...total, p99Ms: 7.59, maxMs: 7.58 } });
  expect(series.get(`dealership_soak_latency_seconds{operation="all",quantile="0.99",${where}}`)).toBe(0.00758);
});
