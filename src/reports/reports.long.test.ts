import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { expect, test, type Page } from '@playwright/test';
import { make } from '../certification/bundle/bundle.test-kit.js';
import { compareReports } from '../certification/compare/compare.js';
import { renderComparison } from '../certification/compare/compare-page.js';
import { runInto } from '../certification/run.test-kit.js';
import { curlFor } from '../http/curl.js';
import { startReference } from '../reference/start-reference.js';
import { loadPacks } from '../packs.js';
import type { Report } from '../requirement/types.js';
import { renderLimitPage } from '../traffic/pages/limit-page.js';
import { traceRecords, verdictOf } from '../traffic/pages/verdict.test-kit.js';
import { renderHtml } from './html/html-page.js';
import { chromiumPages, sampleExchange, sampleReport, sampleResult } from './test-kit.js';
import { scratch } from '../folder.test-kit.js';

const { open } = chromiumPages();
const [wide, narrow] = [1280, 390];
const screen = 900;

/** What gate says of the reference service with faults, and its page. */
async function gate(faults: readonly string[]): Promise<{ readonly report: Report; readonly page: string }> {
  const { folder, remove } = scratch();
  const service = await startReference({ faults });
  try {
    const report = await runInto(
      folder,
      { ...service.settings, BASE_URL: service.baseUrl },
      (await loadPacks()).requirements,
      {
        depth: 'gate',
      },
    );
    return { report, page: readFileSync(join(folder, 'conformance.html'), 'utf8') };
  } finally {
    await service.close();
    remove();
  }
}

/** Short words that wrap inside the word, the height of the page, and by how many pixels it is wider than the window. */
async function layoutOf(
  page: Page,
): Promise<{ readonly broken: string[]; readonly over: number; readonly height: number }> {
  return page.evaluate(`(() => {
    const broken = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      if (node.parentElement.closest('pre, code, .mono, script, style, svg') !== null) continue;
      for (const { 0: word, index } of node.data.matchAll(/(?<![^\\s(])[A-Za-z]{2,20}(?![^\\s.,;:)])/g)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word);
      }
    }
    const root = document.documentElement;
    return { broken, over: root.scrollWidth - root.clientWidth, height: document.body.scrollHeight };
  })()`);
}

/** Looks at a page on a desktop and on a phone, light and dark; the height in pixels on the desktop. */
async function look(name: string, source: string, drawn = 'html'): Promise<number> {
  const { page, noise } = await open(source);
  const heights: number[] = [];
  for (const width of [wide, narrow]) {
    await page.setViewportSize({ width, height: screen });
    await page.reload();
    await page.waitForSelector(drawn, { state: 'attached' });
    const { broken, over, height } = await layoutOf(page);
    expect({ broken, over }, `${name} at ${width} px`).toEqual({ broken: [], over: 0 });
    heights.push(height);
  }
  expect(noise).toEqual([]);
  await page.context().close();
  const schemes = [
    ['dark', 'rgb(18, 20, 24)'],
    ['light', 'rgb(245, 244, 240)'],
  ] as const;
  // All folds and both schemes are looked at where a page is short and has everything.
  const isShort = name === 'verdicts';
  for (const [scheme, colour] of schemes.slice(0, isShort ? 2 : 1)) {
    const { page } = await open(source, scheme);
    await page.setViewportSize({ width: narrow, height: screen });
    for (const unfolds of isShort ? [false, true] : [false]) {
      if (unfolds) await page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`);
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)])).toEqual([]);
    }
    expect(await page.evaluate(`getComputedStyle(document.documentElement).backgroundColor`)).toBe(colour);
    await page.context().close();
  }
  return heights[0] ?? 0;
}

test('a failing run is a few screens, its comparison shows what changed, and all pages read well on a phone', async () => {
  const failing = await gate(['limit-ignored', 'key-ignored', 'unit-key-ignored', 'filter-ignored']);
  const good = await gate([]);
  expect(failing.report.counts.fail).toBeGreaterThan(5);
  const height = await look('failing', failing.page);
  test.info().annotations.push({ type: 'height of the failing page', description: `${height} px` });
  expect(height).toBeLessThan(6.5 * screen);
  await look(
    'compare',
    renderComparison(
      compareReports({ name: 'monday', report: good.report }, { name: 'tuesday', report: failing.report }),
    ),
  );
  using made = await make({}, { allowIncomplete: true });
  await look('certificate', readFileSync(join(made.folder, 'certificate.html'), 'utf8'));
});

test('a page with every verdict, an answer in HTML and a request without an answer reads well', async () => {
  const html = { status: 500, headers: [['content-type', 'text/html']] as const, body: Buffer.from('<h1>Error</h1>') };
  const shown = [sampleExchange(3), sampleExchange(4, { method: 'POST', body: Buffer.from('{"name":"Zoë"}') }, html)];
  const exchanges = [...shown, sampleExchange(5, {}, null)];
  const curl = curlFor(sampleExchange(3));
  const finding = { expected: 'only available units', actual: 'one is sold', curl, exchanges: ['3', '4', '5', '99'] };
  const verdicts = ['error', 'blocked', 'warn', 'waived', 'not-applicable', 'pass'] as const;
  const report = sampleReport(
    [
      sampleResult('UNIT-03', 'fail', { findings: [finding] }),
      ...verdicts.map((verdict, at) => sampleResult(`LEAD-0${at + 1}`, verdict)),
    ],
    [{ id: 'LEAD-08', question: 'What happens with an unknown vehicleId?', observed: '422' }],
  );
  await look(
    'verdicts',
    renderHtml(report, (name) => exchanges.find(({ seq }) => String(seq) === name)),
  );
});

test('the page of a plan reads well on a phone', async () => {
  const [expected, actual] = ['at most 1,200 in 13 s', 'the 1,201st acceptance within 12.005 s'];
  const verdict = verdictOf(traceRecords(20_000, 1_300), actual);
  const models = verdict.models.map((one) => ({ ...one, admitted: false, reason: actual }));
  const violations = [{ id: 'LIMIT-03' as const, code: 'odd', expected, actual, records: [] }];
  const page = renderLimitPage(
    { ...verdict, models, violations, headers: [] },
    { target: 'https://api.example.test', model: 'auto', hasReport: true },
  );
  await look('limit', page);
});
