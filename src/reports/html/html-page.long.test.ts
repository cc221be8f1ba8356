import { AxeBuilder } from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
import { curlFor } from '../../http/curl.js';
import { renderHtml } from './html-page.js';
import { chromiumPages, sampleExchange, sampleReport, sampleResult } from '../test-kit.js';

const { open } = chromiumPages();

/** A list, a create that was answered in HTML, and a request that got no answer. */
const shownExchanges = [
  sampleExchange(3),
  sampleExchange(
    4,
    { method: 'POST', url: 'https://api.example.test/api/v1/leads', body: Buffer.from('{"name":"Zoë"}') },
    { status: 500, headers: [['content-type', 'text/html']], body: Buffer.from('<h1>Error</h1>') },
  ),
  sampleExchange(5, {}, null),
];

/** A report with every verdict, and a breach that has exchanges. */
const report = sampleReport(
  [
    sampleResult('UNIT-03', 'fail', {
      findings: [
        {
          expected: 'only units whose status is available, on every page',
          actual: 'unit u-7 has the status sold',
          curl: curlFor(sampleExchange(3)),
          replay: 'npx dealership-conformance certify --only UNIT-03 --seed 42',
          exchanges: ['3', '4', '5', '99'],
        },
      ],
    }),
    ...(['error', 'blocked', 'warn', 'waived', 'not-applicable', 'pass'] as const).map((verdict, at) =>
      sampleResult(`LEAD-0${at + 1}`, verdict),
    ),
  ],
  [{ id: 'LEAD-08', question: 'What happens with an unknown vehicleId?', observed: '422' }],
);

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the page has no accessibility violation, ${colorScheme}, folded and unfolded`, async () => {
    const source = renderHtml(report, (name) => shownExchanges.find(({ seq }) => String(seq) === name));
    const { page, noise } = await open(source, colorScheme);
    const violations = async (): Promise<unknown> =>
      (await new AxeBuilder({ page }).analyze()).violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
    expect(await violations()).toEqual([]);
    await page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`);
    expect(await violations()).toEqual([]);
    expect(noise).toEqual([]);
    await page.context().close();
  });
}
