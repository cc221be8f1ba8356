import { createHash, createPrivateKey, generateKeyPairSync } from 'node:crypto';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@playwright/test';
import { parse } from 'dotenv';
import { forge } from '../certification/bundle/bundle.test-kit.js';
import { fingerprint } from '../certification/bundle/keys.js';
import { runProcess, startProcess, type EndedProcess } from '../cli/run.test-kit.js';
import { scratch } from '../folder.test-kit.js';
import { openChromium } from '../reports/test-kit.js';
import { bomb, openFixture, pem, productYaml } from './registry.test-kit.js';
import type { Row } from './rows.js';

const { folder: place, remove } = scratch();
const names = ['Acme Inc.', 'DealerHub', '2.4.1'] as const;
const submission = 'submissions/v1/acme-inc/dealerhub/2.4.1';
const otherProduct = 'submissions/v1/acme-inc/otherhub/2.4.1';
const stranger = generateKeyPairSync('ed25519');
const file = (name: string): Buffer => readFileSync(join(place, name));
const command = (args: string, env?: NodeJS.ProcessEnv): Promise<EndedProcess> =>
  runProcess(args.split(' '), place, env);

let registry: ReturnType<typeof openFixture>;
let service: ChildProcess;
/** The settings that reach the service, but for keys of plans: the limits of the demo alone take least time. */
let settings: Record<string, string>;
/** The private key of the vendor. */
let vendor: typeof stranger.privateKey;

test.describe.configure({ mode: 'serial', timeout: 900_000 });

test.afterAll(() => {
  service?.kill();
  remove();
});

test('a certifier sets up a registry', async () => {
  expect(await command('keygen --out vendor')).toMatchObject({ status: 0, err: '' });
  vendor = createPrivateKey(file('vendor.key.pem'));
  expect(await command('registry init registry')).toMatchObject({ status: 0, err: '' });
  registry = openFixture(join(place, 'registry'));
  registry.write('keys/acme-inc.pub.pem', file('vendor.pub.pem'));
  registry.commit();

  service = startProcess(['serve'], place).child;
  const [printed] = (await once(service.stdout ?? service, 'data')) as [Buffer];
  const used = /^(BASE_URL|(OTHER_)?(API_KEY|TENANT)|API_KEY_(READ|WRITE)_\w+)$/;
  settings = Object.fromEntries(Object.entries(parse(printed)).filter(([name]) => used.test(name)));
  writeFileSync(join(place, 'product.yaml'), productYaml(names, settings['BASE_URL'] ?? ''));
  copyFileSync(join(place, 'registry/programme.yaml'), join(place, 'programme.yaml'));
});

test('a vendor passes the gate, and certifies the product', async () => {
  const gate = await command('gate --quiet', settings);
  expect(gate, gate.out + gate.err).toMatchObject({ status: 0 });
  const bundle = '--bundle vendor.tar --key vendor.key.pem --product product.yaml';
  const certified = await command(`certify --quiet ${bundle} --nonce a-word-of-the-certifier`, settings);
  expect(certified, certified.out + certified.err).toMatchObject({
    status: 0,
    out: expect.stringMatching(/^Bundle: vendor\.tar$/m),
  });
});

/** The bundle of a vendor who says that what was not judged has passed. */
const forged = (): Buffer =>
  forge(
    file('vendor.tar'),
    (files) =>
      files.set('conformance.json', (files.get('conformance.json') ?? '').replaceAll(': "not-applicable"', ': "pass"')),
    undefined,
    vendor,
  );

/** Puts a submission in place, of the named bundle or of one that was changed. */
function put(bundle: string | Buffer, product = String(file('product.yaml')), folder = submission): void {
  registry.write(`${folder}/README.md`, 'How to run it.\n');
  registry.write(`${folder}/product.yaml`, product);
  registry.write(`${folder}/bundle.tar`, typeof bundle === 'string' ? file(bundle) : bundle);
}
const also = (change: () => void): void => {
  put('vendor.tar');
  change();
};
const productWith = (from: string, to: string): string => String(file('product.yaml')).replace(from, to);

