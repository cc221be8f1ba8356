import { expect, test } from '@playwright/test';
import { isLeftOut } from './left-out.js';
import type { MinimalPair } from './schema/minimal-pairs.js';

/** A pair that breaks the member `a` of `valid` by `sent`. */
const pair = (keyword: string, valid: unknown, sent: unknown): MinimalPair => ({
  ...{ pointer: '/a', keyword, valid: { a: valid }, invalid: { a: sent }, description: '' },
  ...{ force: 'assertion', id: '', place: '', rank: 0 },
});

for (const [title, broken, shown, isSo] of [
  ['shown nowhere', pair('maxLength', 'new', 'news'), null, true],
  ['the usual word of an enum', pair('enum', 'new', 'usedx'), 'used', true],
  ['the value of before', pair('maxLength', 'used', 'used up'), 'used', true],
  ['a number of before', pair('type', 52472, 52472.5), 52472, true],
  ['as sent', pair('maxLength', 'new', 'news'), 'news', false],
  ['as a text', pair('type', 'new', 12), '12', false],
  ['cut', pair('maxLength', 'ab', 'news'), 'new', false],
] as const)
  test(`a broken member: ${title}`, () => {
    expect(isLeftOut(broken, [{ a: shown }])).toBe(isSo);
  });

test('without a record nothing is known', () => {
  expect(isLeftOut(pair('type', 1, 'a'), [])).toBe(false);
});
