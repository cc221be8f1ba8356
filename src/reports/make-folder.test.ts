import { statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { makeFolder } from './make-folder.js';
import { scratch } from '../folder.test-kit.js';

test('a folder is made with those above it, and what cannot be one is refused', () => {
  using place = scratch();
  const home = place.folder;
  makeFolder(join(home, 'a', 'b', 'c'));
  makeFolder(join(home, 'a', 'b', 'c'));
  expect(statSync(join(home, 'a', 'b', 'c')).isDirectory()).toBe(true);
  writeFileSync(join(home, 'file'), '');
  symlinkSync(join(home, 'nothing'), join(home, 'loose'));
  for (const wrong of ['file', 'file/inside', 'loose'])
    expect(() => makeFolder(join(home, wrong)), wrong).toThrow(/E(EXIST|NOTDIR|NOENT)/);
});

test('where the system makes no folders, that is said and not tried forever', () => {
  test.skip(process.platform !== 'linux', 'only Linux has such a place');
  expect(() => makeFolder('/proc/reports/evidence')).toThrow(/ENOENT/);
});
