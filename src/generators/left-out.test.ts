import { expect, test } from '@playwright/test';
import { isLeftOut } from './left-out.js';
import type { MinimalPair } from './schema/minimal-pairs.js';

/** A pair that breaks the member `a` by `sent`. */
const pair = (sent: unknown): MinimalPair => ({
  ...{ pointer: '/a', keyword: 'enum', valid: { a: 'new' }, invalid: { a: sent }, description: '' },
  ...{ force: 'assertion', id: '', place: '', rank: 0 },
});

test('a broken member is left out where no record shows what was sent', () => {
  expect(isLeftOut(pair('usedx'), [{ a: 'used' }, {}])).toBe(true);
  expect(isLeftOut(pair('usedx'), [{ a: null }])).toBe(true);
  expect(isLeftOut(pair('usedx'), [{ a: 'usedx' }, {}])).toBe(false);
  expect(isLeftOut(pair(12), [{ a: '12' }])).toBe(false);
  expect(isLeftOut(pair('usedx'), [])).toBe(false);
});

test('a broken member is left out where each record shows what records without it show', () => {
  expect(isLeftOut(pair('usedx'), [{ a: 'new' }, {}], [{ a: 'new' }])).toBe(true);
  expect(isLeftOut(pair('usedx'), [{ a: 'used' }], [{ a: 'new' }])).toBe(false);
});
