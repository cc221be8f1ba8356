import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@playwright/test';
import { scratch } from '../../folder.test-kit.js';
import { closing, serve } from '../../loopback.test-kit.js';
import { startReference } from '../../reference/start-reference.js';
import { durationBounds } from '../../traffic/export/load-metrics.js';
import { startCollector } from '../../traffic/export/otlp.test-kit.js';
import type { SoakRun } from '../../traffic/soak/history/history.js';
import { recordedLatencies } from '../../traffic/soak/latency.js';
import { runProcess, type EndedProcess } from '../run.test-kit.js';

type Result = readonly {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}[];

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}

const dashboard = JSON.parse(
  readFileSync(new URL('../../../examples/grafana-dashboard.json', import.meta.url), 'utf8'),
) as Dashboard;

/** A Prometheus that scrapes these addresses every second, each as a job. */
async function startPrometheus(folder: string, jobs: Readonly<Record<string, string>>) {
  const config = join(folder, 'prometheus.yml');
  const scrapes = Object.entries(jobs).map(
    ([job, url]) =>
      `  - { job_name: ${job}, honor_labels: true, static_configs: [{ targets: ['${new URL(url).host}'] }] }`,
  );
  writeFileSync(config, `global: { scrape_interval: 1s }\nscrape_configs:\n${scrapes.join('\n')}\n`);
  const flags = [`--config.file=${config}`, `--storage.tsdb.path=${join(folder, 'data')}`];
  const child = spawn('prometheus', [...flags, '--web.listen-address=127.0.0.1:0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let said = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const [, address] = /msg="Listening on" address=(\S+)/.exec(said) ?? [];
      if (address !== undefined) resolve(`http://${address}`);
    });
    child.once('exit', () => reject(new Error(`Prometheus ended: ${said}`)));
  });
  const query = async (expression: string, atSeconds = Date.now() / 1000): Promise<Result> => {
    const search = new URLSearchParams({ query: expression, time: String(atSeconds) });
    const answer = await (await fetch(`${url}/api/v1/query?${search.toString()}`)).json();
    const { status, error, data } = answer as { status: string; error?: string; data?: { result: Result } };
    expect(status, `${expression}: ${error ?? ''}`).toBe('success');
    return data?.result ?? [];
  };
  const close = (): Promise<void> => {
    child.kill();
    return exited;
  };
  return closing({ query, close });
}

const numberOf = (result: Result): number => Number(result[0]?.value[1] ?? NaN);

/** The expression as Grafana sends it for the last minutes. */
const asked = (expression: string): string =>
  expression.replaceAll('$__rate_interval', '8s').replaceAll('$__range', '10m');

function runIn(folder: string): SoakRun {
  const [name = ''] = readdirSync(join(folder, 'history'));
  return JSON.parse(readFileSync(join(folder, 'history', name), 'utf8')) as SoakRun;
}

