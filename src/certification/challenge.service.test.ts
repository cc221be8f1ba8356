import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { runInProcess } from '../cli/run.test-kit.js';
import { scratch } from '../folder.test-kit.js';
import type { Requirement } from '../requirement/requirement.js';
import { version } from '../version.js';
import { packArchive, unpackArchive } from './bundle/archive.js';
import { checks, forge, make, ofAnotherSuite, publicKey } from './bundle/bundle.test-kit.js';
import { packChallenge, replayChallenge } from './challenge.js';
import { readRulings, type Ruling } from './rulings.js';
import { describeVerification, statusOf } from './verify/describe-verification.js';
import { verifyBundle } from './verify/verify-bundle.js';

test('a challenge holds what a verdict follows from, and anybody judges it again from that', async () => {
  using made = await make({}, { demoStatus: 500, allowIncomplete: true });
  const packed = await packChallenge('DEMO-01', made.folder, 'the demo is closed on Sundays');
  made.remove();
  const again = await replayChallenge(packed, 'a.challenge', checks);
  expect(again).toMatchObject({
    sameSuite: true,
    challenge: { id: 'DEMO-01', verdict: 'fail', seed: 7, dispute: 'the demo is closed on Sundays' },
    found: { verdict: 'fail' },
  });
  expect(again.challenge.findings[0]?.curl).toContain('/api/demo/units');
  // A suite that is corrected says otherwise of the same exchanges.
  const corrected = checks.map((check) =>
    check.id === 'DEMO-01'
      ? {
          ...check,
          body: async ({ check: it }: Parameters<typeof check.body>[0]) => {
            await it.ask({ path: '/api/demo/units', as: null });
          },
        }
      : check,
  );
  expect((await replayChallenge(packed, 'a.challenge', corrected)).found?.verdict).toBe('pass');
  expect((await replayChallenge(packed, 'a.challenge', checks.slice(0, 2))).found).toBeNull();
});

