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
    'HOOK-01 gone',
  ]);
  expect(found.observations).toMatchObject([{ id: 'LEAD-08', stated: 'an unknown unit? 422', found: '<b>201</b>' }]);
  expect(found.worse).toBe(true);
  expect(compareReports({ name: 'a', report: a }, { name: 'a', report: a })).toMatchObject({
    worse: false,
    changes: [],
    observations: [],
  });
  expect(renderTable(found)).toContain('pass → blocked');
  expect(renderTable(found)).toContain(
    'B is worse than A: 1 worse, 1 better; 1 not judged in B; 2 not judged in A (1 of them failed in B); 1 observation',
  );
  expect(renderTable(found)).not.toContain('DEAL-01');
  expect(renderComparison(found)).toContain('&lt;b&gt;201');
  const rerun = { name: 'r', report: sampleReport([sampleResult('UNIT-02', 'fail')]) };
  const again = compareReports({ name: 'a', report: a }, rerun);
  expect(again.worse).toBe(false);
  expect(renderTable(again)).toMatch(/\n\nNo verdict differs; 3 not judged in B[;.]/);
});

test('what one of two requirement sets does not demand yet makes neither side worse', () => {
  const upcoming = { name: 'a', report: sampleReport([{ ...sampleResult('UNIT-01', 'warn'), upcoming: '2027-05' }]) };
  const owed = { name: 'b', report: sampleReport([sampleResult('UNIT-01', 'fail')]) };
  expect(compareReports(upcoming, owed)).toMatchObject({ worse: false, changes: [{ id: 'UNIT-01', change: 'new' }] });
  expect(compareReports(owed, upcoming).worse).toBe(false);
});

test('a comparison folds what differs from run to run, and shows what a service does otherwise', () => {
  const observed = (ids: string, requests: number, limit: number) =>
    sampleReport(
      [sampleResult('UNIT-01', 'pass')],
      [
        {
          id: 'IDEM-09',
          question: 'Are upper and lower case one key?',
          observed: `no: "lead_${ids}", seed ${requests}26311555`,
        },
        {
          id: 'IDEM-07',
          question: 'How many sequences?',
          observed: `${requests - 80} sequences with ${requests} requests (0.${requests} s); all`,
        },
        { id: 'UNIT-05', question: 'How many units are on a page?', observed: String(limit) },
      ],
    );
  const compare = (limit: number) =>
    compareReports(
      { name: 'a', report: observed('b2646562688f44af', 109, 20) },
      { name: 'b', report: observed('ed07ccfbfc794521', 107, limit) },
    );
  expect(compare(20)).toMatchObject({ observations: [], incidental: [{ id: 'IDEM-09' }, { id: 'IDEM-07' }] });
  expect(renderTable(compare(20))).toMatch(
    /\n2 more observations differ only in [^\n]*; --json lists them\.\n\nNo verdict differs\.\n$/,
  );
  expect(renderComparison(compare(20))).toContain('<details><summary>2 more observations differ only in');
  expect(compare(50).observations).toMatchObject([{ id: 'UNIT-05', found: '50' }]);
  const fewer = { name: 'b', report: sampleReport([sampleResult('UNIT-01', 'pass')]) };
  expect(
    compareReports({ name: 'a', report: observed('b2646562688f44af', 109, 20) }, fewer).observations,
  ).toMatchObject([1, 2, 3].map(() => ({ found: 'was not asked' })));
});
