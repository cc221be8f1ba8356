import { expect, test } from '@playwright/test';
import { foreignCredentials } from './access/bad-credentials.js';
import { isRefusedByHttpServer } from './refused-by-server.js';
import { sampleExchange } from '../reports/test-kit.js';

const isRefused = (path: string, status: number, body: string, credential = 'API_KEY'): boolean =>
  isRefusedByHttpServer(
    sampleExchange(1, { url: `http://127.0.0.1${path}`, path, credential }, { status, body: Buffer.from(body) }),
  );

const unit = '/api/v1/units';
const long = `${unit}/${'x'.repeat(3_000)}`;
const latinKey = 'an unknown key with Latin-1 bytes';
const page = '<h1>Refused</h1>';

test('a server may refuse a long path, a NUL and Latin-1 bytes before the application sees them', () => {
  expect(isRefused(long, 414, page)).toBe(true);
  expect(isRefused(long, 431, '')).toBe(true);
  expect(isRefused(long, 400, '')).toBe(true);
  expect(isRefused(`${unit}/a%00b`, 404, page)).toBe(true);
  expect(isRefused(unit, 400, '', latinKey)).toBe(true);
  expect(isRefused(unit, 431, page, 'an unknown key of 8,000 characters')).toBe(true);
});

test('what a gateway is known not to pass on is no answer of the application', () => {
  const nginx = '<html><center><h1>413 Request Entity Too Large</h1></center><hr><center>nginx</center></html>';
  expect(isRefused(unit, 413, nginx)).toBe(true);
  expect(isRefused(unit, 404, nginx)).toBe(false);
  expect(isRefused(unit, 413, page)).toBe(false);
});

test('what the application answers is judged', () => {
  expect(isRefused(long, 404, page)).toBe(false);
  expect(isRefused(long, 400, page)).toBe(false);
  expect(isRefused(long, 414, '{"message":"too long"}')).toBe(false);
  expect(isRefused(`${unit}/x`, 400, '')).toBe(false);
  expect(isRefused(`${unit}?status=%00`, 400, page)).toBe(false);
  expect(isRefused(`${unit}/%00`, 500, page)).toBe(false);
  expect(isRefused(unit, 401, page, latinKey)).toBe(false);
});

test('keys of other services are those of the seed, and a header can carry them', () => {
  const [first = [], second] = [1, 2].map((seed) => foreignCredentials('0123456789abcdef0123456789abcdef', seed));
  const valueOf = (label: string): string => first.find(({ name }) => name === label)?.authorization ?? '';
  expect(valueOf(latinKey)).toMatch(/^Bearer [\da-f]{18}[\x80-\xff]{12}[\da-f]{14}$/);
  expect(valueOf('an unknown key of 8,000 characters')).toHaveLength('Bearer '.length + 8_000);
  expect(second).not.toEqual(first);
  for (const { authorization } of first) expect(authorization).toMatch(/^[\t\x20-\x7e\x80-\xff]+$/);
});
