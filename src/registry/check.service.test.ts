import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { packArchive, unpackArchive } from '../certification/bundle/archive.js';
import { edit, forge, ofAnotherSuite, privateKey, publicKey } from '../certification/bundle/bundle.test-kit.js';
import { fingerprint } from '../certification/bundle/keys.js';
import { signManifest } from '../certification/bundle/signature.js';
import { parseProduct, pathOf } from '../certification/product.js';
import { scratch } from '../folder.test-kit.js';
import type { Report } from '../requirement/types.js';
import type { RunFile } from '../run/run-file.js';
import { version } from '../version.js';
import type { CheckParts } from './check.js';
import { bomb, makeSubmission, openFixture, pem, programmeOf } from './registry.test-kit.js';
import { openRepository } from './repository.js';
import { readRegistry } from './site/certificates.js';
import { rowsAsMarkdown, rowsAsText, type Row } from './rows.js';

const stranger = generateKeyPairSync('ed25519');
let place: ReturnType<typeof scratch>;
let registry: ReturnType<typeof openFixture>;
let good: Awaited<ReturnType<typeof makeSubmission>>;
let failed: typeof good;

test.beforeAll(async () => {
  place = scratch();
  registry = openFixture(place.folder);
  const programme = programmeOf(place.folder);
  good = await makeSubmission('acme-inc/dealerhub/2.4.1', programme, ['Acme Inc.', 'DealerHub', '2.4.1']);
  failed = await makeSubmission('acme-inc/dealerhub/2.4.1', programme, ['Acme Inc.', 'DealerHub', '2.4.1'], {
    demoStatus: 503,
    allowIncomplete: true,
  });
  const branch = (name: string, ...changes: readonly (readonly [string, string])[]): void => {
    registry.git('checkout', '--quiet', '-b', name);
    for (const [path, content] of changes) registry.write(path, content);
    registry.commit();
    registry.git('checkout', '--quiet', 'main');
  };
  registry.write('programme.yaml', programme);
  registry.write('keys/acme-inc.pub.pem', pem(publicKey));
  registry.commit();
  branch('other-key', ['keys/acme-inc.pub.pem', pem(stranger.publicKey)]);
  branch('later-suite', ['programme.yaml', programme.replace("suites: ['0.1']", "suites: ['0.2']")]);
  branch('core', ['programme.yaml', programme.replace('[Demo]', '[Core]')]);
  branch('later-set', ['programme.yaml', programme.replace("['2026-11']", "['2027-05']")]);
  branch('region', ['programme.yaml', programme.replace('[Demo]', '[Region North]')]);
  const revoked = (key: KeyObject): string =>
    `- { fingerprint: '${fingerprint(key)}', since: 2026-01-01, reason: it was lost }\n`;
  branch('revoked', ['keys/revoked.yaml', revoked(publicKey)]);
});
test.afterAll(() => {
  good?.made.remove();
  failed?.made.remove();
  place?.remove();
});

const put = (more: Readonly<Record<string, string | Buffer>> = {}): void => {
  registry.put(good);
  for (const [name, content] of Object.entries(more)) registry.write(`${good.folder}/${name}`, content);
};
const also = (change: () => void): void => {
  put();
  change();
};
const refused = (rows: readonly Row[]): string[] => rows.filter(({ ok }) => !ok).map(({ what }) => what);
const productWith = (from: string, to: string): Buffer =>
  Buffer.from(String(good.files['product.yaml']).replace(from, to));

test('a sound submission is accepted', async () => {
  const rows = await registry.submit(() => put());
  expect(rows.filter(({ ok }) => !ok)).toEqual([]);
  expect(rows.map(({ what }) => what)).toEqual([
    ...['one submission', 'nothing else', 'files', 'schema', 'folder', 'key', 'signature', 'contents', 'verdicts'],
    ...['product', 'address', 'levels', 'suite', 'set', 'age', 'valid until'],
  ]);
  expect(rowsAsText(rows)).toContain('Every check passed.');
});

