import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@playwright/test';
import { createTraceContext, traceIdOf } from '../../http/trace-context.js';
import { listen } from '../../loopback.test-kit.js';
import { serveElsewhere, standStill } from '../../standstill.test-kit.js';
import { booksOf, type Drive, drive as send, type Segment, type SendOptions } from './drive.js';
import { response, startRaw } from './raw-server.test-kit.js';

/** What every drive owes, whatever the server does. */
function expectBooks({ records }: Drive, count: number): ReturnType<typeof booksOf> {
  const books = booksOf(records);
  expect(records.map((record) => record.index)).toEqual(Array.from({ length: count }, (_, index) => index));
  expect(books.sent).toBe(books.answered + books.failed + books.timeout);
  expect(books.sent + books.unsent).toBe(count);
  for (const record of records) {
    if (record.outcome === 'unsent') continue;
    expect(record.sentMs).toBeGreaterThanOrEqual(record.dueMs - 0.5);
    expect(record.receivedMs).toBeGreaterThanOrEqual(record.sentMs);
  }
  return books;
}

type Options = Segment & SendOptions;

const usual = { scenario: '', count: 40, ratePerSecond: null, connections: 4 };

/** Drives a server that answers like this, evenly where a rate is given, and looks at the books. */
async function driven(answer: (socket: Socket, index: number) => unknown, options: Partial<Options> = {}) {
  await using server = await startRaw(answer);
  const segment = { ...usual, ...options };
  const drive = await send(segment, { queueMs: 0, ...options, url: server.url });
  return { drive: { ...drive, ...expectBooks(drive, segment.count) }, heads: server.heads };
}

const numbered = (index: number): string[] => [`RateLimit-Remaining: ${index}`];
const fine = (index: number): string => response(200, '{"ok":true}', numbered(index));
const chunked = 'HTTP/1.1 429 No\r\nTransfer-Encoding: chunked\r\n\r\n';
const early = 'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n';
const unmeasured = 'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n';

/** What a server does with each of forty requests, what becomes of them, and what every record has to be. */
const servers: Readonly<
  Record<
    string,
    readonly [
      answer: (socket: Socket, index: number) => unknown,
      outcome: Record<string, unknown>,
      each?: (record: Drive['records'][number]) => boolean,
      options?: Partial<Options>,
    ]
  >
> = {
  'a connection closed without an answer fails that request alone, and nothing is sent again': [
    (socket, index) => (index % 5 === 2 ? socket.end() : socket.write(fine(index))),
    { answered: 32, failed: 8 },
  ],
  'a reset connection fails that request alone': [
    (socket, index) => (index % 5 === 2 ? socket.resetAndDestroy() : socket.write(fine(index))),
    { answered: 32, failed: 8 },
  ],
  'a request that hangs times out alone, and a late answer is nobody else’s': [
    (socket, index) =>
      index % 10 === 3
        ? setTimeout(() => socket.writable && socket.write(response(500, '{}', numbered(999))), 1_600).unref()
        : socket.write(fine(index)),
    { answered: 36, timeout: 4 },
    ({ remaining }) => remaining !== '999',
    { timeoutMs: 1_500 },
  ],
  'Connection: close is honoured, with a length': [
    (socket) => socket.end(response(200, '{"ok":true}', ['Connection: close'])),
    { answered: 40 },
  ],
  'Connection: close is honoured, without a length': [
    (socket) => socket.end(`${unmeasured}{"ok":true}`),
    { answered: 40 },
  ],
  'a body without a length that a reset cuts short is a failure': [
    (socket, index) => {
      socket.write(`${unmeasured}{"ok":true,"da`);
      // What was written arrives before the reset does.
      setTimeout(() => (index % 4 === 0 ? socket.resetAndDestroy() : socket.end('ta":{}}')), 20);
    },
    { answered: 30, failed: 10, trouble: 'read ECONNRESET' },
  ],
  'a truncated body is a failure, and the next answer is not read as its rest': [
    (socket, index) =>
      index % 4 === 1 ? socket.end('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{"half"') : socket.write(fine(index)),
    { answered: 30, failed: 10 },
  ],
  'interim answers are not answers': [
    (socket, index) => {
      socket.write(early);
      setImmediate(() => socket.write(fine(index)));
    },
    { answered: 40 },
    ({ status }) => status === 200,
  ],
  'two answers to one request: the second is attributed to nobody': [
    (socket, index) => socket.write(fine(index) + response(418, '{}', numbered(999))),
    { answered: 40 },
    ({ status }) => status !== 418,
    { connections: 2 },
  ],
  'what is no HTTP is a failure': [
    (socket, index) => socket.write(index % 2 === 0 ? 'SSH-2.0-x\r\n\r\n' : response(200)),
    { failed: 20, trouble: expect.stringContaining('does not match the HTTP/1.1 protocol') },
  ],
  'a chunked answer in many pieces is one answer': [
    (socket) => {
      socket.write(chunked);
      socket.write('13\r\n{"ok":false,"error"\r\n');
      setImmediate(() => socket.write('4\r\n:{}}\r\n0\r\n\r\n'));
    },
    { answered: 40 },
    ({ hasEnvelope }) => hasEnvelope === true,
  ],
};

