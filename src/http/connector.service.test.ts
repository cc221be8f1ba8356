import { createServer } from 'node:https';
import { expect, test } from '@playwright/test';
import { bodyOf, closing, listen, serve } from '../loopback.test-kit.js';
import { certificate, startForwardProxy, type ForwardProxy } from '../proxy.test-kit.js';
import { readTarget } from '../settings/read-target.js';
import { openTestBench } from './client.test-kit.js';
import { BlockedSignal } from './signals.js';
import { createTransport } from './transport.js';

const networkOf = (proxy: string) => readTarget({ BASE_URL: 'http://x', PROXY: proxy }).network;
const withLogin = ({ url }: ForwardProxy, login: string): string => url.replace('//', `//${login}@`);
const wire = { method: 'GET', headers: [], body: null, timeoutMs: 5_000, maxBytes: 1_000 } as const;

test('plain http reaches the service through the proxy as it was written; only what may be sent again shares a connection', async () => {
  await using proxy = await startForwardProxy({ login: 'alice:p@ss:w0rd' });
  await using service = await serve((request, response) => {
    void bodyOf(request).then((body) => {
      const { rawHeaders, url, headers } = request;
      const password = headers['proxy-authorization'];
      response.end(JSON.stringify({ url, rawHeaders, password, body: body.toString() }));
    });
  });
  await using transport = closing(createTransport(networkOf(withLogin(proxy, 'alice:p%40ss:w0rd'))));
  const headers = [
    ['X-Odd', 'one'],
    ['x-odd', 'two'],
  ] as const;
  const url = `${service.url}/a%zz//b?c=%&d=%C3%A4`;
  for (const slowly of [false, true, false, true, false]) {
    const answer = await transport.send({ ...wire, url, method: 'POST', headers, body: Buffer.from('{}'), slowly });
    expect(answer.failure).toBeNull();
    const seen = JSON.parse(answer.raw.toString()) as { rawHeaders: string[] };
    expect(seen).toMatchObject({ url: '/a%zz//b?c=%&d=%C3%A4', body: '{}' });
    expect(seen).not.toHaveProperty('password');
    expect(seen.rawHeaders.join('|')).toContain('X-Odd|one|x-odd|two');
    expect(seen.rawHeaders.join('|')).toMatch(new RegExp(`host\\|${new URL(service.url).host}`, 'i'));
  }
  expect(proxy.seen).toEqual(Array.from({ length: 5 }, () => `POST ${url}`));
  expect(proxy.connections()).toBe(5);
  for (const one of [{}, {}, { method: 'POST', headers: [['Idempotency-Key', 'k']] as const }])
    expect((await transport.send({ ...wire, url, ...one })).failure).toBeNull();
  expect(proxy.connections()).toBeLessThan(8);
});

test('https goes through a tunnel, in which the certificate of the service is checked', async () => {
  const pem = await certificate();
  const server = createServer({ cert: pem.cert, key: pem.private }, (_request, response) => response.end('{}'));
  await using service = await listen(server);
  await using proxy = await startForwardProxy();
  const network = networkOf(proxy.url);
  const url = service.url.replace('http:', 'https:');
  await using wary = closing(createTransport(network));
  expect((await wary.send({ ...wire, url })).failure?.kind).toBe('tls');
  expect(proxy.seen).toEqual([`CONNECT ${new URL(url).host}`]);
});

const failures: readonly (readonly [
  string,
  (proxy: ForwardProxy) => string,
  Parameters<typeof startForwardProxy>[0],
  RegExp,
])[] = [
  ['refuses the tunnel', ({ url }) => url, { status: 502 }, /^the proxy \S+ of PROXY answers CONNECT \S+ with 502 Bad/],
  ['asks for a password', ({ url }) => url, { login: 'a:b' }, /^the proxy \S+ of PROXY asks for a user name and .*407/],
  ['refuses the password', (proxy) => withLogin(proxy, 'a:canary'), { login: 'a:b' }, /does not accept the user name/],
  ['is not there', () => 'http://127.0.0.1:1', {}, /^the proxy 127\.0\.0\.1:1 of PROXY cannot be reached \(.*REFUSED/],
];
for (const [what, urlOf, options, says] of failures)
  // Plain http asks for no tunnel.
  for (const scheme of options?.status === undefined ? ['https', 'http'] : ['https'])
    test(`a proxy that ${what} is named as such and blocks, whatever a check asks for (${scheme})`, async () => {
      await using proxy = await startForwardProxy(options);
      await using transport = closing(createTransport(networkOf(urlOf(proxy))));
      await using bench = await openTestBench((_request, response) => response.end('{}'), 0, undefined, transport);
      const url = `${scheme}://127.0.0.1:9/a`;
      for (const raw of [true, false]) {
        const asked = bench.client.send('T-01', { ...bench.usual, url, raw });
        await expect(asked).rejects.toThrow(BlockedSignal);
        await expect(asked).rejects.toThrow(/, so GET \/a never reached the target/);
        await expect(asked).rejects.toThrow(says);
        await expect(asked).rejects.toThrow(/^(?!.*canary)/s);
      }
      expect(bench.recorded.length).toBeGreaterThan(1);
      for (const { response, failure } of bench.recorded) expect([response, failure?.kind]).toEqual([null, 'away']);
      // The look at a service before a run is told what the proxy said.
      const look = await bench.client.send('set-up', { ...bench.usual, url, raw: true });
      expect(look.failure?.kind).toMatch(/^proxy/);
    });

test('a proxy that does not answer CONNECT is named before the request is given up', async () => {
  await using proxy = await startForwardProxy({ status: -1 });
  await using transport = closing(createTransport(networkOf(proxy.url)));
  const { failure } = await transport.send({ ...wire, url: 'https://127.0.0.1:9/' });
  expect(failure).toMatchObject({ kind: 'proxy', message: expect.stringMatching(/does not answer CONNECT within/) });
});
