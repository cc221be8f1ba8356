import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
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
