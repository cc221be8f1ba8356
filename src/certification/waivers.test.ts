import { expect, test } from '@playwright/test';
import { readFileSync, writeFileSync } from 'node:fs';
import { readArguments } from '../cli/arguments.js';
import { waive } from '../cli/commands/waive.js';
import { githubAnnotations } from '../reports/annotations.js';
import { causeLines, outcomeText, painter } from '../reports/console-format.js';
import { renderHtml } from '../reports/html/html-page.js';
import { causesOf } from '../reports/judged.js';
import { renderJUnit } from '../reports/junit.js';
import { exitStatus } from '../requirement/outcome.js';
import { corePasses, sampleReport, sampleResult, sampleResults } from '../reports/test-kit.js';
import { fingerprintOf, mostFindings } from '../requirement/fingerprint.js';
import type { Finding, Report, RequirementResult, Verdict } from '../requirement/types.js';
import { SettingsError } from '../settings/settings-error.js';
import { applyWaivers } from './apply-waivers.js';
import { compareReports } from './compare/compare.js';
import { renderComparison, renderTable } from './compare/compare-page.js';
import { levelsOf } from './levels.js';
import { parseReport } from './read-report.js';
import { parseWaivers, readWaivers } from './read-waivers.js';

const waiver = {
  id: 'UNIT-07',
  reason: 'the gateway answers',
  link: 'https://issues.example/7',
  owner: 'inventory',
  expires: '2026-12-31',
};
const yaml = (lines: string): string =>
  `waivers:\n  - id: UNIT-07\n    reason: the gateway answers\n    link: https://issues.example/7\n    owner: inventory\n${lines}`;

test('a waiver turns a failure into "waived"; an expired or unneeded one makes the report nonconformant', () => {
  const judged = (
    verdict: Verdict,
    today = '2026-12-31',
    more: readonly RequirementResult[] = [],
  ): [Report, number] => {
    const found = applyWaivers(
      sampleReport([...corePasses, sampleResult('UNIT-07', verdict), ...more]),
      [waiver],
      today,
    );
    return [found, exitStatus(found)];
  };
  const [passed] = judged('fail');
  expect([passed.outcome, passed.counts.waived, outcomeText(passed)]).toEqual([
    'conformant',
    1,
    'Passed with 1 waiver',
  ]);
  expect(passed.requirements.at(-1)).toMatchObject({ verdict: 'waived', waivedVerdict: 'fail' });
  const [unneeded] = judged('pass');
  expect([unneeded.outcome, outcomeText(unneeded)]).toEqual(['nonconformant', 'Waivers out of date']);
  const expired = ['the waiver for UNIT-07 (inventory) expired on 2026-12-31: renew it, or remove it'];
  const passes = ['UNIT-07 passes, so remove its waiver (inventory) from the waivers file'];
  const late = '2027-01-01';
  const rows: readonly (readonly [Parameters<typeof judged>, number, string[]?])[] = [
    [['fail'], 0],
    [['fail', late], 1, expired],
    [['pass'], 1, passes],
    [['pass', late], 1, passes],
    [['not-applicable'], 0],
    [['fail', '2026-12-31', [sampleResult('DEAL-02', 'fail')]], 1],
    [['blocked'], 0],
    [['error'], 4],
  ];
  for (const [args, status, outdated] of rows) {
    const [report, exit] = judged(...args);
    expect([exit, report.outdatedWaivers], args.join()).toEqual([status, outdated]);
  }
});

