import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import { expect, test, type Browser, type Page } from '@playwright/test';
import { validateXML } from 'xmllint-wasm';
import { publicKey } from '../../certification/bundle/bundle.test-kit.js';
import { scratch } from '../../folder.test-kit.js';
import { openChromium } from '../../reports/test-kit.js';
import { makeSubmission, openFixture, pem, programmeOf } from '../registry.test-kit.js';
import { readRegistry } from './certificates.js';
import { writeSite } from './write-site.js';

const day = 86_400_000;
const after = (days: number): Date => new Date(Date.now() + days * day);
const hostile = `<script>document.title="pwned"</script><img src=x onerror=alert(1)>`;
let place: ReturnType<typeof scratch>;
let browser: Browser;
let site: string;

test.beforeAll(async () => {
  browser = await openChromium();
  place = scratch();
  const root = join(place.folder, 'registry');
  const { write, put } = openFixture(root);
  const programme = programmeOf(root).replace('Certified Dealership API', 'Certified <b>Dealership</b> API');
  write('programme.yaml', programme);
  type Made = Parameters<typeof makeSubmission>;
  const submissions: readonly (readonly [Made[0], Made[2], Made[3]?])[] = [
    ['acme-inc/dealerhub/2.9.1', ['Acme Inc.', 'DealerHub', '2.9.1']],
    ['acme-inc/dealerhub/2.10.0', ['Acme Inc.', 'DealerHub', '2.10.0']],
    ['acme-inc/dealerhub/2.11.0', ['Acme Inc.', 'DealerHub', '2.11.0']],
    [
      'zoe-motors/script-document-title-pwned-script-img-src-x-onerror-alert-1/1',
      ['Zoë Motors', hostile, '1'],
      { demoStatus: 203 },
    ],
  ];
  for (const [folder, names, options] of submissions) {
    const { made, ...submission } = await makeSubmission(folder, programme, names, options);
    put(submission);
    made.remove();
  }
  for (const vendor of ['acme-inc', 'zoe-motors']) write(`keys/${vendor}.pub.pem`, pem(publicKey));
  write('withdrawn.yaml', `- { submission: v1/acme-inc/dealerhub/2.11.0, since: 2026-11-01, reason: '${hostile}' }\n`);
  site = join(place.folder, 'site');
  const now = new Date();
  writeSite(readRegistry(root, now), site, now);
});
test.afterAll(async () => {
  await browser?.close();
  place?.remove();
});

test('the status of each certificate follows from the day, later versions, withdrawals and revoked keys', async () => {
  const root = join(place.folder, 'registry');
  const at = async (days: number): Promise<string[]> =>
    readRegistry(root, after(days)).certificates.map(({ product, status }) => `${product.version} ${status}`);
  expect(await at(0)).toEqual(['2.11.0 withdrawn', '2.10.0 valid', '2.9.1 superseded', '1 valid']);
  expect((await at(340))[1]).toBe('2.10.0 expiring');
  expect((await at(365))[1]).toBe('2.10.0 expiring');
  expect(await at(366)).toEqual(['2.11.0 withdrawn', '2.10.0 expired', '2.9.1 superseded', '1 expired']);
  const { certificates } = readRegistry(root, after(0));
  const revoked = join(root, 'keys/revoked.yaml');
  const entry = (since: Date): string =>
    `- { fingerprint: '${certificates[0]?.signer ?? ''}', since: '${since.toISOString().slice(0, 10)}', reason: lost }\n`;
  const before = readFileSync(revoked);
  writeFileSync(revoked, entry(after(1)));
  expect((await at(0))[1]).toBe('2.10.0 valid');
  writeFileSync(revoked, entry(after(-1)));
  expect((await at(0))[1]).toBe('2.10.0 withdrawn');
  writeFileSync(revoked, before);
});

async function openSite(options: Parameters<Browser['newContext']>[0]): Promise<{ page: Page; noise: string[] }> {
  const page = await (await browser.newContext({ offline: true, ...options })).newPage();
  const noise: string[] = [];
  page.on('console', (message) => noise.push(message.text()));
  page.on('dialog', (dialog) => noise.push(dialog.message()));
  page.on('request', (request) => {
    if (!request.url().startsWith(pathToFileURL(site).href)) noise.push(request.url());
  });
  await page.goto(pathToFileURL(join(site, 'index.html')).href);
  return { page, noise };
}

