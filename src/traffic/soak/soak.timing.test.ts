import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@playwright/test';
import { serve } from '../../loopback.test-kit.js';
import { serveElsewhere, standStill } from '../../standstill.test-kit.js';
import { startLimited } from '../../../testing/real-limiters/limited-server.test-kit.js';
import { assertTellsNoSecret, dealer, parseMix, usualMix } from './mix.js';
import { soaked } from './soak-run.test-kit.js';
import { isKept, parseThreshold, parseThresholds } from './figures.js';
import { atMost } from '../../../testing/limiter-simulators/test-kit.js';

const generous = { k: [atMost(100_000, 60)] };
const headers = { authorization: 'Bearer k' };
const twoOperations = parseMix(
  '{"operations":[{"name":"units","path":"/api/v1/units","weight":3},{"path":"/api/v1/deals","weight":1}]}',
  'mix.json',
);

test('thresholds are upper bounds of a percentile or of the errors', () => {
  expect(parseThreshold('p95<200ms')).toMatchObject({ percentile: 95, comparison: '<', bound: 200 });
  expect(parseThreshold('p99.9 <= 2s')).toMatchObject({ percentile: 99.9, bound: 2000 });
  expect(parseThreshold('errors<0.1%').bound).toBeCloseTo(0.001);
  expect(parseThresholds('p50<5, max<1s')).toMatchObject([{ percentile: 50 }, { percentile: 100 }]);
  for (const text of ['p95', 'p0<1', 'p101<1', 'errors<5ms', 'p95<1%', 'p95>1', 'fast', 'p(95<1', ''])
    expect(() => parseThreshold(text), text).toThrow(/cannot be read/);
  for (const text of ['errors<5', 'errors<200%', 'errors<=1.1', 'errors<0', 'errors<0%'])
    expect(() => parseThreshold(text), text).toThrow(/is kept by a service that answers nothing|can never be kept/);
  // Shares are compared exactly: n per thousand equals n/10 %.
  for (let perMille = 1; perMille <= 1000; perMille += 1) {
    expect(isKept(parseThreshold(`errors<${(perMille / 10).toFixed(1)}%`), perMille / 1000)).toBe(false);
    expect(isKept(parseThreshold(`errors<=${(perMille / 10).toFixed(1)}%`), perMille / 1000)).toBe(true);
  }
  expect(['p95<200', 'p95<=200'].map((text) => isKept(parseThreshold(text), 200))).toEqual([false, true]);
});

test('a mix is dealt out in its exact proportions', () => {
  const next = dealer(usualMix);
  const names = Array.from({ length: 100 }, () => next().name);
  expect(usualMix.map((one) => names.filter((name) => name === one.name).length)).toEqual([60, 30, 10]);
  for (const text of [
    '',
    '{}',
    '{"operations":[]}',
    '{"operations":[{"path":"/x","weight":1},{"path":"/x","weight":2}]}',
    '{"operations":[{"name":"all","path":"/x","weight":1}]}',
    '{"operations":[{"path":"x","weight":1}]}',
    '{"operations":[{"path":"/x","weight":0}]}',
    '{"operations":[{"path":"/x","weight":1e999}]}',
    '{"operations":[{"path":"/x HTTP/1.1\\r\\nX-Other: 1","weight":1}]}',
    '{"operations":[{"path":"/ä","weight":1}]}',
    '{"operations":[{"path":"/x#y","weight":1}]}',
    '{"operations":[{"path":"/x","weight":1,"method":["POST"]}]}',
    '{"operations":[{"path":"/x","weight":1,"methd":"POST"}]}',
    '{"operations":[{"path":"/x","weight":1,"envelope":"no"}]}',
    '{"operations":[{"path":"/x","weight":1,"name":7}]}',
    '{"operations":["/x"]}',
  ]) {
    expect(() => parseMix(text, 'mix.json')).toThrow(/mix\.json/);
  }
  expect(parseMix('\uFEFF{"operations":[{"path":"/x","weight":1}]}', 'mix.json')).toHaveLength(1);
});

test('a mix that holds a secret is refused without a word of it', () => {
  const secrets = [['API_KEY', 'pk_live_canary']] as const;
  expect(() => assertTellsNoSecret(usualMix, [...secrets, ['OTHER_API_KEY', 'units']])).not.toThrow();
  for (const operation of [
    { path: '/api/v1/units?key=pk_live_canary', weight: 1 },
    { path: '/api/v1/units?key=p%6B_live%5fcanary', weight: 1 },
    { name: 'pk_live_canary', path: '/api/v1/units', weight: 1 },
    { method: 'POST', path: '/api/v1/leads', weight: 1, body: { key: 'pk_live_canary' } },
  ]) {
    const mix = parseMix(JSON.stringify({ operations: [operation] }), 'mix.json');
    expect(() => assertTellsNoSecret(mix, secrets)).toThrow(
      /^--mix holds the value of API_KEY in operation 1(?!.*canary)/,
    );
  }
  // An incorrect mix is reported before its secrets are known.
  for (const operation of [{ name: 'pk_live_canary' }, { method: 'pk_live_canary' }]) {
    const one = { path: '/x', weight: 1, ...operation };
    expect(() => parseMix(JSON.stringify({ operations: [one, one] }), 'mix.json')).toThrow(/^(?!.*canary)/is);
  }
});

