import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { serve } from '../../loopback.test-kit.js';
import { SettingsError } from '../../settings/settings-error.js';
import type { RawSettings } from '../../settings/setting-table.js';
import { startReference } from '../../reference/start-reference.js';
import { loadWith, optionsOf, runInProcess } from '../run.test-kit.js';
import { controlCourse } from './load-soak.js';
import type { SoakRun } from '../../traffic/soak/history.js';
import { scratch } from '../../folder.test-kit.js';

const elsewhere = { BASE_URL: 'http://service.example', API_KEY_INDEPENDENT: 'k' } as const;

const limits = { plan: 'independent' } as const;
const limitsOf = (plan: string) => ({ k6: '-', plan, parallelism: '3' });

const wrong: readonly (readonly [string, Record<string, string>, RegExp, RawSettings?, string[]?])[] = [
  ['an unknown scenario', { scenario: 'flood' }, /--scenario is "flood"/],
  ['an unknown plan', { scenario: 'soak', plan: 'gold' }, /--plan is "gold"/],
  ['a rate that is none', { scenario: 'soak', rate: 'fast' }, /--rate is "fast"/],
  ['a duration that is none', { scenario: 'soak', duration: 'long' }, /--duration is "long"/],
  ['a threshold that is none', { scenario: 'soak', threshold: 'p95<200ms,fast' }, /"fast" cannot be read/],
  ['a mix that is missing', { scenario: 'soak', mix: '/nowhere.json' }, /--mix names/],
  ['a reason to fail that is none', { scenario: 'soak', 'fail-on': 'slower,late' }, /--fail-on is "slower,late"/],
  ['a soak’s flag elsewhere', { scenario: 'burst', rate: '5' }, /--rate belongs to --scenario soak/],
  ['a soak of a host that is not named', { scenario: 'soak' }, /service\.example: name it in ALLOW_LOAD/, elsewhere],
  [
    'limits of a host that is not named',
    { scenario: 'burst', plan: 'independent' },
    /service\.example: name it in ALLOW_LOAD/,
    elsewhere,
  ],
  ['a plan without a key', { scenario: 'burst', plan: 'franchise' }, /set API_KEY_FRANCHISE/, elsewhere],
  ['a soak of a plan without a key', { scenario: 'soak', plan: 'enterprise' }, /set API_KEY_ENTERPRISE/, elsewhere],
  ['an export for nobody', {}, /load export needs --parallelism/, {}, ['export']],
  ['an export into nothing', { ...limits, parallelism: '3' }, /expected --k6 FILE or/, {}, ['export']],
  ['an export of no service', limitsOf('independent'), /BASE_URL is not set/, {}, ['export']],
  ['an export of a soak', { ...limitsOf('independent'), rate: '5' }, /--rate belongs to/, {}, ['export']],
  ['limits for an unknown number', { kubernetes: '-', ...limits }, /export needs --parallelism/, elsewhere, ['export']],
  ['limits of the demo', { ...limitsOf('demo') }, /a test of limits needs --plan with/, {}, ['export']],
  ['limits of one scenario', { ...limitsOf('independent'), scenario: 'burst' }, /--scenario is given/, {}, ['export']],
  ['a file for Kubernetes elsewhere', { kubernetes: '-' }, /--kubernetes belongs to load export/],
  ['an error of clocks elsewhere', { 'clock-error': '1s' }, /--clock-error belongs to load judge/],
  ['a verdict on nothing', {}, /no file is given/, {}, ['judge']],
];

test('what cannot be done is said in one sentence before anything is sent', async () => {
  const { folder, remove } = scratch();
  for (const [what, options, says, settings = {}, operands = []] of wrong) {
    const embedded = settings.BASE_URL === undefined;
    const error: unknown = await loadWith({ out: folder, quiet: true, embedded, ...options }, settings, operands).catch(
      (thrown: unknown) => thrown,
    );
    expect(error, what).toBeInstanceOf(SettingsError);
    expect((error as Error).message, what).toMatch(says);
    expect((error as Error).message.split('\n'), what).toHaveLength(1);
  }
  remove();
});

