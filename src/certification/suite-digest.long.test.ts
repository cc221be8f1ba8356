import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cpSync, mkdirSync, readFileSync, utimesSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { scratch } from '../folder.test-kit.js';
import { packedCode } from './suite-digest.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

test('the digest of a checkout covers the files that the package holds, and no others', async () => {
  test.setTimeout(120_000);
  const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    maxBuffer: 1e8,
  });
  const [packed] = JSON.parse(stdout) as { files: { path: string }[] }[];
  const code = (packed?.files ?? [])
    .map(({ path }) => path)
    .filter((path) => /^dist\/(?:src|specs|load)\/.*\.js$/.test(path))
    .map((path) => path.slice('dist/'.length))
    .sort();
  expect(code.length).toBeGreaterThan(100);
  expect(packedCode(join(root, 'dist'), '.js')).toEqual(code);
});

test('two packages of the same files are the same, byte for byte', async () => {
  test.setTimeout(120_000);
  using place = scratch();
  const listed = await promisify(execFile)('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    maxBuffer: 1e8,
  });
  const [packed] = JSON.parse(listed.stdout) as { files: { path: string }[]; filename: string }[];
  const made = [];
  for (const [at, name] of ['a', 'b'].entries()) {
    for (const { path } of packed?.files ?? []) {
      mkdirSync(join(place.folder, name), { recursive: true });
      cpSync(join(root, path), join(place.folder, name, path));
      utimesSync(join(place.folder, name, path), at + 1, at + 1);
    }
    await promisify(execFile)('npm', ['pack', '--ignore-scripts'], { cwd: join(place.folder, name), maxBuffer: 1e8 });
    made.push(readFileSync(join(place.folder, name, packed?.filename ?? '')));
  }
  expect(made[0]?.length).toBeGreaterThan(100_000);
  expect(made[0]?.equals(made[1] ?? Buffer.alloc(0))).toBe(true);
});
