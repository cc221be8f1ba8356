import { createHmac } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { closing, serveBodies, type Loopback } from '../../loopback.test-kit.js';
import { startReference, type ReferenceOptions } from '../start-reference.js';
import { eventKinds } from './kinds.js';

interface Delivery {
  readonly signature: string;
  readonly body: Buffer;
}

/** A receiver that hands over the first `count` deliveries; the first `failures` answers are 500. */
async function receive(count: number, failures: number): Promise<Loopback & { all: Promise<Delivery[]> }> {
  const seen: Delivery[] = [];
  let left = failures;
  let done: (deliveries: Delivery[]) => void = () => undefined;
  const all = new Promise<Delivery[]>((resolve) => (done = resolve));
  const server = await serveBodies((request, body, response) => {
    seen.push({ signature: String(request.headers['x-service-signature'] ?? ''), body });
    response.statusCode = left > 0 ? 500 : 204;
    left -= 1;
    response.end();
    if (seen.length === count) done(seen);
  });
  return { ...server, url: `${server.url}/`, all };
}

async function deliveries(
  options: ReferenceOptions,
  kinds: readonly string[],
  failures = 0,
): Promise<{ secret: string; seen: Delivery[] }> {
  await using receiver = await receive(kinds.length + failures, failures);
  await using reference = closing(await startReference(options));
  expect(await register(reference.baseUrl, receiver.url)).toBe(201);
  const template = reference.settings['WEBHOOK_TRIGGER'] ?? '';
  for (const kind of kinds) await fetch(template.replace('{kind}', kind), { method: 'POST' });
  return { secret: reference.settings['SIGNING_SECRET'] ?? '', seen: await receiver.all };
}

/** The status that a registration is answered with. */
async function register(baseUrl: string, url: string): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  return (await fetch(`${baseUrl}/__webhook`, { method: 'POST', headers, body: JSON.stringify({ url }) })).status;
}

test('a receiver without an http URL is not registered', async () => {
  await using reference = closing(await startReference());
  for (const url of ['127.0.0.1:8080', 'ftp://127.0.0.1/']) expect(await register(reference.baseUrl, url)).toBe(400);
});

test('each kind arrives signed over its raw bytes', async () => {
  const { secret, seen } = await deliveries({}, eventKinds);
  for (const one of seen) expect(one.signature).toBe(createHmac('sha256', secret).update(one.body).digest('hex'));
  expect(seen.map((one) => (JSON.parse(one.body.toString()) as { type: string }).type).sort()).toEqual(
    [...eventKinds].sort(),
  );
});

test('what is answered with 500 is delivered again, the same bytes and signature', async () => {
  const { seen } = await deliveries({}, ['unit.sold'], 2);
  expect(seen).toHaveLength(3);
  expect(new Set(seen.map((one) => one.body.toString())).size).toBe(1);
});
