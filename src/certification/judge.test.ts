import { expect, test } from '@playwright/test';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rerunArguments } from '../cli/commands/rerun.js';
import { readArguments } from '../cli/arguments.js';
import { waive } from '../cli/commands/waive.js';
import { githubAnnotations } from '../reports/annotations.js';
import { outcomeText, waivedLines } from '../reports/console-format.js';
import { renderHtml } from '../reports/html/html-page.js';
import { renderJUnit } from '../reports/junit.js';
import { exitStatus } from '../reports/outcome.js';
import { sampleReport, sampleResult } from '../reports/test-kit.js';
import { fingerprintOf, mostFindings } from '../requirement/fingerprint.js';
import type { Finding, Report, RequirementResult, Verdict } from '../requirement/types.js';
import { SettingsError } from '../settings/settings-error.js';
import { applyWaivers } from './apply-waivers.js';
import { compareReports } from './compare/compare.js';
import { renderComparison, renderTable } from './compare/compare-page.js';
import { readPrivateKey, readPublicKey, writeKeyPair } from './bundle/keys.js';
import { levelsOf } from './levels.js';
import { parseReport } from './read-report.js';
import { parseWaivers, readWaivers } from './read-waivers.js';
import { secretShape } from '../run/run-file.js';
import { settingsForGrading } from './bundle/settings-for-grading.js';
import { scratch } from '../folder.test-kit.js';

const core = ['DOC-01', 'ENV-01', 'UNIT-01', 'LEAD-01', 'IDEM-01', 'DEAL-01', 'PLAN-01', 'AUTH-01', 'VER-01'];
const results = (verdicts: Readonly<Record<string, Verdict>>): RequirementResult[] =>
  Object.entries(verdicts).map(([id, verdict]) => sampleResult(id, verdict));
const allPass = core.map((id) => sampleResult(id, 'pass'));
const coreOf = (more: readonly ReturnType<typeof sampleResult>[]): string =>
  levelsOf({ requirements: [...allPass, ...more] })[0]?.standing ?? '';

test('a level needs everything in it: nothing failed, blocked or left out', () => {
  expect(coreOf([])).toBe('granted');
  for (const verdict of ['fail', 'blocked', 'error', 'not-applicable'] as const)
    expect(coreOf([sampleResult('AUTH-04', verdict)])).toBe('withheld');
  expect(
    coreOf([
      sampleResult('LEAD-06', 'warn', { level: 'SHOULD' }),
      sampleResult('DOC-10', 'not-applicable'),
      sampleResult('LEAD-08', 'not-applicable', { level: 'OBSERVE' }),
    ]),
  ).toBe('granted');
  expect(levelsOf({ requirements: allPass.slice(1) })[0]).toMatchObject({
    standing: 'withheld',
    why: 'DOC was not run',
  });
  const limits = levelsOf({ requirements: [...allPass, sampleResult('LIMIT-01', 'pass')] }, ['independent']);
  expect(limits.filter((one) => one.standing === 'granted').map((one) => one.name)).toEqual([
    'Core',
    'Limits: independent',
  ]);
});

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
    const found = applyWaivers(sampleReport([...allPass, sampleResult('UNIT-07', verdict), ...more]), [waiver], today);
    return [found, exitStatus(found)];
  };
  const [passed, status] = judged('fail');
  expect([status, passed.outcome, passed.counts.waived, outcomeText(passed)]).toEqual([
    0,
    'conformant',
    1,
    'Passed with 1 waiver',
  ]);
  expect(passed.requirements.at(-1)).toMatchObject({ verdict: 'waived', waivedVerdict: 'fail' });
  const [expired, failed] = judged('fail', '2027-01-01');
  expect([failed, expired.counts.fail, outcomeText(expired), expired.outdatedWaivers]).toEqual([
    1,
    1,
    'Not conformant',
    ['the waiver for UNIT-07 (inventory) expired on 2026-12-31: renew it, or remove it'],
  ]);
  const [unneeded, red] = judged('pass');
  expect([red, unneeded.outcome, outcomeText(unneeded), unneeded.outdatedWaivers]).toEqual([
    1,
    'nonconformant',
    'Waivers out of date',
    ['UNIT-07 passes, so remove its waiver (inventory) from the waivers file'],
  ]);
  expect(judged('pass', '2027-01-01')[0].outdatedWaivers).toEqual(unneeded.outdatedWaivers);
  expect(judged('not-applicable')[1]).toBe(0);
  expect(judged('fail', '2026-12-31', [sampleResult('DEAL-02', 'fail')])[1]).toBe(1);
  expect(judged('blocked')[1]).toBe(0);
  expect(judged('error')[1]).toBe(4);
});

