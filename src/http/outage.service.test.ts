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

  test(`one request that fails while others are answered is the service's own failure: ${name}`, async () => {
    const answer: RequestListener = (request, response) =>
      request.method === 'POST' ? outage(request, response) : response.end('{"ok":true}');
    await using bench = await openTestBench(answer);
    await bench.ask();
    for (const request of [{ method: 'POST', body: Buffer.from('{}') }, keyed]) {
      const { response, failure } = await bench.ask(request);
      expect(response?.status ?? failure?.kind).toBe(name.includes('502') ? 502 : 'reset');
    }
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
  expect(waits).toEqual([250, 250, 250]);
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
});
