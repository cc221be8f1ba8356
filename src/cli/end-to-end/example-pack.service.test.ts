import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { forge } from '../../certification/bundle/bundle.test-kit.js';
import { scratch } from '../../folder.test-kit.js';
import { closing } from '../../loopback.test-kit.js';
import type { AnswerChange } from '../../reference/change-answers.js';
import { startReference } from '../../reference/start-reference.js';
import { runInProcess, type Ended } from '../run.test-kit.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const name = 'dealership-conformance-pack-north';

/** A project that has installed the built suite and the example. */
const { folder, remove } = scratch();
const installed = join(folder, 'node_modules', name);
test.beforeAll(() => {
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules/dealership-conformance'));
  cpSync(join(root, 'examples/pack-north'), installed, { recursive: true });
});
test.afterAll(remove);

const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> => runInProcess(args, env, folder);

test('the example proves itself with the built package', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['prove.js', 'DEMO', 'UNIT-01'], { cwd: installed });
  const lines = stdout.trim().split('\n');
  expect(lines).toHaveLength(7);
  expect(lines.filter((line) => !line.startsWith('ok: '))).toEqual([]);
});

test('a bundle names its pack and the level of it, verifies with the pack, and says without it which one it needs', async () => {
  const { asInNorth } = (await import(pathToFileURL(join(installed, 'faults.js')).href)) as { asInNorth: AnswerChange };
  await run(['keygen', '--out', 'vendor']);
  {
    await using reference = closing(await startReference({ change: asInNorth }));
    const signed = ['--bundle', 'a.bundle', '--key', 'vendor.key.pem', '--allow-incomplete'];
    const judged = await run(['certify', '--packs', name, '--only', 'NORTH', ...signed], reference.settings);
    expect(judged, judged.out + judged.err).toMatchObject({ status: 0 });
  }
  const sound = await run(['verify', 'a.bundle', '--packs', name, '--key', 'vendor.pub.pem']);
  expect(sound.status, sound.out + sound.err).toBe(3);
  expect(sound.out).toMatch(/^Pack {9}north 1\.0\.0, sha256:[0-9a-f]{64}$/m);
  expect(sound.out).toMatch(/^Verdicts {5}every one found again$/m);
  expect(sound.out).toMatch(/^Region North {9}would be granted: 3 requirements passed$/m);

  const alone = await run(['verify', 'a.bundle']);
  expect(alone).toMatchObject({ status: 2, out: '' });
  expect(alone.err).toMatch(/^This bundle was judged by the pack north 1\.0\.0 \(sha256:\w{64}\) as well, [^\n]*\n$/);

  expect(await run(['badge', 'a.bundle', '--out', 'pages'])).toMatchObject({ status: 0 });
  expect(readFileSync(join(folder, 'pages/certificate.html'), 'utf8')).toMatch(
    /Region North[^]*north 1\.0\.0, sha256:/,
  );

  // Another version of its code is another judge, as another suite is.
  cpSync(installed, join(folder, 'changed'), { recursive: true });
  const code = readFileSync(join(installed, 'index.js'), 'utf8');
  writeFileSync(join(folder, 'changed/index.js'), code.replace('<= 999', '<= 0'));
  const other = await run(['verify', 'a.bundle', '--packs', './changed/index.js']);
  expect(other.status).toBe(1);
  expect(other.out).toContain('Made with    the pack north 1.0.0; here it is another, with ');
  expect(other.out).toMatch(/NORTH-01: the report says pass .*; today fail/);

  const forged = await forge(readFileSync(join(folder, 'a.bundle')), (files) =>
    files.set('conformance.json', (files.get('conformance.json') ?? '').replace('Region North"', 'Region South"')),
  );
  writeFileSync(join(folder, 'forged.bundle'), forged);
  const refused = await run(['verify', 'forged.bundle', '--packs', name]);
  expect(refused.status).toBe(1);
  expect(refused.out).toContain('it states another level of a certificate for NORTH than its pack');
});