test('a waiver for a finding accepts that finding in any run, and no other', () => {
  const finding = (actual: string, status = 200): Finding => {
    const found = {
      code: 'too-many',
      expected: 'at most 5 units',
      actual,
      place: { operation: 'GET /api/v1/units', status },
      exchanges: [],
    };
    return { ...found, fingerprint: fingerprintOf('UNIT-04', found) };
  };
  const known = finding('page 2 of u-7 → 200: 25 units');
  const judged = (...findings: readonly Finding[]): Verdict | undefined =>
    applyWaivers(
      sampleReport([sampleResult('UNIT-04', 'fail', { findings })]),
      [{ ...waiver, id: 'UNIT-04', finding: known.fingerprint ?? '' }],
      '2026-01-01',
    ).requirements[0]?.verdict;
  expect(judged(finding('worded otherwise'), known)).toBe('waived');
  expect(judged(finding('page 2 of u-7 → 500: 25 units', 500))).toBe('fail');
  expect(judged(known, { ...known, fingerprint: fingerprintOf('UNIT-04', { ...known, code: 'other' }) })).toBe('fail');
  expect(judged({ ...known, fingerprint: '' })).toBe('fail');
  expect(judged(...Array.from({ length: mostFindings }, () => known))).toBe('fail');
});

test('waived stands in every report with its reason', () => {
  const report = applyWaivers(
    sampleReport([...corePasses, sampleResult('UNIT-07', 'fail')]),
    [waiver, { ...waiver, id: 'UNIT-01' }],
    '2026-01-01',
  );
  const says = 'waived until 2026-12-31 (inventory, https://issues.example/7): the gateway answers; failed: expected';
  const junit = renderJUnit(report);
  expect(junit).toContain(`<skipped message="${says}`);
  expect(junit).toContain('failures="1"');
  expect(junit).toContain('UNIT-01 passes, so remove its waiver (inventory)');
  expect(githubAnnotations(report, { GITHUB_ACTIONS: 'true' })).toEqual([
    expect.stringContaining('::error title=outdated waiver::UNIT-01'),
    expect.stringContaining(`::notice title=UNIT-07 waived%3A`),
  ]);
  const page = renderHtml(report, () => undefined);
  expect(page).toContain(says);
  expect(page).toContain('so remove its waiver');
  expect(page).toContain('What decides the outcome');
  expect(causesOf(report.requirements, 'waived').map((cause) => causeLines(cause, painter(false))[1])).toEqual([
    expect.stringContaining(says),
  ]);
  expect(parseReport(JSON.stringify(report), 'it').counts.waived).toBe(1);
  const { waived: _none, ...counts } = sampleReport(corePasses).counts;
  expect(() => parseReport(JSON.stringify({ ...sampleReport(corePasses), counts }), 'an older one')).not.toThrow();
  expect(levelsOf(report, [])[0]).toMatchObject({ standing: 'withheld', why: 'UNIT-07 is waived' });
});

