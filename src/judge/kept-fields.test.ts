import { expect, test } from '@playwright/test';
import { isSameNumber, lostFields, numbersWithin } from './kept-fields.js';

/** What is found, as `pointer: sent, then shown`. */
function found(sent: unknown, record: Record<string, unknown> | null): string[] {
  return numbersWithin(sent, record).map((one) => `${one.pointer}: ${String(one.left)}, then ${String(one.right)}`);
}

test('a number that was sent inside an object, however deep, is found where it is shown as another', () => {
  expect(found({ price: { amount: 100 } }, { price: { amount: 100 } })).toEqual([]);
  expect(found({ price: { amount: 100 } }, { price: { amount: 10_000 } })).toEqual(['/price/amount: 100, then 10000']);
  expect(found({ a: { b: { c: 1.5, d: 2 } } }, { a: { b: { c: 1, d: 3 } } })).toEqual([
    '/a/b/c: 1.5, then 1',
    '/a/b/d: 2, then 3',
  ]);
  expect(found({ price: { amount: 0 } }, { price: { amount: -1 } })).toEqual(['/price/amount: 0, then -1']);
});

test('numbers in arrays are compared place by place, where both have as many', () => {
  expect(found({ sizes: [1, 2, 3] }, { sizes: [1, 5, 3] })).toEqual(['/sizes/1: 2, then 5']);
  expect(found({ fees: [{ sum: 10 }, { sum: 20 }] }, { fees: [{ sum: 10 }, { sum: 2 }] })).toEqual([
    '/fees/1/sum: 20, then 2',
  ]);
  expect(found({ sizes: [1, 2] }, { sizes: [3] })).toEqual([]);
});

test('what stands at the top, what is no number on either side, and what only one side has are left to others', () => {
  expect(found({ mileage: 5 }, { mileage: 6 })).toEqual([]);
  expect(found({ price: { amount: 5, currency: 'EUR' } }, { price: { amount: '5.00', currency: 'USD' } })).toEqual([]);
  expect(found({ price: { amount: 5, tax: 1 } }, { price: { total: 6 } })).toEqual([]);
  expect(found({ price: { amount: 5 } }, { price: 6 })).toEqual([]);
  expect(found({ price: { amount: 5 } }, { price: null })).toEqual([]);
  expect(found({ price: { amount: 5 } }, null)).toEqual([]);
  expect(found(undefined, { price: { amount: 5 } })).toEqual([]);
});

test('a number and its decimal string are the same, whichever was sent; another number is not', () => {
  expect([isSameNumber('1.0000', 1), isSameNumber(25030.88, '25030.88')]).toEqual([true, true]);
  expect([isSameNumber('10.0', 1), isSameNumber('1', true), isSameNumber('', 0), isSameNumber(1, 1.5)]).toEqual([
    false,
    false,
    false,
    false,
  ]);
});

test('a field that is shown everywhere is owed where it was sent, and not where it was left out', () => {
  const others = Array.from({ length: 5 }, () => ({ vin: 'V1', make: 'Audi' }));
  const lost = (sent: object): readonly string[] =>
    lostFields(sent, { id: 'a', make: 'Audi' }, others).map(({ field }) => field);
  expect(lost({ make: 'AUDI', vin: 'V2' })).toEqual(['vin']);
  for (const vin of [undefined, null]) expect(lost({ make: 'Audi', vin })).toEqual([]);
});
