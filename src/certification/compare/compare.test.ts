import { expect, test } from '@playwright/test';
import { sampleReport, sampleResult, sampleResults } from '../../reports/test-kit.js';
import { compareReports } from './compare.js';
import { renderComparison, renderTable } from './compare-page.js';

test('a comparison names what is worse and better, counts what one run left out, and names every observation that differs', () => {
  const seen = { id: 'LEAD-08', question: 'an unknown unit?' };
  const a = sampleReport(
    [
      ...sampleResults({ 'UNIT-01': 'pass', 'UNIT-02': 'fail', 'UNIT-03': 'pass', 'DEAL-01': 'pass' }),
      sampleResult('HOOK-01', 'not-applicable'),
      sampleResult('LIMIT-01', 'not-applicable', { remedy: { act: 'run', names: ['certify'] } }),
    ],
    [
      { ...seen, observed: '422' },
      { id: 'DEAL-01', question: 'of what B left out?', observed: 'something' },
    ],
  );
  const b = sampleReport(
    sampleResults({
      'UNIT-01': 'blocked',
      'UNIT-02': 'pass',
      'UNIT-03': 'pass',
      'PLAN-01': 'pass',
      'LIMIT-01': 'fail',
    }),
    [{ ...seen, observed: '<b>201</b>' }],
  );
  const found = compareReports({ name: 'a', report: a }, { name: 'b', report: b });
  expect(found.changes.map((one) => `${one.id} ${one.change}`)).toEqual([
    'UNIT-01 worse',
    'UNIT-02 better',
    'LIMIT-01 new',
    'PLAN-01 new',
    'DEAL-01 gone',
  ]);
  expect(found.observations).toMatchObject([
    { id: 'LEAD-08', question: 'an unknown unit?', stated: '422', found: '<b>201</b>' },
  ]);
  expect(found.worse).toBe(true);
  expect(compareReports({ name: 'a', report: a }, { name: 'a', report: a })).toMatchObject({
    worse: false,
    changes: [],
    observations: [],
  });
  expect(renderTable(found)).toContain('pass → blocked');
  expect(renderTable(found)).toContain(
    'B is worse than A: 1 worse, 1 better, 2 judged only in B, 1 judged only in A; 1 observation',
  );
  expect(renderTable(found)).not.toContain('DEAL-01');
  expect(renderComparison(found)).toContain('&lt;b&gt;201');
  const rerun = { name: 'r', report: sampleReport([sampleResult('UNIT-02', 'fail')]) };
  const again = compareReports({ name: 'a', report: a }, rerun);
  expect(again.worse).toBe(false);
  expect(renderTable(again)).toMatch(/\n\nNo verdict differs: 3 judged only in A[;.]/);
});

test('changes that most likely have one cause are told once', () => {
  const finding = { expected: 'one lead', actual: 'two', exchanges: ['7'] };
  const ids = ['IDEM-01', 'IDEM-02', 'UNIT-01'] as const;
  const sound = sampleReport(ids.map((id) => sampleResult(id, 'pass')));
  const broken = sampleReport([
    sampleResult('IDEM-01', 'fail', { findings: [finding] }),
    sampleResult('IDEM-02', 'fail', { findings: [finding] }),
    sampleResult('UNIT-01', 'fail'),
  ]);
  for (const [a, b] of [
    [sound, broken],
    [broken, sound],
  ] as const) {
    const found = compareReports({ name: 'a', report: a }, { name: 'b', report: b });
    expect(found.changes.map(({ id, cause }) => [id, cause])).toEqual([
      ['IDEM-01', undefined],
      ['IDEM-02', 'IDEM-01'],
      ['UNIT-01', undefined],
    ]);
    expect(renderTable(found)).toContain('probably as IDEM-01');
    expect(renderComparison(found)).toContain('Probably by the same cause: IDEM-02.');
  }
});

test('what one of two requirement sets does not demand yet makes neither side worse', () => {
  const upcoming = { name: 'a', report: sampleReport([{ ...sampleResult('UNIT-01', 'warn'), upcoming: '2027-05' }]) };
  const owed = { name: 'b', report: sampleReport([sampleResult('UNIT-01', 'fail')]) };
  expect(compareReports(upcoming, owed)).toMatchObject({ worse: false, changes: [{ id: 'UNIT-01', change: 'new' }] });
  expect(compareReports(owed, upcoming).worse).toBe(false);
});

test('a comparison leaves out what differs from run to run, and shows what a service does otherwise', () => {
  const observed = (detail: string, limit: number) =>
    sampleReport(
      [sampleResult('UNIT-01', 'pass')],
      [
        { id: 'IDEM-09', question: 'Are upper and lower case one key?', observed: 'no', detail },
        { id: 'UNIT-05', question: 'How many units are on a page?', observed: String(limit) },
      ],
    );
  const compare = (limit: number) =>
    compareReports({ name: 'a', report: observed('lead 1', 20) }, { name: 'b', report: observed('lead 2', limit) });
  expect(compare(20).observations).toEqual([]);
  expect(renderTable(compare(20))).toMatch(/\n\nNo verdict differs\.\n$/);
  expect(renderComparison(compare(50))).toContain('How many units are on a page?');
  expect(compare(50).observations).toMatchObject([{ id: 'UNIT-05', found: '50' }]);
  const fewer = { name: 'b', report: sampleReport([sampleResult('UNIT-01', 'pass')]) };
  const missing = compareReports({ name: 'a', report: observed('lead 1', 20) }, fewer).observations;
  expect(missing).toMatchObject([1, 2].map(() => ({ found: 'was not asked' })));
});
