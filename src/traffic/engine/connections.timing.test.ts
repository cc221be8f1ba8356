import { createServer } from 'node:http';
import { expect, test } from '@playwright/test';
import { listen } from '../../loopback.test-kit.js';
import { openEngine } from './connections.js';

test('idle connections are renewed a few at a time, so that to connect takes no slot its time', async () => {
  const connections = 20;
  const service = createServer((_, response) => response.end('{}'));
  // The service says `Keep-Alive: timeout=1`: a connection may be idle for 0.2 s.
  service.keepAliveTimeout = 1_500;
  const atMs: number[] = [];
  const renewed = new Promise<void>((resolve) => {
    service.on('connection', () => {
      atMs.push(performance.now());
      if (atMs.length === 2 * connections) resolve();
    });
  });
  const { url, close } = await listen(service);
  const engine = await openEngine({ url, headers: {}, connections, timeoutMs: 5_000 });
  try {
    const pool = Array.from({ length: connections }, () => engine.take());
    await Promise.all(pool.map((connection) => new Promise((resolve) => connection?.send(resolve))));
    await renewed;
    // One in each sweep of 20 ms, however fast the machine.
    expect((atMs.at(-1) ?? 0) - (atMs[connections] ?? 0)).toBeGreaterThan(200);
  } finally {
    engine.close();
    await close();
  }
});