for (const [title, [answer, outcome, each = () => true, options]] of Object.entries(servers))
  test(title, async () => {
    const { drive, heads } = await driven(answer, options);
    expect(heads).toHaveLength(40);
    expect(drive).toMatchObject(outcome);
    expect(drive.records.every(each)).toBe(true);
  });

test('a healthy server sees exactly the requests asked for, each recorded with its own answer', async () => {
  const { drive, heads } = await driven((socket, index) => socket.write(fine(index)), { count: 600, connections: 50 });
  expect(heads).toHaveLength(600);
  expect(drive.answered).toBe(600);
  expect(new Set(drive.records.map((record) => record.remaining)).size).toBe(600);
});

for (const [title, headers, options, least, connections] of [
  ['a slow stream uses its connections in turn', [], { ratePerSecond: 200 }, 5, 4],
  [
    'a server that promises to close but keeps the connection gets no second request on it',
    ['Connection: close'],
    {},
    1,
    40,
  ],
] as const)
  test(title, async () => {
    const perSocket = new Map<Socket, number>();
    await driven((socket) => {
      perSocket.set(socket, (perSocket.get(socket) ?? 0) + 1);
      socket.write(response(200, '{"ok":true}', headers));
    }, options);
    expect([...perSocket.values()].filter((count) => count >= least)).toHaveLength(connections);
  });

test('headers, status and failure envelope are recorded as they came', async () => {
  const refusal = response(429, '{"ok":false,"error":{"code":"x"}}', [
    'RateLimit-Limit: 5',
    'RateLimit-Limit: 5;w=1',
    'ratelimit-reset: 7',
    'Retry-After: 8',
    'Cache-Control: no-store',
    'RateLimit-Policy: 5;w=1',
  ]);
  const answer = (socket: Socket, index: number) => socket.write(index % 2 === 0 ? refusal : response(503, 'busy'));
  const { drive } = await driven(answer, { count: 2, connections: 1 });
  expect(drive.records[0]).toMatchObject({
    outcome: 'refused',
    status: 429,
    limit: '5, 5;w=1',
    policy: '5;w=1',
    reset: '7',
    retryAfter: '8',
    cacheControl: 'no-store',
    hasEnvelope: true,
  });
  expect(drive.records[1]).toMatchObject({ outcome: 'other', status: 503, hasEnvelope: false });
  expect(drive.records[1]?.limit).toBeUndefined();
});

test('a process that stood still times out no answer that came meanwhile, and a silent target later', async () => {
  const servers = await Promise.all([400, 60_000].map((delayMs) => serveElsewhere(delayMs)));
  try {
    const driving = servers.map(({ url }) => send({ ...usual, count: 4 }, { url, timeoutMs: 1_000 }));
    await sleep(200);
    await standStill(1_500);
    for (const [at, outcome] of ['accepted', 'timeout'].entries()) {
      const drive = await driving[at];
      expect(drive?.records.map((record) => record.outcome)).toEqual(Array.from({ length: 4 }, () => outcome));
      if (drive !== undefined) expectBooks(drive, 4);
    }
  } finally {
    await Promise.all(servers.map((server) => server.close()));
  }
});

test('a server that closes every connection at once ends the drive with every request accounted for', async () => {
  await using server = await listen(createServer((socket) => socket.destroy()));
  const drive = await send({ ...usual, ratePerSecond: 200, count: 20 }, { url: `${server.url}/`, timeoutMs: 200 });
  expect(expectBooks(drive, 20).answered).toBe(0);
});

