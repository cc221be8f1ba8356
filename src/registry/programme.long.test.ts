import { createHash, createPrivateKey } from 'node:crypto';
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
import { openFixture, productYaml } from './registry.test-kit.js';
import type { Row } from './rows.js';

const { folder: place, remove } = scratch();
const names = ['Acme Inc.', 'DealerHub', '2.4.1'] as const;
const submission = 'submissions/v1/acme-inc/dealerhub/2.4.1';
const file = (name: string): Buffer => readFileSync(join(place, name));
const command = (args: string, env?: NodeJS.ProcessEnv): Promise<EndedProcess> =>
  runProcess(args.split(' '), place, env);

let registry: ReturnType<typeof openFixture>;
let service: ChildProcess;
/** The settings that reach the service, but for keys of plans: the limits of the demo alone take least time. */
let settings: Record<string, string>;
/** The private key of the vendor. */
let vendor: ReturnType<typeof createPrivateKey>;

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

/** Puts a submission in place. */
function put(bundle: Buffer): void {
  registry.write(`${submission}/README.md`, 'How to run it.\n');
  registry.write(`${submission}/product.yaml`, file('product.yaml'));
  registry.write(`${submission}/bundle.tar`, bundle);
}
/** How `registry check` of a change ends, and its rows that are not accepted. */
async function rowsOf(change: () => unknown): Promise<{ status: unknown; rows: Row[] }> {
  const check = (): Promise<EndedProcess> => command(`registry check registry main --json`);
  const { status, out, err } = await registry.propose('main', change, check);
  expect(err).toBe('');
  return { status, rows: (JSON.parse(out) as Row[]).filter(({ ok }) => !ok) };
}

test('registry check refuses verdicts that the evidence does not give, and accepts the bundle; once it is merged, the site shows what was certified', async () => {
  const { status, rows } = await rowsOf(() => put(forged()));
  expect([status, ...rows.map((row) => row.what)]).toEqual([1, 'contents', 'verdicts']);
  expect(await rowsOf(() => put(file('vendor.tar')))).toEqual({ status: 0, rows: [] });
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