test('a waiver for a finding accepts that finding in any run, and no other', () => {
  const finding = (actual: string): Finding => ({ expected: 'at most 5 units', actual, exchanges: [] });
  const judged = (...seen: readonly string[]): Verdict | undefined =>
    applyWaivers(
      sampleReport([sampleResult('UNIT-04', 'fail', { findings: seen.map(finding) })]),
      [{ ...waiver, id: 'UNIT-04', finding: fingerprintOf('UNIT-04', finding('page 2 of u-7 → 200: 25 units')) }],
      '2026-01-01',
    ).requirements[0]?.verdict;
  expect(judged('page 3 of u-9 → 200: 31 units', 'page 2 of u-7 → 200: 25 units')).toBe('waived');
  expect(judged('page 2 of u-7 → 500: 25 units')).toBe('fail');
  expect(judged('page 2 of u-7 → 200: 25 units', 'page 2 shows a sold unit')).toBe('fail');
  expect(judged(...Array.from({ length: mostFindings }, () => 'page 2 of u-7 → 200: 25 units'))).toBe('fail');
});

test('waived stands in every report with its reason', () => {
  const report = applyWaivers(
    sampleReport([...allPass, sampleResult('UNIT-07', 'fail')]),
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
  const headingWith = (...more: RequirementResult[]): string | undefined =>
    /<h2 id="breaches">([^<]*)</.exec(
      renderHtml({ ...report, requirements: [...report.requirements, ...more] }, () => undefined),
    )?.[1];
  const [failed, blocked] = [sampleResult('DEAL-02', 'fail'), sampleResult('DEAL-03', 'blocked')];
  expect(headingWith()).toBe('What is waived');
  expect(headingWith(blocked)).toBe('What could not be judged, or is waived');
  expect(headingWith(failed, blocked)).toBe('What failed, could not be judged, or is waived');
  expect(waivedLines(report.requirements.at(-1) ?? sampleResult('UNIT-07', 'fail'), (_, text) => text)[1]).toContain(
    says,
  );
  expect(parseReport(JSON.stringify(report), 'it').counts.waived).toBe(1);
  const { waived: _none, ...counts } = sampleReport(allPass).counts;
  expect(() => parseReport(JSON.stringify({ ...sampleReport(allPass), counts }), 'an older one')).not.toThrow();
  expect(levelsOf(report)[0]).toMatchObject({ standing: 'withheld', why: 'UNIT-07 is waived' });
});

test('waive adds the failures of a report to the waivers file, renews them, and keeps its comments', async ({}, info) => {
  const file = info.outputPath('waivers.yaml');
  const report = info.outputPath('conformance.json');
  writeFileSync(file, '# ours\nwaivers:\n  - id: DEAL-01 # ticket 7\n    reason: old\n    expires: 2026-01-01\n');
  writeFileSync(
    report,
    JSON.stringify(sampleReport([sampleResult('UNIT-07', 'fail'), sampleResult('DEAL-01', 'pass')])),
  );
  const asked = (...more: string[]) =>
    waive(readArguments(['waive', report, '--waivers', file, '--reason', 'known', ...more]));
  await asked('--expires', '2026-06-01');
  await asked('--expires', '2026-12-31', '--findings', '--owner', 'us');
  await asked('--expires', '2026-12-31');
  expect(readFileSync(file, 'utf8')).toMatch(/^# ours\nwaivers:\n {2}- id: DEAL-01 # ticket 7\n/);
  expect(readWaivers(file)).toEqual([
    { id: 'DEAL-01', reason: 'old', expires: '2026-01-01' },
    {
      id: 'UNIT-07',
      reason: 'known',
      expires: '2026-12-31',
      owner: 'us',
      finding: expect.stringMatching(/^[0-9a-f]{12}$/) as unknown,
    },
    { id: 'UNIT-07', reason: 'known', expires: '2026-12-31' },
  ]);
  for (const [only, is] of [
    ['UNIT-07,DEAL-01', '"DEAL-01", which did not fail in this report (passed)'],
    ['deal', '"DEAL", which is a section in which nothing failed in this report'],
    ['LEAD-01', '"LEAD-01", which is not in this report'],
  ] as const)
    await expect(asked('--expires', '2026-12-31', '--only', only)).rejects.toThrow(
      `--only names ${is}: expected a requirement that failed or was blocked, which are UNIT-07.`,
    );
  await expect(asked('--expires', 'soon')).rejects.toThrow(/expires "soon", which is no day/);
  await expect(waive(readArguments(['waive', report, '--expires', '2026-12-31']))).rejects.toThrow(/needs --reason/);
});

test('a waivers file is read, or refused in one sentence', () => {
  expect(parseWaivers(yaml('    expires: 2026-12-31\n'), 'w.yaml', ['UNIT-07'])).toEqual([waiver]);
  const laughs = `a: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nwaivers: [*b,*b,*b,*b,*b,*b]\n`;
  const wrong = {
    'has no expires': yaml(''),
    'which is no day': yaml('    expires: 2026-02-30\n'),
    'which is not understood': yaml('    expires: 2026-12-31\n    until: never\n'),
    'is no usable YAML': yaml('    expires: 2026-12-31\n    expires: 2027-12-31\n'),
    'which is no http or https address': yaml('    expires: 2026-12-31\n').replace('https:', 'javascript:'),
    'has no list of waivers': 'UNIT-07: yes\n',
    'a second time': `${yaml('    expires: 2026-12-31\n')}${yaml('    expires: 2026-12-31\n').replace('waivers:\n', '')}`,
    'w.yaml': laughs,
    'is no usable YAML (': 'waivers: !!js/function x\n',
  };
  for (const [says, text] of Object.entries(wrong)) {
    let said = '';
    try {
      parseWaivers(text, 'w.yaml');
    } catch (error) {
      expect(error).toBeInstanceOf(SettingsError);
      said = String(error);
    }
    expect(said, text).toContain(says);
    expect(said.split('\n')).toHaveLength(1);
  }
  expect(() => parseWaivers(yaml('    expires: 2026-12-31\n'), 'w.yaml', ['UNIT-01'])).toThrow(/no requirement/);
});

test('a comparison names what is worse and better, counts what one run left out, and names every observation that differs', () => {
  const seen = { id: 'LEAD-08', question: 'an unknown unit?' };
  const a = sampleReport(
    [
      ...results({ 'UNIT-01': 'pass', 'UNIT-02': 'fail', 'UNIT-03': 'pass', 'DEAL-01': 'pass' }),
      sampleResult('HOOK-01', 'not-applicable'),
      { ...sampleResult('LIMIT-01', 'not-applicable'), reason: 'it waits for limit windows: run certify' },
    ],
    [
      { ...seen, observed: '422' },
      { id: 'DEAL-01', question: 'of what B left out?', observed: 'something' },
    ],
  );
  const b = sampleReport(
    results({ 'UNIT-01': 'blocked', 'UNIT-02': 'pass', 'UNIT-03': 'pass', 'PLAN-01': 'pass', 'LIMIT-01': 'fail' }),
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

test('a failure that B waives is neither better nor worse; one that only A waives is worse in B', () => {
  const a = {
    name: 'a',
    report: sampleReport(results({ 'UNIT-06': 'blocked', 'UNIT-07': 'pass', 'UNIT-08': 'pass' })),
  };
  const failed = sampleReport(results({ 'UNIT-06': 'blocked', 'UNIT-07': 'fail', 'UNIT-08': 'pass' }));
  const b = { name: 'b', report: applyWaivers(failed, [waiver, { ...waiver, id: 'UNIT-06' }], '2026-01-01') };
  const found = compareReports(a, b);
  expect(found.changes.map((one) => `${one.id} ${one.from ?? ''} → ${one.to ?? ''}: ${one.change}`)).toEqual([
    'UNIT-06 blocked → waived: waived',
    'UNIT-07 pass → waived: waived',
  ]);
  expect(found.worse).toBe(false);
  expect(renderTable(found)).toMatch(
    /\nwaived {2}UNIT-07 {3}pass → waived [^]*\n\nB is not worse than A; 2 waived in B\.\n$/,
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

test('rerun takes what failed, was blocked or broke the suite, with the same seed, and nothing else', async () => {
  using place = scratch();
  const report = sampleReport([
    ...allPass,
    sampleResult('UNIT-07', 'fail'),
    sampleResult('IDEM-03', 'blocked'),
    sampleResult('LEAD-05', 'error'),
    sampleResult('LEAD-06', 'warn'),
    sampleResult('HOOK-01', 'not-applicable'),
  ]);
  const file = join(place.folder, 'conformance.json');
  writeFileSync(file, JSON.stringify(report));
  mkdirSync(join(place.folder, 'evidence'));
  writeFileSync(
    join(place.folder, 'evidence', 'run.json'),
    JSON.stringify({
      format: 'dealership-conformance-run/1',
      suite: report.suite,
      started: report.started,
      seed: 42,
      nonce: 'n',
      depth: 'gate',
      requestBudget: 90,
      only: null,
      embedded: false,
      settings: {
        BASE_URL: 'https://api.example.test',
        TENANT: 'north',
        API_KEY: '[set]',
        LIMITS_DEMO: '20/1s',
        WEBHOOK_TRIGGER: 'https://api.example.test/?token=[redacted:WEBHOOK_TRIGGER]',
      },
      order: [],
      ended: true,
    }),
  );
  const given = { command: 'rerun', operands: [place.folder], settings: { TENANT: 'south' }, options: {} };
  const due = await rerunArguments(given);
  expect(due?.again.options).toMatchObject({
    only: 'UNIT-07,IDEM-03,LEAD-05',
    requests: '90',
    out: join(place.folder, 'rerun'),
  });
  const settings = { BASE_URL: 'https://api.example.test', LIMITS_DEMO: '20/1s', SEED: '42' };
  expect(due?.again.settings).toEqual({ ...settings, TENANT: 'south' });
  expect(due?.depth).toBe('gate');
  const one = ['rerun', place.folder, '--only', 'unit-01', '--path', '3:0'];
  expect((await rerunArguments(readArguments(one)))?.again).toMatchObject({
    options: { only: 'unit-01', path: '3:0', out: join(place.folder, 'replay-UNIT-01') },
    settings: { ...settings, TENANT: 'north' },
  });
  await expect(rerunArguments(readArguments(['rerun', place.folder, '--path', '3:0']))).rejects.toThrow(
    /without --only/,
  );
  writeFileSync(file, JSON.stringify(sampleReport(allPass)));
  expect(await rerunArguments({ command: 'rerun', operands: [file], settings: {}, options: {} })).toBeNull();
});

test('a key pair is written once, the private half for its owner alone', () => {
  using place = scratch();
  const prefix = join(place.folder, 'vendor');
  const made = writeKeyPair(prefix);
  expect(statSync(made.privateFile).mode & 0o777).toBe(0o600);
  expect(readPrivateKey(made.privateFile).asymmetricKeyType).toBe('ed25519');
  expect(readPublicKey(made.publicFile).type).toBe('public');
  expect(() => readPublicKey(made.privateFile)).toThrow(/holds a private key/);
  expect(() => readPrivateKey(made.publicFile)).toThrow(/holds no usable key/);
  const before = readFileSync(made.privateFile, 'utf8');
  expect(() => writeKeyPair(prefix)).toThrow(/is there already/);
  expect(readFileSync(made.privateFile, 'utf8')).toBe(before);
});

test('of a secret only its shape is written, and a stand-in has the same shape', () => {
  const settings = { API_KEY: 'sk_1234567', API_KEY_INDEPENDENT: 'sk_1234567', OTHER_API_KEY: '12345678' };
  const shapes = {
    API_KEY: secretShape('API_KEY', settings),
    API_KEY_INDEPENDENT: secretShape('API_KEY_INDEPENDENT', settings),
    OTHER_API_KEY: secretShape('OTHER_API_KEY', settings),
  };
  expect(shapes).toEqual({
    API_KEY: '[set]',
    API_KEY_INDEPENDENT: '[set, same as API_KEY]',
    OTHER_API_KEY: '[set, no letters]',
  });
  const again = settingsForGrading({ ...shapes, TENANT: 'north' });
  expect(again.TENANT).toBe('north');
  expect(again.API_KEY).toBe(again.API_KEY_INDEPENDENT);
  expect(again.OTHER_API_KEY).not.toMatch(/[a-z]/i);
  expect(settingsForGrading(shapes, { API_KEY: 'known' }).API_KEY).toBe('known');
});