test('a server that closes a connection just after its answer loses no request and keeps no drive', async () => {
  for (const rate of [{}, { ratePerSecond: 2_000, queueMs: 20_000 }]) {
    const answer = (socket: Socket, index: number): unknown =>
      socket.write(fine(index), () => index % 2 === 0 && socket.destroy());
    const { drive } = await driven(answer, { ...rate, count: 300, connections: 6 });
    expect(drive.answered).toBeGreaterThan(100);
  }
});

test('a port that nobody listens on leaves everything unsent and says why', async () => {
  const server = await startRaw(() => undefined);
  await server.close();
  const drive = await send({ ...usual, ratePerSecond: 200, count: 10 }, { url: server.url, queueMs: 0 });
  expect(expectBooks(drive, 10).unsent).toBe(10);
  expect(drive.trouble).toContain('ECONNREFUSED');
});

test('even arrivals are even, however slow the answers are', async () => {
  const late = (socket: Socket) => setTimeout(() => socket.writable && socket.write(response(200)), 60);
  const { drive, heads } = await driven(late, { ratePerSecond: 200, count: 150, connections: 40 });
  expect(drive.answered).toBe(150);
  expect(heads).toHaveLength(150);
  expect(drive.records.map((record) => record.dueMs - drive.startedMs).at(-1)).toBeCloseTo(149 * 5, 3);
  // A loop that waits for answers would be late by as much as they take.
  expect(drive.records.filter(({ sentMs, dueMs }) => sentMs - dueMs > 60).length).toBeLessThan(75);
});

test('a slot without a free connection is unsent, not late', async () => {
  const silentFirst = (socket: Socket, index: number) => index > 0 && socket.write(response(200));
  const { drive, heads } = await driven(silentFirst, { ratePerSecond: 100, count: 80, connections: 1, timeoutMs: 500 });
  expect(drive.timeout).toBe(1);
  expect(drive.unsent).toBeGreaterThan(5);
  expect(heads).toHaveLength(drive.sent);
});

test('an abort ends a drive at once with what it has', async () => {
  const stop = new AbortController();
  const answer = (socket: Socket, index: number): void => {
    socket.write(response(200));
    if (index === 9) stop.abort();
  };
  const { drive, heads } = await driven(answer, { ratePerSecond: 500, count: 100_000, signal: stop.signal });
  expect(drive.sent).toBeLessThan(60);
  expect(drive.sent).toBe(heads.length);
});

test('each slot may have its own request, body included', async () => {
  const { heads } = await driven((socket) => socket.write(response(200)), {
    count: 3,
    connections: 1,
    headers: { authorization: 'Bearer k' },
    shapeOf: (index) => ({
      method: index === 1 ? 'POST' : 'GET',
      path: `/p/${index}?q=1`,
      headers: { 'x-n': String(index) },
      ...(index === 1 ? { body: '{}' } : {}),
    }),
  });
  expect(heads.map((head) => head.split('\r\n')[0])).toEqual([
    'GET /p/0?q=1 HTTP/1.1',
    'POST /p/1?q=1 HTTP/1.1',
    // The body of the second stands before it.
    '{}GET /p/2?q=1 HTTP/1.1',
  ]);
  expect(heads[0]).toContain('authorization: Bearer k');
  expect(heads[0]).toContain('x-n: 0');
});

test('each request carries a span of its own in the trace of the run, and its record holds the number', async () => {
  const trace = createTraceContext('nonce', 0xffff_ffff);
  const shapes = ['one', 'another, longer one'].map((odd) => ({ method: 'GET', headers: { 'x-odd': odd } }));
  const { heads, drive } = await driven((socket) => socket.write(response(200)), {
    trace,
    count: 60,
    shapeOf: (index) => shapes[Math.floor(index / 7) % 2] ?? { method: 'GET', headers: {} },
  });
  const sent = heads.map((head) => /^traceparent: (.*)$/m.exec(head)?.[1]?.trim());
  const spans = drive.records.map(({ span }) => trace.header(span ?? 0));
  expect(new Set(sent).size).toBe(60);
  expect(new Set(sent)).toEqual(new Set(spans));
  expect(spans.toSorted()[0]).toBe(`00-${traceIdOf('nonce')}-0000000100000000-01`);
});
