import { connect } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { startReceiver, type Receiver, type ReceiverOptions } from './receiver.js';
import { post } from './test-kit.js';
import { closing } from '../loopback.test-kit.js';

/** A receiver that is closed at the end of its block. */
const openReceiver = async (options: ReceiverOptions): Promise<Receiver & AsyncDisposable> =>
  closing(await startReceiver(options));

/** Writes raw bytes to the receiver and waits until the connection ends. */
function raw(port: number, bytes: Buffer | string, hangUp = false): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(bytes, () => {
        if (hangUp) socket.destroy();
      });
    });
    socket
      .on('error', () => undefined)
      .on('close', () => resolve())
      .resume();
  });
}

test('the exact bytes are kept, before and after content-encoding, with every header line', async () => {
  await using receiver = await openReceiver({});
  const bytes = Buffer.from([0x7b, 0x20, 0xff, 0x00, 0x0a, 0x7d]);
  for (const [encoding, wire] of [
    ['', bytes],
    ['gzip', gzipSync(bytes)],
    ['deflate', deflateSync(bytes)],
    ['deflate', deflateRawSync(bytes)],
    ['br', brotliCompressSync(bytes)],
  ] as const) {
    expect(
      await post(`${receiver.url('other')}?a=1`, wire, encoding === '' ? {} : { 'content-encoding': encoding }),
    ).toBe(200);
    const last = receiver.deliveries.at(-1);
    expect(last?.wire.equals(wire)).toBe(true);
    expect(last?.body.equals(bytes)).toBe(true);
    expect(last).toMatchObject({
      tenant: 'other',
      path: '/hooks/other?a=1',
      problem: null,
      whole: true,
      answered: 200,
    });
  }
  const twice = raw(
    receiver.port,
    'POST /hooks/main HTTP/1.1\r\nHost: x\r\nX-Sig: one\r\nx-sig: two\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}',
  );
  expect(await receiver.waitFor((all) => all.length === 6, 2_000)).toBe(true);
  await twice;
  expect(receiver.deliveries.at(-1)?.headers.filter(([name]) => name === 'x-sig')).toEqual([
    ['x-sig', 'one'],
    ['x-sig', 'two'],
  ]);
});

test('hostile deliveries hurt nobody', async () => {
  await using receiver = await openReceiver({ maxBodyBytes: 10_000 });
  const url = receiver.url('main');
  const bomb = gzipSync(Buffer.alloc(20_000_000));
  await post(url, bomb.subarray(0, 9_000), { 'content-encoding': 'gzip' });
  await post(url, gzipSync(Buffer.alloc(2_000_000)), { 'content-encoding': 'gzip' });
  await post(url, 'no gzip', { 'content-encoding': 'gzip, br, zstd' });
  await raw(
    receiver.port,
    Buffer.concat([
      Buffer.from('POST /hooks/main HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000\r\n\r\n'),
      Buffer.alloc(5_000_000, 'x'),
    ]),
  );
  await post(`${url}/../../etc?%ff=%zz`, '{');
  expect(await post(receiver.url('main').replace('main', 'nobody'), '{}')).toBe(404);
  const head = 'POST /hooks/main HTTP/1.1\r\nHost: x\r\n';
  await raw(receiver.port, `${head}Content-Length: 500\r\n\r\n{"cut`, true);
  await raw(receiver.port, 'not http at all\r\n\r\n');
  await raw(receiver.port, `${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`);
  await raw(receiver.port, `${head}X: ${'y'.repeat(100_000)}\r\n\r\n`);
  await raw(receiver.port, `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`);
  expect(await post(url, '{"still":"here"}')).toBe(200);
  expect(receiver.deliveries.at(-1)?.body.toString()).toBe('{"still":"here"}');
  expect(receiver.deliveries.filter((one) => one.problem !== null)).toHaveLength(4);
  expect(receiver.deliveries.find((one) => !one.whole)?.problem).toMatch(/larger than 10000/);
});

