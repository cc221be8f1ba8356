import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { randomFrom } from '../../run/random.js';
import { attestationsOf, grantsTimeStamp, timeStampRequest } from '../attestations.js';
import type { Policy } from '../policy.js';
import { describeVerification, hasExpired, statusOf } from '../verify/describe-verification.js';
import { unpackArchive } from './archive.js';
import { forge, make, privateKey, publicKey, verified } from './bundle.test-kit.js';
import { fingerprint } from './keys.js';
import { openBundle } from './open-bundle.js';
import { joinBundle, splitBundle } from './public-bundle.js';
import { countersignBundle } from './write-bundle.js';

const certifier = generateKeyPairSync('ed25519');
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
  nonce: 'required',
  certifiers: [],
};

test('a bundle names its product and its last day, and says so again when it is verified', async () => {
  using made = await make({}, { product, policy });
  const found = await verified(made.archive);
  expect(found.problems).toEqual([]);
  expect(found.manifest?.product).toMatchObject({ vendor: 'Acme Inc.', version: '2.4.1', region: 'eu' });
  const last = new Date(Date.parse(found.manifest?.clock.started ?? '') + 365 * 86_400_000).toISOString().slice(0, 10);
  expect(found.manifest?.validUntil).toBe(last);
  const files = new Map((await unpackArchive(made.archive)).map(({ name, bytes }) => [name, bytes.toString('utf8')]));
  expect(files.get('product.yaml')).toBe(product);
  expect(files.get('certificate.html')).toContain('DealerHub 2.4.1, Acme Inc. (service, eu)');
  expect(files.get('certificate.html')).toContain(last);
  expect(describeVerification(found, true)).toMatch(
    new RegExp(`^Product {6}DealerHub 2.4.1, Acme Inc. \\(service\\)\n[^]*\nValid until {2}${last}\n`),
  );
  expect(hasExpired({ validUntil: last }, new Date(`${last}T23:59:59Z`))).toBe(false);
  expect(hasExpired({ validUntil: '2026-01-31' }, new Date('2026-02-01T00:00:00Z'))).toBe(true);
  expect(statusOf(found)).toBe(0);
  expect(statusOf({ ...found, manifest: { ...made.manifest, validUntil: '2020-01-01' } })).toBe(3);
  // Who holds the key can neither name another product than product.yaml, nor leave that out.
  const otherName = await forge(
    made.archive,
    () => undefined,
    (manifest) => ({
      ...manifest,
      product: { ...(manifest.product ?? found.manifest?.product), product: 'X' } as never,
    }),
  );
  const removed = await forge(made.archive, (names) => names.delete('product.yaml'));
  for (const one of [otherName, removed])
    expect((await verified(one)).problems.map((problem) => problem.what)).toContainEqual(
      expect.stringContaining('its "product" is not what'),
    );
});

test('a countersigned bundle counts for both keys, and for no third one', async () => {
  using made = await make({}, { product });
  const both = await countersignBundle(made.archive, certifier.privateKey, new Date('2026-11-27T10:00:00.000Z'));
  const opened = await openBundle(both, [publicKey, certifier.publicKey]);
  expect(opened.problems).toEqual([]);
  expect(opened.signers).toEqual([
    { fingerprint: fingerprint(publicKey) },
    { fingerprint: fingerprint(certifier.publicKey), at: '2026-11-27T10:00:00.000Z' },
  ]);
  const found = await verified(both);
  expect(statusOf(found)).toBe(0);
  expect(describeVerification(found, true)).toContain(
    `${fingerprint(certifier.publicKey)}, countersigned 2026-11-27T10:00:00.000Z`,
  );
  const third = generateKeyPairSync('ed25519').publicKey;
  expect((await openBundle(both, [publicKey, third])).problems).toMatchObject([{ isOtherKey: true }]);
  expect((await openBundle(made.archive, [certifier.publicKey])).problems).toMatchObject([{ isOtherKey: true }]);
  const twice = await countersignBundle(both, privateKey);
  expect((await openBundle(twice, [])).problems).toMatchObject([{ what: 'one key signed it twice' }]);
});

test('no changed byte of the new parts of a bundle goes unseen', async () => {
  using made = await make({}, { product, policy });
  const both = await countersignBundle(made.archive, certifier.privateKey);
  const { open, kept } = await splitBundle(both);
  const random = randomFrom(20_261_127);
  const placesOf = (archive: Buffer, text: string, length: number): [number, number] => {
    const at = archive.indexOf(text);
    expect(at).toBeGreaterThan(0);
    return [at, length];
  };
  const signature = (await unpackArchive(both)).find(({ name }) => name === 'manifest.jws.json');
  const parts: [number, number][] = [
    placesOf(both, product, product.length),
    placesOf(both, '"product": {', 300),
    placesOf(both, '"validUntil"', 30),
    [both.indexOf(signature?.bytes ?? ''), signature?.bytes.length ?? 0],
  ];
  const missed: string[] = [];
  for (let turn = 0; turn < 1_000; turn += 1) {
    const change = (archive: Buffer, from: number, length: number): Buffer => {
      const mutant = Buffer.from(archive);
      const at = from + Math.floor(random() * length);
      mutant[at] = (mutant[at] ?? 0) ^ (1 + Math.floor(random() * 255));
      return mutant;
    };
    const [from, length] = parts[turn % parts.length] ?? [0, 0];
    if ((await openBundle(change(both, from, length), [publicKey, certifier.publicKey])).problems.length === 0)
      missed.push(`bundle ${turn}`);
    if (turn % 5 === 0 && (await openBundle(change(open, 0, open.length), [])).problems.length === 0)
      missed.push(`public ${turn}`);
    const joined = turn % 5 === 0 ? await joinBundle(open, change(kept, 0, kept.length)) : null;
    // What cannot be joined is refused; what was joined although changed must be seen, or be the bundle as it was.
    if (joined !== null && !joined.equals(both) && (await openBundle(joined, [])).problems.length === 0)
      missed.push(`private ${turn}`);
  }
  expect(missed).toEqual([]);
});

