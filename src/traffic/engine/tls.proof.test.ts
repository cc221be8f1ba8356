import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { listen, closing, type Loopback } from '../../loopback.test-kit.js';
import { startReference } from '../../reference/start-reference.js';
import { drive } from './drive.js';
import { startLimited } from '../../../testing/real-limiters/limited-server.test-kit.js';
import { scratch } from '../../folder.test-kit.js';
import { runProcess } from '../../cli/run.test-kit.js';
import { certificate, handOn } from '../../proxy.test-kit.js';

/** What stands before a service at `url` and speaks TLS, each handshake so slowly; `seen` holds the keys that were sent to it. */
async function startSecure(url: string, pem: { cert: string; private: string }, handshakeMs = 0) {
  const seen: string[] = [];
  const server = createServer({ cert: pem.cert, key: pem.private }, (request, response) => {
    seen.push(request.headers.authorization ?? '');
    handOn(url, request, response);
  });
  if (handshakeMs > 0) {
    const [greet] = server.listeners('connection') as ((socket: Socket) => void)[];
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => setTimeout(() => greet?.call(server, socket), handshakeMs));
  }
  const outer: Loopback = await listen(server);
  return { ...outer, url: outer.url.replace('http:', 'https:'), seen };
}

test('a key is never sent to a server whose certificate is not trusted, and the reason says so', async () => {
  await using inner = await startLimited({ demo: [{ count: 20, windowSeconds: 1 }] });
  await using outer = await startSecure(inner.url, await certificate());
  const headers = { authorization: 'Bearer a-key-for-somebody-else' };
  const url = `${outer.url}/api/demo/units`;
  const segment = { scenario: '', count: 4, ratePerSecond: null, connections: 2 };
  const { records, trouble } = await drive(segment, { url, headers });
  expect(outer.seen).toEqual([]);
  expect(records.map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => null));
  expect(trouble).toContain('self-signed certificate');
});

test('limits are judged over TLS as they are without, where the certificate is trusted', async () => {
  test.setTimeout(60_000);
  const pem = await certificate();
  using place = scratch();
  const { folder } = place;
  writeFileSync(join(folder, 'ca.pem'), pem.cert);
  await using inner = closing(await startReference({ limits: { demo: [{ count: 20, seconds: 1 }] } }));
  await using outer = await startSecure(inner.baseUrl, pem);
  const env = { NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'), BASE_URL: outer.url, LIMITS_DEMO: '20/1s' };
  const ended = await runProcess(['load', '--scenario', 'burst', '--plan', 'demo', '--out', folder], folder, env);
  expect(ended.out + ended.err).toContain('ways to count that fit');
  expect(ended.status, ended.err).toBe(0);
  expect(outer.seen.length).toBeGreaterThan(40);
});

test('a gate over TLS whose every handshake takes its time blames nothing', async () => {
  test.setTimeout(300_000);
  const pem = await certificate();
  using place = scratch();
  const { folder } = place;
  writeFileSync(join(folder, 'ca.pem'), pem.cert);
  await using inner = closing(await startReference());
  await using outer = await startSecure(inner.baseUrl, pem, 700);
  const { API_KEY, TENANT, OTHER_API_KEY, OTHER_TENANT } = inner.settings;
  const env = { NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'), BASE_URL: outer.url, API_KEY, TENANT };
  const ended = await runProcess(['gate', '--out', folder], folder, { ...env, OTHER_API_KEY, OTHER_TENANT });
  expect(ended.out + ended.err).toMatch(/CONFORMANT .* judged/);
  expect(ended.status, ended.out).toBe(0);
});
