import { createServer } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from '@playwright/test';
import { listen } from '../loopback.test-kit.js';
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
    const server = await serveElsewhere(delayMs);
    const transport = createTransport();
    try {
      const wire = { url: `${server.url}/`, method: 'GET', headers: [], body: null, timeoutMs: 1_000, maxBytes: 9 };
      const sending = transport.send(wire);
      await setTimeout(200);
      await standStill(1_500);
      expect((await sending).failure?.kind ?? null).toBe(failure);
    } finally {
      await transport.close();
      await server.close();
    }
  });
