import { expect, test } from '@playwright/test';
import { lossOf } from './kept-fields.js';

type Json = Record<string, unknown>;

/** What is lost of each field that was sent: `expected, then actual`. */
function found(sent: Json, record: Json, others: readonly unknown[] = []): string[] {
  return Object.entries(sent).flatMap(([name, value]) => {
    const loss = lossOf(name, value, record, others);
    return loss === null ? [] : `${loss.expected}, then ${loss.actual}`;
  });
}

test('a number that was sent inside an object, however deep, is found where it is shown as another', () => {
  expect(found({ price: { amount: 100 } }, { price: { amount: 100 } })).toEqual([]);
  expect(found({ price: { amount: 100 } }, { price: { amount: 10_000 } })).toEqual(['/price/amount: 100, then 10000']);
  expect(found({ a: { b: { c: 1.5, d: 2 } } }, { a: { b: { c: 1, d: 2 } } })).toEqual(['/a/b/c: 1.5, then 1']);
  expect(found({ price: { amount: 0 } }, { price: { amount: -1 } })).toEqual(['/price/amount: 0, then -1']);
});

test('numbers in arrays are compared place by place, where both have as many', () => {
  expect(found({ sizes: [1, 2, 3] }, { sizes: [1, 5, 3] })).toEqual(['/sizes/1: 2, then 5']);
  expect(found({ fees: [{ sum: 10 }, { sum: 20 }] }, { fees: [{ sum: 10 }, { sum: 2 }] })).toEqual([
    '/fees/1/sum: 20, then 2',
  ]);
  expect(found({ sizes: [1, 2] }, { sizes: [3] })).toEqual([]);
  const photos = ['a', 'b', 'c'];
  expect(found({ photos }, { photos: ['cdn/1', 'cdn/2', 'cdn/3'] })).toEqual([]);
  expect(found({ photos }, { photos: ['a'] })).toEqual(['photos: 3 entries, then ["a"]']);
  expect(lossOf('photos', photos, { photos: [] }, [])?.soft).toBe(true);
});

test('what is no number on either side within an object, and what only one side has, is open', () => {
  expect(found({ price: { amount: 5, currency: 'EUR' } }, { price: { amount: '5.00', currency: 'USD' } })).toEqual([]);
  expect(found({ price: { amount: 5, tax: 1 } }, { price: { total: 6 } })).toEqual([]);
  expect(found({ price: { amount: 5 } }, { price: 6 })).toEqual([]);
  expect(found({ price: { amount: 5 } }, { price: null })).toEqual([]);
});

test('a number and its decimal string are the same, whichever was sent; another number is not', () => {
  expect(found({ a: 1, b: '25030.88' }, { a: '1.0000', b: 25030.88 })).toEqual([]);
  expect(found({ a: 1, b: true, c: 0, d: 1.5 }, { a: '10.0', b: '1', c: '', d: 1 })).toHaveLength(4);
});

test('a field that is shown everywhere is owed where it was sent, and not where it was left out', () => {
  const others = Array.from({ length: 5 }, () => ({ vin: 'V1', make: 'Audi' }));
  const lost = (sent: Json): readonly string[] => found(sent, { id: 'a', make: 'Audi' }, others);
  expect(lost({ make: 'AUDI', vin: 'V2' })).toEqual([
    'vin: "V2", then vin is not shown, as it is in every other record',
  ]);
  const some = [...others, { vin: null }];
  expect(lossOf('vin', 'V2', { vin: null }, some)).toEqual({ expected: 'vin: "V2"', actual: 'null', soft: true });
  expect(lossOf('vin', 'V2', {}, some)).toBeNull();
  for (const vin of [undefined, null]) expect(lost({ make: 'Audi', vin })).toEqual([]);
});
