import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { scratch } from '../../folder.test-kit.js';
import type { Exchange } from '../../http/exchange.js';
import { listen, serve, type Loopback } from '../../loopback.test-kit.js';
import { certificate as makeCertificate, handOn, startForwardProxy, type ForwardProxy } from '../../proxy.test-kit.js';
import { startReference } from '../../reference/start-reference.js';
import { readEvidence } from '../../reports/evidence/evidence-reader.js';
import { unpacked } from '../../reports/evidence/packing.js';
import { runInProcess, runProcess } from '../run.test-kit.js';

const password = 'sesame-7741';
const login = `alice:${password}`;
/** What the service behind TLS asks for in a header, and echoes. */
const token = 'open-sesame-7741';

const { folder, remove } = scratch();
let proxy: ForwardProxy;
let reference: Awaited<ReturnType<typeof startReference>>;
/** The same service behind TLS, where a client certificate is required, and behind plain http. */
let secure: Loopback;
let plain: Loopback;
/** What arrived at either: `traceparent`, whether it came through the proxy, and whether with the header. */
let arrived: { readonly traceparent: string; readonly proxied: boolean; readonly marked: boolean }[];

test.beforeAll(async () => {
  const pem = await makeCertificate();
  writeFileSync(join(folder, 'cert.pem'), pem.cert);
  writeFileSync(join(folder, 'key.pem'), pem.private);
  reference = await startReference({
    limits: { independent: [{ count: 10, seconds: 1 }] },
    faults: ['deals-bare'],
  });
  proxy = await startForwardProxy({ login });
  const note = (request: IncomingMessage): void => {
    const traceparent = String(request.headers['traceparent']);
    const marked = request.headers['x-proxy-token'] === token;
    arrived.push({ traceparent, marked, proxied: proxy.opened(request) });
  };
  const mutual = { cert: pem.cert, key: pem.private, ca: pem.cert, requestCert: true, rejectUnauthorized: true };
  const outer = await listen(
    createServer(mutual, (request, response) => {
      note(request);
      handOn(reference.baseUrl, request, response, { 'x-seen': token });
    }),
  );
  secure = { ...outer, url: outer.url.replace('http:', 'https:') };
  plain = await serve((request, response) => {
    note(request);
    handOn(reference.baseUrl, request, response);
  });
});

test.beforeEach(() => {
  arrived = [];
});

test.afterAll(async () => {
  await Promise.all([secure.close(), plain.close(), proxy.close(), reference.close()]);
  remove();
});

/** Runs a command against one of the two addresses, with the certificate and the authority of the first. */
async function run(to: Loopback, args: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const { API_KEY, TENANT, API_KEY_INDEPENDENT } = reference.settings;
  const files = { CLIENT_CERT: 'cert.pem', CLIENT_KEY: 'key.pem', CA: 'cert.pem', LIMITS_INDEPENDENT: '10/1s' };
  const header = { HEADERS: `X-Proxy-Token: ${token}` };
  const env = { BASE_URL: to.url, API_KEY, TENANT, API_KEY_INDEPENDENT, ...header, ...files, ...more };
  const { status, out, err } = await runInProcess(args, env, folder);
  return { status, said: out + err };
}

const address = (who: string): string => proxy.url.replace('//', `//${who}@`);

/** The text of all files in a folder. */
function textIn(at: string): string {
  return readdirSync(at, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => unpacked(name, readFileSync(join(parentPath, name))).toString('latin1'))
    .join('\n');
}

const traceIdIn = (file: string): string =>
  (JSON.parse(readFileSync(join(folder, file), 'utf8')) as { traceId: string }).traceId;

