import { expect, test } from '@playwright/test';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finishBundle } from '../../cli/bundle-options.js';
import { randomFrom } from '../../run/random.js';
import type { CheckBody } from '../../requirement/requirement.js';
import type { Report } from '../../requirement/types.js';
import { SettingsError } from '../../settings/settings-error.js';
import { packArchive, unpackArchive } from './archive.js';
import {
  checks,
  edit,
  forge,
  make,
  nonce,
  ofAnotherSuite,
  privateKey,
  publicKey,
  verified,
} from './bundle.test-kit.js';
import { concludeVerification } from '../verify/conclusion.js';
import { describeVerification } from '../verify/describe-verification.js';
import { fingerprint } from './keys.js';
import { digestOf, type Manifest } from './manifest.js';
import type { Policy } from '../policy.js';
import type { Product } from '../product.js';
import { openBundle } from './open-bundle.js';
import { checkSignature, signManifest } from './signature.js';
import { verifyBundle } from '../verify/verify-bundle.js';
import { writeBundle } from './write-bundle.js';
import { scratch } from '../../folder.test-kit.js';

const other = generateKeyPairSync('ed25519');
const product = `vendor: Acme Inc.
product: DealerHub
version: 2.4.1
type: service
urls: { product: https://acme.example/dealerhub, api: [https://api.acme.example] }
contact: api@acme.example
region: eu
`;
const policy: Policy = {
  name: 'A programme',
  url: 'https://registry.example',
  validityDays: 365,
  expiringDays: 30,
  maxAgeDays: 90,
  replyDays: 14,
  levels: ['Core'],
  suites: ['0.1'],
  sets: [],
};

/** A bundle whose manifest states something else, signed. */
const restated = (archive: Buffer, more: Partial<Manifest>): Buffer =>
  forge(
    archive,
    () => undefined,
    (manifest) => ({ ...manifest, ...more }),
  );

test('a bundle is verified with the service switched off, and states its levels', async () => {
  using made = await make();
  const found = await verified(made.archive);
  expect(found.problems).toEqual([]);
  expect(found.differences).toEqual([]);
  expect(concludeVerification(found).status).toBe(0);
  expect(found.manifest).toMatchObject({ standing: 'certification', nonce, outcome: 'conformant' });
  expect(found.manifest?.levels.slice(0, 2)).toMatchObject([
    { name: 'Core', standing: 'withheld' },
    { name: 'Demo', standing: 'granted' },
  ]);
});

test('a bundle names its product and its last day, and says so again when it is verified', async () => {
  using made = await make({}, { product, policy });
  const found = await verified(made.archive);
  expect(found.problems).toEqual([]);
  expect(found.manifest?.product).toMatchObject({ vendor: 'Acme Inc.', version: '2.4.1', region: 'eu' });
  const last = new Date(Date.parse(found.manifest?.clock.started ?? '') + 365 * 86_400_000).toISOString().slice(0, 10);
  expect(found.manifest?.validUntil).toBe(last);
  const files = new Map(unpackArchive(made.archive).map(({ name, bytes }) => [name, bytes.toString('utf8')]));
  expect(files.get('product.yaml')).toBe(product);
  expect(files.get('certificate.html')).toContain('DealerHub 2.4.1, Acme Inc. (service, eu)');
  expect(files.get('certificate.html')).toContain(last);
  expect(describeVerification(found, true)).toMatch(
    new RegExp(`^Product {6}DealerHub 2.4.1, Acme Inc. \\(service, eu\\)\n[^]*\nValid until {2}${last}\n`),
  );
  const statusOn = (now: string): number => concludeVerification(found, new Date(now)).status;
  expect(statusOn(`${last}T23:59:59Z`)).toBe(0);
  expect(statusOn('2200-02-01T00:00:00Z')).toBe(3);
  // Who holds the key can neither name another product than product.yaml, nor leave that out.
  const named = { ...(found.manifest?.product as Product), product: 'X' };
  const otherName = restated(made.archive, { product: named });
  const removed = forge(made.archive, (names) => names.delete('product.yaml'));
  for (const one of [otherName, removed])
    expect((await verified(one)).problems.map((problem) => problem.what)).toContainEqual(
      expect.stringContaining('its "product" is not what'),
    );
});

test('a folder for temporary files that cannot be written to is named', async () => {
  using made = await make();
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = join(made.folder, 'absent');
  await expect(verified(made.archive))
    .rejects.toThrow(/absent, the folder for temporary files, cannot be written to \(ENOENT\): .*TMPDIR\.$/)
    .finally(() => {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    });
});

test('another key than the trusted one is named first, and says nothing of the content', async () => {
  using made = await make();
  const said = async (archive: Buffer): Promise<string> => {
    const found = await verifyBundle(archive, { trusted: [other.publicKey], checks });
    expect(concludeVerification(found).status).toBe(1);
    return describeVerification(found, true);
  };
  const anotherKey = /^Signature {4}expected a signature with a key that is trusted here; seen:\n {2}manifest/;
  expect(await said(made.archive)).toMatch(anotherKey);
  expect(await said(made.archive)).toMatch(/^Contents {5}as signed$/m);
  const changed = (text: string): Buffer => {
    const mutant = Buffer.from(made.archive);
    mutant.write('X', mutant.indexOf(text));
    return mutant;
  };
  // Changed content is named below it; a signature that does not fit proves no key.
  expect(await said(changed('<svg'))).toMatch(
    new RegExp(`${anotherKey.source}[^]*\nContents {5}expected contents as signed`),
  );
  expect(await said(changed('"nonce"'))).toMatch(/^Contents {5}expected [^]*does not fit manifest\.json/m);
});

