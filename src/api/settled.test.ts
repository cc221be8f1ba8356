import { expect, test } from '@playwright/test';
import { settled } from './settled.js';

test('a reading is repeated until one shows what was written, and that one comes back', async () => {
  let readings = 0;
  const read = (): Promise<number> => Promise.resolve((readings += 1));
  expect(await settled(read, (reading) => reading === 1)).toBe(1);
  expect(readings).toBe(1);
  expect(await settled(read, (reading) => reading >= 3)).toBe(3);
  expect(readings).toBe(3);
});

test('where no reading shows it, the last one comes back, after ten seconds', async () => {
  let readings = 0;
  expect(
    await settled(
      () => Promise.resolve((readings += 1)),
      () => false,
    ),
  ).toBe(6);
  expect(readings).toBe(6);
});
