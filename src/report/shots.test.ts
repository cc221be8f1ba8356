import { test } from '@playwright/test';
import { writeFileSync } from 'node:fs';
import { renderHtml } from './html-page.js';
import { fullReport, openChromium, sampleReport, sampleResult, hostile } from './test-kit.js';

test('shots', async () => {
  const browser = await openChromium();
  const { report, exchanges } = fullReport('unit u-7 (page 2) has the status sold');
  const counts: Record<string, number> = { DOC: 10, ENV: 8, UNIT: 11, LEAD: 8, IDEM: 9, DEAL: 2, PLAN: 5, DEMO: 5, AUTH: 6, HOOK: 8, LIMIT: 10, VER: 2 };
  const all = Object.entries(counts).flatMap(([section, n]) =>
    Array.from({ length: n }, (_, i) => {
      const id = `${section}-${String(i + 1).padStart(2, '0')}`;
      return report.requirements.find((r) => r.id === id) ?? sampleResult(id, section === 'HOOK' ? 'not-applicable' : 'pass');
    }),
  );
  const big = sampleReport(all, [...report.observations, { id: 'IDEM-09', question: 'How long is a key kept?', observed: 'longer than the run, 12.4 s' }, { id: 'LIMIT-09', question: 'Do limits count per key or per tenant?', observed: 'per key; rejected requests are not counted' }]);
  const good = sampleReport(all.filter((r) => r.verdict === 'pass' || r.verdict === 'warn'), []);
  const odd = fullReport(hostile);
  const files: [string, string][] = [['bad', renderHtml(big, (n) => exchanges.get(n))], ['good', renderHtml(good, () => undefined)], ['odd', renderHtml(odd.report, (n) => odd.exchanges.get(n))]];
  for (const [name, source] of files) {
    writeFileSync(`/tmp/report-${name}.html`, source);
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({ colorScheme, viewport: { width: 1280, height: 900 } });
      const page = await context.newPage();
      page.on('console', (m) => console.log(m.text()));
      page.on('pageerror', (m) => console.log(m.message));
      await page.goto(`file:///tmp/report-${name}.html`);
      await page.screenshot({ path: `/tmp/report-${name}-${colorScheme}.png`, fullPage: true });
      await page.screenshot({ path: `/tmp/report-${name}-${colorScheme}-top.png` });
      if (name === 'bad') {
        await page.locator('.exchange summary').first().click();
        await page.locator('#UNIT-03').scrollIntoViewIfNeeded();
        await page.locator('#UNIT-03').screenshot({ path: `/tmp/report-${name}-${colorScheme}-finding.png` });
        await page.setViewportSize({ width: 390, height: 844 });
        await page.evaluate('scrollTo(0,0)'); await page.screenshot({ path: `/tmp/report-${name}-${colorScheme}-phone.png` }); await page.locator('#UNIT-03').scrollIntoViewIfNeeded(); await page.screenshot({ path: `/tmp/report-${name}-${colorScheme}-phone2.png` });
        await page.setViewportSize({ width: 780, height: 1100 }); await page.emulateMedia({ media: 'print' }); await page.evaluate('scrollTo(0,0)'); await page.screenshot({ path: `/tmp/report-${name}-${colorScheme}-print.png` }); await page.locator('#UNIT-03').scrollIntoViewIfNeeded(); await page.screenshot({ path: `/tmp/report-${name}-${colorScheme}-print2.png` });
 await page.pdf({ path: `/tmp/report-${name}.pdf`, format: 'A4' });
      }
      await context.close();
    }
  }
  await browser.close();
});
