import { spawnSync } from 'node:child_process';
import { expect, test } from '@playwright/test';
import { exportPrometheus } from './export-prometheus.js';
import type { SoakRun } from '../soak/history/history.js';
import { count, figuresOf, newTally } from '../soak/latency.js';
import { soakRun } from '../soak/history/soak-run.test-kit.js';

const plain = soakRun(1, 8, 5);
const { total } = plain.service;

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

const where = 'target="service.example:8443",plan="franchise"';

test('an export shows target, start, plan, end and thresholds of the soak run', () => {
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

test('a soak run without any answer exports no latency instead of zero', () => {
  const none = { ...total, errors: 6_000, statuses: { 'broken off': 6_000 }, p50Ms: 0, p95Ms: 0, p99Ms: 0, maxMs: 0 };
  const series = samples({ total: none });
  expect([...series.keys()].filter((name) => name.includes('latency'))).toEqual([]);
  expect(series.get(`dealership_soak_errors{operation="all",${where}}`)).toBe(6_000);
});

test('operations of one name get different labels', () => {
  const names = ['units', 'units', 'all', 'units (2)'];
  const series = samples({ operations: names.map((name, at) => ({ ...total, name, errors: at })) });
  const errors = ['units', 'units (2)', 'all (2)', 'units (2) (2)'].map((name) =>
    series.get(`dealership_soak_errors{operation="${name}",${where}}`),
  );
  expect(errors).toEqual([0, 1, 2, 3]);
});

test('no percentile exceeds the maximum, neither in new nor in kept histograms', () => {
  const tally = newTally();
  for (const latencyMs of [7_585.001, 7_585.003]) count(tally, { status: '200', latencyMs, error: false, bare: false });
  const figures = figuresOf(tally);
  expect(figures.percentileMs(99)).toBeLessThanOrEqual(figures.maxMs);
  const series = samples({ total: { ...total, p99Ms: 7.59, maxMs: 7.58 } });
  expect(series.get(`dealership_soak_latency_seconds{operation="all",percentile="99",${where}}`)).toBe(0.00758);
  expect(series.get(`dealership_soak_latency_max_seconds{operation="all",${where}}`)).toBe(0.00758);
});

/** What promtool's linter says of metrics, as far as it can concern a text of gauges. */
function lint(text: string): string[] {
  const [types, helps] = ['TYPE', 'HELP'].map(
    (word) =>
      new Map([...text.matchAll(new RegExp(`^# ${word} (\\S+) (.+)$`, 'gm'))].map(([, name, what]) => [name, what])),
  );
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .flatMap((line) => {
      const [, name = '', labels = '', value = ''] = /^(\w+)\{(.*)\} (\S+)$/.exec(line) ?? [];
      return [
        ...(types?.get(name) === 'gauge' ? [] : ['no type']),
        ...(helps?.has(name) === true ? [] : ['no help']),
        ...(/_(total|sum|count|bucket|info)$/.test(name) ? ['the suffix of another type'] : []),
        ...(/(^|,)(quantile|le)="/.test(labels) ? ['the label of another type'] : []),
        ...(/^\d+(\.\d{1,6})?$/.test(value) ? [] : [`the value ${value}`]),
      ].map((problem) => `${name}: ${problem}`);
    });
}

test('promtool finds nothing to complain of, and no value has digits that were never measured', () => {
  const thresholds = [{ text: 'p95<200ms', value: 8, kept: true }];
  const odd = {
    ...total,
    p50Ms: 30.54,
    p95Ms: 30.54,
    p99Ms: 31.000000000000004,
    maxMs: 33.3,
    statuses: { 200: 1 },
  };
  const text = exportPrometheus({ ...plain, service: { ...plain.service, total: odd, thresholds } });
  expect(lint(text)).toEqual([]);
  expect(text).toContain('percentile="50",target="x",plan="independent"} 0.03054\n');
  expect(lint(text.replaceAll('percentile=', 'quantile=').replace('0.03054', '0.030539999999999998'))).toEqual(
    [...[1, 2, 3].map(() => 'dealership_soak_latency_seconds: the label of another type')].toSpliced(
      1,
      0,
      'dealership_soak_latency_seconds: the value 0.030539999999999998',
    ),
  );
  const tool = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
  const found = tool.error === undefined ? `${tool.status ?? ''}: ${tool.stderr}${tool.stdout}` : 'not installed';
  test.info().annotations.push({ type: 'promtool', description: found });
  expect(['0: ', 'not installed']).toContain(found);
});
