import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';
import { expect, test } from '@playwright/test';
import { readSoakRuns } from './history.js';
import { saveSoakRun } from './save-soak-run.js';
import { soakRun } from './soak-run.test-kit.js';
import { folderForEach } from '../../../folder.test-kit.js';

let place: string;
let folder: string;

folderForEach((given) => {
  place = given;
  folder = join(place, 'history');
});

function levels(): number[] {
  return readSoakRuns(folder, { target: 'http://x' }).map((one) => one.service.total.p95Ms);
}

/** Runs a script in a child process with `saveSoakRun`, `folder` and `run` defined; `first` runs before the import. */
function write(script: string, first = ''): ChildProcess {
  const source = readFileSync(new URL('save-soak-run.ts', import.meta.url), 'utf8');
  const compilerOptions = { module: ModuleKind.ES2022, target: ScriptTarget.ES2022 };
  const module = join(place, 'save-soak-run.mjs');
  writeFileSync(module, transpileModule(source, { compilerOptions }).outputText);
  const hand = `const { saveSoakRun } = await import(${JSON.stringify(module)});
    const folder = ${JSON.stringify(folder)}, run = ${JSON.stringify(soakRun(2, 0, 5))};`;
  return spawn(process.execPath, ['--input-type=module', '--eval', `${first}\n${hand}\n${script}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

test('each soak run is kept in its own file, never overwritten, and read in order of time', () => {
  const many = Array.from({ length: 11 }, (_, at) => 10 + at);
  saveSoakRun(folder, soakRun(2, 9, 5));
  for (const level of many) saveSoakRun(folder, soakRun(1, level, 5));
  writeFileSync(join(folder, '0-copied.json'), JSON.stringify(soakRun(3, 8, 5)));
  expect(levels()).toEqual([...many, 9, 8]);
  expect(readdirSync(folder)).toHaveLength(13);
  expect(readSoakRuns(folder, { target: 'http://y' })).toEqual([]);
  expect(readSoakRuns(join(folder, 'none'))).toEqual([]);
});

test('a writer killed while it writes a run damages no other run', async () => {
  saveSoakRun(folder, soakRun(1, 10, 5));
  saveSoakRun(folder, soakRun(2, 11, 5));
  const halfWay = `import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const { writeFileSync } = fs;
    fs.writeFileSync = (file, text) => {
      writeFileSync(file, text.slice(0, text.length / 2));
      process.kill(process.pid, 'SIGKILL');
    };
    syncBuiltinESMExports();`;
  expect(await once(write('saveSoakRun(folder, run);', halfWay), 'exit')).toEqual([null, 'SIGKILL']);
  expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toHaveLength(1);
  expect(readdirSync(folder).filter((name) => name.endsWith('.json'))).toHaveLength(2);
  writeFileSync(join(folder, '2026-01-02T01-00-00-000Z.json'), '{"format":"dealership-soak-run/1","serv');
  expect(levels()).toEqual([10, 11]);
  saveSoakRun(folder, soakRun(2, 12, 5));
  expect(levels()).toEqual([10, 11, 12]);
});

test('soak runs that end at the same time in two processes are all kept', async () => {
  const each = 100;
  const writers = [1, 2].map((number) =>
    write(`run.service.total.p95Ms = ${number};
      process.stdout.write('ready');
      process.stdin.once('data', () => {
        for (let at = 0; at < ${each}; at += 1) saveSoakRun(folder, run);
        process.exit();
      });`),
  );
  await Promise.all(writers.map((one) => once(one.stdout ?? one, 'data')));
  const ended = writers.map((one) => once(one, 'exit'));
  for (const one of writers) one.stdin?.write('go');
  expect(await Promise.all(ended)).toEqual([
    [0, null],
    [0, null],
  ]);
  expect(levels().filter((level) => level === 1)).toHaveLength(each);
  expect(levels().filter((level) => level === 2)).toHaveLength(each);
  expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
});

test('where a file system has no links, soak runs are still kept and never overwritten', async () => {
  const linkless = `import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    fs.linkSync = () => {
      throw Object.assign(new Error('no links here'), { code: 'EPERM' });
    };
    syncBuiltinESMExports();`;
  saveSoakRun(folder, soakRun(2, 10, 5));
  const twice = write('saveSoakRun(folder, run); saveSoakRun(folder, run);', linkless);
  expect(await once(twice, 'exit')).toEqual([0, null]);
  expect(levels()).toEqual([10, 0, 0]);
});

test('a file that is no complete soak run is skipped and named, whichever field is missing', () => {
  saveSoakRun(folder, soakRun(1, 10, 5));
  const whole = soakRun(2, 11, 5);
  const { service, control } = whole;
  const window = { ...service.windows[0], p95Ms: null };
  const foreign: readonly unknown[] = [
    null,
    [],
    { windows: [null] },
    { ...whole, target: null },
    { ...whole, started: 'last run' },
    { ...whole, started: '2999-01-01T00:00:00.000Z' },
    { ...whole, service: { ...service, total: null } },
    { ...whole, service: { ...service, windows: [null] } },
    { ...whole, service: { ...service, windows: [window] } },
    { ...whole, service: { ...service, operations: [null] } },
    { ...whole, service: { ...service, thresholds: [{ text: 'p95<1' }] } },
    { ...whole, control: { ...control, windows: [...service.windows, null] } },
    { ...whole, control: { ...control, total: { ...control?.total, p95Ms: null } } },
    { ...whole, control: { ...control, total: { ...control?.total, statuses: { 200: '1' } } } },
  ];
  const paths = foreign.map((content, at) => {
    const path = join(folder, `foreign-${at}.json`);
    writeFileSync(path, JSON.stringify(content));
    return path;
  });
  const named: string[] = [];
  const read = readSoakRuns(folder, { onSkipped: (path) => named.push(path) });
  expect(read.map((one) => one.service.total.p95Ms)).toEqual([10]);
  expect(named.sort()).toEqual(paths.sort());
});