test('lengths of time are read with and without units', () => {
  const seconds = (text: string) => optionsOf({ 'clock-error': text })['clock-error'];
  expect(['60', '60s', '10m', '1h30m', '1.5s', '500ms'].map(seconds)).toEqual([60, 60, 600, 5_400, 1.5, 0.5]);
  for (const text of ['', 's', '10 m', '-1s', '25h', '1m x']) expect(() => seconds(text), text).toThrow(SettingsError);
});

/** A service that knows one key, and the credentials and tenants of its requests. */
async function oneKeyService() {
  const seen: (string | undefined)[] = [];
  const server = await serve((request, response) => {
    seen.push([request.headers.authorization, request.headers['x-tenant']].filter(Boolean).join(' '));
    const known = request.headers.authorization === 'Bearer good' || request.url?.startsWith('/api/demo') === true;
    response.writeHead(known ? 200 : 401, { 'content-type': 'application/json' });
    response.end(known ? '{"ok":true,"data":[]}' : '{"ok":false,"error":{"code":"key_unknown"}}');
  });
  return { ...server, seen };
}

/** What is written to stderr until the end of the block, where it is a terminal or not. */
function listenToStderr(isTTY = false): Disposable & { said: () => string } {
  const { write, isTTY: wasTTY } = process.stderr;
  let said = '';
  Object.assign(process.stderr, { isTTY, write: (text: string) => (said += text) !== '' });
  return { said: () => said, [Symbol.dispose]: () => void Object.assign(process.stderr, { isTTY: wasTTY, write }) };
}

/** Runs a soak, and hands back its status, or its error's sentence, and what it wrote to stderr. */
async function soak(settings: RawSettings, options: Record<string, string | boolean> = {}, isTTY = false) {
  using place = scratch();
  using heard = listenToStderr(isTTY);
  const usual = { out: place.folder, quiet: true, scenario: 'soak', rate: '20', duration: '1s' };
  const status = await loadWith({ ...usual, ...options }, settings).catch((error: unknown) =>
    error instanceof SettingsError ? error.message : String(error),
  );
  const history = join(place.folder, 'history');
  const runs = existsSync(history) ? readdirSync(history) : [];
  const [run] = runs.map((name) => JSON.parse(readFileSync(join(history, name), 'utf8')) as SoakRun);
  return { status, said: heard.said(), run };
}

test('a soak looks at the service first, and says in one sentence why it sends no load', async () => {
  const server = await oneKeyService();
  const { port } = new URL(server.url);
  const wrongKey = await soak({ BASE_URL: server.url, API_KEY_INDEPENDENT: 'wrong' });
  expect(wrongKey.status).toMatch(/^the service does not accept API_KEY_INDEPENDENT: it answers "401 key_unknown"/);
  const scheme = await soak({ BASE_URL: `https://127.0.0.1:${port}`, API_KEY: 'good' });
  expect(scheme.status).toMatch(/that port speaks http: did you mean http:/);
  const sandbox = { BASE_URL: server.url, SANDBOX_URL: `https://127.0.0.1:${port}` };
  expect((await soak(sandbox, { plan: 'sandbox' })).status).toMatch(/^SANDBOX_URL is https/);
  expect(server.seen.length).toBeLessThan(20);
  await server.close();
  const dead = await soak({ BASE_URL: server.url, API_KEY: 'good' });
  expect(dead.status).toBe(3);
  expect(dead.said).toMatch(/^http\S+ cannot be reached: it refuses connections[^\n]*\n$/);
  for (const { run } of [wrongKey, scheme, dead]) expect(run).toBeUndefined();
});

test('a soak that finds the limit used up waits before it begins', async () => {
  const statuses: number[] = [];
  let acceptsFromMs = Infinity;
  await using server = await serve((request, response) => {
    const isDemo = request.url?.startsWith('/api/demo') === true;
    if (isDemo && statuses.length === 0) acceptsFromMs = performance.now() + 900;
    const status = isDemo && performance.now() < acceptsFromMs ? 429 : 200;
    if (isDemo) statuses.push(status);
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '1' });
    response.end('{"units":[]}');
  });
  const { status, run } = await soak({ BASE_URL: server.url });
  expect(statuses).toContain(429);
  expect(status).toBe(0);
  expect(run?.service.total).toMatchObject({ statuses: { '200': 20 } });
});

