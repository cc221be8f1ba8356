import { AxeBuilder } from '@axe-core/playwright';
import { expect, test, type Page } from '@playwright/test';
import { hostile, chromiumPages } from '../../reports/test-kit.js';
import { soakRun as plainSoakRun } from '../soak/soak-run.test-kit.js';
import type { SoakRun } from '../soak/history.js';
import type { SoakReport } from '../soak/run-soak.js';
import { renderLimitPage } from './limit-page.js';
import { renderSoakPage } from './soak-page.js';
import { traceRecords, verdictOf } from './verdict.test-kit.js';

const { open } = chromiumPages();

function soakReport(level: number): SoakReport {
  const { service } = plainSoakRun(5, level, null);
  const statuses = { '200': 5_997, timeout: 3 };
  const total = { ...service.total, errors: 3, statuses };
  return {
    ...service,
    total,
    operations: [{ ...total, name: hostile }],
    windows: service.windows.map((window, k) => ({ ...window, errors: k % 20 === 0 ? 1 : 0 })),
    thresholds: [{ text: 'p95<5ms', value: 2 * level, kept: false }],
  };
}

function run(day: number, level: number): SoakRun {
  return { ...plainSoakRun(day, level, null), service: soakReport(level), control: soakReport(1) };
}

test('a million requests open in under two seconds, without a word on the console', async () => {
  const source = renderLimitPage(verdictOf(traceRecords(1_000_000)), { target: 'http://127.0.0.1:1', model: 'auto' });
  expect(source.length).toBeLessThan(600_000);
  const { page, noise, tookMs } = await open(source);
  test.info().annotations.push({ type: 'opened in', description: `${Math.round(tookMs)} ms` });
  expect(await page.locator('.plot svg').count()).toBe(1);
  expect(noise).toEqual([]);
  await shoot(page, 'limits');
  await page.context().close();
});

async function shoot(page: Page, name: string): Promise<void> {
  if (!process.env['SHOTS']) return;
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.screenshot({ path: test.info().outputPath(`${name}.png`), fullPage: true });
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`what the target says stays text, and nothing is inaccessible, ${colorScheme}`, async () => {
    const pages = [
      renderLimitPage(verdictOf(traceRecords(20_000), hostile), {
        target: 'http://127.0.0.1:1',
        model: 'auto',
      }),
      renderSoakPage({
        name: hostile,
        plan: 'independent',
        run: run(5, 2),
        comparison: {
          verdict: 'slower',
          reason: hostile,
          moreErrors: hostile,
          nights: [{ name: 'p95', value: 2, usual: 1, spread: 0.1, isAbove: true, isRise: true }],
        },
      }),
    ];
    for (const [at, source] of pages.entries()) {
      const { page, noise } = await open(source, colorScheme);
      expect(noise).toEqual([]);
      expect(await page.title()).not.toBe('pwned');
      const violations = (await new AxeBuilder({ page }).analyze()).violations;
      expect(violations.map((one) => [one.id, one.nodes.map((node) => node.html.slice(0, 200))])).toEqual([]);
      await shoot(page, `${at}-${colorScheme}`);
      await page.context().close();
    }
  });
}
