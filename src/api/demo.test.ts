import { expect, test } from '@playwright/test';
import { isSameData } from './demo.js';

const unit = (id: number, changes: object = {}): object => ({
  id: String(id),
  status: 'available',
  vin: `1FTFW1ET5DFC1031${id}`,
  price: 100 + id,
  ...changes,
});

test('other vehicles under the same numbers are other data', () => {
  const theirs = [1, 2, 3].map((id) => unit(id, { vin: `WVWZZZ1KZ6W00000${id}`, price: 7 }));
  expect(isSameData(theirs, [unit(1), unit(2), unit(3)])).toBe(false);
  expect(isSameData([unit(4)], [unit(1)])).toBe(false);
});

test('the same vehicles are the same data, though a field of each differs', () => {
  const changed = [1, 2, 3].map((id) => unit(id, { price: 0 }));
  expect(isSameData(changed, [unit(1), unit(2), unit(3)])).toBe(true);
  const plain = (price: number): object[] =>
    [1, 2, 3].map((id) => ({ id: String(id), status: 'sold', price: id * price }));
  expect(isSameData([{ id: '1', status: 'sold', price: 0 }, ...plain(5).slice(1)], plain(5))).toBe(true);
  expect(isSameData(plain(7), plain(5))).toBe(false);
});

test('an id that nobody gives twice is one record, whatever it shows', () => {
  const id = 'unit_bjnss38epu2n0a1b';
  expect(isSameData([{ id, price: 1 }], [{ id, price: 2 }])).toBe(true);
});