test('Prometheus answers every query of the dashboard with the numbers of the runs', async () => {
  test.skip(spawnSync('prometheus', ['--version']).error !== undefined, 'prometheus is not on the PATH');
  using place = scratch();
  await using collector = await startCollector();
  let exported = '';
  await using pushGateway = await serve((_request, response) => response.end(exported));
  await using prometheus = await startPrometheus(place.folder, { pushed: collector.url, exported: pushGateway.url });
  const ten = [{ count: 10, seconds: 1 }];
  const limits = { independent: ten, enterprise: ten, franchise: [{ count: 10_000, seconds: 1 }] };
  await using reference = closing(await startReference({ limits }));
  const { API_KEY_INDEPENDENT, API_KEY_FRANCHISE, API_KEY_ENTERPRISE } = reference.settings;
  const collected = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_METRIC_EXPORT_INTERVAL: '1000' };
  const env = { BASE_URL: reference.baseUrl, LIMITS_INDEPENDENT: '10/1s', LIMITS_ENTERPRISE: '10/1s', ...collected };
  const load = (args: readonly string[], more: NodeJS.ProcessEnv): Promise<EndedProcess> =>
    runProcess(['load', ...args], place.folder, { ...env, ...more });
  const operations = [
    { name: 'list units', method: 'GET', path: '/api/v1/units?limit=50', weight: 9 },
    { name: 'a unit that is missing', method: 'GET', path: '/api/v1/units/none', weight: 1 },
  ];
  writeFileSync(join(place.folder, 'mix.json'), JSON.stringify({ operations }));
  const course = ['--rate', '20', '--duration', '12s', '--mix', 'mix.json', '--threshold', 'errors<50%'];
  const soak = ['--scenario', 'soak', ...course];
  const startAt = new Date(Date.now() + 30_000).toISOString();
  const ended = Promise.all([
    load([...soak, '--out', 'one'], { API_KEY_FRANCHISE, OTEL_RESOURCE_ATTRIBUTES: 'service.instance.id=one' }),
    load([...soak, '--out', 'two'], { API_KEY_FRANCHISE }),
    load(['--scenario', 'burst', '--plan', 'independent', '--out', 'three'], { API_KEY_INDEPENDENT }),
    load(['--part', '1/1', '--plan', 'enterprise', '--start-at', startAt], { API_KEY_ENTERPRISE }),
  ]);
  // A rate needs two scrapes, and is asked for while the load runs.
  const queries = dashboard.panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => [title, asked(expr)] as const),
  );
  const open = new Map(queries.map(([title, expression]) => [expression, title]));
  expect(open.size).toBe(10);
  while (open.size > 0) {
    for (const expression of open.keys()) {
      const values = (await prometheus.query(expression)).map(({ value }) => Number(value[1]));
      if (values.some((value) => value > 0)) open.delete(expression);
    }
    const isOver = await Promise.race([ended.then(() => true), sleep(500, false)]);
    if (isOver) break;
  }
  expect([...open.values()], 'panels without numbers').toEqual([]);
  for (const { status, out: text, err } of await ended) expect(status, text + err).toBe(0);

  // The last numbers are scraped after the end.
  const runs = ['one', 'two'].map((name) => runIn(join(place.folder, name)));
  const due = runs.reduce((sum, { service }) => sum + service.total.due, 0);
  const total = 'sum(dealership_load_requests_total{job="dealership-conformance",dealership_scenario="soak"})';
  await expect.poll(async () => numberOf(await prometheus.query(total))).toBe(due);
  const errors = runs.reduce((sum, { service }) => sum + service.total.errors, 0);
  expect(errors).toBeGreaterThan(0);
  expect(numberOf(await prometheus.query('sum(dealership_load_errors_total{dealership_plan="franchise"})'))).toBe(
    errors,
  );
  const refused = 'sum by (dealership_plan) (dealership_load_requests_total{dealership_outcome="refused"}) > 0';
  const plans = (await prometheus.query(refused)).map(({ metric }) => metric['dealership_plan']);
  expect(plans.sort()).toEqual(['enterprise', 'independent']);

  // The percentile of both generators together, within its bucket, or the next where it is at a bound.
  const latencies = runs.flatMap(({ service }) => recordedLatencies(service.total.histogram));
  latencies.sort(([a], [b]) => a - b);
  let below = 0;
  const [microseconds = 0] = latencies.find(([, count]) => (below += count) >= 0.95 * due) ?? [];
  const [, p95 = ''] = queries.find(([title, text]) => title === 'Latency of all runs' && text.includes('(0.95')) ?? [];
  const shown = Number(
    (await prometheus.query(p95)).find(({ metric }) => metric['dealership_plan'] === 'franchise')?.value[1],
  );
  const bucketOf = (seconds: number): number => durationBounds.findIndex((bound) => seconds <= bound);
  const apart95 = Math.abs(bucketOf(shown) - bucketOf(microseconds / 1e6));
  expect(apart95, `${shown} s for ${microseconds / 1e6} s`).toBeLessThanOrEqual(1);

  // What is exported afterwards has the buckets of what was pushed; a histogram of a soak rounds by a thousandth.
  exported = (await load(['export', '--prometheus', '-', '--out', 'one'], {})).out;
  const buckets = async (of: string): Promise<ReadonlyMap<string, number>> => {
    const name = `http_client_request_duration_seconds_bucket{${of}}`;
    const result = await prometheus.query(`sum by (le, dealership_operation) (${name})`);
    return new Map(result.map(({ metric, value }) => [JSON.stringify(metric), Number(value[1])]));
  };
  const pushed = await buckets('instance="one"');
  await expect.poll(async () => (await buckets('job="exported"')).size).toBe(pushed.size);
  const apart = [...(await buckets('job="exported"'))].map(([le, count]) => Math.abs(count - (pushed.get(le) ?? NaN)));
  expect(apart).toHaveLength(operations.length * (durationBounds.length + 1));
  expect(Math.max(...apart)).toBeLessThanOrEqual(1);
});
