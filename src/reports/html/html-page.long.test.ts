import { AxeBuilder } from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
import { renderHtml } from './html-page.js';
import { fullReport, chromiumPages } from '../test-kit.js';

const { open } = chromiumPages();

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
