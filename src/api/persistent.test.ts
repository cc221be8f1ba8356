import { expect, test } from '@playwright/test';
import { persistent } from './persistent.js';

test('only what all four looks find is found: a record may be new in the first ones and deleted before the last', async () => {
  const looks = [['new', 'lost'], ['deleted', 'lost', 'new'], ['new', 'lost'], ['lost']];
  const find = (seen: readonly string[][]): Promise<readonly string[]> =>
    persistent({ run: { patience: 0 } }, (round) => Promise.resolve(seen[round] ?? ['a look too many']));
  expect(await find(looks)).toEqual(['lost']);
  expect(await find(looks.map((seen) => seen.filter((one) => one !== 'lost')))).toEqual([]);
  expect(await find([[]])).toEqual([]);
});
