import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { SoakRun } from '../../traffic/soak/history/history.js';
import { soakRun } from '../../traffic/soak/history/soak-run.test-kit.js';
import { tellNight } from './load-night.js';

let out: string;

test.beforeEach(() => {
  out = mkdtempSync(join(tmpdir(), 'night-'));
});

test.afterEach(() => rmSync(out, { recursive: true, force: true }));

/** What is printed of a night and what is warned of; what is thrown comes last. */
function outputOf(one: SoakRun): {
  readonly printed: string;
  readonly warned: readonly string[];
  readonly thrown: unknown;
} {
  const lines: string[] = [];
  const warned: string[] = [];
  let thrown: unknown = null;
  try {
    tellNight(one, {
      out,
      name: 'http://x',
      plan: 'independent',
      print: (line) => lines.push(line),
      say: () => undefined,
      warn: (line) => warned.push(line),
    });
  } catch (error) {
    thrown = error;
  }
  return { printed: lines.join('\n'), warned, thrown };
}

function keptNights(): number {
  return readdirSync(join(out, 'history')).filter((name) => name.startsWith('2026')).length;
}

test('a foreign file in the history costs one line, and neither the night nor those after it', () => {
  mkdirSync(join(out, 'history'));
  const foreign = join(out, 'history', 'foreign.json');
  const { service } = soakRun(1, 10, 5);
  writeFileSync(foreign, JSON.stringify({ ...soakRun(1, 10, 5), service: { ...service, windows: [null] } }));
  for (const at of [2, 3]) {
    const { printed, warned, thrown } = outputOf(soakRun(at, 10, 5));
    expect(thrown).toBe(null);
    expect(printed).toContain(`cannot tell: ${at - 2} comparable earlier runs`);
    expect(warned).toEqual([`${foreign} is no complete soak run, and is ignored.`]);
  }
  expect(keptNights()).toBe(2);
});

test('a night without a page, or that cannot be compared, is kept and its summary printed', () => {
  writeFileSync(join(out, 'load'), 'in the way');
  const { printed, warned, thrown } = outputOf(soakRun(2, 10, 5));
  expect(thrown).toBe(null);
  expect(printed).toContain('Done after 600.0 s.');
  expect(warned).toEqual([expect.stringMatching(/^The page of the run could not be written \(EEXIST/)]);
  const odd = soakRun(3, 10, 5);
  const windows = new Proxy(odd.service.windows, {
    get(list, name) {
      if (name === 'filter') throw new Error('no windows here');
      return Reflect.get(list, name) as unknown;
    },
  });
  expect(outputOf({ ...odd, service: { ...odd.service, windows } }).printed).toMatch(
    /Done after[^]*cannot tell: the comparison itself failed \(no windows here\)/,
  );
  expect(keptNights()).toBe(2);
});

test('a night that cannot be kept is printed all the same', () => {
  writeFileSync(join(out, 'history'), 'in the way');
  const { printed, thrown } = outputOf(soakRun(2, 10, 5));
  expect(printed).toContain('Done after 600.0 s.');
  expect(String(thrown)).toMatch(/^SettingsError: the run could not be kept in .*history \(EEXIST/);
});
