import type { RequestListener } from 'node:http';
import { expect, test } from '@playwright/test';
import { serve } from '../loopback.test-kit.js';
import { openTestBench } from './client.test-kit.js';
import type { Exchange } from './exchange.js';
import { BlockedSignal } from './signals.js';

/** The answers of a target whose gateway answers differently, or not at all, while `away` says so. */
const outages: readonly (readonly [string, RequestListener])[] = [
  ['a connection that is cut', (request) => request.socket.destroy()],
  [
    'a gateway that answers 502',
    (_request, response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>'),
  ],
];
const keyed = { method: 'POST', body: Buffer.from('{}'), headers: [['idempotency-key', 'k']] } as const;

for (const [name, outage] of outages) {
  test(`a target that is away for a while is asked again once it is back, where that changes nothing: ${name}`, async () => {
    let left = 0;
    const answer: RequestListener = (request, response) => {
      left -= 1;
      if (left >= 0) outage(request, response);
      else response.end('{"ok":true}');
    };
    await using bench = await openTestBench(answer);
    const { ask, recorded } = bench;
    await ask();
    for (const request of [{}, keyed]) {
      recorded.length = 0;
      left = 3;
      expect(await ask(request)).toMatchObject({ response: { status: 200 }, throttled: 1 });
      expect(recorded.map((one) => one.asker)).toEqual(['probe', 'probe', 'probe', 'T-01', 'T-01']);
      expect(recorded[3]).toMatchObject({ response: null, failure: { kind: 'away' } });
    }
    for (const request of [{ method: 'POST', body: Buffer.from('{}') }, { method: 'DELETE' }]) {
      left = 3;
      await expect(ask(request)).rejects.toThrow(/the target was away when/);
    }
    left = 1000;
    await expect(ask()).rejects.toThrow(/did not come back/);
    const { length } = recorded;
    await expect(ask()).rejects.toThrow(BlockedSignal);
    expect(recorded).toHaveLength(length);
  });

  test(`one request that fails again and again while others are answered is the service's own failure: ${name}`, async () => {
    const answer: RequestListener = (request, response) =>
      request.method === 'POST' ? outage(request, response) : response.end('{"ok":true}');
    await using bench = await openTestBench(answer);
    await bench.ask();
    const isGateway = name.includes('502');
    const { response, failure } = await bench.ask(keyed);
    expect(response?.status ?? failure?.kind).toBe(isGateway ? 502 : 'reset');
    const bare = bench.ask({ method: 'POST', body: Buffer.from('{}') });
    if (isGateway) await expect(bare).rejects.toThrow(/a gateway answered 502 in its place.*run it again/);
    else expect((await bare).failure?.kind).toBe('reset');
  });

  test(`a request that the target is away after every time is the cause: ${name}`, async () => {
    let left = 0;
    const answer: RequestListener = (request, response) => {
      if (request.method === 'POST') left = 3;
      left -= 1;
      if (left >= 0) outage(request, response);
      else response.end('{"ok":true}');
    };
    await using bench = await openTestBench(answer);
    await bench.ask();
    const { response, failure } = await bench.ask(keyed);
    expect(response?.status ?? failure?.kind).toBe(name.includes('502') ? 502 : 'reset');
  });
}

test('a 503 in the words of the service is asked again once, whatever was asked', async () => {
  const bare = { ...keyed, headers: [] };
  for (const [sent, headers, failures, status] of [
    [keyed, { 'retry-after': '1' }, 1, 200],
    [keyed, { 'retry-after': '1' }, 2, 503],
    [keyed, {}, 1, 200],
    [keyed, {}, 2, 503],
    [bare, { 'retry-after': '1' }, 1, 200],
    [bare, {}, 1, 200],
  ] as const) {
    let left: number = failures;
    // Reads are answered, so that this is no outage.
    const answer: RequestListener = (request, response) => {
      if (request.method === 'GET') response.end('{"ok":true}');
      else if ((left -= 1) >= 0) response.writeHead(503, headers).end('{"ok":false,"error":{}}');
      else response.end('{"ok":true}');
    };
    await using bench = await openTestBench(answer);
    await bench.ask();
    expect((await bench.ask(sent)).response?.status, JSON.stringify({ headers, failures })).toBe(status);
  }
});

test('a target that was never there is asked a few times, and blocks', async () => {
  await using bench = await openTestBench(() => undefined);
  const { client, recorded, waits } = bench;
  const closed = await serve(() => undefined);
  await closed.close();
  const ask = {
    method: 'POST',
    url: `${closed.url}/a`,
    surface: 'production' as const,
    headers: [],
    credential: null,
    body: null,
  };
  await expect(client.send('T-01', ask)).rejects.toThrow(/ECONNREFUSED/);
  expect(recorded).toHaveLength(4);
  expect(waits).toEqual([250, 500, 1000]);
});

test('an answer that was lost is asked for again where that changes nothing, and both are recorded', async () => {
  let left = 1;
  const losing: RequestListener = (request, response) => {
    left -= 1;
    if (left === 0) request.socket.destroy();
    else response.end('{}');
  };
  await using bench = await openTestBench(losing);
  const { ask, recorded } = bench;
  const lost: Exchange[] = [];
  const onLost = (exchange: Exchange): void => void lost.push(exchange);
  expect(await ask({ onLost })).toMatchObject({ response: { status: 200 }, throttled: 1 });
  expect(recorded.map(({ failure }) => failure?.kind ?? null)).toEqual(['reset', null]);
  expect(lost).toEqual(recorded.slice(0, 1));
  for (const request of [{ method: 'POST', body: Buffer.from('{}') }, { method: 'DELETE' }, { raw: true }]) {
    left = 1;
    expect((await ask(request)).failure?.kind).toBe('reset');
  }
  expect(recorded.filter(({ asker }) => asker === 'T-01')).toHaveLength(5);
  left = 1;
  expect(await ask({ method: 'DELETE', surface: 'planned' })).toMatchObject({ response: { status: 200 } });
});

const edge = { 'cf-ray': '8c1-FRA', server: 'cloudflare' };

for (const [gateway, status, headers, body] of [
  ['nginx', 502, {}, '<html><center><h1>502 Bad Gateway</h1></center><hr><center>nginx</center></html>'],
  ['Envoy', 503, {}, 'upstream connect error or disconnect/reset before headers. reset reason: connection failure'],
  ['Cloudflare', 520, edge, 'error code: 520'],
  ['AWS API Gateway', 504, {}, '{"message": "Endpoint request timed out"}'],
] as const)
  test(`what ${gateway} answers once is asked again where that changes nothing, and else blocks, whatever the method`, async () => {
    let left = 1;
    const answer: RequestListener = (request, response) => {
      left -= 1;
      if (left === 0) response.writeHead(status, headers).end(body);
      else response.end('{"ok":true,"data":{}}');
    };
    await using bench = await openTestBench(answer);
    for (const request of [{}, keyed]) {
      left = 1;
      expect(await bench.ask(request)).toMatchObject({ response: { status: 200 }, throttled: 1 });
    }
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      left = 1;
      await expect(bench.ask({ method })).rejects.toThrow(`${gateway} answered ${status} in its place`);
    }
  });

