import { expect, test } from '@playwright/test';
import type { Socket } from 'node:net';
import { drive } from './drive.js';
import { response, startRaw } from './raw-server.test-kit.js';

/** Drives ten requests, one after another, against a server that gives a connection up instead of answering its later requests. */
async function drivenThrough(isGivenUp: (earlier: number) => boolean) {
  const answered = new Map<Socket, number>();
  await using server = await startRaw((socket) => {
    const earlier = answered.get(socket) ?? 0;
    answered.set(socket, earlier + 1);
    // To a client this is an answer that crossed its next request on the way.
    if (isGivenUp(earlier)) socket.end(response(408, '', ['Connection: close']));
    else socket.write(response(200));
  });
  const segment = { scenario: '', count: 10, ratePerSecond: null, connections: 1 };
  const { records } = await drive(segment, { url: server.url });
  return { statuses: records.map(({ status }) => status), heads: server.heads.length, records };
}

test('a 408 that ends an idle connection answers no request: the next one is sent again on a new connection', async () => {
  const { statuses, heads, records } = await drivenThrough((earlier) => earlier > 0);
  expect(statuses).toEqual(Array.from({ length: 10 }, () => 200));
  expect(heads).toBe(19);
  for (const { sentMs, receivedMs } of records) expect(receivedMs).toBeGreaterThanOrEqual(sentMs);
});

test('a 408 on a new connection too is the answer', async () => {
  const { statuses, heads } = await drivenThrough(() => true);
  expect(statuses).toEqual(Array.from({ length: 10 }, () => 408));
  expect(heads).toBe(20);
});
