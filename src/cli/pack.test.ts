import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

test('the packed suite runs from a stranger’s project, with its declared dependencies alone', async () => {
  test.setTimeout(180_000);
  const folder = await mkdtemp(join(tmpdir(), 'dealership-conformance-pack-'));
  try {
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: root });
    const [archive = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
    const home = join(folder, 'project', 'node_modules', 'dealership-conformance');
    await mkdir(home, { recursive: true });
    // A project of its own: what lies in the folders above is not to be looked at.
    await writeFile(join(folder, 'project', 'package.json'), '{ "private": true }');
    await run('tar', ['-xzf', join(folder, archive), '-C', home, '--strip-components=1']);
    // What npm would install beside it: the production dependencies, and nothing else.
    const { stdout } = await run('npm', ['ls', '--omit=dev', '--all', '--parseable'], {
      cwd: root,
      maxBuffer: 1e7,
    }).catch((error: unknown) => error as { stdout: string });
    for (const place of stdout.trim().split('\n').slice(1)) {
      const target = join(folder, 'project', relative(root, place));
      if (relative(root, place).split('node_modules').length !== 2) continue;
      await mkdir(dirname(target), { recursive: true });
      await symlink(place, target).catch(() => undefined);
    }
    const files = await readdir(home, { recursive: true });
    expect(files.filter((name) => /\.test\.|test-kit|stranger|kill-matrix|\.tsbuildinfo/.test(name))).toEqual([]);
    expect(files).toContain('dist/conformance.schema.json');
    const gate = await run(
      process.execPath,
      [join(home, 'dist/src/cli/main.js'), 'gate', '--only', 'PLAN,DOC-02', '--out', join(folder, 'out')],
      { cwd: join(folder, 'project'), env: { PATH: process.env['PATH'] } },
    );
    expect(gate.stdout).toContain('CONFORMANT');
    const certified = await run(
      process.execPath,
      [join(home, 'dist/src/cli/main.js'), 'certify', '--only', 'PLAN,DOC-10', '--out', join(folder, 'certified')],
      { cwd: join(folder, 'project'), env: { PATH: process.env['PATH'] } },
    );
    expect(certified.stderr).toBe('');
    const page = await readFile(join(folder, 'certified', 'playwright', 'report', 'index.html'), 'utf8');
    expect(page).toContain('<html');
    const listener = await run(
      process.execPath,
      [
        '-e',
        "import('dealership-conformance/listener').then((m) => console.log(typeof m.createListener))",
        '--input-type=module',
      ],
      { cwd: join(folder, 'project') },
    );
    expect(listener.stdout.trim()).toBe('function');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
