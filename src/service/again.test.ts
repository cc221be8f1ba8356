import { expect, test } from '@playwright/test';
import { patienceSeconds, persistent, settled } from './again.js';

test('only what all four looks find is found: a record may be new in the first ones and deleted before the last', async () => {
  const looks = [['new', 'lost'], ['deleted', 'lost', 'new'], ['new', 'lost'], ['lost']];
  const find = (seen: readonly string[][]): Promise<readonly string[]> =>
    persistent({ run: { patience: 0 } }, (round) => Promise.resolve(seen[round] ?? ['a look too many']));
  expect(await find(looks)).toEqual(['lost']);
  expect(await find(looks.map((seen) => seen.filter((one) => one !== 'lost')))).toEqual([]);
  expect(await find([[]])).toEqual([]);
});

test('a reading is repeated until one shows what was written, and that one comes back', async () => {
  let readings = 0;
  const read = (): Promise<number> => Promise.resolve((readings += 1));
  const quick = { run: { patience: 0 } };
  expect(await settled(quick, read, (reading) => reading === 1)).toBe(1);
  expect(readings).toBe(1);
  expect(await settled(quick, read, (reading) => reading >= 3)).toBe(3);
  expect(readings).toBe(3);
});

test('where no reading shows it, the last one comes back, after its share of ten seconds', async () => {
  let readings = 0;
  const startedMs = performance.now();
  const read = (): Promise<number> => Promise.resolve((readings += 1));
  expect(await settled({ run: { patience: 0.05 } }, read, () => false)).toBe(6);
  expect(readings).toBe(6);
  expect(patienceSeconds).toBe(10);
  // Timers may fire a little early.
  expect(performance.now() - startedMs).toBeGreaterThan(490);
});
