import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { unpackArchive } from '../../certification/bundle/archive.js';
import { startReference } from '../../reference/start-reference.js';
import type { Report } from '../../requirement/types.js';
import { startLimited } from '../../../testing/real-limiters/limited-server.test-kit.js';
import { scratch } from '../../folder.test-kit.js';
import { runProcess, type EndedProcess } from '../run.test-kit.js';

const { folder: place, remove } = scratch();

// One folder for all of them.
test.describe.configure({ mode: 'default' });

test.afterAll(remove);

const run = (args: readonly string[], env?: Record<string, string>): Promise<EndedProcess> =>
  runProcess(args, place, env);

const readJson = (file: string): unknown => JSON.parse(readFileSync(join(place, file), 'utf8'));
const readText = (file: string): string => readFileSync(join(place, file), 'utf8');
const numberIn = (text: string, pattern: RegExp): number => Number(pattern.exec(text)?.[1]?.replaceAll(',', '') ?? NaN);

/** The number that stands before some words. */
function numberBefore(text: string, words: string): number {
  const before = text.slice(0, Math.max(0, text.indexOf(words))).trimEnd();
  return Number(before.split(/\s/).at(-1)?.replaceAll(',', '') || NaN);
}

test('a certification counts its requests alike on the terminal, in JSON, on pages and in the bundle, and as the service does', async () => {
  test.setTimeout(180_000);
  await using server = await startLimited({ demo: [{ count: 20, windowSeconds: 1 }] });
  await run(['keygen', '--out', 'signer']);
  const args = ['certify', '--only', 'LIMIT,DEMO-01', '--bundle', 'a.bundle', '--key', 'signer.key.pem'];
  const { out, err } = await run([...args, '--allow-incomplete'], { BASE_URL: server.url, LIMITS_DEMO: '20/1s' });
  const report = readJson('reports/conformance.json') as Report;
  const sent = server.requests();
  const files = new Map(
    unpackArchive(readFileSync(join(place, 'a.bundle'))).map((one) => [one.name, String(one.bytes)]),
  );
  const inFile = (name: string): string => files.get(name) ?? '';
  const reported = {
    terminal: numberBefore(out, 'requests in'),
    json: report.requests,
    page: numberIn(
      readText('reports/conformance.html'),
      /<dt>Started<\/dt><dd>[^<]+, took [\d.]+ s, ([\d,]+) requests/,
    ),
    manifest: (JSON.parse(inFile('manifest.json')) as { requests: number }).requests,
    certificate: numberBefore(inFile('certificate.html'), 'requests in'),
  };
  expect(reported).toEqual({ terminal: sent, json: sent, page: sent, manifest: sent, certificate: sent });
  // The look before a run, and the document, are no requirement's.
  const judging = report.requirements.reduce((sum, { requests }) => sum + requests, 0);
  expect(sent - judging).toBeGreaterThanOrEqual(0);
  expect(sent - judging).toBeLessThan(10);
  const driven = numberIn(readText('reports/load/demo.html'), /<dt>Requests<\/dt><dd>([\d,]+)/);
  expect(driven).toBeGreaterThan(0);
  expect(driven).toBeLessThanOrEqual(judging);
  const announced = [...err.matchAll(/^demo: (?:at most|extended, with|repeated, with) ([\d,]+)/gm)].map(([, count]) =>
    Number(count?.replaceAll(',', '')),
  );
  expect(driven).toBeLessThanOrEqual(announced.reduce((sum, count) => sum + count, 0));
  const judged = /\b\d{1,2} of \d{1,2} judged/.exec(out)?.[0] ?? 'nothing';
  for (const page of [readText('reports/conformance.html'), inFile('certificate.html')]) expect(page).toContain(judged);
});

test('a scenario and a soak count their requests alike everywhere, and as the service does', async () => {
  test.setTimeout(120_000);
  const limits = { demo: [{ count: 20, windowSeconds: 1 }], 'key-of-north': [{ count: 1_000_000, windowSeconds: 1 }] };
  await using server = await startLimited(limits);
  const env = { BASE_URL: server.url, LIMITS_DEMO: '20/1s' };
  const burst = await run(['load', '--scenario', 'burst', '--plan', 'demo'], env);
  const report = readJson('reports/load/burst.json') as Report;
  const inAll = numberBefore(burst.out, 'requests in');
  expect([inAll, report.requests]).toEqual([server.requests(), server.requests()]);
  const driven = numberIn(burst.out, /sent ([\d,]+) requests/);
  expect(driven).toBe(numberIn(readText('reports/load/demo.html'), /<dt>Requests<\/dt><dd>([\d,]+)/));
  expect(driven).toBeLessThanOrEqual(inAll);

  const before = server.requests();
  const args = ['load', '--scenario', 'soak', '--rate', '20', '--duration', '1s'];
  const soak = await run(args, { ...env, API_KEY: 'key-of-north' });
  expect(soak.status).toBe(0);
  const reported = {
    planned: numberIn(soak.out, /about ([\d,]+) requests/),
    sent: numberIn(soak.out, /^ {2}all +([\d,]+)/m),
    report: (readJson('reports/load/soak.json') as Report).requests,
    page: numberIn(readText('reports/load/soak.html'), /<dt>Requests<\/dt><dd>([\d,]+)/),
  };
  expect(reported).toEqual({ planned: 20, sent: 20, report: 20, page: 20 });
  // Two requests look at the service before, the second of them whether its limit still accepts.
  expect(server.requests() - before).toBe(22);
});

test('doctor predicts how many requirements a gate judges, and names the settings that would add to them', async () => {
  const compare = async (out: string, hooked: boolean, statuses: number[], faults: string[] = []): Promise<string> => {
    // A service for each: together they would wait for the demo's limit.
    const reference = await startReference({ faults });
    const { API_KEY = '', TENANT = '', SIGNING_SECRET = '', WEBHOOK_TRIGGER = '' } = reference.settings;
    const keyed = ['--api-key', API_KEY, '--tenant', TENANT, '--signing-secret', SIGNING_SECRET];
    const more = hooked ? [...keyed, '--webhook-trigger', WEBHOOK_TRIGGER, '--read-only'] : [];
    const settings = ['--base-url', reference.baseUrl, ...more];
    const [predicted, judged] = await Promise.all([
      run(['doctor', ...settings]),
      run(['gate', ...settings, '--out', out]),
    ]).finally(() => reference.close());
    expect([predicted.status, judged.status], judged.out).toEqual(statuses);
    const missing = (text: string): string[] => text.match(/^ {2}\d+ more: .*$/gm) ?? [];
    const gate = predicted.out.split('\ncertify: ')[0] ?? '';
    // Where something is blocked, a gate names nothing but that.
    if (judged.status === 0) expect(missing(gate)).toEqual(missing(judged.out));
    expect(gate).toContain(`gate: ${/\b\d+ of 84 judged/.exec(judged.out)?.[0] ?? ''}, about `);
    return gate;
  };
  const [, , undocumented] = await Promise.all([
    compare('keyless', false, [3, 3]),
    compare('whole', true, [0, 0]),
    compare('undocumented', true, [0, 1], ['document-missing']),
  ]);
  expect(undocumented).toMatch(
    /^ {2}\d+ blocked: there is no OpenAPI document .* the status is 404 \(DOC-02 … DOC-09, /m,
  );
});
