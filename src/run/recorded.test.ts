import { expect, test } from '@playwright/test';
import { decodeRecorded, encodeRecorded } from './recorded.js';

const values: readonly unknown[] = [
  null,
  1,
  'a',
  [],
  {},
  { a: { b: [1, 'x', null, true] } },
  Buffer.from([0, 255, 128]),
  { deliveries: [{ body: Buffer.from('{"a":1}') }] },
  Infinity,
  -Infinity,
  { least: -Infinity, most: Infinity },
  new Map<unknown, unknown>([
    ['a', 1],
    ['b', new Map([[1, Buffer.from('x')]])],
  ]),
  new Set<unknown>(['a', Buffer.from('x')]),
  { kinds: new Set(['a']) },
  { $set: ['a'] },
  { $bytes: 1 },
  { $number: 'x', other: 1 },
  '__proto__',
];

test('what a check was given comes back as it was', () => {
  for (const value of values) expect(decodeRecorded(encodeRecorded(value))).toEqual(value);
  expect(decodeRecorded(encodeRecorded(NaN))).toBeNaN();
});
