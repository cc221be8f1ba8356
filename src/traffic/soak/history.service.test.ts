import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { readSoakRuns, saveSoakRun } from './history.js';
import { soakRun } from './soak-run.test-kit.js';
import { folderForEach } from '../../folder.test-kit.js';

let folder: string;

folderForEach((place) => (folder = join(place, 'history')));

function levels(): number[] {
  return readSoakRuns(folder).map((one) => one.service.total.p95Ms);
}

test('each soak run is kept in its own file, never overwritten, and read in order of time', () => {
  saveSoakRun(folder, soakRun(2, 9, 5));
  for (const level of [10, 11]) saveSoakRun(folder, soakRun(1, level, 5));
  writeFileSync(join(folder, '0-copied.json'), JSON.stringify(soakRun(3, 8, 5)));
  const [one, two, ...later] = levels();
  expect([one, two].sort()).toEqual([10, 11]);
  expect(later).toEqual([9, 8]);
  expect(readdirSync(folder)).toHaveLength(4);
  expect(readSoakRuns(join(folder, 'none'))).toEqual([]);
});

test('a file that is no complete soak run is skipped and named, whichever field is missing', () => {
  saveSoakRun(folder, soakRun(1, 10, 5));
  const whole = soakRun(2, 11, 5);
  const { service } = whole;
  const foreign: readonly unknown[] = [
    null,
    [],
    { windows: [null] },
    { ...whole, target: null },
    { ...whole, started: 'last run' },
    { ...whole, started: '2999-01-01T00:00:00.000Z' },
    { ...whole, service: { ...service, total: null } },
    { ...whole, service: { ...service, total: { ...service.total, p95Ms: null } } },
  ];
  const paths = foreign.map((content, at) => {
    const path = join(folder, `foreign-${at}.json`);
    writeFileSync(path, JSON.stringify(content));
    return path;
  });
  const cut = join(folder, 'cut.json');
  writeFileSync(cut, JSON.stringify(whole).slice(0, 200));
  const named: string[] = [];
  const read = readSoakRuns(folder, (path) => named.push(path));
  expect(read.map((one) => one.service.total.p95Ms)).toEqual([10]);
  expect(named.sort()).toEqual([...paths, cut].sort());
});