test('each of 1,000 changes of one byte is found and named', async () => {
  using made = await make({}, { product, policy });
  const random = randomFrom(20_260_304);
  const length = made.archive.length;
  const missed: number[] = [];
  for (let turn = 0; turn < 1_000; turn += 1) {
    const at = Math.floor(((turn + random()) * length) / 1_000);
    const mutant = Buffer.from(made.archive);
    mutant[at] = (mutant[at] ?? 0) ^ (1 + Math.floor(random() * 255));
    const { problems } = openBundle(mutant, [publicKey]);
    if (problems.length === 0 || problems.some((one) => one.where === '' || one.what === '')) missed.push(at);
  }
  expect(missed).toEqual([]);
  expect(openBundle(Buffer.concat([made.archive, Buffer.from([0])]), []).problems).not.toEqual([]);
  expect(openBundle(made.archive.subarray(0, -512), []).problems).not.toEqual([]);
  expect(openBundle(Buffer.alloc(0), []).problems).not.toEqual([]);
});

test('every byte of the signature file counts, its base64 and its blanks included', async () => {
  const manifest = Buffer.from('{"a":1}');
  const file = signManifest(manifest, privateKey);
  expect(checkSignature(manifest, file)).toEqual({ signer: fingerprint(publicKey) });
  const { signatures } = JSON.parse(file.toString()) as { signatures: { protected: string }[] };
  expect(Buffer.from(signatures[0]?.protected ?? '', 'base64url').toString()).toContain('"alg":"Ed25519"');
  for (let at = 0; at < file.length; at += 1) {
    for (const bit of [1, 32]) {
      const mutant = Buffer.from(file);
      mutant[at] = (mutant[at] ?? 0) ^ bit;
      expect(checkSignature(manifest, mutant), `byte ${at}`).toEqual(expect.any(String));
    }
  }
});

test('one who signs cannot state what the evidence does not bear out', async () => {
  using made = await make({}, { demoStatus: 500, allowIncomplete: true });
  expect(made.manifest).toMatchObject({ standing: 'rehearsal', outcome: 'nonconformant' });
  const forged = forge(made.archive, (files) =>
    edit<Report>(files, 'conformance.json', (report) => ({
      ...report,
      ...{ outcome: 'conformant', counts: { ...report.counts, pass: report.counts.pass + 1, fail: 0 } },
      requirements: report.requirements.map((one) =>
        one.id === 'DEMO-01' ? { ...one, verdict: 'pass', findings: [], reason: 'no breach' } : one,
      ),
    })),
  );
  const found = await verified(forged);
  expect(
    found.differences.map(
      (one) => `${one.id} ${one.kind} ${one.stated.split(' ')[0] ?? ''} ${one.found.split(' ')[0] ?? ''}`,
    ),
  ).toEqual(['DEMO-01 verdict pass fail']);
  expect(found.problems.map((one) => one.where)).toEqual(
    expect.arrayContaining(['manifest.json', 'junit.xml', 'conformance.html']),
  );
  expect(concludeVerification(found).status).toBe(1);

  const reading = forge(made.archive, (files) =>
    files.set(
      'evidence/run.json',
      (files.get('evidence/run.json') ?? '').replace('"TENANT"', '"CONTRACT": "/etc/hostname", "TENANT"'),
    ),
  );
  expect((await verified(reading)).problems).toMatchObject([{ where: 'evidence/contract.json' }]);

  const other = restated(made.archive, { standing: 'certification', reasons: [], nonce: 'another-nonce' });
  const said = (await verified(other)).problems.map((one) => `${one.where}: ${one.what}`);
  expect(said).toEqual(
    expect.arrayContaining([
      expect.stringContaining('its "standing"'),
      expect.stringContaining('without the nonce'),
      expect.stringContaining('certificate.html'),
    ]),
  );
});

test('no manifest ends a verification, steers a terminal, or makes a line of its own', async () => {
  using made = await make();
  const stating = async (more: object): Promise<string> => {
    const found = await verified(
      forge(
        made.archive,
        () => undefined,
        (one) => ofAnotherSuite({ ...one, ...more }),
      ),
    );
    expect(concludeVerification(found).status).toBe('levels' in more && Array.isArray(more.levels) ? 0 : 1);
    return describeVerification(found, true);
  };
  for (const name of 'clock target reasons product packs levels files suite nonce settings counts contract'.split(' '))
    expect(await stating({ [name]: 5 }), name).toContain('manifest.json: it is no manifest');
  const level = { name: '\x1b[2JVerified.\nVerified.', standing: 'not judged', why: 'x' };
  const said = await stating({ levels: [...made.manifest.levels, level] });
  expect(said).toContain('\\x1b[2JVerified.\\nVerified.');
  expect(said).not.toContain('\x1b');
});