for (const javaScriptEnabled of [true, false])
  test(`the table is filtered, and leads to products and certificates, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async () => {
    const { page, noise } = await openSite({ javaScriptEnabled });
    const rowsIn = (table: string) => page.locator(`[aria-labelledby=${table}] tbody tr:visible`);
    const names = (): Promise<string[]> => rowsIn('products').locator('th').allInnerTexts();
    expect(await names()).toEqual(['DealerHub', hostile]);
    await page.getByLabel('Demo (2)').check();
    await page.getByLabel('valid (2)').check();
    expect(await names()).toHaveLength(2);
    expect(await rowsIn('requirements').allInnerTexts()).toEqual([
      expect.stringMatching(/^DEMO-01\s+what DEMO-01 demands\s+1\s+passed\s+warned$/),
    ]);
    await expect(page.getByRole('searchbox')).toBeVisible({ visible: javaScriptEnabled });
    if (javaScriptEnabled) {
      await page.getByRole('searchbox').fill('dealerhub');
      expect(await names()).toEqual(['DealerHub']);
      await expect(rowsIn('requirements')).toHaveCount(0);
    }
    await page.getByRole('link', { name: 'DealerHub' }).click();
    expect(await page.locator('tbody tr').allInnerTexts()).toEqual([
      expect.stringMatching(/^2\.11\.0[^]*withdrawn <script>/),
      expect.stringMatching(/^2\.10\.0[^]*valid[^]*sha256\s+[0-9a-f]{64}/),
      expect.stringMatching(/^2\.9\.1[^]*superseded/),
    ]);
    await expect(page.locator('pre').last()).toContainText('verify bundle.tar --key acme-inc.pub.pem');
    await page.getByRole('link', { name: 'certificate 2.10.0' }).click();
    await expect(page.locator('h1')).toHaveText('Certificate of conformance');
    await expect(page.locator('p').nth(1)).toHaveText(/^This certificate is valid until /);
    await page.getByRole('link', { name: 'Every version and key' }).click();
    await page.getByRole('link', { name: 'certificate 2.11.0' }).click();
    await expect(page.locator('.mark')).toContainText('This certificate is withdrawn since 2026-11-01: <script>');
    expect(noise).toEqual([]);
    await page.context().close();
  });

const pages = (): string[] =>
  readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));

for (const colorScheme of ['light', 'dark'] as const)
  test(`nothing on any page is inaccessible, runs, or is wider than a phone, ${colorScheme}`, async () => {
    const { page, noise } = await openSite({ colorScheme, viewport: { width: 390, height: 800 } });
    expect(pages()).toHaveLength(7);
    for (const name of pages()) {
      await page.goto(pathToFileURL(join(site, name)).href);
      expect(await page.title()).not.toBe('pwned');
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        const { violations } = await new AxeBuilder({ page }).analyze();
        expect(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html.slice(0, 200))])).toEqual([]);
      }
      await page.setViewportSize({ width: 390, height: 800 });
    }
    expect(noise).toEqual([]);
    await page.context().close();
  });

test('every link of the site leads to a file, and pages forbid every script but their own', () => {
  for (const name of pages()) {
    const text = readFileSync(join(site, name), 'utf8');
    expect(text).toContain(`content="default-src &#39;none&#39;; style-src`);
    expect(text.includes('script-src')).toBe(!name.endsWith('certificate.html'));
    for (const [, address = ''] of text.matchAll(/ href="([^"#]+)"/g)) {
      if (/^https?:/.test(address)) continue;
      expect(statSync(fileURLToPath(new URL(address, pathToFileURL(join(site, name))))).isFile(), address).toBe(true);
    }
  }
  const folder = join(site, 'v1/acme-inc/dealerhub');
  expect(readdirSync(folder).sort()).toEqual(['2.10.0', '2.11.0', '2.9.1', 'badge.svg', 'index.html']);
  expect(readFileSync(join(folder, 'badge.svg'), 'utf8')).toContain('>demo</text>');
  const bundle = execFileSync('sha256sum', [join(folder, '2.10.0/bundle.tar')], { encoding: 'utf8' });
  expect(readFileSync(join(folder, 'index.html'), 'utf8')).toContain(bundle.slice(0, 64));
  const { certificates } = JSON.parse(readFileSync(join(site, 'registry.json'), 'utf8')) as {
    certificates: readonly object[];
  };
  expect(certificates).toHaveLength(4);
  expect(certificates[1]).toMatchObject({ path: 'v1/acme-inc/dealerhub/2.10.0', status: 'valid', levels: ['Demo'] });
});

