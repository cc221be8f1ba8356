import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { forge } from '../../certification/bundle/bundle.test-kit.js';
import { scratch } from '../../folder.test-kit.js';
import { closing } from '../../loopback.test-kit.js';
import type { AnswerChange } from '../../reference/change-answers.js';
import { startReference } from '../../reference/start-reference.js';
import { runInProcess, type Ended } from '../run.test-kit.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const pack = './pack-north/index.js';

/** A project that has installed the built suite, with the example in it. */
const { folder, remove } = scratch();
test.beforeAll(() => {
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules/dealership-conformance'));
  cpSync(join(root, 'examples/pack-north'), join(folder, 'pack-north'), { recursive: true });
});
test.afterAll(remove);

const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> => runInProcess(args, env, folder);

/** What a service of the region adds to the reference service, or one that puts every vehicle into the wrong class. */
const asInNorth =
  (emissionClass: string): AnswerChange =>
  ({ body }) => {
    const { items = [] } = (body as { data?: { items?: object[] } }).data ?? {};
    for (const unit of items) Object.assign(unit, { co2GramsPerKm: 120, emissionClass });
  };

for (const [what, change, seen] of [
  ['a service of the region', asInNorth('C'), ['pass', 'pass']],
  ['a service with wrong classes', asInNorth('B'), ['pass', 'warn']],
  ['a service of another region', () => undefined, ['fail', 'pass']],
] as const)
  test(`the example judges ${what}`, async () => {
    await using reference = closing(await startReference({ change }));
    await run(['gate', '--packs', pack, '--only', 'NORTH', '--quiet'], reference.settings);
    const report = JSON.parse(readFileSync(join(folder, 'reports/conformance.json'), 'utf8')) as {
      requirements: { verdict: string }[];
    };
    expect(report.requirements.map(({ verdict }) => verdict)).toEqual(seen);
  });

test('a bundle names its pack and the level of it, verifies with the pack, and says without it which one it needs', async () => {
  await run(['keygen', '--out', 'vendor']);
  {
    await using reference = closing(await startReference({ change: asInNorth('C') }));
    const signed = ['--bundle', 'a.bundle', '--key', 'vendor.key.pem', '--allow-incomplete'];
    const judged = await run(['certify', '--packs', pack, '--only', 'NORTH', ...signed], reference.settings);
    expect(judged, judged.out + judged.err).toMatchObject({ status: 0 });
  }
  expect(readFileSync(join(folder, 'reports/certificate.html'), 'utf8')).toMatch(/Region North[^]*north 1\.0\.0/);
  expect(readFileSync(join(folder, 'reports/badge.svg'), 'utf8')).toContain('rehearsal');
  const sound = await run(['verify', 'a.bundle', '--packs', pack, '--key', 'vendor.pub.pem']);
  expect(sound.status, sound.out + sound.err).toBe(3);
  expect(sound.out).toMatch(/^Pack {9}north 1\.0\.0$/m);
  expect(sound.out).toMatch(/^Verdicts {5}expected [^\n]+\n {2}a rehearsal, [^\n]+\n(?! )/m);
  expect(sound.out).toMatch(/^Region North {9}would be granted: 2 requirements passed$/m);

  const alone = await run(['verify', 'a.bundle']);
  expect(alone).toMatchObject({ status: 2, out: '' });
  expect(alone.err).toMatch(/^This bundle was judged by the pack north 1\.0\.0 as well, [^\n]*\n$/);

  // Another version of a pack is another judge, as another suite is.
  cpSync(join(folder, 'pack-north'), join(folder, 'changed'), { recursive: true });
  const code = readFileSync(join(folder, 'changed/index.js'), 'utf8');
  writeFileSync(join(folder, 'changed/index.js'), code.replace('<= 999', '<= 0').replace('1.0.0', '2.0.0'));
  const other = await run(['verify', 'a.bundle', '--packs', './changed/index.js']);
  expect(other.status).toBe(1);
  expect(other.out).toContain('Made with    the pack north 1.0.0; here it is another, with ');
  expect(other.out).toMatch(/NORTH-01: the report says pass .*; today fail/);

  const forged = forge(readFileSync(join(folder, 'a.bundle')), (files) =>
    files.set('conformance.json', (files.get('conformance.json') ?? '').replace('Region North"', 'Region South"')),
  );
  writeFileSync(join(folder, 'forged.bundle'), forged);
  const refused = await run(['verify', 'forged.bundle', '--packs', pack]);
  expect(refused.status).toBe(1);
  expect(refused.out).toContain('it states another level of a certificate for NORTH than its pack');
});