test('a challenge that is none, or reaches out of its folder, is refused in one sentence', async () => {
  using made = await make();
  const packed = await packChallenge('UNIT-01', made.folder, 'x');
  const files = await unpackArchive(packed);
  const outside = await packArchive([...files, { name: 'evidence/../../x', bytes: Buffer.from('x') }]);
  const other = (named: string, change: (text: string) => string): Promise<Buffer> =>
    packArchive(
      files.map(({ name, bytes }) => ({
        name: name.startsWith('evidence/exchanges') && name.startsWith(named) ? name.replace(/\.(br|gz)$/, '') : name,
        bytes: name.startsWith(named) ? Buffer.from(change(bytes.toString())) : bytes,
      })),
    );
  const foreign = await other('evidence/run.json', (text) =>
    text.replace('"TENANT"', '"CONTRACT": "/etc/hostname", "TENANT"'),
  );
  for (const [archive, says] of [
    [Buffer.from('no archive'), /^a is no challenge: expected the file/],
    [await packArchive([]), /^a is no challenge: expected the file/],
    [await other('challenge.json', (text) => text.replace('"findings"', '"x"')), /^a is no challenge: expected the/],
    [await other('challenge.json', (text) => text.replace('"suite"', '"x"')), /^a is no challenge: expected the/],
    [await other('evidence/exchanges', () => 'x\n'), /^a cannot be judged \(/],
    [outside, /^a holds "evidence\/\.\.\/\.\.\/x": expected/],
    [foreign, /^a cannot be judged \(evidence\/contract\.json: /],
  ] as const)
    await expect(replayChallenge(archive, 'a', checks)).rejects.toThrow(says);
  await expect(packChallenge('DEAL-01', made.folder, 'x')).rejects.toThrow(/has no verdict on DEAL-01/);
});

test('the command asks for what it needs', async () => {
  using place = scratch();
  const run = async (...args: string[]): Promise<string> => {
    const { status, err } = await runInProcess(['challenge', ...args], {}, place.folder);
    expect(status).toBe(2);
    return err;
  };
  expect(await run('UNIT-05')).toBe(
    'challenge UNIT-05 needs --report: expected the folder of the run whose verdict is wrong.\n',
  );
  expect(await run('UNIT-05', '--report', 'reports')).toMatch(/^challenge needs --reason: expected what the verdict/);
  expect(await run('UNIT-05', '--report', 'reports', '--reason', 'x')).toMatch(/conformance\.json cannot be read/);
  expect(await run('unit 5', '--report', 'reports')).toMatch(/^"unit 5" is no id of a requirement/);
  expect(await run('a.challenge')).toMatch(/^a\.challenge cannot be read/);
});

test('an accepted ruling takes its requirement out of the certificate, for the versions it names', async () => {
  const product = `vendor: Acme Inc.\nproduct: DealerHub\nversion: '2'\ntype: service\nurls: { product: https://acme.example, api: [https://acme.example] }\ncontact: a@acme.example\n`;
  using made = await make({}, { demoStatus: 500, allowIncomplete: true, product });
  const accepted: Ruling = {
    ...{ id: 'DEMO-01', ruling: 'accepted', suites: [version], date: '2026-12-01' },
    reason: 'the demo may be closed',
  };
  const judged = (rulings: Ruling[]): ReturnType<typeof verifyBundle> =>
    verifyBundle(made.archive, { trusted: [publicKey], checks, rulings });
  const found = await judged([accepted]);
  expect(statusOf(found)).toBe(0);
  expect(describeVerification(found, true)).toContain(
    'Ruling       DEMO-01 does not count: accepted on 2026-12-01, the demo may be closed\n',
  );
  const others: Ruling[] = [
    { ...accepted, ruling: 'rejected' },
    { ...accepted, suites: ['9.9'] },
    { ...accepted, id: 'UNIT-01' },
    { ...accepted, products: ['v1/acme', 'v1/other/dealerhub'] },
  ];
  expect(statusOf(await judged([{ ...accepted, products: ['v1/other', 'v1/acme-inc'] }]))).toBe(0);
  for (const ruling of others) expect(statusOf(await judged([ruling]))).toBe(3);
  // Levels follow from the evidence, whatever the report of another suite says.
  const closed = checks.map((check): Requirement =>
    check.id === 'DEMO-01'
      ? { ...check, body: ({ check: it }) => Promise.resolve(it.notApplicable('no demo: set X')) }
      : check,
  );
  const older = await forge(made.archive, () => undefined, ofAnotherSuite);
  const ruled = await verifyBundle(older, { trusted: [], checks: closed, rulings: [{ ...accepted, id: 'UNIT-01' }] });
  expect(ruled.ruled?.levels[1]).toMatchObject({ name: 'Demo', standing: 'not judged' });
});

test('rulings are data that is checked', () => {
  using place = scratch();
  const write = (name: string, text: string): void => writeFileSync(join(place.folder, name), text);
  const text = 'id: UNIT-05\nruling: accepted\nsuites: ["0.1"]\nreason: no sentence says it\ndate: 2026-12-01\n';
  write('UNIT-05.yaml', text);
  expect(readRulings(place.folder)).toMatchObject([{ id: 'UNIT-05', suites: ['0.1'], date: '2026-12-01' }]);
  write('UNIT-06.yaml', text);
  expect(() => readRulings(place.folder)).toThrow(/UNIT-06\.yaml is about UNIT-05: expected a file name/);
  write('UNIT-06.yaml', text.replace('accepted', 'perhaps'));
  expect(() => readRulings(place.folder)).toThrow(/UNIT-06\.yaml: \/ruling must be .*"open","accepted","rejected"/);
  mkdirSync(join(place.folder, 'empty'));
  expect(readRulings(join(place.folder, 'empty'))).toEqual([]);
  expect(() => readRulings(join(place.folder, 'none'))).toThrow(/none is not there: expected a folder with rulings/);
});
