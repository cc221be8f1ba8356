import { expect, test } from '@playwright/test';
import type { Addition } from '../limit-traces.js';
import { beyondPlan } from '../limit-rules.js';
import { type Chart, chartMarkup } from './load-page.js';
import { limitChart, renderLimitPage } from './limit-page.js';
import { traceRecords, verdictOf } from './verdict.test-kit.js';

test('the page of a plan begins with a sentence, the picture and the ways to count, and links to the report', () => {
  const verdict = verdictOf(traceRecords(1_000));
  const failed = {
    ...verdict,
    violations: [{ id: 'LIMIT-03' as const, code: 'odd', expected: 'x', actual: 'y', records: [] }],
  };
  const page = renderLimitPage(failed, { target: 'x', model: 'auto', hasReport: true });
  const at = (text: string): number => page.indexOf(text, page.indexOf('<body>'));
  const order = [
    `<p class="lead">The service accepts more requests than 100 in 1 s allow, however they are counted.`,
    'id="charts"',
    'id="models"',
    'id="findings"',
    'id="steps"',
  ].map(at);
  expect(order).toEqual([...order].sort((a, b) => a - b));
  expect(order[0]).toBeGreaterThan(0);
  expect(page).toContain('href="../conformance.html#LIMIT-03"');
  expect(page).toContain('href="../conformance.html#LIMIT-03-required"');
  expect(renderLimitPage(failed, { target: 'x', model: 'auto' })).not.toContain('conformance.html');
  const sane = { ...verdict, violations: [], headers: [] };
  expect(renderLimitPage(sane, { target: 'x', model: 'auto' })).toContain(
    'Every answer fits this way to count the limit: fixed windows',
  );
});

test('a line is above 100 % exactly where no way to count allows what was accepted, and is flagged there', () => {
  const drawn = (burst: number) => {
    const { series, flag } = limitChart(verdictOf(traceRecords(36_000, burst)));
    const isAbove = ({ values }: (typeof series)[number]): boolean => values.some((value) => (value ?? 0) > 100);
    return { above: series.filter(isAbove).map(({ name }) => name), flag: flag?.text ?? null, series };
  };
  const kept = drawn(600);
  expect(kept).toMatchObject({ above: [], flag: null });
  expect(kept.series.map(({ name }) => name)).toEqual([
    'most allowed: 1,200 in any 60 s, 200 in any 1 s',
    'accepted in the 60 s before: 100 % are 1,200',
    'accepted in the 1 s before: 100 % are 200',
    'refused requests',
  ]);
  // 600 in each minute are half of what two windows side by side may hold.
  expect(Math.max(...(kept.series[1]?.values ?? []).map(Number))).toBe(50);
  const broken = drawn(1_300);
  expect(broken.above).toEqual(['accepted in the 60 s before: 100 % are 1,200']);
  expect(broken.flag).toBe('1,201 accepted within 60 s, at most 1,200 allowed');
});

test('a picture stands in the page as markup, with marks for refusals and no script', () => {
  const page = renderLimitPage(verdictOf(traceRecords(3_600)), { target: 'x', model: 'auto' });
  expect(page).toMatch(
    /<svg viewBox="0 0 900 310" role="img" aria-label="Accepted requests, beside[^"]*refused requests/,
  );
  expect(page).toMatch(/class="series marks refused" d="M[\d.]+ 270v6/);
  expect(page).not.toContain('<script');
  expect(page).not.toContain('NaN');
});

test('a chart of one value, of none and of gaps is drawn', () => {
  const base = {
    ...{ id: 'c', title: 't', note: 'n', xName: 'x', yName: 'y' },
    yScale: 'log',
  } as const;
  const series = (values: (number | null)[]) => [{ name: 'one', colour: 'first', style: 'line', values }] as const;
  for (const values of [[], [5], [null], [1, null, 1000]]) {
    const chart: Chart = { ...base, x: values.map((_, at) => at), series: series(values) };
    for (const one of [chart, { ...chart, yScale: 'even' as const }])
      expect(chartMarkup(one).source).not.toMatch(/NaN|Infinity/);
  }
});

test('what was sent beyond the plan is listed with its reasons, which are only text', () => {
  const plain = verdictOf(traceRecords(100));
  const additions: readonly Addition[] = [
    { how: 'repeated', firstStep: 0, why: 'late' },
    { how: 'repeated', firstStep: 1, why: 'late again' },
    { how: 'extended', firstStep: 2, why: '<b>unclear</b>' },
  ];
  const beyond = { ...plain, trace: { ...plain.trace, additions } };
  expect(beyondPlan(plain)).toEqual([]);
  expect(beyondPlan(beyond)).toEqual([
    ['repeated', 'late; then late again'],
    ['extended', '<b>unclear</b>'],
  ]);
  const [without, source] = [plain, beyond].map((one) => renderLimitPage(one, { target: 'x', model: 'auto' }));
  expect(without).not.toMatch(/Load (repeated|extended)/);
  expect(source).toContain('late; then late again');
  expect(source).toMatch(/Load extended.*&lt;b&gt;unclear/s);
});
