import { createHash, createPrivateKey, generateKeyPairSync } from 'node:crypto';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@playwright/test';
import { parse } from 'dotenv';
import { forge } from '../certification/bundle/bundle.test-kit.js';
import { fingerprint } from '../certification/bundle/keys.js';
import { runProcess, startProcess, type EndedProcess } from '../cli/run.test-kit.js';
import { scratch } from '../folder.test-kit.js';
import { listen } from '../loopback.test-kit.js';
import { certificate } from '../proxy.test-kit.js';
import { openChromium } from '../reports/test-kit.js';
import { bomb, openFixture, pem, productYaml, secret } from './registry.test-kit.js';
import type { Row } from './rows.js';

const { folder: place, remove } = scratch();
const names = ['Acme Inc.', 'DealerHub', '2.4.1'] as const;
const submission = 'submissions/v1/acme-inc/dealerhub/2.4.1';
const otherProduct = 'submissions/v1/acme-inc/otherhub/2.4.1';
const stranger = generateKeyPairSync('ed25519');
const withSecret = { REGISTRY_NONCE_SECRET: secret };
const file = (name: string): Buffer => readFileSync(join(place, name));
const command = (args: string, env?: NodeJS.ProcessEnv): Promise<EndedProcess> =>
  runProcess(args.split(' '), place, env);

let registry: ReturnType<typeof openFixture>;
let service: ChildProcess;
/** The settings that reach the service, but for keys of plans: the limits of the demo alone take least time. */
let settings: Record<string, string>;
let nonce: string;
/** The private key of the vendor. */
let vendor: typeof stranger.privateKey;
let certifierPrint: string;

test.describe.configure({ mode: 'serial', timeout: 900_000 });

test.afterAll(() => {
  service?.kill();
  remove();
});

test('a certifier sets up a registry, and issues a nonce for a product', async () => {
  for (const name of ['vendor', 'certifier'])
    expect(await command(`keygen --out ${name}`)).toMatchObject({ status: 0, err: '' });
  vendor = createPrivateKey(file('vendor.key.pem'));
  certifierPrint = fingerprint(createPrivateKey(file('certifier.key.pem')));
  expect(await command('registry init registry')).toMatchObject({ status: 0, err: '' });
  const policy = String(file('registry/programme.yaml'));
  registry = openFixture(join(place, 'registry'));
  registry.write('keys/acme-inc.pub.pem', file('vendor.pub.pem'));
  registry.commit();
  registry.git('branch', 'vendor-alone');
  registry.write('programme.yaml', policy.replace('certifiers: []', `certifiers: ['${certifierPrint}']`));
  registry.commit();

  service = startProcess(['serve'], place).child;
  const [printed] = (await once(service.stdout ?? service, 'data')) as [Buffer];
  const used = /^(BASE_URL|(OTHER_)?(API_KEY|TENANT)|API_KEY_(READ|WRITE)_\w+)$/;
  settings = Object.fromEntries(Object.entries(parse(printed)).filter(([name]) => used.test(name)));
  writeFileSync(join(place, 'product.yaml'), productYaml(names, settings['BASE_URL'] ?? ''));
  const issued = await command('registry nonce --product product.yaml', withSecret);
  expect(issued).toMatchObject({ status: 0, err: '', out: expect.stringMatching(/^[0-9a-f]{64}\n$/) });
  nonce = issued.out.trim();
});

test('a vendor passes the gate, and certifies the product', async () => {
  const gate = await command('gate --quiet', settings);
  expect(gate, gate.out + gate.err).toMatchObject({ status: 0 });
  const bundle = '--bundle vendor.tar --key vendor.key.pem --product product.yaml --programme registry/programme.yaml';
  const certified = await command(`certify --quiet ${bundle} --nonce ${nonce}`, settings);
  expect(certified, certified.out + certified.err).toMatchObject({
    status: 0,
    out: expect.stringMatching(/^Bundle: vendor\.tar$/m),
  });
});

test('the certifier countersigns that bundle, and none whose verdicts its evidence does not give', async () => {
  writeFileSync(join(place, 'forged.tar'), await forged());
  const sign = (name: string, out: string): Promise<EndedProcess> =>
    command(
      `countersign ${name} --out ${out} --key certifier.key.pem --signer vendor.pub.pem --programme registry/programme.yaml`,
    );
  const [refused, signed] = await Promise.all([sign('forged.tar', 'never.tar'), sign('vendor.tar', 'signed.tar')]);
  expect(refused).toMatchObject({ status: 1, err: expect.stringContaining('forged.tar is not countersigned') });
  expect(signed).toMatchObject({ status: 0, err: '', out: expect.stringContaining('Countersigned: signed.tar') });
  expect(await command('bundle signed.tar --public public.tar --private private.tar')).toMatchObject({ status: 0 });
});

