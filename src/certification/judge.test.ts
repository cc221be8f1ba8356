import { expect, test } from '@playwright/test';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rerunArguments } from '../cli/rerun.js';
import { sampleReport, sampleResult } from '../report/test-kit.js';
import { SettingsError } from '../target/settings-error.js';
import { applyWaivers } from './apply-waivers.js';
import { compareReports } from './compare.js';
import { renderComparison, renderTable } from './compare-page.js';
import { idsToRerun } from './ids-to-rerun.js';
import { readPrivateKey, readPublicKey, writeKeyPair } from './keys.js';
import { levelsOf } from './levels.js';
import { parseWaivers } from './read-waivers.js';
import { scratch } from './run.test-kit.js';
import { secretShape } from '../run/run-file.js';
import { settingsForGrading } from './secret-shape.js';

const core = ['DOC-01', 'ENV-01', 'UNIT-01', 'LEAD-01', 'IDEM-01', 'DEAL-01', 'PLAN-01', 'AUTH-01', 'VER-01'];
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

test('a live waiver lets the gate pass and says so; an expired or stale one fails it', () => {
  const failed = sampleReport([...allPass, sampleResult('UNIT-07', 'fail')]);
  expect(applyWaivers(failed, [waiver], '2026-12-31')).toMatchObject({
    outcome: 'conformant',
    exitStatus: 0,
    live: [waiver],
    expired: [],
    stale: [],
  });
  expect(applyWaivers(failed, [waiver], '2026-12-31').sentences[0]).toContain('waived until 2026-12-31 by inventory');
  expect(applyWaivers(failed, [waiver], '2027-01-01')).toMatchObject({
    outcome: 'nonconformant',
    exitStatus: 1,
    live: [],
    expired: [waiver],
  });
  expect(
    applyWaivers(sampleReport([...allPass, sampleResult('UNIT-07', 'pass')]), [waiver], '2026-01-01'),
  ).toMatchObject({ exitStatus: 1, stale: [waiver] });
  expect(
    applyWaivers(sampleReport([...allPass, sampleResult('UNIT-07', 'not-applicable')]), [waiver], '2026-01-01'),
  ).toMatchObject({ exitStatus: 0, live: [], stale: [] });
  expect(
    applyWaivers(sampleReport([...failed.requirements, sampleResult('DEAL-02', 'fail')]), [waiver], '2026-01-01'),
  ).toMatchObject({ outcome: 'nonconformant', exitStatus: 1 });
  expect(
    applyWaivers(sampleReport([...allPass, sampleResult('UNIT-07', 'blocked')]), [waiver], '2026-01-01').exitStatus,
  ).toBe(0);
  expect(
    applyWaivers(sampleReport([...allPass, sampleResult('UNIT-07', 'error')]), [waiver], '2026-01-01').exitStatus,
  ).toBe(4);
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

test('a comparison names what is worse, better and new, and every observation that differs', () => {
  const seen = { id: 'LEAD-08', question: 'an unknown unit?' };
  const a = sampleReport(
    [
      sampleResult('UNIT-01', 'pass'),
      sampleResult('UNIT-02', 'fail'),
      sampleResult('UNIT-03', 'pass'),
      sampleResult('DEAL-01', 'pass'),
    ],
    [{ ...seen, observed: '422' }],
  );
  const b = sampleReport(
    [
      sampleResult('UNIT-01', 'blocked'),
      sampleResult('UNIT-02', 'pass'),
      sampleResult('UNIT-03', 'pass'),
      sampleResult('PLAN-01', 'pass'),
    ],
    [{ ...seen, observed: '<b>201</b>' }],
  );
  const found = compareReports({ name: 'a', report: a }, { name: 'b', report: b });
  expect(found.changes.map((one) => `${one.id} ${one.change}`)).toEqual([
    'DEAL-01 worse',
    'UNIT-01 worse',
    'UNIT-02 better',
    'PLAN-01 new',
  ]);
  expect(found.observations).toMatchObject([{ id: 'LEAD-08', stated: 'an unknown unit? 422', found: '<b>201</b>' }]);
  expect(found.worse).toBe(true);
  expect(compareReports({ name: 'a', report: a }, { name: 'a', report: a })).toMatchObject({
    worse: false,
    changes: [],
    observations: [],
  });
  expect(renderTable(found)).toContain('pass → blocked');
  expect(renderComparison(found)).toContain('&lt;b&gt;201');
});

test('rerun takes what failed, was blocked or broke the suite, with the same seed, and nothing else', async () => {
  const place = scratch();
  try {
    const report = sampleReport([
      ...allPass,
      sampleResult('UNIT-07', 'fail'),
      sampleResult('IDEM-03', 'blocked'),
      sampleResult('LEAD-05', 'error'),
      sampleResult('LEAD-06', 'warn'),
      sampleResult('HOOK-01', 'not-applicable'),
    ]);
    expect(idsToRerun(report)).toEqual({ ids: ['UNIT-07', 'IDEM-03', 'LEAD-05'], seed: 42 });
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
        settings: { BASE_URL: 'https://api.example.test', TENANT: 'north', API_KEY: '[set]' },
        order: [],
        ended: true,
      }),
    );
    const due = await rerunArguments({
      command: 'rerun',
      operands: [place.folder],
      settings: { TENANT: 'south' },
      options: {},
    });
    expect(due?.again.options).toMatchObject({
      only: 'UNIT-07,IDEM-03,LEAD-05',
      requests: '90',
      out: join(place.folder, 'rerun'),
    });
    expect(due?.again.settings).toEqual({ TENANT: 'south', BASE_URL: 'https://api.example.test', SEED: '42' });
    expect(due?.depth).toBe('gate');
    writeFileSync(file, JSON.stringify(sampleReport(allPass)));
    expect(await rerunArguments({ command: 'rerun', operands: [file], settings: {}, options: {} })).toBeNull();
  } finally {
    place.remove();
  }
});

test('a key pair is written once, the private half for its owner alone', () => {
  const place = scratch();
  try {
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
  } finally {
    place.remove();
  }
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
