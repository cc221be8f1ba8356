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

test('bytes are what their names say', () => {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  expect([...bytesOf('a byte order mark').subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  expect([...bytesOf('UTF-16 little endian').subarray(0, 4)]).toEqual([0xff, 0xfe, 0x7b, 0x00]);
  expect([...bytesOf('UTF-16 big endian').subarray(0, 4)]).toEqual([0xfe, 0xff, 0x00, 0x7b]);
  for (const name of [
    'a byte that UTF-8 never has',
    'a cut UTF-8 sequence',
    'overlong UTF-8',
    'a lone surrogate in raw bytes',
    'bytes at random',
  ]) {
    expect(() => utf8.decode(bytesOf(name)), name).toThrow();
  }
  expect(bytesOf('a lone high surrogate, escaped').toString()).toContain('\\ud83d"');
  expect(bytesOf('a NUL in a string, escaped').toString()).toContain('\\u0000');
  expect(bytesOf('a name of 1 MiB').length).toBeGreaterThan(1_048_576);
  expect(bytesOf('open nesting, 10000 deep').toString()).toBe('['.repeat(10_000));
  expect(parses(bytesOf('a field nested 10000 deep'))).toBe(true);
  expect(
    bytesOf('a key given twice')
      .toString()
      .match(/"name"/g),
  ).toHaveLength(2);
  expect(Object.keys(JSON.parse(bytesOf('__proto__ as a key').toString()) as object)).toContain('__proto__');
  expect(bytesOf('a number beyond every double').toString()).toContain('"name":1e400');
  expect(bytesOf('minus zero').toString()).toContain(':-0}');
  expect(Object.keys(JSON.parse(bytesOf('20000 keys').toString()) as object)).toHaveLength(20_003);
  expect(bytesOf('an empty body')).toHaveLength(0);
});

test('some are sent without a content type', () => {
  expect(bodies.filter((body) => body.contentType === null).map((body) => body.name)).toEqual([
    'no content type',
    'an empty body without a content type',
  ]);
});