test('a newer suite says what it would say today', async () => {
  using made = await make();
  const newer = checks.map((check) =>
    check.id === 'DEMO-01'
      ? {
          ...check,
          title: 'a stricter sentence',
          body: async ({ check: it }: Parameters<CheckBody>[0]) => {
            const demo = await it.ask({ path: '/api/demo/units', as: null });
            it.fail({ code: 'odd', expected: 'more', actual: 'less', exchanges: [demo] });
          },
        }
      : check,
  );
  const older = forge(made.archive, () => undefined, ofAnotherSuite);
  const found = await verifyBundle(older, { trusted: [publicKey], checks: newer });
  expect(found.problems).toEqual([]);
  expect(found.today).toMatchObject({ sameSuite: false, sameCatalogue: false });
  expect(found.differences.map((one) => `${one.id} ${one.kind} ${one.found.split(' ')[0] ?? ''}`)).toEqual([
    'DEMO-01 verdict fail',
  ]);
  expect(found.today?.levels[1]).toMatchObject({ name: 'Demo', standing: 'withheld' });
  expect(concludeVerification(found).status).toBe(1);
});

test('no bundle is made of a run that failed, was filtered, was scaled or was cut short, nor with a secret in it', async () => {
  await expect(make({ LIMITS_INDEPENDENT: '60/6s,10/1s' })).rejects.toThrow(
    /limits were scaled \(LIMITS_INDEPENDENT is 60\/6s,10\/1s, sold as 600\/60s,100\/1s\)/,
  );
  await expect(make({}, { demoStatus: 500 })).rejects.toThrow(/the run failed \(1 requirements breached\)/);
  await expect(make({ READ_ONLY: '1' })).rejects.toThrow(SettingsError);
  using made = await make({ LIMITS_INDEPENDENT: '60/6s,10/1s' }, { allowIncomplete: true });
  expect(made.manifest.standing).toBe('rehearsal');
  const files = new Map(unpackArchive(made.archive).map(({ name, bytes }) => [name, bytes.toString('utf8')]));
  expect(files.get('certificate.html')).toContain('Rehearsal: this certifies nothing');
  expect(files.get('badge.svg')).toContain('rehearsal');
  expect(concludeVerification(await verified(made.archive)).status).toBe(3);
  const run = join(made.folder, 'evidence', 'run.json');
  writeFileSync(
    run,
    readFileSync(run, 'utf8').replace('"ended": true', '"ended": false').replace('"only": null', '"only": "UNIT-01"'),
  );
  const parts = { out: made.folder, nonce, checks, settings: made.settings };
  const slip = join(made.folder, 'evidence', 'recorded-slip.json');
  writeFileSync(slip, JSON.stringify({ slip: made.settings.API_KEY }));
  const rehearsal = { ...parts, file: made.file, privateKey, allowIncomplete: true };
  await expect(writeBundle(rehearsal)).rejects.toThrow(/the value of API_KEY is in evidence\/recorded-slip\.json/);
  rmSync(slip);
  await expect(writeBundle({ ...rehearsal, settings: { ...made.settings, API_KEY: 'short' } })).rejects.toThrow(
    /API_KEY is shorter than 8/,
  );
  const bundleOptions = { file: join(made.folder, 'again.bundle'), privateKey, allowIncomplete: false };
  // The status of a run that failed or was incomplete stays.
  expect(await Promise.all([0, 1, 3].map((status) => finishBundle(bundleOptions, parts, status)))).toEqual([2, 1, 3]);
  const again = writeBundle({ ...rehearsal, allowIncomplete: false });
  await expect(again).rejects.toThrow(/filtered \(--only UNIT-01\).*cut short/);
});

test('equal files make equal archives, and this is how they are written', async () => {
  const files = [
    { name: 'manifest.json', bytes: Buffer.from('{}\n') },
    { name: 'evidence/run.json', bytes: Buffer.alloc(600, 7) },
  ];
  const archive = packArchive(files);
  // Bundles out there were written so: another encoding by a newer library would make every one of them look changed.
  expect(digestOf(archive)).toBe('sha256:4491bdd5bd32c3822f952dbc515529f247105e1030bb1c7ea53247c7ec030c7b');
  expect(unpackArchive(archive)).toEqual(files);
});

test('a pinned contract travels with the bundle and is judged again from it', async () => {
  using place = scratch();
  const contract = join(place.folder, 'pinned.json');
  writeFileSync(contract, JSON.stringify({ openapi: '3.1.0', info: { title: 't', version: '1' }, paths: {} }));
  const made = await make({ CONTRACT: contract });
  made.remove();
  place.remove();
  const found = await verified(made.archive);
  expect(made.manifest.contract.pinned).toMatch(/^sha256:/);
  expect(found.report?.requirements.find((one) => one.id === 'DOC-10')?.verdict).toBe('pass');
  expect({ problems: found.problems, differences: found.differences }).toEqual({ problems: [], differences: [] });
});
