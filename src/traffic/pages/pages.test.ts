import { expect, test } from '@playwright/test';
import type { ModelName } from '../../ratelimit/models/model.js';
import { beyondPlan } from '../report-limits.js';
import { progressChart, stretchChart } from './envelope-charts.js';
import { renderLimitPage } from './limit-page.js';
import { embeddable } from './page-shell.js';
import { columnsOf } from './trace-columns.js';
import { limits, traceRecords, verdictOf } from './verdict.test-kit.js';

test('the page of a plan begins with a plain sentence and the ways to count, and links to the report', () => {
  const plain = 'You let 201 requests through in 0.67 s; 100 in 1 s allows at most 200, wherever its windows begin';
  const verdict = verdictOf(traceRecords(1_000));
  const failed = {
    ...verdict,
    violations: [{ id: 'LIMIT-03' as const, code: 'odd', expected: 'x', actual: 'y', plain, records: [] }],
  };
  const page = renderLimitPage(failed, { target: 'x', model: 'auto', hasReport: true });
  const at = (text: string): number => page.indexOf(text, page.indexOf('<body>'));
  const order = [`<p class="lead">${plain}.`, 'id="models"', 'id="findings"', 'id="charts"', 'id="steps"'].map(at);
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

test('a bucket that is filled up in steps is drawn where it is what explains the trace, and nowhere else', () => {
  const columns = columnsOf(traceRecords(3_600));
  const named = (tickMs: number | null): string[] =>
    stretchChart({ columns, limits, admitted: new Set<ModelName>(['bucket-ticked']), tickMs, spans: [] }).series.map(
      ({ name }) => name,
    );
  expect(named(500)).toContain('token bucket, refilled at intervals');
  expect(named(null).some((name) => name.includes('at intervals'))).toBe(false);
});

test('the curve of acceptances is above the curve of a model exactly where the model is violated', () => {
  const above = (burst: number, name: string): boolean => {
    const columns = columnsOf(traceRecords(36_000, burst));
    const chart = stretchChart({
      columns,
      limits,
      admitted: new Set<ModelName>(['fixed', 'sliding']),
      tickMs: null,
      spans: [],
    });
    const [seen, limiter] = [chart.series[0], chart.series.find((one) => one.name === name)];
    return chart.x.some((_, at) => (seen?.values[at] ?? 0) > (limiter?.values[at] ?? Infinity));
  };
  expect(above(600, 'fixed windows')).toBe(false);
  expect(above(1_300, 'fixed windows')).toBe(true);
  expect(above(600, 'sliding windows')).toBe(false);
  expect(above(660, 'sliding windows')).toBe(true);
  const columns = columnsOf(traceRecords(36_000));
  const progress = progressChart({ columns, limits, admitted: new Set(), tickMs: null, spans: [] });
  const most = progress.series.find((one) => one.name.startsWith('most by fixed'));
  expect(progress.x.every((_, at) => (progress.series[0]?.values[at] ?? 0) <= (most?.values[at] ?? 0))).toBe(true);
});

test('what was sent beyond the plan is listed with its reasons, which are only text', () => {
  const plain = verdictOf(traceRecords(100));
  const repeats = ['late', 'late again'].map((why, firstStep) => ({ firstStep, why }));
  const beyond = { ...plain, trace: { ...plain.trace, repeats, further: { why: '<b>unclear</b>', seconds: 1 } } };
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

test('data cannot leave its script element', () => {
  const text = embeddable(['</script><!--', '\u2028&']);
  expect(text).not.toMatch(/[<>&\u2028]/);
  expect(JSON.parse(text)).toEqual(['</script><!--', '\u2028&']);
});
