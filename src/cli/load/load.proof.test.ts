import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { SettingsError } from '../../settings/settings-error.js';
import type { RawSettings } from '../../settings/setting-table.js';
import { startLimited } from '../../../testing/real-limiters/limited-server.test-kit.js';
import { loadWith, runInProcess } from '../run.test-kit.js';
import type { SoakRun } from '../../traffic/soak/history.js';
import { folderForEach } from '../../folder.test-kit.js';

let out: string;

folderForEach((folder) => (out = folder));

function ask(
  options: Record<string, string | readonly string[]>,
  settings: RawSettings = {},
  operands: readonly string[] = [],
): Promise<number> {
  return loadWith({ out, quiet: true, embedded: settings.BASE_URL === undefined, ...options }, settings, operands);
}

test('a scenario judges the plan it was asked for and leaves a page; no limit at all is a breach', async () => {
  test.setTimeout(60_000);
  expect(await ask({ scenario: 'burst', plan: 'demo' }, { LIMITS_DEMO: '20/1s' })).toBe(0);
  expect(readdirSync(join(out, 'load')).sort()).toEqual(['burst.json', 'burst.junit.xml', 'burst.md', 'demo.html']);
  await using server = await startLimited({ demo: [{ count: 1_000_000, windowSeconds: 1 }] });
  expect(await ask({ scenario: 'burst', plan: 'demo' }, { BASE_URL: server.url, LIMITS_DEMO: '20/1s' })).toBe(1);
  expect(readFileSync(join(out, 'load', 'demo.html'), 'utf8')).toContain('The limit is not kept');
});

test('the terminal says that more than the limit was accepted where only windows with a boundary explain it', async () => {
  test.setTimeout(60_000);
  const said = async (burst: number): Promise<string> => {
    const limits = { demo: [{ count: burst, windowSeconds: 1 }] };
    await using server = await startLimited(limits, 'sliding');
    const env = { BASE_URL: server.url, LIMITS_DEMO: '20/1s' };
    return (await runInProcess(['load', '--scenario', 'burst', '--plan', 'demo', '--out', out], env, out)).out;
  };
  // This service answers every path alike, so nothing of it can be judged.
  expect(await said(20)).toMatch(/\n {2}INCOMPLETE {2}http:.*, 0 of 2 judged\n/);
  const doubt = 'each of these may accept more than the limit within some window';
  expect([await said(20), await said(23)].map((text) => text.includes(doubt))).toEqual([false, true]);
});

function runs(): SoakRun[] {
  const folder = join(out, 'history');
  return readdirSync(folder)
    .sort()
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as SoakRun);
}

test('a soak is kept in the history, and its thresholds decide the exit status', async () => {
  test.setTimeout(60_000);
  const soak = { scenario: 'soak', plan: 'independent', rate: '40', duration: '2s' };
  const settings: RawSettings = { LIMITS_INDEPENDENT: '100000/60s' };
  expect(await ask({ ...soak, threshold: ['errors<50%', 'p50<5s,max<10s'] }, settings)).toBe(0);
  expect(await ask({ ...soak, threshold: 'p95<0.001ms' }, settings)).toBe(1);
  const kept = runs();
  expect(kept.map((run) => run.service.total.due)).toEqual([80, 80]);
  expect(kept.every((run) => run.control !== null)).toBe(true);
  expect(readFileSync(join(out, 'load', 'soak.html'), 'utf8')).toContain('Thresholds exceeded: 1 of 1');
});

test('without a threshold a soak promises fewer errors than one in a hundred; a given one takes its place', async () => {
  test.setTimeout(60_000);
  // The look before each soak spends its key.
  const two = [{ count: 2, windowSeconds: 600 }];
  const limits = { k: [{ count: 1_000_000, windowSeconds: 1 }], spent: two, also: two };
  await using server = await startLimited(limits);
  const soak = { scenario: 'soak', rate: '40', duration: '1s' };
  const spent: RawSettings = { BASE_URL: server.url, API_KEY_INDEPENDENT: 'spent' };
  expect(await ask(soak, spent)).toBe(1);
  expect(await ask({ ...soak, threshold: 'max<20s' }, { ...spent, API_KEY_INDEPENDENT: 'also' })).toBe(0);
  expect(await ask(soak, { ...spent, API_KEY_INDEPENDENT: 'k' })).toBe(0);
  expect(runs().map((run) => run.service.thresholds)).toEqual([
    [{ text: 'errors<1%', value: 1, kept: false }],
    [{ text: 'max<20s', value: expect.any(Number) as unknown, kept: true }],
    [{ text: 'errors<1%', value: 0, kept: true }],
  ]);
});

test('where the history cannot be written, nothing is sent', async () => {
  const server = await startLimited({ k: [{ count: 1_000_000, windowSeconds: 1 }] });
  const settings: RawSettings = { BASE_URL: server.url, API_KEY_INDEPENDENT: 'k' };
  const soak = { scenario: 'soak', rate: '40', duration: '1s' };
  writeFileSync(join(out, 'history'), 'in the way');
  const error: unknown = await ask(soak, settings).catch((thrown: unknown) => thrown);
  await server.close();
  expect(server.requests()).toBe(0);
  expect(error).toBeInstanceOf(SettingsError);
  expect((error as Error).message).toMatch(/^the run cannot be kept in .*history \(EEXIST\): expected .*--out\.$/);
});