test('a public bundle holds no exchange, and with its other part is the whole bundle again', async () => {
  using made = await make({}, { product });
  const { open, kept } = await splitBundle(made.archive);
  expect(open.includes('"ok":true')).toBe(false);
  const names = (await unpackArchive(open)).map(({ name }) => name);
  expect(names.filter((name) => name.startsWith('evidence/') || name === 'conformance.html')).toEqual([
    'evidence/run.json',
  ]);
  const alone = await verified(open);
  expect(alone).toMatchObject({ problems: [], isPublic: true, today: null });
  expect(statusOf(alone)).toBe(3);
  expect(describeVerification(alone, true)).toContain('give the archive that the vendor keeps with --private');
  expect((await joinBundle(open, kept))?.equals(made.archive)).toBe(true);
  using other = await make({}, { product });
  const mixed = (await joinBundle(open, (await splitBundle(other.archive)).kept)) ?? Buffer.alloc(0);
  expect((await openBundle(mixed, [])).problems).not.toEqual([]);
  expect(await joinBundle(open, Buffer.from('no archive'))).toBeNull();
});

test('attestations are in-toto statements in DSSE, signed, about exactly this bundle', async () => {
  using made = await make({}, { product, policy });
  const found = await verified(made.archive);
  if (found.report === null || found.manifest === null) throw new Error('the bundle is not sound');
  const { report, manifest } = found;
  const levels = found.today?.levels ?? [];
  const key = certifier.privateKey;
  const files = attestationsOf(made.archive, { name: 'a.bundle', report, manifest, levels, key });
  expect([...files.keys()]).toEqual([
    'test-result.dsse.json',
    'test-result.predicate.json',
    'svr.dsse.json',
    'svr.predicate.json',
  ]);
  const digest = execFileSync('sha256sum', [made.file], { encoding: 'utf8' }).slice(0, 64);
  for (const type of ['test-result', 'svr']) {
    const envelope = JSON.parse(files.get(`${type}.dsse.json`) ?? '') as {
      payload: string;
      payloadType: string;
      signatures: { sig: string }[];
    };
    const payload = Buffer.from(envelope.payload, 'base64');
    const signed = `DSSEv1 28 application/vnd.in-toto+json ${payload.length} ${payload.toString('utf8')}`;
    const sig = Buffer.from(envelope.signatures[0]?.sig ?? '', 'base64');
    expect(verify(null, Buffer.from(signed), createPublicKey(certifier.privateKey), sig)).toBe(true);
    expect(JSON.parse(payload.toString('utf8'))).toMatchObject({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: 'a.bundle', digest: { sha256: digest } }],
      predicateType: `https://in-toto.io/attestation/${type}/v0.1`,
      predicate: JSON.parse(files.get(`${type}.predicate.json`) ?? '') as object,
    });
  }
  expect(JSON.parse(files.get('test-result.predicate.json') ?? '')).toMatchObject({
    result: 'PASSED',
    passedTests: ['UNIT-01', 'LEAD-01', 'DEMO-01'],
    failedTests: [],
  });
  expect(JSON.parse(files.get('svr.predicate.json') ?? '')).toMatchObject({
    properties: ['DEALERSHIP_DEMO'],
    validUntil: manifest.validUntil,
  });
});

test('a time stamp request is one that OpenSSL understands, and its answer counts for these bytes only', () => {
  const folder = mkdtempSync(join(tmpdir(), 'time-stamp-'));
  const openssl = (...args: string[]): string =>
    execFileSync('openssl', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const bytes = Buffer.from('a bundle');
    writeFileSync(join(folder, 'a.tsq'), timeStampRequest(bytes));
    expect(openssl('ts', '-query', '-in', 'a.tsq', '-text')).toMatch(
      /Version: 1\nHash Algorithm: sha256\n[^]*Certificate required: yes/,
    );
    writeFileSync(
      join(folder, 'tsa.cnf'),
      '[tsa]\ndefault_tsa=x\n[x]\nserial=./serial\ndefault_policy=1.2.3.4\ndigests=sha256\naccuracy=secs:1\nsigner_digest=sha256\ness_cert_id_alg=sha256\n[req]\ndistinguished_name=dn\nprompt=no\nx509_extensions=ext\n[dn]\nCN=TSA\n[ext]\nextendedKeyUsage=critical,timeStamping\n',
    );
    openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'k.pem', '-out', 'c.pem', '-config', 'tsa.cnf');
    openssl(
      ...['ts', '-reply', '-config', 'tsa.cnf', '-section', 'x', '-queryfile', 'a.tsq', '-inkey', 'k.pem'],
      ...['-signer', 'c.pem', '-out', 'a.tsr'],
    );
    const response = execFileSync('cat', ['a.tsr'], { cwd: folder });
    expect(grantsTimeStamp(response, bytes)).toBe(true);
    expect(grantsTimeStamp(response, Buffer.from('another'))).toBe(false);
    // Status 2, rejection, without a token.
    expect(grantsTimeStamp(Buffer.from('30053003020102', 'hex'), bytes)).toBe(false);
    writeFileSync(join(folder, 'a'), bytes);
    expect(openssl('ts', '-verify', '-in', 'a.tsr', '-data', 'a', '-CAfile', 'c.pem')).toMatch(/Verification: OK|^$/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
