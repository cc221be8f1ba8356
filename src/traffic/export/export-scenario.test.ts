import { createContext, runInContext } from 'node:vm';
import { createSourceFile, ScriptTarget } from 'typescript';
import { expect, test } from '@playwright/test';
import { exportK6, type ExportedScenario } from './export-scenario.js';
import { parseMix } from '../soak/mix.js';
import { parseThresholds } from '../soak/thresholds.js';

const scenario: ExportedScenario = {
  baseUrl: 'http://x',
  ratePerSecond: 80,
  durationSeconds: 600,
  mix: parseMix(
    '{"operations":[{"name":"units","path":"/api/v1/units","weight":3},{"path":"/api/v1/deals","weight":1}]}',
    'mix.json',
  ),
  thresholds: parseThresholds('p95<200ms,errors<0.1%'),
  tenant: 'north',
  origin: 'the flags and their defaults',
  leftOut: ['the headers of HEADERS'],
};
const bareMix = parseMix('{"operations":[{"path":"/api/demo/units","weight":1}]}', 'mix.json');

/** Runs a script's iteration once for each answer, with k6's modules stood in for, and returns the values of its metric; `sent` collects headers. */
function countedByK6(
  script: string,
  answers: readonly (readonly [number, string | null])[],
  environment: Record<string, string> = {},
  sent: unknown[] = [],
): Record<string, unknown[]> {
  const metrics: Record<string, unknown[]> = {};
  let at = 0;
  const context = createContext({
    __ENV: environment,
    http: {
      request(_method: string, _url: string, _body: unknown, { headers }: { headers: unknown }) {
        sent.push(headers);
        return { status: answers[at]?.[0], body: answers[at]?.[1] };
      },
    },
    check: (seen: unknown, checks: Record<string, (seen: unknown) => boolean>) =>
      Object.values(checks).every((one) => one(seen)),
    Rate: class {
      readonly add: (value: unknown) => void;
      constructor(name: string) {
        const values: unknown[] = (metrics[name] = []);
        this.add = (value) => values.push(value);
      }
    },
  });
  const bare = script.replace(/^import .*$/gm, '').replace('export const', 'const');
  runInContext(bare.replace('export default function', 'globalThis.iterate = function'), context);
  for (; at < answers.length; at += 1) runInContext('iterate()', context);
  return metrics;
}

test('a script for k6 is whole, and its thresholds are in k6’s words', () => {
  const script = exportK6(scenario);
  const parsed = createSourceFile('soak.js', script, ScriptTarget.ES2020) as unknown as { parseDiagnostics: unknown[] };
  expect(parsed.parseDiagnostics).toEqual([]);
  const options = /export const options = (\{.*?\n\});/s.exec(script)?.[1] ?? '';
  expect(JSON.parse(options)).toMatchObject({
    scenarios: { soak: { executor: 'constant-arrival-rate', rate: 4800, timeUnit: '1m', duration: '600s' } },
    thresholds: { http_req_duration: ['p(95)<200'], errors: ['rate<0.001'] },
  });
});

test('k6 follows no redirect, and waits no longer than a soak does', () => {
  expect(exportK6(scenario)).toContain("redirects: 0, timeout: '10s'");
});

test('a script for k6 counts as errors what a soak does', () => {
  const good = '{"ok":true,"data":{"items":[]}}';
  const wrong = [
    [0, null],
    [500, good],
    [401, '{"ok":false,"error":{}}'],
    [200, '{"ok":false,"error":{}}'],
    [200, '{"ok":true,"data":{'],
    [200, '[]'],
    [200, 'null'],
    [200, ''],
  ] as const;
  expect(countedByK6(exportK6(scenario), [[200, good], ...wrong])).toEqual({
    errors: [false, ...wrong.map(() => true)],
  });
  const bare = countedByK6(exportK6({ ...scenario, mix: bareMix }), [
    [200, '[]'],
    [204, ''],
    [503, '[]'],
    [0, null],
  ]);
  expect(bare).toEqual({ errors: [false, false, true, true] });
});

test('k6 sends X-Tenant where it is set, and its script says first in what it differs', () => {
  const headers = (changes: Partial<ExportedScenario>, environment: Record<string, string> = {}): unknown => {
    const sent: unknown[] = [];
    countedByK6(exportK6({ ...scenario, ...changes }), [[200, '']], environment, sent);
    return sent[0];
  };
  expect(headers({}, { API_KEY: 'k' })).toMatchObject({ 'X-Tenant': 'north', Authorization: 'Bearer k' });
  expect(headers({}, { TENANT: 'south' })).toMatchObject({ 'X-Tenant': 'south' });
  for (const without of [headers({}, { TENANT: '' }), headers({ tenant: null })])
    expect(without).not.toHaveProperty('X-Tenant');
  expect(exportK6(scenario)).toMatch(
    /^\/\/ Written by [^]*\n\/\/ From the flags and their defaults: 80 requests a second for 600 s; thresholds p95<200ms, errors<0\.1%\.\n\/\/ Left out: the headers of HEADERS\.\n[^]*\n\/\/ - http_req_duration begins when a request is sent[^]*dropped_iterations/,
  );
});
