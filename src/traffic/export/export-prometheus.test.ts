import { spawnSync } from 'node:child_process';
import { expect, test } from '@playwright/test';
import { exportPrometheus } from './export-prometheus.js';
import type { SoakSummary } from '../soak/run-soak.js';
import type { SoakRun } from '../soak/history/history.js';
import { count, figuresOf, newTally } from '../soak/latency.js';
import { soakRun } from '../soak/history/soak-run.test-kit.js';
import { encodeIntoCompressedBase64 } from 'hdr-histogram-js';

const plain = soakRun(1, 8, 5);
const { total } = plain.service;

/** An operation with these latencies. */
function operation(name: string, ...latenciesMs: readonly number[]): SoakSummary {
  const tally = newTally();
  for (const latencyMs of latenciesMs) count(tally, { status: '200', latencyMs, error: false, bare: false });
  const { meanMs, maxMs } = figuresOf(tally);
  const [due, statuses] = [latenciesMs.length, { 200: latenciesMs.length, 429: 3 }];
  return { ...total, name, due, statuses, meanMs, maxMs, histogram: encodeIntoCompressedBase64(tally.latency) };
}

/** The samples of an exported soak run, by series. */
function samples(changes: Partial<SoakRun['service']>): Map<string, number> {
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

const where =
  'server_address="service.example",server_port="8443",dealership_plan="franchise",dealership_scenario="soak"';
const ofUnits = `${where},dealership_operation="units"`;

test('an export shows requests, start, end and thresholds of the soak run', () => {
  const thresholds = [
    { text: 'p95<200ms', value: 8, kept: true },
    { text: 'p95<200ms', value: 8, kept: true },
    { text: 'max<1ms', value: 9, kept: false },
  ];
  const series = samples({ thresholds, operations: [operation('units', 1, 2)] });
  const requests = `dealership_load_requests_total{${ofUnits},dealership_outcome=`;
  expect(series.get(`${requests}"accepted",http_response_status_code="200"}`)).toBe(2);
  expect(series.get(`${requests}"refused",http_response_status_code="429"}`)).toBe(3);
  expect(series.get(`dealership_soak_threshold_kept{${where},threshold="p95<200ms"}`)).toBe(1);
  expect(series.get(`dealership_soak_threshold_kept{${where},threshold="max<1ms"}`)).toBe(0);
  expect(series.get(`dealership_soak_complete{${where}}`)).toBe(1);
  expect(series.get(`dealership_soak_start_timestamp_seconds{${where}}`)).toBe(Date.UTC(2026, 0, 1, 2) / 1000);
  expect(samples({ ended: 'aborted' }).get(`dealership_soak_complete{${where}}`)).toBe(0);
});

test('an export holds the histogram of each operation, cumulative and in seconds', () => {
  const series = samples({ operations: [operation('units', 0.7, 1, 3, 3, 80, 12_000), operation('deals', 1)] });
  const bucket = (le: string): unknown =>
    series.get(`http_client_request_duration_seconds_bucket{${ofUnits},le="${le}"}`);
  expect(['0.001', '0.0025', '0.005', '0.075', '0.1', '10', '+Inf'].map(bucket)).toEqual([2, 2, 4, 4, 5, 5, 6]);
  expect(series.get(`http_client_request_duration_seconds_count{${ofUnits}}`)).toBe(6);
  expect(series.get(`http_client_request_duration_seconds_sum{${ofUnits}}`)).toBeCloseTo(12.0877, 2);
  expect(series.get(`dealership_soak_latency_max_seconds{${ofUnits}}`)).toBeCloseTo(12, 2);
});

test('a soak run without any answer exports no latency instead of zero', () => {
  const none = { ...total, name: 'units', errors: 6_000, statuses: { failed: 6_000 }, maxMs: 0, histogram: '' };
  const series = samples({ operations: [none, { ...operation('deals'), errors: 1 }] });
  expect([...series.keys()].filter((name) => /latency|duration/.test(name))).toEqual([]);
  expect(series.get(`dealership_load_errors_total{${ofUnits}}`)).toBe(6_000);
  expect(series.get(`dealership_load_requests_total{${ofUnits},dealership_outcome="failed"}`)).toBe(6_000);
});

test('operations of one name get different labels', () => {
  const names = ['units', 'units', 'units (2)'];
  const series = samples({ operations: names.map((name, at) => ({ ...total, name, errors: at })) });
  const errors = ['units', 'units (2)', 'units (2) (2)'].map((name) =>
    series.get(`dealership_load_errors_total{${where},dealership_operation="${name}"}`),
  );
  expect(errors).toEqual([0, 1, 2]);
});

test('no percentile exceeds the maximum', () => {
  const tally = newTally();
  for (const latencyMs of [7_585.001, 7_585.003]) count(tally, { status: '200', latencyMs, error: false, bare: false });
  const figures = figuresOf(tally);
  expect(figures.percentileMs(99)).toBeLessThanOrEqual(figures.maxMs);
});

test('promtool finds nothing to complain of', () => {
  const thresholds = [{ text: 'p95<200ms', value: 8, kept: true }];
  const text = exportPrometheus({
    ...plain,
    service: { ...plain.service, operations: [operation('units', 1, 2)], thresholds },
  });
  expect(text.match(/^# TYPE .*$/gm)).toHaveLength(7);
  const tool = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
  test.skip(tool.error !== undefined, 'promtool is not installed');
  expect(`${tool.status ?? ''}: ${tool.stderr}${tool.stdout}`).toBe('0: ');
});
