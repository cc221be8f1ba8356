import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { openTestBench, refusing, secret } from './client.test-kit.js';
import { createPacer } from './pacer.js';
import { BlockedSignal } from './signals.js';

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

test('a 429 that no limit of the headers explains leads to its reason, not to another key', async () => {
  await using bench = await openTestBench((_request, response) =>
    response
      .writeHead(429, { 'retry-after': '50', 'ratelimit-remaining': '4999' })
      .end('{"ok":false,"error":{"code":"lock_timeout"}}'),
  );
  const asked = bench.ask();
  await expect(asked).rejects.toThrow(/"429 lock_timeout" though RateLimit-Remaining is 4999/);
  await expect(asked).rejects.toThrow(/^(?!.*higher limit)/s);
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
