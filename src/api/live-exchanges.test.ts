import { expect, test } from '@playwright/test';
import { latinCredential, latinCredentialName } from './access/bad-credentials.js';
import { isRefusedByHttpServer } from './live-exchanges.js';
import { sampleExchange } from '../reports/test-kit.js';

const isRefused = (path: string, status: number, body: string, credential = 'API_KEY'): boolean =>
  isRefusedByHttpServer(
    sampleExchange(1, { url: `http://127.0.0.1${path}`, path, credential }, { status, body: Buffer.from(body) }),
  );

const unit = '/api/v1/units';
const long = `${unit}/${'x'.repeat(3_000)}`;
const page = '<h1>Refused</h1>';

test('a server may refuse a long path, a NUL and Latin-1 bytes before the application sees them', () => {
  expect(isRefused(long, 414, page)).toBe(true);
  expect(isRefused(long, 431, '')).toBe(true);
  expect(isRefused(long, 400, '')).toBe(true);
  expect(isRefused(`${unit}/a%00b`, 404, page)).toBe(true);
  expect(isRefused(unit, 400, '', latinCredentialName)).toBe(true);
});

test('what the application answers is judged', () => {
  expect(isRefused(long, 404, page)).toBe(false);
  expect(isRefused(long, 400, page)).toBe(false);
  expect(isRefused(long, 414, '{"message":"too long"}')).toBe(false);
  expect(isRefused(`${unit}/x`, 400, '')).toBe(false);
  expect(isRefused(`${unit}?status=%00`, 400, page)).toBe(false);
  expect(isRefused(`${unit}/%00`, 500, page)).toBe(false);
  expect(isRefused(unit, 401, page, latinCredentialName)).toBe(false);
});

test('a key with Latin-1 bytes has twelve of them, others for another seed', () => {
  const [first, second] = [1, 2].map((seed) => latinCredential('0123456789abcdef0123456789abcdef', seed).authorization);
  expect(first).toMatch(/^Bearer [\da-f]{18}[\x80-\xff]{12}[\da-f]{14}$/);
  expect(second).not.toBe(first);
});
