import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { parse } from 'dotenv';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** The oldest and the newest. */
const nodeVersions = [20, 26];
const environment = { PATH: process.env['PATH'], HOME: process.env['HOME'], NO_COLOR: '1' };

interface Ended {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

let folder: string;
let tarball: string;
/** An empty project that the tarball is installed in. */
let project: string;

async function run(
  program: string,
  args: readonly string[],
  cwd: string,
  more: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  const options = { cwd, env: { ...environment, ...more }, maxBuffer: 1e7 };
  try {
    const { stdout, stderr } = await promisify(execFile)(program, args, options);
    return { status: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { status: code, out: stdout, err: stderr };
  }
}

async function install(...packages: readonly string[]): Promise<Ended> {
  const ended = await run('npm', ['install', '--no-audit', '--no-fund', '--engine-strict', ...packages], project);
  expect(ended, ended.err).toMatchObject({ status: 0 });
  return ended;
}

/** Bytes of the files below a folder. */
async function sizeOf(place: string): Promise<number> {
  const files = await readdir(place, { recursive: true });
  const stats = await Promise.all(files.map((name) => lstat(join(place, name))));
  return stats.reduce((sum, one) => sum + (one.isFile() ? one.size : 0), 0);
}

/** The command of the installed package. */
async function command(node: string, ...args: readonly string[]): Promise<Ended> {
  const ended = await run(node, ['node_modules/.bin/dealership-conformance', ...args], project);
  // Progress, which a busy machine has time to show.
  return { ...ended, err: ended.err.replace(/^ +\d+:\d\d {2}.*\n/gm, '') };
}

/** The first thing that a process of the project prints. */
async function started(node: string, args: readonly string[]): Promise<{ child: ChildProcess; said: string }> {
  const child = spawn(node, args, { cwd: project, env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, said: said.toString() };
}

test.describe.configure({ mode: 'serial', timeout: 180_000 });

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dealership-conformance-pack-'));
  project = join(folder, 'project');
  await mkdir(project);
  await writeFile(join(project, 'package.json'), '{ "private": true }');
});

test.afterAll(() => rm(folder, { recursive: true, force: true }));

test('an empty project installs at most 110 packages and 80 MB, without a warning', async () => {
  const packed = await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], root);
  tarball = join(folder, packed.out.trim().split('\n').at(-1) ?? '');
  const { err } = await install(tarball);
  // What npm says of this machine's own settings is not about the package.
  expect(err.replace(/^npm warn Unknown .* config .*\n/gm, '')).toBe('');
  const lock = JSON.parse(await readFile(join(project, 'node_modules/.package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly engines?: { readonly node?: string } }>>;
  };
  expect(Object.keys(lock.packages).length).toBeLessThanOrEqual(110);
  // An engine that Node 20 is not is an error under --engine-strict only on Node 20.
  const newer = Object.entries(lock.packages).filter(([, { engines }]) => /^>=? ?2[1-9]\b/.test(engines?.node ?? ''));
  expect(newer).toEqual([]);
  expect(await sizeOf(join(project, 'node_modules'))).toBeLessThanOrEqual(80e6);
  const files = await readdir(join(project, 'node_modules/dealership-conformance'), { recursive: true });
  expect(files.filter((name) => /\.test\.|test-kit|^dist\/testing|\.tsbuildinfo/.test(name))).toEqual([]);
  expect(files).toContain('dist/conformance.schema.json');
});

test('what needs the client generator says in one sentence that it is missing', async () => {
  const gate = await command(process.execPath, 'gate', '--embedded', '--only', 'DOC-06,PLAN');
  expect(gate).toMatchObject({ status: 0, err: '' });
  const missing = '1 more: npm install openapi-typescript@7 typescript@5 (DOC-06)';
  expect(gate.out).toContain(missing);
  expect((await command(process.execPath, 'doctor', '--embedded')).out.split(missing)).toHaveLength(3);
  const absent = await command(process.execPath, 'verify', 'some.bundle');
  expect(absent).toMatchObject({ status: 2, err: expect.stringMatching(/^some\.bundle [^\n]*\n$/) });
  // A bundle in which bytes were changed: it has to be judged to say so.
  await writeFile(join(project, 'some.bundle'), Buffer.alloc(512).fill('ustar', 257, 262));
  const verified = await command(process.execPath, 'verify', 'some.bundle');
  expect(verified).toMatchObject({ status: 2, out: '' });
  expect(verified.err).toMatch(/^verify judges everything again, and typed clients .* npm install [^\n]*\n$/);
});

test('metrics that cannot be pushed say which packages to install, and those push', async () => {
  const soak = ['load', '--embedded', '--scenario', 'soak', '--rate', '20', '--duration', '1s', '--quiet'];
  const args = ['node_modules/.bin/dealership-conformance', ...soak];
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
  const absent = await run(process.execPath, args, project, env);
  const [, packages = ''] =
    /^OTEL_EXPORTER_OTLP_ENDPOINT is set, but [^\n]*: npm install ([^\n]*)\n$/.exec(absent.err) ?? [];
  expect({ ...absent, packages: packages.split(' ').length }).toMatchObject({ status: 0, packages: 3 });
  await install(...packages.split(' '));
  const present = await run(process.execPath, args, project, env);
  expect(present).toMatchObject({
    status: 0,
    err: expect.stringMatching(/^1 of 1 exports .* \(ECONNREFUSED\)/),
  });
});

test('the generator and the versions of Node are installed', async () => {
  const platform = `node-${process.platform}-${process.arch}`;
  await install('openapi-typescript@7', 'typescript@5', '@types/node@20');
  await install('--no-save', ...nodeVersions.map((version) => `node${version}@npm:${platform}@${version}`));
});

test('the library resolves with its types in an importing project, and the example compiles and runs', async () => {
  expect(await run('npx', ['publint', '--strict', tarball], root)).toMatchObject({ status: 0 });
  const checked = await run('npx', ['attw', '--profile', 'esm-only', tarball], root);
  expect(checked, checked.out).toMatchObject({ status: 0 });
  const example = join(project, 'example');
  await cp(join(project, 'node_modules/dealership-conformance/examples/library'), example, { recursive: true });
  for (const [resolution, module] of [
    ['bundler', 'preserve'],
    ['node16', 'node16'],
  ] as const) {
    const options = ['--moduleResolution', resolution, '--module', module, '--exactOptionalPropertyTypes'];
    const compiled = await run('npx', ['tsc', '-p', 'example', ...options], project);
    expect(compiled, compiled.out).toMatchObject({ status: 0 });
  }
  const ran = await run(process.execPath, ['dist/main.js'], example);
  expect(ran).toMatchObject({ status: 0, err: '' });
  expect(ran.out).toMatch(/^DEAL-01 pass: .*\nDEAL-02 fail: .*\nOURS-01 pass: .*\nnonconformant\n/);
  expect(await readdir(join(example, 'reports'))).toEqual(['evidence', 'junit.xml']);
});

for (const version of nodeVersions)
  test(`the packed suite serves, judges, certifies, loads and listens on Node ${version}`, async () => {
    const node = join(project, `node_modules/node${version}/bin/node`);
    expect((await run(node, ['--version'], project)).out).toMatch(`v${version}.`);
    const listening = `
      import { createServer } from 'node:http';
      import { createListener } from 'dealership-conformance/listener';
      const server = createServer((request, response) => {
        const listener = createListener({ secret: new URL(request.url, 'http://a').searchParams.get('secret') });
        listener.on('deal.funded', (deal) => console.log('funded', deal.id));
        listener.handler(request, response);
      });
      server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;
    const listener = await started(node, ['--input-type=module', '-e', listening]);
    const address = `http://127.0.0.1:${listener.said.trim()}`;
    const bin = 'node_modules/.bin/dealership-conformance';
    const service = await started(node, [bin, 'serve', '--webhook', address]);
    try {
      const settings = parse(service.said);
      await fetch(`${settings['BASE_URL'] ?? ''}/__webhook`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ url: `${address}/?secret=${settings['SIGNING_SECRET'] ?? ''}` }),
      });
      const event = once(listener.child.stdout ?? listener.child, 'data');
      await fetch((settings['WEBHOOK_TRIGGER'] ?? '').replace('{kind}', 'deal.funded'), { method: 'POST' });
      expect(String(await event)).toMatch(/^funded \S+\n$/);

      await writeFile(join(project, '.env'), service.said);
      const gate = await command(node, 'gate');
      expect(gate.out).toMatch(/^ {2}CONFORMANT/m);
      expect(gate).toMatchObject({ status: 0, err: '' });

      await command(node, 'keygen', '--out', `key${version}`);
      const signed = ['--bundle', 'a.bundle', '--key', `key${version}.key.pem`, '--allow-incomplete'];
      const certified = await command(node, 'certify', '--only', 'PLAN,DOC', ...signed);
      expect(certified, certified.out).toMatchObject({ status: 0, err: '' });
      const verified = await command(node, 'verify', 'a.bundle', '--key', `key${version}.pub.pem`);
      expect(verified, verified.out).toMatchObject({ status: 3, err: '' });

      const load = await command(node, 'load', '--scenario', 'soak', '--plan', 'franchise', '--duration', '2s');
      expect(load, load.out).toMatchObject({ status: 0, err: '' });
    } finally {
      service.child.kill();
      listener.child.kill();
    }
  });
