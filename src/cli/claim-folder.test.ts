import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { claimFolder } from './claim-folder.js';
import { scratch } from '../folder.test-kit.js';

test('a folder that a living run has claimed is refused, and one that a killed run left is not', () => {
  using place = scratch();
  const out = place.folder;
  const living = `.running-${process.ppid}`;
  // No process has so large a number.
  for (const name of [living, '.running-999999999']) writeFileSync(join(out, name), '');
  expect(() => claimFolder(out)).toThrow(
    `--out names "${out}", and another run (process ${process.ppid}) writes there: wait until it ends, or name another folder`,
  );
  expect(readdirSync(out)).toContain(living);
  rmSync(join(out, living));
  claimFolder(out);
  expect(readdirSync(out)).toEqual([`.running-${process.pid}`]);
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
