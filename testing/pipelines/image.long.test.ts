import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { folderForEach } from '../../src/folder.test-kit.js';
import { startContained, whyNoContainer } from './container.test-kit.js';
import { context, stages, textsOf } from './dockerfile.test-kit.js';
import { root, runBash } from './shell.test-kit.js';

let folder: string;
folderForEach((made) => (folder = made));

const command = ['certify', '--embedded', '--only', 'PLAN,DOC'];
const engine = ['docker', 'podman'].find((name) => spawnSync(name, ['info']).status === 0);

test('the steps of the Dockerfile, carried out in a folder, make a package that judges on a read-only file system', async () => {
  test.skip(whyNoContainer !== null, whyNoContainer ?? '');
  const inside = (path: string): string => join(folder, path);
  const placed = (text: string): string => text.replace(/(?<=^| )\/(?=src|pack|app|work)/g, `${folder}/`);
  let cwd = folder;
  for (const { name, text } of stages.flat()) {
    if (name === 'WORKDIR') {
      cwd = inside(text);
      mkdirSync(cwd, { recursive: true });
    }
    if (name === 'COPY' && !text.startsWith('--from')) {
      const sources = text.split(' ').slice(0, -1);
      for (const source of sources[0] === '.' ? context : sources)
        cpSync(join(root, source), join(cwd, source), { recursive: true });
    }
    if (name === 'RUN') {
      const { status, said } = await runBash(placed(text), { cwd, env: { ...process.env, NODE_ENV: '' } });
      expect(status, `${text}\n${said}`).toBe(0);
    }
  }
  mkdirSync(inside('out'));
  const [program = '', main = ''] = JSON.parse(textsOf('ENTRYPOINT')[0] ?? '[]') as string[];
  const run = startContained({ app: inside('app'), out: inside('out') }, [
    program,
    `/mnt${main}`,
    ...[...command, '--out', '/mnt/out/reports'],
  ]);
  const { status, said } = await run.ended;
  expect(status, said).toBe(0);
  // DOC-06 needs the generator of clients.
  expect(said).not.toContain('npm install');
  expect(existsSync(inside('out/reports/conformance.html'))).toBe(true);
});

test('SIGTERM to the first process of a container ends a gate with its report', async () => {
  test.skip(whyNoContainer !== null, whyNoContainer ?? '');
  const out = join(folder, 'out');
  mkdirSync(out);
  const main = ['node', '/mnt/app/dist/src/cli/main.js'];
  using gate = startContained({ app: root, out }, [...main, 'gate', '--embedded', '--out', '/mnt/out/reports']);
  await expect.poll(() => existsSync(join(out, 'reports/evidence'))).toBe(true);
  await expect.poll(() => readdirSync(join(out, 'reports/evidence')).length, { timeout: 30_000 }).toBeGreaterThan(0);
  gate.kill('SIGTERM');
  const { status, said } = await gate.ended;
  expect(status, said).toBe(3);
  expect(said).toContain('Stopping; writing the report');
  expect(readFileSync(join(out, 'reports/conformance.json'), 'utf8')).toContain('"outcome": "incomplete"');
});

test('the image is built, and judges with a read-only root file system', () => {
  test.skip(engine === undefined, 'no container engine (docker, podman) answers here');
  const run = (...args: string[]): string => execFileSync(engine ?? '', args, { cwd: root, encoding: 'utf8' });
  run('build', '--tag', 'dealership-conformance:test', '.');
  const said = run('run', '--rm', '--read-only', '--tmpfs', '/work/reports', 'dealership-conformance:test', ...command);
  expect(said).toContain('CONFORMANT');
  expect(run('image', 'inspect', '--format', '{{.Config.User}}', 'dealership-conformance:test').trim()).toBe('1000');
});