test('a soak sends what it planned, counts it by operation and window, and says which thresholds held', async () => {
  const server = await startLimited(generous);
  const seen: number[] = [];
  const report = await soaked(server, {
    headers,
    ratePerSecond: 75,
    durationSeconds: 2,
    windowSeconds: 0.5,
    mix: twoOperations,
    thresholds: parseThresholds('p95<5s,errors<1%,p95<0.001'),
    progress: (window) => seen.push(window.startSeconds),
  });
  await server.close();
  expect(report).toMatchObject({
    ended: 'complete',
    total: { due: 150, errors: 0, bareEnvelopes: 0, statuses: { 200: 150 } },
  });
  expect(server.requests()).toBe(150);
  expect(report.operations.map((one) => one.due).sort()).toEqual([37, 113].sort());
  expect(report.windows.reduce((sum, window) => sum + window.due, 0)).toBe(150);
  expect(seen).toEqual([0, 0.5, 1, 1.5]);
  expect(report.thresholds.map((one) => one.kept)).toEqual([true, true, false]);
});

test('what is still under way when a soak is ended is called off, not counted as an error', async () => {
  const stop = new AbortController();
  await using server = await serve(() => setTimeout(() => stop.abort(), 100));
  const report = await soaked(server, { ratePerSecond: 50, durationSeconds: 60, signal: stop.signal });
  expect(report.ended).toBe('aborted');
  expect(report.total.due).toBeGreaterThan(0);
  expect(report.total.statuses).toEqual({ 'called off': report.total.due });
  expect(report.total.errors).toBe(0);
});

test('answers without a whole envelope are counted as such and as errors, by operation', async () => {
  const many = 'x'.repeat(20_000);
  const bodies: Readonly<Record<string, string>> = {
    good: '{"ok":true,"data":{"items":[]}}',
    'good-large': `{"ok":true,"data":{"items":["${many}"]}}`,
    'good-huge': `{"ok":true,"data":{"items":["${many.repeat(25)}"]}}`,
    none: '{"items":[]}',
    truncated: '{"ok":true,"data":{',
    'truncated-large': `{"ok":true,"data":{"items":["${many}`,
    refused: '{"ok":false,"error":{"code":"internal"}}',
    unasked: '[]',
  };
  await using server = await serve((request, response) => void response.end(bodies[request.url?.slice(1) ?? '']));
  const mix = Object.keys(bodies).map((name) => ({
    name,
    method: 'GET',
    path: `/${name}`,
    weight: 1,
    envelope: name !== 'unasked',
  }));
  const report = await soaked(server, { ratePerSecond: 80, mix });
  const seen = Object.fromEntries(report.operations.map((one) => [one.name, [one.due, one.errors, one.bareEnvelopes]]));
  const right = [10, 0, 0];
  const bare = [10, 10, 10];
  expect(seen).toEqual({
    good: right,
    'good-large': right,
    'good-huge': right,
    none: bare,
    truncated: bare,
    'truncated-large': bare,
    refused: bare,
    unasked: right,
  });
  expect(report.total).toMatchObject({ due: 80, errors: 40, bareEnvelopes: 40, statuses: { 200: 80 } });
});

test('a service that falls behind is charged for the wait', async () => {
  await using server = await serve(
    (_request, response) => void setTimeout(() => response.end('{"ok":true,"data":[]}'), 100),
  );
  const patient = await soaked(server, { connections: 1 });
  const hasty = await soaked(server, { connections: 1, timeoutMs: 400 });
  expect(patient.total).toMatchObject({ due: 20, statuses: { 200: 20 } });
  // Twenty answers of 100 ms one after another, where the last was due after 950 ms.
  expect(patient.total.maxMs).toBeGreaterThan(900);
  expect(hasty.total.due).toBe(20);
  expect(hasty.total.statuses['unsent']).toBeGreaterThan(0);
  expect(hasty.total.p99Ms).toBeGreaterThan(390);
});

test('the time in which this process stood still is left out, and is charged to no service', async () => {
  await using server = await serveElsewhere(20);
  const mix = usualMix.map((operation) => ({ ...operation, envelope: false }));
  const soaking = soaked(server, {
    durationSeconds: 4,
    windowSeconds: 0.5,
    mix,
    thresholds: parseThresholds('p95<300'),
  });
  await sleep(1_000);
  await standStill(2_000);
  const { total, standstill, thresholds, queued } = await soaking;
  expect(thresholds[0]).toMatchObject({ kept: true });
  expect(total.maxMs).toBeLessThan(1_000);
  expect(total.statuses).toEqual({ 200: total.due });
  expect(total.due + (standstill?.requests ?? 0)).toBe(80);
  expect(standstill?.requests).toBeGreaterThanOrEqual(38);
  expect(standstill?.seconds).toBeGreaterThan(1.9);
  expect(queued).toBe(0);
});
