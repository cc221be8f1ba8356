import { expect, test } from '@playwright/test';
import type { Exchange } from '../http/exchange.js';
import { latinCredential, latinCredentialName } from './access/bad-credentials.js';
import { isRefusedByHttpServer } from './live-exchanges.js';

const exchange = (path: string, status: number, body: string, credential: string | null = 'API_KEY'): Exchange => ({
  seq: 1,
  asker: 'UNIT-07',
  surface: 'production',
  request: { method: 'GET', url: `http://127.0.0.1${path}`, path, headers: [], body: null, credential },
  response: {
    status,
    headers: [],
    body: Buffer.from(body),
    text: body,
    json: body.startsWith('{') ? (JSON.parse(body) as unknown) : undefined,
  },
  failure: null,
  sentAtMs: 0,
  receivedAtMs: 1,
  throttled: 0,
});

const unit = '/api/v1/units';
const long = `${unit}/${'x'.repeat(3_000)}`;
const page = '<h1>Refused</h1>';

test('a server may refuse a long path, a NUL and Latin-1 bytes before the application sees them', () => {
  expect(isRefusedByHttpServer(exchange(long, 414, page))).toBe(true);
  expect(isRefusedByHttpServer(exchange(long, 431, ''))).toBe(true);
  expect(isRefusedByHttpServer(exchange(long, 400, ''))).toBe(true);
  expect(isRefusedByHttpServer(exchange(`${unit}/a%00b`, 404, page))).toBe(true);
  expect(isRefusedByHttpServer(exchange(unit, 400, '', latinCredentialName))).toBe(true);
});

test('what the application answers is judged', () => {
  expect(isRefusedByHttpServer(exchange(long, 404, page))).toBe(false);
  expect(isRefusedByHttpServer(exchange(long, 400, page))).toBe(false);
  expect(isRefusedByHttpServer(exchange(long, 414, '{"message":"too long"}'))).toBe(false);
  expect(isRefusedByHttpServer(exchange(`${unit}/x`, 400, ''))).toBe(false);
  expect(isRefusedByHttpServer(exchange(`${unit}?status=%00`, 400, page))).toBe(false);
  expect(isRefusedByHttpServer(exchange(`${unit}/%00`, 500, page))).toBe(false);
  expect(isRefusedByHttpServer(exchange(unit, 401, page, latinCredentialName))).toBe(false);
});

test('a key with Latin-1 bytes has twelve of them, others for another seed', () => {
  const [first, second] = [1, 2].map((seed) => latinCredential('0123456789abcdef0123456789abcdef', seed).authorization);
  expect(first).toMatch(/^Bearer [\da-f]{18}[\x80-\xff]{12}[\da-f]{14}$/);
  expect(second).not.toBe(first);
});