/** What is wrong, the rows that say so, how it is made, and what it is judged with. */
const bad: readonly (readonly [string, readonly string[], () => unknown, Partial<CheckParts>?])[] = [
  ['a path in the name of the product', ['folder'], () => put({ 'product.yaml': productWith('DealerHub', '../../x') })],
  [
    'a symbolic link as bundle',
    ['files: bundle.tar is a symbolic link'],
    () => also(() => registry.putLink(`${good.folder}/bundle.tar`, '/etc/passwd')),
  ],
  [
    'a bundle of 10 GB',
    ['files: bundle.tar has 10,737,418,240 bytes'],
    () => also(() => registry.putHuge(`${good.folder}/bundle.tar`)),
  ],
  ['a submodule', ['files: README.md is a submodule'], () => also(() => submodule(`${good.folder}/README.md`))],
  ['a file named as what every object has', ['files: constructor does not'], () => put({ constructor: 'x' })],
  ['a file of another name below', ['nothing else', 'files'], () => put({ 'node_modules/x.js': '1' })],
  ['no bundle', ['contents'], () => put({ 'bundle.tar': 'version https://git-lfs.github.com/spec/v1\n' })],
  [
    'a compression bomb',
    ['contents: it cannot be unpacked, or is larger than evidence can be'],
    async () => put({ 'bundle.tar': bomb(good.made.archive) }),
  ],
  [
    'more files than a bundle can hold',
    ['contents: it cannot be taken apart (it holds more than 10000 files)'],
    async () => {
      const files = unpackArchive(good.made.archive);
      const more = Array.from({ length: 10_000 }, (_, at) => ({ name: `load/${at}`, bytes: Buffer.alloc(0) }));
      put({ 'bundle.tar': packArchive([...files, ...more]) });
    },
  ],
  ['two products', ['one submission'], () => also(() => registry.put({ ...good, folder: 'submissions/v1/b/c/1' }))],
  ['nothing but a deletion', ['one submission', 'nothing else'], () => registry.git('rm', '-q', 'withdrawn.yaml')],
  [
    'a key that the pull request brings',
    ['nothing else: keys/acme-inc.pub.pem', 'signature: another key'],
    () => also(() => registry.write('keys/acme-inc.pub.pem', pem(publicKey))),
    { base: 'other-key' },
  ],
  [
    'a policy that the pull request changes',
    ['nothing else: programme.yaml', 'levels'],
    () => also(() => registry.write('programme.yaml', programmeOf(place.folder).replace('[Core]', '[Demo]'))),
    { base: 'core' },
  ],
  ['a vendor with markup', ['folder'], () => put({ 'product.yaml': productWith('Acme Inc.', '<script>x</script>|') })],
  [
    'a vendor of very many letters',
    ['schema'],
    () => put({ 'product.yaml': productWith('Acme', 'a'.repeat(2e5) + '\u200b') }),
  ],
  ['a field that is not known', ['schema'], () => put({ 'product.yaml': productWith('type:', 'x: <b>\ntype:') })],
  ['a revoked key', ['key: revoked since 2026-01-01: it was lost'], () => put(), { base: 'revoked' }],
  ['a forged verdict', ['contents: its counts', 'verdicts: DEMO-01'], async () => put({ 'bundle.tar': forged() })],
  [
    'a requirement that failed and is left out',
    ['contents: conformance.json: it leaves out DEMO-01; evidence/run.json: it leaves out DEMO-01'],
    async () => put({ 'bundle.tar': withoutFailed() }),
  ],
  [
    'a rehearsal',
    ['verdicts: a rehearsal', 'product', 'address', 'levels'],
    () => put({ 'bundle.tar': failed.made.archive }),
  ],
  ['an old run', ['age'], () => put(), { now: new Date(Date.now() + 200 * 86_400_000) }],
  ['a run of the future', ['age'], () => put(), { now: new Date(Date.now() - 3 * 86_400_000) }],
  ['another address', ['product', 'address'], () => put({ 'product.yaml': productWith('127.0.0.1', 'localhost') })],
  ['the address of another run', ['contents: another base URL'], () => atAnother(['conformance.json'])],
  [
    'the address of another run, which the settings name as well',
    ['verdicts', 'levels'],
    () => atAnother(['conformance.json', 'evidence/run.json']),
  ],
  ['a suite that counts no longer', ['suite'], () => put(), { base: 'later-suite' }],
  ['a set that counts no longer, which the bundle does not name', ['set: 2026-11'], () => put(), { base: 'later-set' }],
  [
    'a set of another name than that of the run',
    ['contents: its "set"'],
    () => putForged((manifest) => ({ ...manifest, set: { name: '2027-05' } })),
    { base: 'later-set' },
  ],
  [
    'a version of the suite with words in it',
    ['contents: evidence/run.json is wrong (/'],
    () => restated(new RegExp(`"version": "${version}"`, 'g'), `"version": "${version} for every level"`),
  ],
  [
    'an instant of another spelling',
    ['contents: evidence/run.json is wrong (/'],
    () => restated(/"started": "(20..-..-..)T/g, '"started": "$1 '),
  ],
  ['a level that was not granted', ['levels'], () => put(), { base: 'core' }],
  [
    'a level of a pack that was not judged',
    ['levels'],
    () =>
      putForged(
        (manifest) => ({ ...manifest, levels: [...manifest.levels, { ...granted, name: 'Region North' }] }),
        (files) =>
          edit<Report>(files, 'conformance.json', (report) => ({
            ...report,
            sections: [{ id: 'DEMO', title: 'Demo', level: 'Region North' }],
          })),
      ),
    { base: 'region' },
  ],
  [
    'a level with a standing that only looks like one',
    ['contents: it is no manifest'],
    () =>
      putForged((manifest) => ({
        ...manifest,
        levels: [...manifest.levels, { ...granted, standing: 'granted ' as 'granted' }],
      })),
  ],
  [
    'a name that is there twice in the manifest',
    ['contents: it is no manifest'],
    async () => put({ 'bundle.tar': respelled((text) => text.replace('"seed"', '"seed": 1,\n  "seed"')) }),
  ],
  [
    'a manifest that is nested too deeply',
    ['contents: it is no manifest'],
    async () => put({ 'bundle.tar': respelled(() => '['.repeat(100_000) + ']'.repeat(100_000)) }),
  ],
];

function submodule(path: string): void {
  registry.git('add', '--all');
  registry.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},${path}`);
  registry.git('commit', '-q', '-m', 'A change');
  registry.git('clean', '-q', '-f', '-d');
}

/** The bundle of a service that fails, whose vendor says that it passes. */
function forged(): Buffer {
  return forge(
    failed.made.archive,
    (files) => files.set('conformance.json', (files.get('conformance.json') ?? '').replaceAll(': "fail"', ': "pass"')),
    (manifest) => ({ ...manifest, standing: 'certification', reasons: [] }),
  );
}

const granted = { name: 'Limits: enterprise', standing: 'granted', why: 'all passed' } as const;

/** Submits the bundle that another suite could have made of the good run. */
function putForged(
  restate: Parameters<typeof forge>[2] & object,
  change: Parameters<typeof forge>[1] = () => undefined,
): void {
  put({ 'bundle.tar': forge(good.made.archive, change, (manifest) => ofAnotherSuite(restate(manifest))) });
}

/** Submits the good run as one of another address. */
function atAnother(named: readonly string[]): void {
  const own = good.made.settings.BASE_URL ?? '';
  const other = 'https://api.acme.example';
  const product = productWith(own, other);
  putForged(
    (manifest) => JSON.parse(JSON.stringify(manifest).replaceAll(own, other)) as typeof manifest,
    (files) => {
      for (const name of [...named, 'product.yaml']) files.set(name, (files.get(name) ?? '').replaceAll(own, other));
    },
  );
  registry.write(`${good.folder}/product.yaml`, product);
}

/** Submits the good run with other words in its manifest, report and settings. */
function restated(from: RegExp, to: string): void {
  putForged(
    (manifest) => JSON.parse(JSON.stringify(manifest, null, 1).replace(from, to)) as typeof manifest,
    (files) => {
      for (const name of ['conformance.json', 'evidence/run.json'])
        files.set(name, (files.get(name) ?? '').replace(from, to));
    },
  );
}

/** The good bundle with another text of its manifest, signed. */
function respelled(change: (text: string) => string): Buffer {
  const files = unpackArchive(good.made.archive);
  const manifest = Buffer.from(change(String(files[0]?.bytes)));
  const signed = { name: 'manifest.jws.json', bytes: signManifest(manifest, privateKey) };
  return packArchive([{ name: 'manifest.json', bytes: manifest }, signed, ...files.slice(2)]);
}

const conformant = { outcome: 'conformant', standing: 'certification', reasons: [] } as const;

/** The bundle of a service that fails, without the requirement that it fails. */
function withoutFailed(): Buffer {
  return forge(
    failed.made.archive,
    (files) => {
      edit<RunFile>(files, 'evidence/run.json', (run) => ({
        ...run,
        order: run.order.filter((id) => id !== 'DEMO-01'),
      }));
      edit<Report>(files, 'conformance.json', (report) => ({
        ...report,
        outcome: 'conformant',
        counts: { ...report.counts, fail: 0 },
        requirements: report.requirements.filter(({ id }) => id !== 'DEMO-01'),
      }));
    },
    (manifest) => ofAnotherSuite({ ...manifest, ...conformant, counts: { ...manifest.counts, fail: 0 } }),
  );
}

for (const [what, rows, change, more] of bad)
  test(`refused: ${what}`, async () => {
    const found = await registry.submit(change, more);
    const expected = rows.map((one) => one.split(/: ([^]*)/));
    expect(refused(found)).toEqual(expected.map(([name]) => name));
    for (const [name, seen = ''] of expected) expect(found.find((row) => row.what === name)?.seen).toContain(seen);
    expect(rowsAsText(found)).toContain(`Refused: ${refused(found).join(', ')}.`);
    // A table of five columns, whatever stands in the submission.
    const [, ...table] = rowsAsMarkdown(found).split('\n').slice(3, -1);
    for (const line of table) expect(line.match(/(?<!\\)\|/g)).toHaveLength(6);
    expect(table.join()).not.toMatch(/<\w/);
  });

test('the site refuses entries that name nothing and another product', async () => {
  using own = scratch();
  const { write, put: into } = openFixture(own.folder);
  const read = (): object | undefined => readRegistry(own.folder, new Date()).certificates[0];
  write('programme.yaml', programmeOf(own.folder));
  into(failed);
  expect(read()).toMatchObject({ status: 'rehearsal', why: expect.stringContaining('the run failed') });
  write('withdrawn.yaml', '- { submission: v1/acme-inc/dealerhub, since: 2026-12-01, reason: x }\n');
  expect(read).toThrow('names "v1/acme-inc/dealerhub", which is not here');
  write('withdrawn.yaml', '- { submission: v1/acme-inc/dealerhub/2.4.1, since: 2026-13-01, reason: x }\n');
  expect(read).toThrow('withdrawn.yaml is wrong (/0/since must match format');
  write('withdrawn.yaml', '[]');
  write(`${failed.folder}/product.yaml`, productWith('api@', 'b@'));
  expect(read).toThrow('another product than product.yaml');
});

test('each name has a folder of its own, whatever its script', () => {
  const at = (vendor: string): string => pathOf({ ...parseProduct(String(good.files['product.yaml']), ''), vendor });
  const slugs = {
    'Zoë & Söhne': 'zoe-sohne',
    '東京 Motors': 'u6771u4eac-motors',
    Асme: 'u430u441me',
    Straße: 'straudfe',
  };
  for (const [vendor, slug] of Object.entries(slugs)) expect(at(vendor)).toBe(`v1/${slug}/dealerhub/2.4.1`);
});

test('a few trees that stand for millions of files are refused', () => {
  const { git } = registry;
  const treeOf = (entry: string): string => {
    const input = Array.from({ length: 40 }, (_, at) => `${entry}\t${at}\n`).join('');
    return execFileSync('git', ['mktree'], { cwd: place.folder, encoding: 'utf8', input }).trim();
  };
  let tree = treeOf(`100644 blob ${git('rev-parse', 'main:programme.yaml').trim()}`);
  for (let depth = 0; depth < 4; depth += 1) tree = treeOf(`040000 tree ${tree}`);
  const commit = git('commit-tree', tree, '-p', 'main', '-m', 'x').trim();
  expect(() => openRepository(place.folder).changes('main', commit)).toThrow('more files than can be judged');
});

test('a base that is no registry, or no commit, is wrong usage', async () => {
  const { commitOf } = openRepository(place.folder);
  for (const name of ['--output=x', 'no-branch', '']) expect(() => commitOf(name)).toThrow(/is no commit here/);
  registry.git('checkout', '--quiet', '--orphan', 'empty');
  registry.git('rm', '-rfq', '.');
  registry.git('commit', '--quiet', '--allow-empty', '--message', 'Nothing');
  registry.git('checkout', '--quiet', 'main');
  await expect(registry.submit(() => put(), { base: 'empty' })).rejects.toThrow('programme.yaml is not there');
});
