import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';

const main = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));

interface Ended {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the compiled command line in an empty folder and an environment without settings. */
async function run(args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const folder = await mkdtemp(join(tmpdir(), 'dealership-conformance-'));
  try {
    return await new Promise((resolve) => {
      execFile(
        process.execPath,
        [main, ...args],
        { cwd: folder, env: { PATH: process.env['PATH'], NO_COLOR: '1', ...more }, timeout: 100_000, maxBuffer: 1e7 },
        (error, out, err) => {
          resolve({ status: error === null ? 0 : typeof error.code === 'number' ? error.code : 99, out, err });
        },
      );
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const wrong: readonly (readonly [string, readonly string[], RegExp, NodeJS.ProcessEnv?])[] = [
  ['no command', [], /no command/],
  ['an unknown command', ['certfy'], /"certfy" is no command/],
  ['an unknown flag', ['gate', '--bse-url', 'x'], /bse-url/],
  ['an unknown id', ['gate', '--only', 'UNIT-99'], /UNIT-99/],
  ['an empty selection', ['gate', '--only', ','], /--only is empty/],
  ['an operand', ['gate', 'UNIT-03'], /--only UNIT-03/],
  ['a BASE_URL that is none', ['gate', '--base-url', 'staging'], /BASE_URL is "staging"/],
  ['a BASE_URL with a password', ['gate', '--base-url', 'https://u:p@example.com'], /without credentials/],
  ['a seed that is no number', ['gate', '--seed', 'many'], /SEED is "many"/],
  ['limits that are none', ['certify', '--limits-demo', '100'], /LIMITS_DEMO is "100"/],
  [
    'a key with a line break',
    ['gate'],
    /API_KEY is a value with blanks/,
    { BASE_URL: 'http://127.0.0.1:1', API_KEY: 'a b' },
  ],
  ['a pinned contract that is missing', ['gate', '--contract', 'nowhere.json'], /CONTRACT names nowhere.json/],
  ['an output folder that cannot be', ['gate', '--out', '/dev/null/x'], /--out names/],
  ['an unknown fault', ['serve', '--fault', 'gremlin'], /--fault names "gremlin"/],
  ['an unknown dial', ['serve', '--variant', 'colour=red'], /--variant holds "colour=red"/],
  ['explain without an id', ['explain'], /explain takes one requirement/],
];

for (const [what, args, says, more] of wrong) {
  test(`${what} ends with status 2 and one sentence`, async () => {
    const { status, out, err } = await run(args, more);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toMatch(says);
    expect(err.trim().split('\n')).toHaveLength(1);
    expect(err).not.toMatch(/\bat .*:\d+:\d+/);
  });
}

test('list, explain, help and version answer', async () => {
  const [list, explain, help, version, faults] = await Promise.all([
    run(['list']),
    run(['explain', 'UNIT-03']),
    run(['--help']),
    run(['--version']),
    run(['serve', '--list']),
  ]);
  expect(list.out).toMatch(/^UNIT-03 +MUST/m);
  expect(explain.out).toContain('filter-lost-on-page-two');
  expect(help.out).toContain('--base-url');
  expect(version.out).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(faults.out).toContain('filter-lost-on-page-two');
  expect([list, explain, help, version, faults].map((one) => one.status)).toEqual([0, 0, 0, 0, 0]);
});

test('a conforming service ends with 0, and a section alone can be judged', async () => {
  const { status, out } = await run(['gate', '--only', 'PLAN,DEMO', '--seed', '7']);
  expect(out).toContain('CONFORMANT');
  expect(out).toContain('seed 7');
  expect(status).toBe(0);
});

test('a target that is not there ends with 3, without a stack trace', async () => {
  const { status, out, err } = await run([
    'gate',
    '--base-url',
    'http://127.0.0.1:1',
    '--api-key',
    'nobody-knows-this-key',
  ]);
  expect(out).toContain('INCOMPLETE');
  expect(out + err).not.toMatch(/\bat .*:\d+:\d+/);
  expect(status).toBe(3);
});

test('a .env file is read, and what cannot be understood in it is one sentence', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dealership-conformance-'));
  await writeFile(join(folder, '.env'), 'BASE_URL=nonsense\n');
  const ended = await new Promise<Ended>((resolve) => {
    execFile(process.execPath, [main, 'gate'], { cwd: folder, env: { PATH: process.env['PATH'] } }, (error, out, err) =>
      resolve({ status: Number(error?.code ?? 0), out, err }),
    );
  });
  await rm(folder, { recursive: true, force: true });
  expect(ended.status).toBe(2);
  expect(ended.err).toMatch(/BASE_URL is "nonsense"/);
});