test('waive adds the failures of a report to the waivers file, renews them, and keeps its comments', async ({}, info) => {
  const file = info.outputPath('waivers.yaml');
  const report = info.outputPath('conformance.json');
  writeFileSync(
    file,
    '# ours\nwaivers:\n  - id: DEAL-01 # ticket 7\n    reason: old\n    expires: 2026-01-01\n  - id: UNIT-07\n    finding: 0123456789abcdef0123\n    reason: one\n    owner: us\n    expires: 2026-12-31\n',
  );
  writeFileSync(
    report,
    JSON.stringify(sampleReport([sampleResult('UNIT-07', 'fail'), sampleResult('DEAL-01', 'pass')])),
  );
  const asked = (...more: string[]) =>
    waive(readArguments(['waive', report, '--waivers', file, '--reason', 'known', ...more]));
  asked('--expires', '2026-06-01');
  asked('--expires', '2026-12-31');
  expect(readFileSync(file, 'utf8')).toMatch(/^# ours\nwaivers:\n {2}- id: DEAL-01 # ticket 7\n/);
  expect(readWaivers(file)).toEqual([
    { id: 'DEAL-01', reason: 'old', expires: '2026-01-01' },
    { id: 'UNIT-07', finding: '0123456789abcdef0123', reason: 'one', owner: 'us', expires: '2026-12-31' },
    { id: 'UNIT-07', reason: 'known', expires: '2026-12-31' },
  ]);
  expect(() => asked('--expires', '2026-12-31', '--only', 'UNIT-07,DEAL-01')).toThrow(
    '--only names "DEAL-01", which is none: expected a requirement that failed or was blocked, which are UNIT-07.',
  );
  expect(() => asked('--expires', 'soon')).toThrow(/\/waivers\/0\/expires must match format "date"/);
});

test('a waivers file is read, or refused in one sentence', () => {
  expect(parseWaivers(yaml('    expires: 2026-12-31\n'), 'w.yaml', ['UNIT-07'])).toEqual([waiver]);
  const laughs = `a: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nwaivers: [*b,*b,*b,*b,*b,*b]\n`;
  const wrong = {
    "must have required property 'expires'": yaml(''),
    '/waivers/0/expires must match format "date"': yaml('    expires: 2026-02-30\n'),
    'must NOT have additional properties ("until")': yaml('    expires: 2026-12-31\n    until: never\n'),
    'is no usable YAML': yaml('    expires: 2026-12-31\n    expires: 2027-12-31\n'),
    '/waivers/0/link must match pattern': yaml('    expires: 2026-12-31\n').replace('https:', 'javascript:'),
    '/waivers/0/finding must match pattern': yaml('    expires: 2026-12-31\n    finding: 0123456789abcdef\n'),
    "the top level must have required property 'waivers'": 'UNIT-07: yes\n',
    'names "UNIT-07", which an entry before it names as well': `${yaml('    expires: 2026-12-31\n')}${yaml('    expires: 2026-12-31\n').replace('waivers:\n', '')}`,
    'w.yaml': laughs,
    'is no usable YAML (': 'waivers: !!js/function x\n',
  };
  for (const [says, text] of Object.entries(wrong)) {
    expect(() => parseWaivers(text, 'w.yaml'), says).toThrow(SettingsError);
    expect(() => parseWaivers(text, 'w.yaml'), text).toThrow(says);
    expect(() => parseWaivers(text, 'w.yaml'), text).toThrow(/^[^\n]*$/);
  }
  expect(() => parseWaivers(yaml('    expires: 2026-12-31\n'), 'w.yaml', ['UNIT-01'])).toThrow(/no requirement/);
});

test('a failure that B waives is neither better nor worse; one that only A waives is worse in B', () => {
  const a = {
    name: 'a',
    report: sampleReport(sampleResults({ 'UNIT-06': 'blocked', 'UNIT-07': 'pass', 'UNIT-08': 'pass' })),
  };
  const failed = sampleReport(sampleResults({ 'UNIT-06': 'blocked', 'UNIT-07': 'fail', 'UNIT-08': 'pass' }));
  const b = { name: 'b', report: applyWaivers(failed, [waiver, { ...waiver, id: 'UNIT-06' }], '2026-01-01') };
  const found = compareReports(a, b);
  expect(found.changes.map((one) => `${one.id} ${one.from ?? ''} → ${one.to ?? ''}: ${one.change}`)).toEqual([
    'UNIT-06 blocked → waived: waived',
    'UNIT-07 pass → waived: waived',
  ]);
  expect(found.worse).toBe(false);
  expect(renderTable(found)).toMatch(
    /\nwaived {2}UNIT-07 {3}pass → waived [^]*\n\nB is not worse than A: 2 waived\.\n$/,
  );
  expect(renderComparison(found)).toContain('pass → waived');
  const backwards = compareReports(b, { name: 'c', report: failed });
  expect(backwards.changes.map((one) => `${one.id} ${one.change}`)).toEqual(['UNIT-06 worse', 'UNIT-07 worse']);
  expect(backwards.worse).toBe(true);
  expect(compareReports(b, a).changes.map((one) => `${one.id} ${one.change}`)).toEqual([
    'UNIT-06 worse',
    'UNIT-07 better',
  ]);
  expect(compareReports(b, b).changes).toEqual([]);
});
