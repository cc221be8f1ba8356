import { expect, test } from '@playwright/test';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readEvidence } from '../reports/evidence/evidence-reader.js';
import type { Exchange } from '../http/exchange.js';
import { loadPacks } from '../packs.js';
import { randomFrom } from '../run/random.js';
import { readKey, writeKeyPair } from './bundle/keys.js';
import { parseReport } from './read-report.js';
import { readRunFile } from './bundle/read-run-file.js';
import { startService } from './run.test-kit.js';
import { verifyBundle } from './verify/verify-bundle.js';
import { scratch } from '../folder.test-kit.js';
import { startProcess } from '../cli/run.test-kit.js';

/** When a run is killed: at a request, a while after its start, or a while after a file of its end was touched. */
type Instant =
  | { readonly at: 'request'; readonly number: number; readonly laterMs: number }
  | { readonly at: 'start'; readonly laterMs: number }
  | { readonly at: 'end'; readonly file: RegExp; readonly laterMs: number };

/** Seven instants of a run that sends `requests` and takes `ms`: its first request, and six at random. */
function draw(random: () => number, requests: number, ms: number): Instant[] {
  const below = (most: number): number => Math.floor(random() * most);
  const ends = [/^run\.json\.part$/, /^conformance\.json\.part$/, /\.bundle\.part$/];
  return [
    { at: 'request', number: 1, laterMs: 0 },
    ...Array.from({ length: 2 }, (): Instant => ({ at: 'request', number: 1 + below(requests), laterMs: below(8) })),
    { at: 'start', laterMs: below(ms) },
    ...ends.map((file): Instant => ({ at: 'end', file, laterMs: below(6) })),
  ];
}

const say = (instant: Instant): string =>
  JSON.stringify(instant, (_, value: unknown) => (value instanceof RegExp ? String(value) : value));

test('what a run recorded can be read after kill -9 at any of seven instants, and nothing says that it ended', async () => {
  test.setTimeout(240_000);
  const seed = Number(process.env['KILL_SEED'] ?? 1);
  process.stdout.write(`  KILL_SEED=${seed}\n`);
  using place = scratch();
  const { folder } = place;
  const keys = writeKeyPair(join(folder, 'vendor'));
  const evidence = join(folder, 'reports', 'evidence');
  const report = join(folder, 'reports', 'conformance.json');
  mkdirSync(evidence, { recursive: true });
  let heard = 0;
  let hears = (): void => undefined;
  await using service = await startService((request, body, reply) => {
    heard += 1;
    hears();
    const path = request.url ?? '';
    if (path.startsWith('/api/v1/units'))
      return reply(200, { ok: true, data: { items: [{ id: 'u-1', status: 'available' }], nextCursor: null } });
    if (path.startsWith('/api/demo/units')) return reply(200, [{ id: 'u-1', status: 'available' }]);
    if (path.startsWith('/api/v1/leads')) return reply(201, { ok: true, data: { id: `l-${heard}`, sent: body } });
    return reply(404, { ok: false, error: {} });
  });
  const certify = ['certify', '--quiet', '--only', 'UNIT,DEMO,LEAD,PLAN', '--requests', '40', '--allow-incomplete'];
  const env = { BASE_URL: service.url, API_KEY: 'sk_live_0123456789' };

  /** Starts a run and ends it at the instant; hands back whether the kill came in time. */
  async function runUntil(instant: Instant, bundle: string): Promise<boolean> {
    heard = 0;
    const { child } = startProcess([...certify, '--bundle', bundle, '--key', keys.privateFile], folder, env);
    const exit = once(child, 'exit') as Promise<[number | null, string | null]>;
    const kill = (): void => void sleep(instant.laterMs).then(() => child.kill('SIGKILL'));
    const watchers = instant.at === 'end' ? [folder, join(folder, 'reports'), evidence].map((dir) => watch(dir)) : [];
    // The run touches its files at its start, too: only what comes after its last request is its end.
    let wasStarted = false;
    if (instant.at === 'start') kill();
    hears = () => {
      wasStarted = true;
      if (instant.at === 'request' && heard === instant.number) kill();
    };
    for (const watcher of watchers)
      watcher.on('change', (_, name) => {
        if (wasStarted && instant.at === 'end' && instant.file.test(String(name))) kill();
      });
    const [, signal] = await exit;
    for (const watcher of watchers) watcher.close();
    return signal === 'SIGKILL';
  }

  const startedMs = performance.now();
  await runUntil({ at: 'request', number: -1, laterMs: 0 }, 'whole.bundle');
  const instants = draw(randomFrom(seed), heard, performance.now() - startedMs);
  expect(parseReport(readFileSync(report, 'utf8'), report).requests).toBe(heard);
  let inTime = 0;
  for (const [index, instant] of instants.entries()) {
    const bundle = `killed-${index}.bundle`;
    if (await runUntil(instant, bundle)) inTime += 1;
    const about = `KILL_SEED=${seed} ${say(instant)}`;
    const found: Exchange[] = [];
    for await (const exchange of readEvidence(evidence)) found.push(exchange);
    expect(
      found.map((exchange) => exchange.seq),
      about,
    ).toEqual(found.map((_, at) => at + 1));
    // Requests in flight have no answer yet; a few run in parallel. Before the first answer, the folder may still hold an earlier run.
    if (heard > 0) expect(found.length, about).toBeGreaterThanOrEqual(heard - 12);
    if (heard > 0) expect(found.length, about).toBeLessThanOrEqual(heard);
    const ended = existsSync(join(evidence, 'run.json')) && readRunFile(evidence).ended;
    const savedReport = existsSync(report) ? parseReport(readFileSync(report, 'utf8'), report) : null;
    if (heard > 0) expect(savedReport, about).not.toBeNull();
    if (!ended) expect(savedReport?.outcome ?? 'incomplete', about).toBe('incomplete');
    else if (savedReport?.requests === found.length) expect(savedReport.outcome, about).not.toBe('incomplete');
    const file = join(folder, bundle);
    if (!existsSync(file)) continue;
    const verified = await verifyBundle(readFileSync(file), {
      trusted: [readKey(keys.publicFile, 'public')],
      checks: (await loadPacks()).requirements,
    });
    expect(verified.problems, about).toEqual([]);
  }
  expect(inTime, `KILL_SEED=${seed}: kills that came before the run's own end`).toBeGreaterThanOrEqual(3);
});