test('a path of its own is received at, and other paths are named without their query', async () => {
  await using receiver = await openReceiver({ path: '/receive/events' });
  expect(receiver.url('main')).toBe(`http://127.0.0.1:${receiver.port}/receive/events`);
  expect(await post(receiver.url('main'), '{}')).toBe(200);
  expect(await post(`http://127.0.0.1:${receiver.port}/webhook?token=secret`, '{}')).toBe(404);
  expect(receiver.deliveries.map(({ tenant }) => tenant)).toEqual(['main']);
  expect(receiver.elsewhere).toEqual(['POST /webhook']);
});

test('10,000 deliveries in a burst: none lost, none mixed up, memory bounded', async () => {
  await using receiver = await openReceiver({});
  const before = process.memoryUsage().rss;
  const done = receiver.waitFor((all) => all.length === 10_000, 20_000);
  const blocks = await Promise.all(
    Array.from({ length: 20 }, (_, line) => {
      const requests = Array.from({ length: 500 }, (_unused, at) => {
        const body = JSON.stringify({ line, at });
        return `POST /hooks/main HTTP/1.1\r\nHost: x\r\nX-Number: ${line * 500 + at}\r\nContent-Length: ${body.length}\r\n${at === 499 ? 'Connection: close\r\n' : ''}\r\n${body}`;
      });
      return raw(receiver.port, requests.join(''));
    }),
  );
  expect(blocks).toHaveLength(20);
  expect(await done).toBe(true);
  const seen = new Set<number>();
  const mixed = receiver.deliveries.filter((one) => {
    const { line, at } = JSON.parse(one.body.toString()) as { line: number; at: number };
    seen.add(line * 500 + at);
    return one.headers.find(([name]) => name === 'x-number')?.[1] !== String(line * 500 + at);
  });
  expect(mixed).toEqual([]);
  expect(seen.size).toBe(10_000);
  expect(process.memoryUsage().rss - before).toBeLessThan(400e6);
});

test('what exceeds the bounds is answered and not kept', async () => {
  {
    await using receiver = await openReceiver({ maxCount: 3, maxTotalBytes: 1_000_000 });
    for (let at = 0; at < 5; at += 1) expect(await post(receiver.url('main'), '{}')).toBe(200);
    expect(receiver.deliveries.map((one) => one.seq)).toEqual([1, 2, 3]);
  }
  {
    await using receiver = await openReceiver({ maxTotalBytes: 1_000 });
    for (let at = 0; at < 5; at += 1) expect(await post(receiver.url('main'), Buffer.alloc(600))).toBe(200);
    expect(receiver.deliveries).toHaveLength(1);
  }
});

test('deliveries are answered as a scenario says', async () => {
  await using receiver = await openReceiver({});
  const scenarios = [
    { kind: 'status', status: 500 },
    { kind: 'close' },
    { kind: 'redirect', location: '/elsewhere' },
    { kind: 'slow', delayMs: 20 },
    null,
  ] as const;
  receiver.answerWith((one) => scenarios[one.seq - 1] ?? null);
  const answers: number[] = [];
  while (answers.length < scenarios.length) answers.push(await post(receiver.url('main'), '{}'));
  expect(answers).toEqual([500, 0, 307, 200, 200]);
  expect(receiver.deliveries.map((one) => one.answered)).toEqual([500, null, 307, 200, 200]);
});

test('waiting ends with the event, with the time, or with the receiver', async () => {
  const receiver = await startReceiver();
  const soon = receiver.waitFor((all) => all.length === 2, 5_000);
  await post(receiver.url('main'), '1');
  await post(receiver.url('other'), '2');
  expect(await soon).toBe(true);
  expect(await receiver.waitFor((all) => all.length === 3, 10)).toBe(false);
  const never = receiver.waitFor(() => false, 60_000);
  await receiver.close();
  expect(await never).toBe(false);
  expect(await receiver.waitFor(() => false, 60_000)).toBe(false);
});

test('an address that is taken is an error with a plain message', async () => {
  await using receiver = await openReceiver({});
  await expect(startReceiver({ port: receiver.port })).rejects.toThrow(/EADDRINUSE/);
});