/** The bundle of a vendor who says that what was not judged has passed. */
const forged = (): Promise<Buffer> =>
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
  put('signed.tar');
  change();
};
const productWith = (from: string, to: string): string => String(file('product.yaml')).replace(from, to);

/** How `registry check` of a change ends, and its rows that are not accepted. */
async function rowsOf(
  base: string,
  change: () => unknown,
  env: NodeJS.ProcessEnv,
): Promise<{ status: unknown; rows: Row[] }> {
  const check = (): Promise<EndedProcess> => command(`registry check --registry registry --base ${base} --json`, env);
  const { status, out, err } = await registry.propose(base, change, check);
  expect(err).toBe('');
  return { status, rows: (JSON.parse(out) as Row[]).filter(({ ok }) => ok !== true) };
}

const bad: readonly (readonly [string, readonly string[], () => unknown])[] = [
  ['a bundle that the certifier did not countersign', ['countersignature'], () => put('vendor.tar')],
  ['verdicts that the evidence does not give', ['contents', 'verdicts'], () => put('forged.tar')],
  ['a key that the pull request brings', ['nothing else', 'signature'], smuggleKey],
  ['a compression bomb', ['contents'], async () => put(await bomb(file('signed.tar'), vendor))],
  ['a symbolic link', ['files'], () => also(() => registry.putLink(`${submission}/bundle.tar`, '/etc/passwd'))],
  ['a file of 10 GB', ['files'], () => also(() => registry.putHuge(`${submission}/bundle.tar`))],
  ['two products', ['one submission'], () => also(() => put('signed.tar', undefined, otherProduct))],
  [
    'the certificate of another product',
    ['product', 'nonce'],
    () => put('signed.tar', productWith('DealerHub', 'OtherHub'), otherProduct),
  ],
  ['markup in a name', ['folder'], () => put('signed.tar', productWith('DealerHub', '<img src=x onerror=alert(1)>'))],
  ['a version that is a path', ['schema'], () => put('signed.tar', productWith('2.4.1', '../../../keys'))],
];

async function smuggleKey(): Promise<void> {
  put(await forge(file('signed.tar'), () => undefined, undefined, stranger.privateKey));
  registry.write('keys/acme-inc.pub.pem', pem(stranger.publicKey));
}

for (const [what, refused, change] of bad)
  test(`registry check refuses ${what}`, async () => {
    const { status, rows } = await rowsOf('main', change, withSecret);
    expect({ status, refused: rows.map((row) => row.what) }, JSON.stringify(rows)).toEqual({ status: 1, refused });
  });

test('registry check accepts a public bundle whose evidence is elsewhere', async () => {
  const { cert, private: key } = await certificate();
  writeFileSync(join(place, 'ca.pem'), cert);
  await using server = await listen(createServer({ cert, key }, (_, reply) => reply.end(file('private.tar'))));
  const url = `${server.url.replace('http:', 'https:')}/evidence`;
  const sha256 = createHash('sha256').update(file('private.tar')).digest('hex');
  const change = (): void => {
    put('public.tar');
    registry.write(`${submission}/bundle.url`, `url: ${url}\nsha256: ${sha256}\n`);
  };
  const env = { ...withSecret, NODE_EXTRA_CA_CERTS: join(place, 'ca.pem') };
  expect(await rowsOf('main', change, env)).toEqual({ status: 0, rows: [] });
});

test('registry check accepts a bundle by the vendor alone where the policy asks for no more; without the secret it checks no nonce', async () => {
  const { status, rows } = await rowsOf('vendor-alone', () => put('vendor.tar'), {});
  expect({ status, rows }).toMatchObject({ status: 0, rows: [{ what: 'nonce', ok: null }] });
});

test('registry check accepts the countersigned bundle; once it is merged, the site shows what was certified', async () => {
  expect(await rowsOf('main', () => put('signed.tar'), withSecret)).toEqual({ status: 0, rows: [] });
  registry.git('merge', '--quiet', '--ff-only', 'submission');
  const built = await command('registry build --registry registry --out site');
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
    await expect(page.locator('b.status')).toHaveText('valid');
    await expect(page.locator('.badges svg').first()).toContainText('core | demo | limits (demo)');
    const sha256 = createHash('sha256').update(file('signed.tar')).digest('hex');
    await expect(page.locator('tbody tr')).toContainText(`sha256 ${sha256}`);
    await expect(page.locator('li', { hasText: /^(?:Signed|Countersigned) / }).locator('code')).toHaveText([
      fingerprint(vendor),
      certifierPrint,
    ]);
    await page.getByRole('link', { name: 'certificate 2.4.1' }).click();
    await expect(page.locator('h1')).toHaveText('Certificate of conformance');
    await expect(page.locator('body')).toContainText('DealerHub 2.4.1, Acme Inc. (service)');
  } finally {
    await browser.close();
  }
});
