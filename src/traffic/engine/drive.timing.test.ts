import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@playwright/test';
import { serveElsewhere, standStill } from '../../standstill.test-kit.js';
import { driveEvenly, driveFast } from './drive.js';
import type { Drive } from './drive.js';
import { response, startRaw } from './raw-server.test-kit.js';

/** What every drive owes, whatever the server does. */
function expectBooks(drive: Drive, count: number): void {
  expect(drive.records.map((record) => record.index)).toEqual(Array.from({ length: count }, (_, index) => index));
  expect(drive.sent).toBe(drive.answered + drive.failed + drive.timedOut);
  expect(drive.sent + drive.unsent).toBe(count);
  for (const record of drive.records) {
    if (record.outcome === 'unsent') continue;
    expect(record.sentMs).toBeGreaterThanOrEqual(record.dueMs - 0.5);
    expect(record.receivedMs).toBeGreaterThanOrEqual(record.sentMs);
  }
}

async function fast(
  answer: (socket: Socket, index: number) => void,
  options: Partial<Parameters<typeof driveFast>[0]> = {},
) {
  await using server = await startRaw(answer);
  const drive = await driveFast({ url: server.url, count: 40, connections: 4, timeoutMs: 10_000, ...options });
  expectBooks(drive, options.count ?? 40);
  return { drive, heads: server.heads };
}

const numbered = (index: number): string[] => [`RateLimit-Remaining: ${index}`];

test('a healthy server sees exactly the requests asked for, each recorded with its own answer', async () => {
  const { drive, heads } = await fast((socket, index) => socket.write(response(200, '{"ok":true}', numbered(index))), {
    count: 600,
    connections: 50,
  });
  expect(heads).toHaveLength(600);
  expect(drive.answered).toBe(600);
  expect(new Set(drive.records.map((record) => record.remaining)).size).toBe(600);
});