/** What RFC 4287 (sections 4.1.1 and 4.1.2) demands of a feed and its entries, in the order in which this feed writes it. */
const atomSchema = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:a="http://www.w3.org/2005/Atom" targetNamespace="http://www.w3.org/2005/Atom" elementFormDefault="qualified">
<xs:simpleType name="iri"><xs:restriction base="xs:anyURI"><xs:pattern value="https://registry\\.example/\\S*"/></xs:restriction></xs:simpleType>
<xs:simpleType name="date"><xs:restriction base="xs:dateTime"><xs:pattern value=".*T.*Z"/></xs:restriction></xs:simpleType>
<xs:complexType name="link"><xs:attribute name="rel" use="required"/><xs:attribute name="href" type="a:iri" use="required"/></xs:complexType>
<xs:group name="both"><xs:sequence><xs:element name="id" type="a:iri"/><xs:element name="title" type="xs:string"/><xs:element name="updated" type="a:date"/></xs:sequence></xs:group>
<xs:element name="feed"><xs:complexType><xs:sequence><xs:group ref="a:both"/>
  <xs:element name="author"><xs:complexType><xs:sequence><xs:element name="name" type="xs:string"/></xs:sequence></xs:complexType></xs:element>
  <xs:element name="link" type="a:link"/>
  <xs:element name="entry" minOccurs="4" maxOccurs="4"><xs:complexType><xs:sequence><xs:group ref="a:both"/><xs:element name="link" type="a:link"/><xs:element name="summary" type="xs:string"/></xs:sequence></xs:complexType></xs:element>
</xs:sequence></xs:complexType><xs:unique name="ids"><xs:selector xpath="a:entry"/><xs:field xpath="a:id"/></xs:unique></xs:element></xs:schema>`;

test('the feed keeps to the rules of Atom', async () => {
  const feed = readFileSync(join(site, 'feed.xml'), 'utf8');
  const { errors } = await validateXML({ xml: [{ fileName: 'feed.xml', contents: feed }], schema: [atomSchema] });
  expect(errors).toEqual([]);
  expect(feed).toContain('<link rel="self" href="https://registry.example/feed.xml"/>');
  const dates = [...feed.matchAll(/<updated>(.*?)</g)].map(([, date = '']) => date);
  expect(dates).toEqual([dates[0] ?? '', ...dates.slice(1).sort().reverse()]);
});

test('the command writes a repository, refuses a change in it, and builds its site', () => {
  const root = join(place.folder, 'new');
  const summary = join(place.folder, 'summary.md');
  const main = fileURLToPath(new URL('../../../dist/src/cli/main.js', import.meta.url));
  const run = (args: readonly string[]): ReturnType<typeof spawnSync> =>
    spawnSync(process.execPath, [main, 'registry', ...args], {
      cwd: place.folder,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], GITHUB_STEP_SUMMARY: summary },
    });
  mkdirSync(root);
  expect(run(['init', 'new'])).toMatchObject({ status: 0, stderr: '' });
  expect(run(['init', 'new'])).toMatchObject({ status: 2, stderr: expect.stringContaining('not empty') });
  const git = (...args: readonly string[]): unknown =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.example', ...args], { cwd: root });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-q', '-m', 'Begin');
  git('checkout', '-q', '-b', 'submission');
  writeFileSync(join(root, 'programme.yaml'), 'mine');
  writeFileSync(join(root, '.env'), 'PACKS=./evil.mjs\n');
  git('add', '-A');
  git('commit', '-q', '-m', 'Mine');
  expect(run(['check', 'new', 'main'])).toMatchObject({
    status: 1,
    stdout: expect.stringContaining('Refused: one submission, nothing else.'),
  });
  expect(readFileSync(summary, 'utf8')).toContain('| refused | nothing else |');
  expect(run(['check', 'new', 'other'])).toMatchObject({ status: 2 });
  expect(run(['check', 'new'])).toMatchObject({ status: 2 });
  git('checkout', '-q', 'main');
  expect(run(['build', 'new', '--out', 'empty-site'])).toMatchObject({ status: 0, stderr: '' });
  expect(readFileSync(join(place.folder, 'empty-site/index.html'), 'utf8')).toContain('No product is certified yet.');
});
