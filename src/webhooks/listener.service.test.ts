import { createServer } from 'node:http';
import { expect, test } from '@playwright/test';
import { eventKinds } from '../openapi/event-kinds.js';
import { serve } from '../loopback.test-kit.js';
import { createListener, verifySignature } from './listener.js';
import { header, hex, payload, post, secret } from './test-kit.js';

const signed = (body: string, value = hex(secret, body)) => ({ [header]: value, 'content-type': 'application/json' });

test('every kind reaches its own handler, with its record', async () => {
  const heard: string[] = [];
  const listener = createListener({ secret });
  for (const kind of eventKinds)
    listener.on(kind, (data, event) => void heard.push(`${event.kind} ${String(data['id'])}`));
  await using server = await serve(listener.handler);
  for (const kind of eventKinds) {
    const body = JSON.stringify(payload(kind));
    expect(await post(server.url, body, signed(body))).toBe(204);
  }
  const named = JSON.stringify({ event: 'deal.funded', data: { deal: { id: 'd-1', totalGross: 2 } } });
  expect(await post(server.url, named, signed(named))).toBe(204);
  expect(heard).toEqual([
    ...eventKinds.map((kind) => `${kind} ${kind.startsWith('deal.') ? 'deal-17' : `${kind}-9`}`),
    'deal.funded d-1',
  ]);
});

test('what cannot be taken is answered with the right status', async () => {
  const listener = createListener({ secret, maxBytes: 1_000 }).on('unit.sold', () => {
    throw new Error('a handler that fails');
  });
  await using server = await serve(listener.handler);
  const status = (body: string, more: Record<string, string> = {}) =>
    post(server.url, body, { ...signed(body), ...more });
  expect(await post(server.url, '{}')).toBe(401);
  expect(await status('{}', { [header]: hex('x', '{}') })).toBe(401);
  expect(await status('')).toBe(400);
  expect(await status('[1]')).toBe(400);
  expect(await status('{}')).toBe(422);
  expect(await status(JSON.stringify(payload('deal.funded', { data: { id: 7 } })))).toBe(422);
  expect(await status(JSON.stringify(payload('lead.scored')))).toBe(204);
  expect(await status(JSON.stringify(payload('unit.sold')))).toBe(500);
  expect(await status('{}', { 'content-encoding': 'gzip' })).toBe(415);
  expect([413, 0]).toContain(await status(`"${'x'.repeat(200_000)}"`));
  expect((await fetch(server.url)).status).toBe(405);
});

test('signatures are read strictly', () => {
  const body = Buffer.from('{"a":1}');
  const right = hex(secret, body);
  const bytes = Buffer.from(right, 'hex');
  for (const value of [
    right,
    right.toUpperCase(),
    `sha256=${right}`,
    `v1,${bytes.toString('base64')}`,
    bytes.toString('base64url'),
    `t=1767322800,v1=${right}`,
  ])
    expect(verifySignature(secret, body, value), value).toBe(true);
  for (const value of [
    '',
    'sha256=',
    right.slice(1),
    `${right}00`,
    ` ${right}`,
    `${right}, ${right}`,
    'z'.repeat(64),
    hex(secret, 'x'),
    `t=1767322800,v1=${hex(secret, '1767322800.{"a":1}')}`,
  ])
    expect(verifySignature(secret, body, value), value).toBe(false);
  expect(() => createListener({ secret: '' })).toThrow(/empty/);
  expect(typeof createServer(createListener({ secret }).handler).listen).toBe('function');
});
