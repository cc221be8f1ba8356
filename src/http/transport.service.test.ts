import { createServer } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from '@playwright/test';
import { closing, listen } from '../loopback.test-kit.js';
import { serveElsewhere, standStill } from '../standstill.test-kit.js';
import { createTransport } from './transport.js';

test('a connection is kept between two requests, and not used again after a pause in which it may have been closed', async () => {
  let connections = 0;
  const server = createServer((_request, response) => response.end('{}'));
  server.on('connection', () => (connections += 1));
  const { url, close } = await listen(server);
  const transport = createTransport();
  const counted: number[] = [];
  try {
    for (const pause of [100, 1_000, 100]) {
      const answer = await transport.send({
        url: `${url}/`,
        method: 'GET',
        headers: [],
        body: null,
        timeoutMs: 2_000,
        maxBytes: 9,
      });
      expect(answer.failure).toBeNull();
      counted.push(connections);
      await setTimeout(pause);
    }
  } finally {
    await transport.close();
    await close();
  }
  expect(counted).toEqual([1, 1, 2]);
});

for (const [delayMs, failure] of [
  [400, null],
  [60_000, 'timeout'],
] as const)
  test(`a process that stood still ${failure === null ? 'calls no answer late that came meanwhile' : 'still gives a silent target up'}`, async () => {
    await using server = await serveElsewhere(delayMs);
    await using transport = closing(createTransport());
    const wire = { url: `${server.url}/`, method: 'GET', headers: [], body: null, timeoutMs: 1_000, maxBytes: 9 };
    const sending = transport.send(wire);
    await setTimeout(200);
    await standStill(1_500);
    expect((await sending).failure?.kind ?? null).toBe(failure);
  });

test('a body that is sent slowly arrives whole, and has an answer read that comes before its end', async () => {
  const body = Buffer.alloc(400_000, 'a');
  const whole: [string | undefined, number][] = [];
  const server = createServer((request, response) => {
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (request.url !== '/early' || size < 100_000 || response.headersSent) return;
      response.writeHead(413, { connection: 'close' });
      response.end('no', () => request.socket.resetAndDestroy());
    });
    request.on('end', () => {
      whole.push([request.headers['content-length'], size]);
      response.end('yes');
    });
  });
  const { url, close } = await listen(server);
  const transport = createTransport();
  const wire = { method: 'POST', headers: [], body, timeoutMs: 10_000, maxBytes: 9, slowly: true };
  try {
    expect(await transport.send({ ...wire, url: `${url}/late` })).toMatchObject({ status: 200, failure: null });
    for (let round = 0; round < 10; round += 1)
      expect(await transport.send({ ...wire, url: `${url}/early` })).toMatchObject({ status: 413, failure: null });
  } finally {
    await transport.close();
    await close();
  }
  expect(whole).toEqual([['400000', 400_000]]);
});

test('what comes on an idle connection answers no request that is sent later', async () => {
  await using server = await serveElsewhere(
    0,
    'HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n',
  );
  await using transport = closing(createTransport());
  const wire = { url: `${server.url}/`, headers: [], body: null, timeoutMs: 2_000, maxBytes: 9 };
  for (const method of ['GET', 'POST', 'PATCH', 'GET']) {
    expect(await transport.send({ ...wire, method })).toMatchObject({ status: 200, failure: null });
    // The goodbye comes meanwhile, and waits unread.
    await standStill(200);
  }
});
