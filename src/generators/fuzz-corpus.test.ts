import { expect, test } from '@playwright/test';
import { type FuzzBody, fuzzGroups } from './fuzz-corpus.js';

const seed = { name: 'Ana Example', phone: '+12015550123', vehicleId: 'unit-1' };
const bodiesOf = (thorough: boolean): readonly FuzzBody[] => fuzzGroups(thorough).flatMap((make) => make(seed));
const bodies = bodiesOf(true);
const bytesOf = (name: string): Buffer => {
  const found = bodies.find((body) => body.name === name);
  if (!found) throw new Error(`no body is called ${name}`);
  return found.bytes;
};
const parses = (bytes: Buffer): boolean => {
  try {
    JSON.parse(bytes.toString('utf8'));
    return true;
  } catch {
    return false;
  }
};

test('names are unique, the list is fixed, and the quick run is a part of it', () => {
  expect(new Set(bodies.map((body) => body.name)).size).toBe(bodies.length);
  const again = bodiesOf(true);
  expect(
    again.every((body, index) => body.name === bodies[index]?.name && body.bytes.equals(bodies[index].bytes)),
  ).toBe(true);
  const quick = bodiesOf(false);
  expect(quick.length).toBeGreaterThan(60);
  expect(quick.length).toBeLessThan(78);
  expect(quick.every((body) => bodies.some((other) => other.name === body.name))).toBe(true);
  expect(new Set(quick.map((body) => body.group))).toEqual(new Set(bodies.map((body) => body.group)));
});

test('what is called malformed is no JSON', () => {
  for (const body of bodies.filter((one) => one.group === 'malformed'))
    expect(parses(body.bytes), body.name).toBe(false);
});

test('what is called no object is JSON of another type, or an empty object', () => {
  for (const body of bodies.filter((one) => one.group === 'not an object'))
    expect(parses(body.bytes), body.name).toBe(true);
});

test('bytes that are no UTF-8 are none, and what is deep or escaped is JSON', () => {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  for (const name of ['a byte that UTF-8 never has', 'a cut UTF-8 sequence', 'overlong UTF-8', 'bytes at random'])
    expect(() => utf8.decode(bytesOf(name)), name).toThrow();
  for (const name of ['a field nested 10000 deep', 'a NUL in a string, escaped', '20000 keys'])
    expect(parses(bytesOf(name)), name).toBe(true);
  expect(Object.keys(JSON.parse(bytesOf('__proto__ as a key').toString()) as object)).toContain('__proto__');
});

test('some are sent without a content type', () => {
  expect(bodies.filter((body) => body.contentType === null).map((body) => body.name)).toEqual([
    'no content type',
    'an empty body without a content type',
  ]);
});
