import { AxeBuilder } from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
import type { Browser, Page } from '@playwright/test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { hostile, openChromium } from '../../report/test-kit.js';
import type { TraceRecord } from '../../limiter/trace.js';
import { count, newTally } from '../soak/latency.js';
import { night as plainNight } from '../soak/night.test-kit.js';
import { encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import type { Night } from '../soak/history.js';
import type { SoakReport } from '../soak/run-soak.js';
import type { PlanVerdict } from '../limit-verdicts.js';
import { beyondPlan } from '../report-limits.js';
import { progressChart, stretchChart } from './envelope-charts.js';
import { renderLimitPage } from './limit-page.js';
import { renderScenarioPage } from './scenario-page.js';
import { embeddable } from './page-shell.js';
import { renderSoakPage } from './soak-page.js';
import { columnsOf } from './trace-columns.js';

const limits = [
  { count: 600, windowSeconds: 60 },
  { count: 100, windowSeconds: 1 },
];
let browser: Browser;
let folder: string;

test.beforeAll(async () => {
  browser = await openChromium();
  folder = mkdtempSync(join(tmpdir(), 'load-page-'));
});

test.afterAll(async () => {
  await browser.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

async function open(
  source: string,
  colorScheme: 'light' | 'dark' = 'light',
): Promise<{ page: Page; noise: string[]; tookMs: number }> {
  const file = join(folder, 'page.html');
  writeFileSync(file, source);
  const context = await browser.newContext({ colorScheme, offline: true });
  const page = await context.newPage();
  const noise: string[] = [];
  page.on('console', (message) => noise.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => noise.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (request.url() !== pathToFileURL(file).href && !request.url().startsWith('data:'))
      noise.push(`request: ${request.url()}`);
  });
  const began = performance.now();
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector('html[data-drawn]', { state: 'attached' });
  return { page, noise, tookMs: performance.now() - began };
}

/** A limiter with windows on the clock, driven at 200 a second; `burst` accepted a minute. */
function traceRecords(total: number, burst = 600): TraceRecord[] {
  let inSecond = 0;
  let inMinute = 0;
  return Array.from({ length: total }, (_, index): TraceRecord => {
    const sentMs = 1_000_000 + index * 5;
    if (index % 200 === 0) inSecond = 0;
    if (index % 12_000 === 0) inMinute = 0;
    const accepted = inSecond < 100 && inMinute < burst;
    if (accepted) inSecond += 1;
    if (accepted) inMinute += 1;
    const reset = String(60 - Math.floor((index % 12_000) / 200));
    return {
      index,
      dueMs: sentMs,
      sentMs,
      receivedMs: sentMs + 2,
      outcome: accepted ? 'accepted' : 'refused',
      status: accepted ? 200 : 429,
      remaining: String(burst - inMinute),
      reset,
      hasEnvelope: null,
    };
  });
}

function verdictOf(records: readonly TraceRecord[], words = 'nothing of note'): PlanVerdict {
  const drive = {
    ratePerSecond: 200,
    connections: 8,
    startedMs: 0,
    endedMs: 1,
    sent: records.length,
    answered: records.length,
    failed: 0,
    timedOut: 0,
    unsent: 0,
    late: { p50Ms: 0.1, p99Ms: 1.2, maxMs: 3 },
    trouble: null,
  };
  const step = {
    kind: 'even',
    scenario: 'sustained',
    count: records.length,
    ratePerSecond: 200,
    connections: 8,
  } as const;
  return {
    trace: {
      subject: {
        plan: 'independent',
        keyName: 'API_KEY_INDEPENDENT',
        limits,
        url: 'http://127.0.0.1:1/api/v1/units?limit=1',
      },
      conducted: { records, steps: [{ scenario: 'sustained', step, firstIndex: 0, count: records.length, drive }] },
      idleBeforeMs: 0,
      unusable: null,
    },
    scope: null,
    blames: [{ id: 'LIMIT-02', expected: words, actual: words, records: [] }],
    headers: [{ id: 'LIMIT-07', severity: 'warning', expected: words, actual: words, records: [] }],
    readings: [
      {
        name: 'sliding',
        admitted: false,
        contradiction: words,
        records: [],
        contradictions: [],
        needsRefusalsCounted: false,
        needsClock: false,
        needsTimer: false,
        tickMs: null,
      },
      {
        name: 'fixed',
        admitted: true,
        contradiction: null,
        records: [],
        contradictions: [],
        needsRefusalsCounted: true,
        needsClock: false,
        needsTimer: false,
        tickMs: null,
      },
    ],
    refusals: [429],
    foreign: null,
    weak: { within: null, beyond: null },
  };
}

function soakReport(level: number): SoakReport {
  const tally = newTally();
  for (let at = 1; at <= 5_000; at += 1)
    count(tally, { status: '200', latencyMs: level * (1 + (at % 97) / 40), error: false, bare: false });
  const windows = Array.from({ length: 60 }, (_, k) => ({
    startSeconds: 10 * k,
    due: 100,
    errors: k % 20 === 0 ? 1 : 0,
    p50Ms: level,
    p95Ms: level * 2,
    p99Ms: level * 3,
    maxMs: level * 4,
  }));
  const total = {
    name: 'all',
    due: 6_000,
    errors: 3,
    bareEnvelopes: 0,
    statuses: { '200': 5_997, timeout: 3 },
    p50Ms: level,
    p95Ms: 2 * level,
    p99Ms: 3 * level,
    maxMs: 4 * level,
    meanMs: level,
    histogram: encodeIntoCompressedBase64(tally.latency),
  };
  return {
    ...plainNight(5, level, null).service,
    total,
    operations: [{ ...total, name: hostile }],
    windows,
    thresholds: [{ text: 'p95<5ms', value: 2 * level, kept: false }],
  };
}

function night(day: number, level: number): Night {
  return { ...plainNight(day, level, null), service: soakReport(level), control: soakReport(1) };
}

test('a bucket that is filled up in steps is drawn where it is what explains the trace, and nowhere else', () => {
  const columns = columnsOf(traceRecords(3_600));
  const named = (tickMs: number | null): string[] =>
    stretchChart({ columns, limits, admitted: new Set(['bucket-ticked']), tickMs, spans: [] }).series.map(
      ({ name }) => name,
    );
  expect(named(500)).toContain('bucket-ticked');
  expect(named(null).some((name) => name.startsWith('bucket-ticked'))).toBe(false);
});

test('the curve of acceptances lies above a reading exactly where the reading is broken', () => {
  const above = (burst: number, name: string): boolean => {
    const columns = columnsOf(traceRecords(36_000, burst));
    const chart = stretchChart({ columns, limits, admitted: new Set(['fixed', 'sliding']), tickMs: null, spans: [] });
    const [seen, reading] = [chart.series[0], chart.series.find((one) => one.name === name)];
    return chart.x.some((_, at) => (seen?.values[at] ?? 0) > (reading?.values[at] ?? Infinity));
  };
  expect(above(600, 'fixed')).toBe(false);
  expect(above(1_300, 'fixed')).toBe(true);
  expect(above(600, 'sliding')).toBe(false);
  expect(above(660, 'sliding')).toBe(true);
  const columns = columnsOf(traceRecords(36_000));
  const progress = progressChart({ columns, limits, admitted: new Set(), tickMs: null, spans: [] });
  const most = progress.series.find((one) => one.name.startsWith('most by fixed'));
  expect(progress.x.every((_, at) => (progress.series[0]?.values[at] ?? 0) <= (most?.values[at] ?? 0))).toBe(true);
});

test('what was driven beyond the plan is told with its reasons, which are only text', () => {
  const plain = verdictOf(traceRecords(100));
  const repeats = ['late', 'late again'].map((why, firstStep) => ({ firstStep, why }));
  const beyond = { ...plain, trace: { ...plain.trace, repeats, further: { why: '<b>unclear</b>', seconds: 1 } } };
  expect(beyondPlan(plain)).toEqual([]);
  expect(beyondPlan(beyond)).toEqual([
    ['once more', 'late; then late again'],
    ['further', '<b>unclear</b>'],
  ]);
  const [without, source] = [plain, beyond].map((one) => renderLimitPage(one, { target: 'x', model: 'auto' }));
  expect(without).not.toMatch(/Driven (once more|further)/);
  expect(source).toContain('late; then late again');
  expect(source).toMatch(/Driven further.*&lt;b&gt;unclear/s);
});

test('a scenario’s page shows what it sent to each plan, and nothing else, under the verdict that needs attention most', () => {
  const whole = verdictOf(traceRecords(1_000));
  const { conducted } = whole.trace;
  const [step] = conducted.steps;
  if (step === undefined) throw new Error('the drive has a step');
  const steps = [
    { ...step, scenario: 'burst' as const, firstIndex: 0, count: 300 },
    { ...step, scenario: 'recovery' as const, firstIndex: 300, count: 700 },
  ];
  const driven = { ...whole, trace: { ...whole.trace, conducted: { ...conducted, steps } } };
  const blamed = { ...driven, blames: [{ id: 'LIMIT-01' as const, expected: 'x', actual: 'y', records: [] }] };
  const page = renderScenarioPage('burst', [driven, blamed], { target: 'http://127.0.0.1:1', model: 'auto' });
  expect(page).toContain('<h1>The limit does not hold</h1>');
  expect(page).toContain('<td class="n">300</td>');
  expect(page).not.toContain('1,000');
});

test('a million requests open in under two seconds, and the page draws every chart without a word', async () => {
  const source = renderLimitPage(verdictOf(traceRecords(1_000_000)), { target: 'http://127.0.0.1:1', model: 'auto' });
  expect(source.length).toBeLessThan(600_000);
  const { page, noise, tookMs } = await open(source);
  test.info().annotations.push({ type: 'opened in', description: `${Math.round(tookMs)} ms` });
  expect(await page.locator('.plot canvas').count()).toBe(5);
  expect(noise).toEqual([]);
  await shoot(page, 'limits');
  await page.context().close();
});

async function shoot(page: Page, name: string): Promise<void> {
  if (!process.env['SHOTS']) return;
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.screenshot({ path: test.info().outputPath(`${name}.png`), fullPage: true });
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`what the target says stays text, and nothing is inaccessible, ${colorScheme}`, async () => {
    const pages = [
      renderLimitPage(verdictOf(traceRecords(20_000), hostile), { target: 'http://127.0.0.1:1', model: 'auto' }),
      renderScenarioPage('sustained', [verdictOf(traceRecords(20_000))], { target: hostile, model: 'auto' }),
      renderSoakPage({
        name: hostile,
        plan: 'independent',
        night: night(5, 2),
        earlier: [night(1, 1), night(2, 1.1)],
        comparison: { verdict: 'cannot tell', effect: 0, probability: 1, nights: 2, reason: hostile },
      }),
    ];
    for (const [at, source] of pages.entries()) {
      const { page, noise } = await open(source, colorScheme);
      expect(noise).toEqual([]);
      expect(await page.title()).not.toBe('pwned');
      const violations = (await new AxeBuilder({ page }).analyze()).violations;
      expect(violations.map((one) => [one.id, one.nodes.map((node) => node.html.slice(0, 200))])).toEqual([]);
      await shoot(page, `${at}-${colorScheme}`);
      await page.context().close();
    }
  });
}

test('data cannot leave its script element', () => {
  const text = embeddable(['</script><!--', '\u2028&']);
  expect(text).not.toMatch(/[<>&\u2028]/);
  expect(JSON.parse(text)).toEqual(['</script><!--', '\u2028&']);
});
