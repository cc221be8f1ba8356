import { AxeBuilder } from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
import type { Browser, Page } from '@playwright/test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { renderHtml } from './html-page.js';
import { fullReport, openChromium } from './test-kit.js';

let browser: Browser;
let dir: string;

test.beforeAll(async () => {
  browser = await openChromium();
  dir = mkdtempSync(join(tmpdir(), 'report-page-'));
});

test.afterAll(async () => {
  await browser.close();
  if (dir) rmSync(dir, { recursive: true, force: true });
});

interface Opened {
  readonly page: Page;
  /** Console messages, page errors and requests beyond the file itself. */
  readonly noise: string[];
}

async function open(source: string, colorScheme: 'light' | 'dark' = 'light'): Promise<Opened> {
  const file = join(dir, `page-${Math.abs(source.length)}.html`);
  writeFileSync(file, source);
  const context = await browser.newContext({ colorScheme, offline: true });
  const page = await context.newPage();
  const noise: string[] = [];
  page.on('console', (message) => noise.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => noise.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (request.url() !== pathToFileURL(file).href && !request.url().startsWith('data:'))
      noise.push(`request: ${request.url()}`);
  });
  page.on('dialog', (dialog) => noise.push(`dialog: ${dialog.message()}`));
  await page.goto(pathToFileURL(file).href);
  return { page, noise };
}

function pageOf(text: string): string {
  const { report, exchanges } = fullReport(text);
  return renderHtml(report, (name) => exchanges.get(name));
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the page has no accessibility violation, ${colorScheme}, folded and unfolded`, async () => {
    const { page, noise } = await open(pageOf('unit u-7 has the status sold'), colorScheme);
    expect(
      (await new AxeBuilder({ page }).analyze()).violations.map((one) => [one.id, one.nodes.map((node) => node.html)]),
    ).toEqual([]);
    await page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`);
    expect(
      (await new AxeBuilder({ page }).analyze()).violations.map((one) => [one.id, one.nodes.map((node) => node.html)]),
    ).toEqual([]);
    expect(noise).toEqual([]);
    if (process.env['SHOTS']) {
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.screenshot({ path: test.info().outputPath(`${colorScheme}.png`), fullPage: true });
    }
    await page.context().close();
  });
}
