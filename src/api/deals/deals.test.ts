import { expect, test } from '@playwright/test';
import { dealsIn } from './deals.js';

test('deals are found wherever they stand, and what stands beside them is none', () => {
  const deals = [{ id: 'd1', totalGross: 1 }];
  expect(dealsIn({ items: deals })).toEqual(deals);
  expect(dealsIn({ stages: [{ id: 3 }], desk: deals })).toEqual(deals);
  expect(dealsIn({ openDeals: [{ id: 7 }] })).toEqual([{ id: 7 }]);
  expect(dealsIn({ page: [{ totalGross: '1' }] })).toEqual([{ totalGross: '1' }]);
  expect(dealsIn({ open: 4, pipeline: [{ id: 3 }], tags: ['a'] })).toEqual([]);
  expect(dealsIn({ deal: deals[0] })).toEqual(deals);
});
