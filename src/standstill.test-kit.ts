import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { closing, type Loopback } from './loopback.test-kit.js';

const server = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { delayMs, goodbye } = workerData;
  const server = require('node:http').createServer((request, response) => setTimeout(() => response.end('{}'), delayMs));
  if (goodbye !== '') server.on('request', ({ socket }, response) => response.on('finish', () => setTimeout(() => socket.end(goodbye), 50)));
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

/**
 * A server in a thread of its own, which answers after `delayMs` whatever this one does meanwhile. It ends each connection, 50 ms after an
 * answer, with the bytes of `goodbye`, if any.
 */
export async function serveElsewhere(delayMs: number, goodbye = ''): Promise<Loopback> {
  const worker = new Worker(server, { eval: true, workerData: { delayMs, goodbye } });
  const [port] = (await once(worker, 'message')) as [number];
  return closing({ url: `http://127.0.0.1:${port}`, close: () => worker.terminate().then(() => undefined) });
}

/** Blocks this thread, as a suspended machine does: afterwards, timers fire before pending socket data is read. */
export async function standStill(ms: number): Promise<void> {
  await setImmediate();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
