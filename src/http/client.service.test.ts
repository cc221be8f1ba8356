import type { IncomingMessage, RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { closing, serve } from '../loopback.test-kit.js';
import { createClient, type Ask, type Client } from './client.js';
import type { Exchange } from './exchange.js';
import { createPacer } from './pacer.js';
import { createRedactor } from './redactor.js';
import { BlockedSignal } from './signals.js';
import { createTransport } from './transport.js';

const secret = 'sk_live_Zq7/xK+9=pQ2"w';

interface TestBench {
  readonly client: Client;
  readonly recorded: Exchange[];
  readonly waits: number[];
  readonly seen: IncomingMessage[];
  ask(request?: Partial<Ask>): Promise<Exchange>;
}

/** A client before a server of its own, with waiting made instant. */
async function openTestBench(
  answer: RequestListener,
  budgetMs = 600_000,
  rate?: number,
): Promise<TestBench & AsyncDisposable> {
  const seen: IncomingMessage[] = [];
  const server = await serve((request, response) => {
    seen.push(request);
    answer(request, response);
  });
  const [recorded, waits]: [Exchange[], number[]] = [[], []];
  const redactor = createRedactor();
  redactor.add('API_KEY', secret);
  const transport = createTransport();
  let seq = 0;
  let clockMs = 0;
  const wait = async (ms: number): Promise<void> => {
    waits.push(ms);
    const endMs = clockMs + ms;
    // Concurrent waits must start before the clock advances.
    await new Promise(setImmediate);
    clockMs = Math.max(clockMs, endMs);
  };
  const pacer = createPacer(budgetMs, wait, () => clockMs);
  const client = createClient({
    transport,
    redactor,
    pacer,
    record: (one) => recorded.push(one),
    userAgent: 'test',
    nextSeq: () => (seq += 1),
    outage: { mostMs: 2_000, wait },
    ...(rate === undefined ? {} : { rate }),
  });
  const ask = (request: Partial<Ask> = {}): Promise<Exchange> =>
    client.send('T-01', {
      method: 'GET',
      url: `${server.url}/a`,
      surface: 'production',
      headers: [],
      credential: null,
      body: null,
      ...request,
      ...(request.url === undefined ? {} : { url: server.url + request.url }),
    });
  const close = (): Promise<unknown> => Promise.all([transport.close(), server.close()]);
  return closing({ client, recorded, waits, seen, ask, close });
}

/** Refuses `times` requests with these headers, then answers. */
const refusing = (times: number, headers: Record<string, string>): RequestListener => {
  let left = times;
  return (_request, response) => {
    left -= 1;
    response.writeHead(left < 0 ? 200 : 429, { 'content-type': 'application/json', ...headers }).end('{"ok":true}');
  };
};

for (const [name, headers, wait] of [
  ['Retry-After', { 'retry-after': '7' }, 7050],
  ['RateLimit-Reset', { 'ratelimit-reset': '3' }, 3050],
  ['neither', {}, 1050],
  ['more than is sensible', { 'retry-after': '99999' }, 65_050],
] as const) {
  test(`a refusal is waited out by ${name}, recorded and counted`, async () => {
    await using bench = await openTestBench(refusing(1, headers));
    const { ask, recorded, waits } = bench;
    const exchange = await ask();
    expect([exchange.response?.status, exchange.throttled]).toEqual([200, 1]);
    expect(waits).toEqual([wait]);
    expect(recorded.map((one) => [one.seq, one.response?.status])).toEqual([
      [1, 429],
      [2, 200],
    ]);
  });
}

test('a raw request gets the refusal itself', async () => {
  await using bench = await openTestBench(refusing(1, { 'retry-after': '7' }));
  const { ask, waits } = bench;
  expect((await ask({ raw: true })).response?.status).toBe(429);
  expect(waits).toEqual([]);
});

test('a target that keeps refusing blocks, and is not asked for ever', async () => {
  await using bench = await openTestBench(refusing(1000, { 'retry-after': '1' }));
  const { ask, seen } = bench;
  await expect(ask()).rejects.toThrow(BlockedSignal);
  expect(seen).toHaveLength(4);
  await expect(ask()).rejects.toThrow(/429/);
  expect(seen).toHaveLength(5);
});

test('no more is waited than the run may wait', async () => {
  await using bench = await openTestBench(refusing(1000, { 'retry-after': '50' }), 60_000);
  const { ask, waits } = bench;
  await expect(ask()).rejects.toThrow(BlockedSignal);
  expect(waits).toEqual([50_050]);
});

test('what is waited for side by side is waited for once', async () => {
  let clockMs = 0;
  const ends: (() => void)[] = [];
  const pacer = createPacer(
    60_000,
    () => new Promise<void>((end) => ends.push(end)),
    () => clockMs,
  );
  await using bench = await openTestBench(refusing(1, { 'retry-after': '50' }));
  const { ask, recorded } = bench;
  await ask();
  const [refusal] = recorded;
  if (refusal === undefined) throw new Error('nothing was recorded');
  const waiting = [1, 2, 3].map(() => pacer.waitOut('API_KEY', refusal, 0));
  clockMs = 50_050;
  for (const end of ends) end();
  expect(await Promise.all(waiting)).toEqual([null, null, null]);
  expect(pacer.waitedMs).toBe(50_050);
  expect(await pacer.waitOut('API_KEY', refusal, 0)).toContain('use a key with a higher limit');
});

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

test('a body over the cap, a cut body, garbage as gzip and a gzip bomb are failures, not answers', async () => {
  const bodies: Record<string, RequestListener> = {
    '/large': (_request, response) => response.end('x'.repeat(50_000)),
    '/cut': (request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half');
      setImmediate(() => request.socket.destroy());
    },
    '/garbage': (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip'),
    '/bomb': (_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(5_000_000))),
    '/gzip': (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"a":1}')),
  };
  await using bench = await openTestBench((request, response) => bodies[request.url ?? '']?.(request, response));
  const { ask, recorded } = bench;
  const kinds: unknown[] = [];
  for (const url of ['/large', '/cut', '/garbage', '/bomb']) {
    const { failure, response } = await ask({ url, maxBytes: 10_000 });
    kinds.push(failure?.kind, response);
  }
  expect(kinds).toEqual(['too-large', null, 'reset', null, 'decoding', null, 'decoding', null]);
  expect((await ask({ url: '/gzip' })).response?.json).toEqual({ a: 1 });
  // The cut one was asked for three times.
  expect(recorded.filter(({ asker }) => asker === 'T-01')).toHaveLength(7);
});

test('a redirect is an answer and is not followed', async () => {
  await using bench = await openTestBench((_request, response) => response.writeHead(302, { location: '/b' }).end());
  const { ask, seen } = bench;
  expect((await ask()).response?.status).toBe(302);
  expect(seen).toHaveLength(1);
});

test('a server that does not answer in time is a timeout', async () => {
  await using bench = await openTestBench(() => undefined);
  expect((await bench.ask({ timeoutMs: 50 })).failure?.kind).toBe('timeout');
});

test('a secret is in no part of what is recorded, and reaches the target unchanged', async () => {
  await using bench = await openTestBench((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'x-echo': encodeURIComponent(secret) });
    response.end(
      JSON.stringify({ said: request.headers.authorization, b64: Buffer.from(`user:${secret}`).toString('base64') }),
    );
  });
  const { ask, recorded, seen } = bench;
  await ask({
    method: 'POST',
    url: `/a?key=${encodeURIComponent(secret)}`,
    headers: [['x-copy', Buffer.from(secret).toString('hex')]],
    credential: { name: 'API_KEY', authorization: `Bearer ${secret}` },
    body: Buffer.from(JSON.stringify({ secret })),
  });
  expect(seen[0]?.headers.authorization).toBe(`Bearer ${secret}`);
  const [one] = recorded;
  const shown = JSON.stringify([one, one?.request.body?.toString(), one?.response?.body.toString()]);
  for (const form of [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(JSON.stringify(secret)).slice(3, -3),
    Buffer.from(secret).toString('hex'),
    'sk_live',
    Buffer.from(secret).toString('base64').slice(0, 12),
  ])
    expect(shown).not.toContain(form);
  expect(one?.request.body?.toString()).toContain('[redacted:API_KEY]');
  expect(one?.request.url).toContain('[redacted:API_KEY]');
  expect(one?.response?.text).toContain('[redacted:API_KEY]');
});

test('requests of all checks together keep to a rate', async () => {
  await using bench = await openTestBench(refusing(0, {}), 600_000, 50);
  const sent = await Promise.all(Array.from({ length: 6 }, () => bench.ask()));
  const instants = sent.map(({ sentAtMs }) => sentAtMs).toSorted((a, b) => a - b);
  // Five gaps of 20 ms; a timer may fire a millisecond early.
  expect((instants.at(-1) ?? 0) - (instants[0] ?? 0)).toBeGreaterThan(95);
});

test('while one request waits out a 429, others of the same key wait with it', async () => {
  await using bench = await openTestBench(refusing(1, { 'retry-after': '7' }));
  const first = bench.ask();
  while (bench.waits.length === 0) await new Promise(setImmediate);
  await Promise.all([first, bench.ask(), bench.ask()]);
  expect(bench.recorded.filter(({ response }) => response?.status === 429)).toHaveLength(1);
});