/** Expects that all that arrived came through the proxy, each request with a span of its own in this trace. */
function expectTraced(trace: string, least: number): string[] {
  expect(trace).toMatch(/^[0-9a-f]{32}$/);
  const all = arrived.map(({ traceparent }) => traceparent);
  expect(all.length).toBeGreaterThan(least);
  expect(new Set(all).size).toBe(all.length);
  for (const one of all) expect(one).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`));
  expect(arrived.filter(({ proxied, marked }) => !proxied || !marked)).toEqual([]);
  return all;
}

/** Expects that neither these words nor the files of a run show a secret. */
function expectSecrets(said: string, out: string): void {
  const all = said + textIn(join(folder, out));
  for (const secret of [password, token]) expect(all).not.toContain(secret);
}

const some = ['gate', '--seed', '7', '--only', 'UNIT-01,DOC-01,AUTH-01,DEMO-01,PLAN'];
const ways = ['https', 'http'] as const;
const toOf = (way: (typeof ways)[number]): Loopback => (way === 'https' ? secure : plain);

for (const way of ways)
  test(`a gate over ${way} goes through a proxy that asks for a password, and each request is found by its trace`, async () => {
    const headers = ['--header', `X-Proxy-Token: ${token}`, '--header', 'X-Other: another one'];
    const args = [...some, '--out', way, '--proxy', address(login), ...headers];
    const { status, said } = await run(toOf(way), args);
    expect(status, said).toBe(0);
    // What the run made is deleted through the same proxy.
    expect(said).toMatch(/Deleted \d+ units?/);
    expect(said).not.toMatch(/units? left/);
    const all = expectTraced(traceIdIn(`${way}/conformance.json`), 10);
    expect(said).toContain(`trace ${traceIdIn(`${way}/conformance.json`)}`);
    expect(readFileSync(join(folder, way, 'conformance.html'), 'utf8')).toMatch(/<dt>Trace id<\/dt><dd>[0-9a-f]{32}</);
    const recorded: Exchange[] = [];
    for await (const exchange of readEvidence(join(folder, way, 'evidence'))) recorded.push(exchange);
    const shown = recorded.map(({ request }) => request.headers.find(([name]) => name === 'traceparent')?.[1] ?? '');
    expect(shown.filter((one) => !all.includes(one))).toEqual([]);
    expect(shown.length).toBeGreaterThan(10);
    expectSecrets(said, way);
    for (const name of ['PROXY_TOKEN', 'OTHER'])
      expect(textIn(join(folder, way))).toContain(`[redacted:HEADER_X_${name}]`);
  });

test('load over http goes through the proxy too, each request with a span of its own', async () => {
  const args = ['load', '--scenario', 'burst', '--plan', 'independent', '--out', 'load'];
  const { status, said } = await run(plain, args, { PROXY: address(login) });
  expect(status, said).toBe(0);
  expectTraced(traceIdIn('load/load/burst.json'), 50);
  expectSecrets(said, 'load');
});

test('a soak goes through the proxy as well, in one trace that its history names', async () => {
  const args = ['load', '--scenario', 'soak', '--rate', '20', '--duration', '1s', '--threshold', 'errors<90%'];
  const { status, said } = await run(secure, [...args, '--out', 'soak'], { PROXY: address(login) });
  expect(status, said).toBe(0);
  const [kept = ''] = readdirSync(join(folder, 'soak/history'));
  const { service } = JSON.parse(readFileSync(join(folder, 'soak/history', kept), 'utf8')) as {
    service: { traceId: string };
  };
  expect(said).toContain(`trace ${service.traceId}`);
  expectTraced(service.traceId, 15);
});

test('the authorities of CA come beside those that Node trusts, NODE_EXTRA_CA_CERTS among them', async () => {
  const other = await makeCertificate();
  writeFileSync(join(folder, 'other.pem'), other.cert);
  const { API_KEY, TENANT } = reference.settings;
  const files = { CLIENT_CERT: 'cert.pem', CLIENT_KEY: 'key.pem', CA: 'other.pem' };
  const env = { BASE_URL: secure.url, API_KEY, TENANT, HEADERS: `X-Proxy-Token: ${token}`, ...files };
  const extra = { ...env, NODE_EXTRA_CA_CERTS: join(folder, 'cert.pem') };
  // Node itself goes on where that names no file.
  const unreadable = { ...env, NODE_EXTRA_CA_CERTS: folder };
  const [trusted, alone, odd] = await Promise.all(
    [extra, env, unreadable].map((one) => runProcess(['doctor'], folder, one)),
  );
  expect([odd?.status, odd?.err]).toEqual([3, expect.not.stringContaining('suite itself')]);
  expect(trusted?.status, trusted?.out).toBe(0);
  expect(alone?.out).toContain('its certificate is not trusted; name the file of the authority');
  expect(alone?.status).toBe(3);
});

test('a failure behind TLS has a curl line with the header as a variable, and a replay line that asks the same', async () => {
  const { status, said } = await run(secure, ['gate', '--only', 'DEAL-01', '--out', 'wrong']);
  expect(status, said).toBe(1);
  expect(said).toMatch(/see it {4}curl .*-H "x-proxy-token: \$HEADER_X_PROXY_TOKEN"/);
  expect(said).toMatch(/see it {4}curl .*-H 'traceparent: 00-[0-9a-f]{32}-[0-9a-f]{16}-01'/);
  expect(said).toMatch(/replay {4}npx dealership-conformance rerun wrong --only DEAL-01\n/);
  const none = { CLIENT_CERT: '', CLIENT_KEY: '', CA: '', BASE_URL: '', LIMITS_INDEPENDENT: '' };
  const replayed = await run(secure, ['rerun', 'wrong', '--only', 'DEAL-01'], none);
  expect(replayed.status, replayed.said).toBe(1);
  expect(replayed.said).toContain('Report: wrong/replay-DEAL-01/conformance.html');
  expectSecrets(said, 'wrong');
});

test('what is missing for the connection is named in at most five lines', async () => {
  for (const [missing, says] of [
    [{ CLIENT_CERT: '', CLIENT_KEY: '' }, 'set CLIENT_CERT and CLIENT_KEY'],
    [{ CA: '' }, 'NODE_EXTRA_CA_CERTS'],
  ] as const) {
    const { status, said } = await run(secure, ['gate', '--out', 'missing'], missing);
    expect(said).toContain(says);
    expect(said.trim().split('\n').length, said).toBeLessThanOrEqual(5);
    expect(status, said).toBe(3);
  }
});

test('the same seed twice is two traces', async () => {
  const only = ['gate', '--seed', '7', '--only', 'DOC-01', '--out'];
  for (const out of ['first', 'second']) await run(plain, [...only, out]);
  expect(traceIdIn('first/conformance.json')).not.toBe(traceIdIn('second/conformance.json'));
});

test('a wrong password for the proxy is a wrong setting, in one sentence without it', async () => {
  const wrong = 'open-sesame-1';
  for (const [args, out] of [
    [some, 'wrong-gate'],
    [['load', '--scenario', 'burst'], 'wrong-load'],
    [['load', '--scenario', 'soak', '--duration', '1s'], 'wrong-soak'],
    [['doctor'], ''],
  ] as const) {
    const more = out === '' ? [] : ['--out', out];
    const { status, said } = await run(secure, [...args, ...more, '--proxy', address(`alice:${wrong}`)]);
    expect(status, said).toBe(2);
    expect(said).toMatch(/the proxy \S+ of PROXY does not accept the user name and password there \(it answers 407\)/);
    expect(said).not.toContain(wrong);
    if (out !== '') expect(textIn(join(folder, out))).not.toContain(wrong);
  }
  expect(arrived).toEqual([]);
});

test('a proxy that is not there blocks; a host of NO_PROXY, loopback and the embedded service need none', async () => {
  const dead = { PROXY: 'http://127.0.0.1:1' };
  const ofTheMachine = { http_proxy: 'http://127.0.0.1:1', HTTPS_PROXY: 'http://127.0.0.1:1' };
  for (const way of ways) {
    const gate = await run(toOf(way), [...some, '--out', 'dead'], dead);
    expect(gate.status, gate.said).toBe(3);
    expect(gate.said).toMatch(
      'cannot be reached: the proxy 127.0.0.1:1 of PROXY cannot be reached (connect ECONNREFUSED',
    );
    expect(gate.said.trim().split('\n').length, gate.said).toBeLessThanOrEqual(5);
    for (const env of [{ ...dead, NO_PROXY: 'example.com, 127.0.0.0/8' }, ofTheMachine]) {
      const direct = await run(toOf(way), ['doctor'], env);
      expect(direct.status, direct.said).toBe(0);
    }
  }
  expect(arrived.filter(({ proxied }) => proxied)).toEqual([]);
  const embedded = await run(plain, ['gate', '--embedded', '--only', 'DOC-01'], { ...dead, BASE_URL: '' });
  expect(embedded.status, embedded.said).toBe(0);
});

test('a replay line names the proxy of a flag as a variable, and the files of the run do not name it', async () => {
  const { said } = await run(plain, [...some, '--only', 'VER-01', '--out', 'line', '--proxy', address(login)]);
  const file = readFileSync(join(folder, 'line/evidence/run.json'), 'utf8');
  expect(JSON.parse(file)).toMatchObject({ settings: { PROXY: '[redacted:PROXY]' } });
  expect(said + file).not.toContain(new URL(proxy.url).host);
});
