import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { listen, type Loopback } from '../../loopback.test-kit.js';
import { unpacked } from '../../reports/evidence/packing.js';
import { startReference } from '../../reference/start-reference.js';
import { runProcess } from '../run.test-kit.js';
import { certificate as makeCertificate, handOn } from '../../proxy.test-kit.js';
import { scratch } from '../../folder.test-kit.js';

const token = 'open-sesame-7741';

const { folder, remove } = scratch();
let proxy: Loopback;
let reference: Awaited<ReturnType<typeof startReference>>;
/** Requests that came without the header. */
let unmarked: string[];
let arrived: number;

/** A proxy that asks for a client certificate and a header, and echoes the header in what it answers. */
test.beforeAll(async () => {
  const pem = await makeCertificate();
  writeFileSync(join(folder, 'cert.pem'), pem.cert);
  writeFileSync(join(folder, 'key.pem'), pem.private);
  reference = await startReference({
    limits: { independent: [{ count: 10, seconds: 1 }] },
    faults: ['deals-bare'],
  });
  const server = createServer(
    { cert: pem.cert, key: pem.private, ca: pem.cert, requestCert: true, rejectUnauthorized: true },
    (request, response) => {
      arrived += 1;
      if (request.headers['x-proxy-token'] !== token) unmarked.push(`${request.method ?? ''} ${request.url ?? ''}`);
      handOn(reference.baseUrl, request, response, { 'x-seen': token });
    },
  );
  const outer = await listen(server);
  proxy = { ...outer, url: outer.url.replace('http:', 'https:') };
});

test.beforeEach(() => {
  unmarked = [];
  arrived = 0;
});

test.afterAll(async () => {
  await proxy.close();
  await reference.close();
  remove();
});

const certificate = { CLIENT_CERT: 'cert.pem', CLIENT_KEY: 'key.pem' };

async function run(args: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const { API_KEY, TENANT, API_KEY_INDEPENDENT } = reference.settings;
  const trusted = { NODE_EXTRA_CA_CERTS: join(folder, 'cert.pem'), BASE_URL: proxy.url };
  const env = { ...trusted, API_KEY, TENANT, API_KEY_INDEPENDENT, ...more };
  const { status, out, err } = await runProcess(args, folder, env);
  return { status, said: out + err };
}

/** The text of all files in a folder. */
function textIn(at: string): string {
  return readdirSync(at, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => unpacked(name, readFileSync(join(parentPath, name))).toString('latin1'))
    .join('\n');
}

test('a gate goes through a proxy that asks for a client certificate and a header, which every request carries and nothing shows', async () => {
  const args = ['gate', '--only', 'UNIT-01,DOC-01,AUTH-01,DEMO-01,PLAN', '--header', `X-Proxy-Token: ${token}`];
  const { status, said } = await run([...args, '--header', 'X-Other: another one'], certificate);
  expect(status, said).toBe(0);
  // What the run made is deleted through the same proxy.
  expect(said).toMatch(/Deleted \d+ units?/);
  expect(said).not.toMatch(/units? left/);
  expect(arrived).toBeGreaterThan(10);
  expect(unmarked).toEqual([]);
  const written = textIn(join(folder, 'reports'));
  expect(said + written).not.toContain(token);
  expect(written).toContain('[redacted:HEADER_X_PROXY_TOKEN]');
  expect(written).toContain('[redacted:HEADER_X_OTHER]');
});

test('load carries the header and the client certificate', async () => {
  const { status, said } = await run(['load', '--scenario', 'burst', '--plan', 'independent'], {
    ...certificate,
    HEADERS: `X-Proxy-Token: ${token}`,
    LIMITS_INDEPENDENT: '10/1s',
  });
  expect(status, said).toBe(0);
  expect(unmarked).toEqual([]);
  expect(said + textIn(join(folder, 'reports/load'))).not.toContain(token);
});

test('a failure behind the proxy has a curl line with the header as a variable, and a replay line that asks the same', async () => {
  const headers = { HEADERS: `X-Proxy-Token: ${token}` };
  const { status, said } = await run(['gate', '--only', 'DEAL-01', '--out', 'wrong'], { ...certificate, ...headers });
  expect(status, said).toBe(1);
  expect(said).toMatch(/see it {4}curl .*-H "x-proxy-token: \$HEADER_X_PROXY_TOKEN"/);
  expect(said).toMatch(/see it {4}curl .*-H 'traceparent: 00-[0-9a-f]{32}-[0-9a-f]{16}-01'/);
  expect(said).toMatch(/replay {4}npx dealership-conformance rerun wrong --only DEAL-01\n/);
  const replayed = await run(['rerun', 'wrong', '--only', 'DEAL-01'], headers);
  expect(replayed.status, replayed.said).toBe(1);
  expect(replayed.said).toContain('Report: wrong/replay-DEAL-01/conformance.html');
  expect(said + textIn(join(folder, 'wrong'))).not.toContain(token);
});

test('what is missing for the connection is named in at most five lines', async () => {
  const untrusted = { ...certificate, NODE_EXTRA_CA_CERTS: '' };
  const [bare, self] = await Promise.all([run(['gate', '--out', 'bare']), run(['gate', '--out', 'self'], untrusted)]);
  expect(bare.said).toContain('set CLIENT_CERT and CLIENT_KEY');
  expect(self.said).toContain('NODE_EXTRA_CA_CERTS');
  for (const { status, said } of [bare, self]) {
    expect(status, said).toBe(3);
    expect(said.trim().split('\n').length, said).toBeLessThanOrEqual(5);
  }
});
