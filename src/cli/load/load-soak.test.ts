import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { SoakRun } from '../../traffic/soak/history.js';
import { soakRun } from '../../traffic/soak/soak-run.test-kit.js';
import { concludeSoak } from './load-soak.js';
import { folderForEach } from '../../folder.test-kit.js';

let out: string;

folderForEach((folder) => (out = folder));

/** What `concludeSoak` prints, warns of and throws. */
function outputOf(one: SoakRun): {
  readonly printed: string;
  readonly warned: readonly string[];
  readonly thrown: unknown;
} {
  const lines: string[] = [];
  const warned: string[] = [];
  let thrown: unknown = null;
  try {
    concludeSoak(one, {
      out,
      ...{ name: 'http://x', plan: 'independent', failOn: [], terminated: false },
      print: (line) => lines.push(line),
      say: () => undefined,
      warn: (line) => warned.push(line),
    });
  } catch (error) {
    thrown = error;
  }
  return { printed: lines.join('\n'), warned, thrown };
}

function keptRuns(): number {
  return readdirSync(join(out, 'history')).filter((name) => name.startsWith('2026')).length;
}

test('a foreign file in the history costs one warning; this soak run and later ones are still kept', () => {
  mkdirSync(join(out, 'history'));
  const foreign = join(out, 'history', 'foreign.json');
  const { service } = soakRun(1, 10, 5);
  writeFileSync(foreign, JSON.stringify({ ...soakRun(1, 10, 5), service: { ...service, total: null } }));
  for (const at of [2, 3]) {
    const { printed, warned, thrown } = outputOf(soakRun(at, 10, 5));
    expect(thrown).toBe(null);
    expect(printed).toContain(`cannot tell: ${at - 2} comparable earlier runs`);
    expect(warned).toEqual([`${foreign} is no complete soak run, and is ignored.`]);
  }
  expect(keptRuns()).toBe(2);
});

test('a soak run whose reports fail is kept, and its summary is printed', () => {
  writeFileSync(join(out, 'load'), 'in the way');
  const { printed, warned, thrown } = outputOf(soakRun(2, 10, 5));
  expect(thrown).toBe(null);
  expect(printed).toContain('Done after 600.0 s.');
  expect(warned).toEqual([expect.stringMatching(/^The reports of the run could not be written \(EEXIST/)]);
  expect(keptRuns()).toBe(1);
});

test('a soak run that cannot be kept is still printed', () => {
  writeFileSync(join(out, 'history'), 'in the way');
  const { printed, thrown } = outputOf(soakRun(2, 10, 5));
  expect(printed).toContain('Done after 600.0 s.');
  expect(String(thrown)).toMatch(/^SettingsError: the run could not be kept in .*history \(EEXIST/);
});