/** How `registry check` of a change ends, and its rows that are not accepted. */
async function rowsOf(change: () => unknown): Promise<{ status: unknown; rows: Row[] }> {
  const check = (): Promise<EndedProcess> => command(`registry check registry main --json`);
  const { status, out, err } = await registry.propose('main', change, check);
  expect(err).toBe('');
  return { status, rows: (JSON.parse(out) as Row[]).filter(({ ok }) => ok !== true) };
}

const bad: readonly (readonly [string, readonly string[], () => unknown])[] = [
  ['verdicts that the evidence does not give', ['contents', 'verdicts'], async () => put(forged())],
  ['a key that the pull request brings', ['nothing else', 'signature'], smuggleKey],
  ['a compression bomb', ['contents'], async () => put(bomb(file('vendor.tar'), vendor))],
  ['a symbolic link', ['files'], () => also(() => registry.putLink(`${submission}/bundle.tar`, '/etc/passwd'))],
  ['a file of 10 GB', ['files'], () => also(() => registry.putHuge(`${submission}/bundle.tar`))],
  ['two products', ['one submission'], () => also(() => put('vendor.tar', undefined, otherProduct))],
  [
    'the certificate of another product',
    ['product'],
    () => put('vendor.tar', productWith('DealerHub', 'OtherHub'), otherProduct),
  ],
  ['markup in a name', ['folder'], () => put('vendor.tar', productWith('DealerHub', '<img src=x onerror=alert(1)>'))],
  ['a version that is a path', ['schema'], () => put('vendor.tar', productWith('2.4.1', '../../../keys'))],
];

async function smuggleKey(): Promise<void> {
  put(forge(file('vendor.tar'), () => undefined, undefined, stranger.privateKey));
  registry.write('keys/acme-inc.pub.pem', pem(stranger.publicKey));
}

for (const [what, refused, change] of bad)
  test(`registry check refuses ${what}`, async () => {
    const { status, rows } = await rowsOf(change);
    expect({ status, refused: rows.map((row) => row.what) }, JSON.stringify(rows)).toEqual({ status: 1, refused });
  });

test('registry check accepts the bundle; once it is merged, the site shows what was certified', async () => {
  expect(await rowsOf(() => put('vendor.tar'))).toEqual({ status: 0, rows: [] });
  registry.git('merge', '--quiet', '--ff-only', 'submission');
  const built = await command('registry build registry --out site');
  expect(built).toMatchObject({
    status: 0,
    err: '',
    out: expect.stringMatching(/^valid +v1\/acme-inc\/dealerhub\/2\.4\.1$/m),
  });
  const browser = await openChromium();
  try {
    const page = await (await browser.newContext({ offline: true })).newPage();
    await page.goto(pathToFileURL(join(place, 'site/index.html')).href);
    await page.getByRole('link', { name: 'DealerHub' }).click();
    await expect(page.locator('h1')).toHaveText('DealerHub, Acme Inc.');
    await expect(page.locator('tbody .badge')).toHaveText('valid');
    await expect(page.locator('a[href="badge.svg"]')).toContainText('core | demo | limits (demo)');
    const sha256 = createHash('sha256').update(file('vendor.tar')).digest('hex');
    await expect(page.locator('tbody tr')).toContainText(`sha256 ${sha256}`);
    await expect(page.locator('p', { hasText: /^Signed / }).locator('code')).toHaveText(fingerprint(vendor));
    await page.getByRole('link', { name: 'certificate 2.4.1' }).click();
    await expect(page.locator('h1')).toHaveText('Certificate of conformance');
    await expect(page.locator('body')).toContainText('DealerHub 2.4.1, Acme Inc. (service)');
  } finally {
    await browser.close();
  }
});
