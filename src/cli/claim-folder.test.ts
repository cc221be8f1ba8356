import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { claimFolder, moveAway } from './claim-folder.js';
import { scratch } from '../folder.test-kit.js';

test('a folder that a living run has claimed is refused, and one that a killed run left is not', () => {
  using place = scratch();
  const out = place.folder;
  writeFileSync(join(out, '.running'), String(process.ppid));
  expect(() => claimFolder(out)).toThrow(
    `--out names "${out}", and another run (process ${process.ppid}) writes there: wait until it ends, or name another folder`,
  );
  // No process has so large a number.
  writeFileSync(join(out, '.running'), '999999999');
  claimFolder(out);
});

test('the claim of a run that was quicker by an instant stays', () => {
  using place = scratch();
  const file = join(place.folder, '.running');
  // Both read the claim of the same killed run; the other run put its own in its place since.
  writeFileSync(file, '4321');
  moveAway(file, '999999999');
  expect(readFileSync(file, 'utf8')).toBe('4321');
  moveAway(file, '4321');
  expect(readdirSync(place.folder)).toEqual([]);
});

test('a process that claims many folders waits for its end once', () => {
  using place = scratch();
  const before = process.listenerCount('exit');
  for (const name of ['a', 'b', 'c']) {
    mkdirSync(join(place.folder, name));
    claimFolder(join(place.folder, name));
  }
  expect(process.listenerCount('exit')).toBeLessThanOrEqual(before + 1);
});