for (const [what, status, body] of [
  ['an envelope', 502, '{"ok":false,"error":{"code":"upstream"}}'],
  ['JSON of its own', 503, '{"detail":"database is down"}'],
  ['a stack trace', 502, '<h1>Bad Gateway</h1><pre>Error: db\n    at query (/srv/app/db.js:12:9)</pre>'],
] as const)
  test(`a service that answers ${status} itself, with ${what}, gets no excuse`, async () => {
    await using bench = await openTestBench((request, response) =>
      request.method === 'PATCH' ? response.writeHead(status).end(body) : response.end('{"ok":true}'),
    );
    await bench.ask();
    expect((await bench.ask({ method: 'PATCH' })).response?.status).toBe(status);
  });

test('408 with close is no answer: the request goes out again on another connection, whatever it is', async () => {
  let left = 0;
  const ports = new Set<number | undefined>();
  const close = { connection: 'close', 'content-type': 'text/html' };
  await using bench = await openTestBench((request, response) => {
    ports.add(request.socket.remotePort);
    left -= 1;
    if (left < 0) response.end('{"ok":true}');
    else response.writeHead(408, close).end('<html><body><h1>408 Request Time-out</h1></body></html>');
  });
  for (const request of [{}, { method: 'PATCH' }, { method: 'POST', body: Buffer.from('{}') }, { raw: true }]) {
    left = 2;
    ports.clear();
    expect(await bench.ask(request)).toMatchObject({ response: { status: 200 }, throttled: 2 });
    expect(ports.size).toBe(3);
  }
  left = 100;
  await expect(bench.ask({ method: 'DELETE' })).rejects.toThrow(BlockedSignal);
});