test('a soak without a plan’s key uses API_KEY and its tenant; a plan’s key goes first, and the demo last', async () => {
  await using server = await oneKeyService();
  const BASE_URL = server.url;
  const own = await soak({ BASE_URL, API_KEY: 'good', TENANT: 'north' });
  expect(own).toMatchObject({ status: 0, run: { conditions: expect.stringMatching(/^API_KEY, /) as unknown } });
  expect(new Set(server.seen)).toEqual(new Set(['Bearer good north']));
  // The control takes as long as a short soak, and a minute of a longer one.
  expect(own.run?.control).toMatchObject({ total: { due: 20 } });
  expect([1, 60, 600, 86_400].map((seconds) => controlCourse(seconds).durationSeconds)).toEqual([1, 60, 60, 60]);
  expect(controlCourse(600).windowSeconds).toBe(5);
  server.seen.length = 0;
  const plan = await soak({ BASE_URL, API_KEY: 'bad', TENANT: 'north', API_KEY_INDEPENDENT: 'good' });
  expect(plan.run?.conditions).toMatch(/^independent, /);
  expect(new Set(server.seen)).toEqual(new Set(['Bearer good north']));
  expect((await soak({ BASE_URL })).run?.conditions).toMatch(/^demo, /);
});

test('one scenario reports each breach that it shows, and a plan’s key that is refused in one sentence', async () => {
  const faults = ['limit-told-twice-as-high', 'refusal-bare'];
  const reference = await startReference({ limits: { independent: [{ count: 10, seconds: 1 }] }, faults });
  const { API_KEY_INDEPENDENT, TENANT } = reference.settings;
  const env = { BASE_URL: reference.baseUrl, TENANT, LIMITS_INDEPENDENT: '10/1s' };
  const burst = ['load', '--scenario', 'burst', '--plan', 'independent'];
  const { folder, remove } = scratch();
  const shown = await runInProcess([...burst, '--out', folder], { ...env, API_KEY_INDEPENDENT });
  const refused = await runInProcess(burst, { ...env, API_KEY_INDEPENDENT: 'nobody-knows-this-key' });
  await reference.close();
  expect(shown.status, shown.out).toBe(1);
  for (const line of ['✓ LIMIT-02 passed', '✗ LIMIT-04 failed', '✗ LIMIT-07 failed']) expect(shown.out).toContain(line);
  expect(shown.out).not.toContain('LIMIT-01');
  expect(readFileSync(join(folder, 'load', 'independent.html'), 'utf8')).not.toContain('Not fully judged');
  const junit = readFileSync(join(folder, 'load', 'burst.junit.xml'), 'utf8');
  expect(junit).toMatch(/<testcase [^>]*name="LIMIT-04 [^>]*><failure /);
  expect(readFileSync(join(folder, 'load', 'burst.md'), 'utf8')).toMatch(/^## Load, burst: Not conformant: /);
  remove();
  expect(refused).toMatchObject({ status: 2, out: '' });
  expect(refused.err).toMatch(
    /^the service does not accept API_KEY_INDEPENDENT: it answers "401 key_unknown"[^\n]*\n$/,
  );
});

test('while the control runs, a live line says so', async () => {
  await using server = await oneKeyService();
  const settings = { BASE_URL: server.url, API_KEY: 'good' };
  const { said } = await soak(settings, { duration: '4s', quiet: false }, true);
  expect(said).toMatch(/ {2}00:0\d {2}[1-9]\d* requests, 0 refused {2}reference service: the same load for 4 s/);
});

test('a test of limits is exported for k6 and for Kubernetes without the key', async () => {
  using place = scratch();
  const files = ['limits.js', 'limits.yml'].map((name) => join(place.folder, name));
  const options = { ...limits, parallelism: '3', k6: files[0], kubernetes: files[1] };
  const settings = { BASE_URL: 'https://service.example', API_KEY_INDEPENDENT: 'key-of-the-plan' };
  expect(await loadWith(options, settings, ['export'])).toBe(0);
  const [script = '', manifest = ''] = files.map((file) => readFileSync(file, 'utf8'));
  expect(script).toContain('"target":"https://service.example","plan":"independent"');
  expect(manifest).toContain('parallelism: 3');
  expect(script + manifest).not.toContain(settings.API_KEY_INDEPENDENT);
  const secret = { ...settings, BASE_URL: 'https://service.example/key-of-the-plan' };
  await expect(loadWith(options, secret, ['export'])).rejects.toThrow(/holds a secret/);
});