test('a slow stream uses its connections in turn', async () => {
  const perSocket = new Map<Socket, number>();
  await using server = await startRaw((socket) => {
    perSocket.set(socket, (perSocket.get(socket) ?? 0) + 1);
    socket.write(response(200, '{"ok":true}', []));
  });
  const options = { url: server.url, count: 40, connections: 4, timeoutMs: 10_000 };
  expectBooks(await driveEvenly({ ...options, ratePerSecond: 200 }), 40);
  expect([...perSocket.values()].filter((count) => count >= 5)).toHaveLength(4);
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
  const { drive } = await fast((socket, index) => socket.write(index % 2 === 0 ? refusal : response(503, 'busy')), {
    count: 2,
    connections: 1,
  });
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

test('a connection closed without an answer fails that request alone, and nothing is sent again', async () => {
  const { drive, heads } = await fast((socket, index) =>
    index % 5 === 2 ? socket.end() : socket.write(response(200, '{}', numbered(index))),
  );
  expect(heads).toHaveLength(40);
  expect(drive.failed).toBe(8);
  expect(drive.answered).toBe(32);
});

test('a reset connection fails that request alone', async () => {
  const { drive, heads } = await fast((socket, index) => {
    if (index % 5 === 2) socket.resetAndDestroy();
    else socket.write(response(200));
  });
  expect(heads).toHaveLength(40);
  expect(drive.failed).toBe(8);
});

test('a request that hangs times out alone, and a late answer is nobody else’s', async () => {
  const late: NodeJS.Timeout[] = [];
  const { drive, heads } = await fast(
    (socket, index) => {
      if (index % 10 === 3)
        late.push(setTimeout(() => socket.writable && socket.write(response(500, '{}', numbered(999))), 1_600));
      else socket.write(response(200, '{}', numbered(index)));
    },
    { timeoutMs: 1_500 },
  );
  for (const timer of late) clearTimeout(timer);
  expect(heads).toHaveLength(40);
  expect(drive.timedOut).toBe(4);
  expect(drive.records.some((record) => record.remaining === '999')).toBe(false);
});

test('a process that stood still times out no answer that came meanwhile, and a silent target later', async () => {
  const servers = await Promise.all([400, 60_000].map((delayMs) => serveElsewhere(delayMs)));
  try {
    const driving = servers.map(({ url }) => driveFast({ url, count: 4, connections: 4, timeoutMs: 1_000 }));
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

test('Connection: close is honoured, with a length and without', async () => {
  for (const text of [
    response(200, '{"ok":true}', ['Connection: close']),
    'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{"ok":true}',
  ]) {
    const { drive, heads } = await fast((socket) => void socket.end(text));
    expect(heads).toHaveLength(40);
    expect(drive.answered).toBe(40);
  }
});

test('a body without a length that a reset cuts short is a failure', async () => {
  const { drive } = await fast((socket, index) => {
    socket.write('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{"ok":true,"da');
    // What was written arrives before the reset does.
    setTimeout(() => (index % 4 === 0 ? socket.resetAndDestroy() : socket.end('ta":{}}')), 20);
  });
  expect(drive).toMatchObject({ answered: 30, failed: 10, trouble: 'read ECONNRESET' });
});

test('a server that promises to close but keeps the connection gets no second request on it', async () => {
  const onSocket = new Map<Socket, number>();
  const { drive } = await fast((socket) => {
    onSocket.set(socket, (onSocket.get(socket) ?? 0) + 1);
    socket.write(response(200, '{}', ['Connection: close']));
  });
  expect(drive.answered).toBe(40);
  expect(Math.max(...onSocket.values())).toBe(1);
});

test('a truncated body is a failure, and the next answer is not read as its rest', async () => {
  const { drive, heads } = await fast((socket, index) =>
    index % 4 === 1
      ? void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{"half"')
      : void socket.write(response(200, '{}', numbered(index))),
  );
  expect(heads).toHaveLength(40);
  expect(drive.failed).toBe(10);
  expect(drive.answered).toBe(30);
});

test('interim answers are not answers', async () => {
  const { drive, heads } = await fast((socket, index) => {
    socket.write('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n');
    setImmediate(() => socket.write(response(200, '{}', numbered(index))));
  });
  expect(heads).toHaveLength(40);
  expect(drive.answered).toBe(40);
  expect(drive.records.every((record) => record.status === 200)).toBe(true);
});

test('two answers to one request: the second is attributed to nobody', async () => {
  const { drive, heads } = await fast(
    (socket, index) => socket.write(response(200, '{}', numbered(index)) + response(418, '{}', numbered(999))),
    { connections: 2 },
  );
  expect(heads).toHaveLength(40);
  expect(drive.answered).toBe(40);
  expect(drive.records.some((record) => record.status === 418)).toBe(false);
});

test('what is no HTTP is a failure', async () => {
  const { drive } = await fast((socket, index) => socket.write(index % 2 === 0 ? 'SSH-2.0-x\r\n\r\n' : response(200)));
  expect(drive.failed).toBe(20);
  expect(drive.trouble).toContain('not an HTTP/1.1 response');
});

test('a chunked answer in many pieces is one answer', async () => {
  const { drive } = await fast((socket) => {
    socket.write('HTTP/1.1 429 No\r\nTransfer-Encoding: chunked\r\n\r\n');
    socket.write('13\r\n{"ok":false,"error"\r\n');
    setImmediate(() => socket.write('4\r\n:{}}\r\n0\r\n\r\n'));
  });
  expect(drive.answered).toBe(40);
  expect(drive.records.every((record) => record.hasEnvelope)).toBe(true);
});

test('a server that closes every connection at once ends the drive with every request accounted for', async () => {
  const server = createServer((socket) => socket.on('error', () => undefined).destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const drive = await driveEvenly({ url, count: 20, ratePerSecond: 200, connections: 4, timeoutMs: 200 });
  server.close();
  expectBooks(drive, 20);
  expect(drive.answered).toBe(0);
});

test('a port that nobody listens on leaves everything unsent and says why', async () => {
  const server = await startRaw(() => undefined);
  await server.close();
  const drive = await driveEvenly({ url: server.url, count: 10, ratePerSecond: 500, connections: 2, timeoutMs: 200 });
  expectBooks(drive, 10);
  expect(drive.unsent).toBe(10);
  expect(drive.trouble).toContain('ECONNREFUSED');
});

test('even arrivals are even, however slow the answers are', async () => {
  const timers: NodeJS.Timeout[] = [];
  const server = await startRaw((socket) =>
    timers.push(setTimeout(() => socket.writable && socket.write(response(200)), 60)),
  );
  const drive = await driveEvenly({
    url: server.url,
    count: 150,
    ratePerSecond: 200,
    connections: 40,
    timeoutMs: 10_000,
  });
  await server.close();
  for (const timer of timers) clearTimeout(timer);
  expectBooks(drive, 150);
  expect(drive.answered).toBe(150);
  expect(server.heads).toHaveLength(150);
  expect(drive.records.map((record) => record.dueMs - drive.startedMs).at(-1)).toBeCloseTo(149 * 5, 3);
  // A loop that waits for answers would be late by as much as they take.
  expect(drive.late.p50Ms).toBeLessThan(60);
});

test('a slot without a free connection is unsent, not late', async () => {
  const server = await startRaw((socket, index) => {
    if (index > 0) socket.write(response(200));
  });
  const drive = await driveEvenly({ url: server.url, count: 80, ratePerSecond: 100, connections: 1, timeoutMs: 500 });
  await server.close();
  expectBooks(drive, 80);
  expect(drive.timedOut).toBe(1);
  expect(drive.unsent).toBeGreaterThan(5);
  expect(server.heads).toHaveLength(drive.sent);
});

test('an abort ends a drive at once with what it has', async () => {
  const stop = new AbortController();
  const server = await startRaw((socket, index) => {
    socket.write(response(200));
    if (index === 9) stop.abort();
  });
  const drive = await driveEvenly({
    url: server.url,
    count: 100_000,
    ratePerSecond: 500,
    connections: 4,
    timeoutMs: 500,
    signal: stop.signal,
  });
  await server.close();
  expectBooks(drive, 100_000);
  expect(drive.sent).toBeLessThan(60);
  expect(drive.sent).toBe(server.heads.length);
});

test('each slot may have its own request, body included', async () => {
  const server = await startRaw((socket) => socket.write(response(200)));
  await driveFast({
    url: server.url,
    count: 3,
    connections: 1,
    timeoutMs: 500,
    headers: { authorization: 'Bearer k' },
    shapeOf: (index) => ({
      method: index === 1 ? 'POST' : 'GET',
      path: `/p/${index}?q=1`,
      headers: { 'x-n': String(index) },
      ...(index === 1 ? { body: '\r\n\r\n' } : {}),
    }),
  });
  await server.close();
  expect(server.heads.filter(Boolean).map((head) => head.split('\r\n')[0])).toEqual([
    'GET /p/0?q=1 HTTP/1.1',
    'POST /p/1?q=1 HTTP/1.1',
    'GET /p/2?q=1 HTTP/1.1',
  ]);
  expect(server.heads[0]).toContain('authorization: Bearer k');
  expect(server.heads[0]).toContain('x-n: 0');
});
