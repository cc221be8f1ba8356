import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { parse } from 'yaml';
import { startProcess } from '../../src/cli/run.test-kit.js';
import { folderForEach } from '../../src/folder.test-kit.js';
import { startReference } from '../../src/reference/start-reference.js';
import { version } from '../../src/version.js';
import { root, runBash } from './shell.test-kit.js';

interface Step {
  readonly run?: string;
}
interface Example {
  readonly kind?: string;
  readonly spec: { readonly template: { readonly spec: { readonly containers: readonly { command: string[] }[] } } };
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[]; readonly env?: Record<string, string> }>>;
}

const examples = [...readFileSync(join(root, 'docs/nightly-load.md'), 'utf8').matchAll(/^```yaml\n([^]*?)^```/gm)].map(
  ([, text = '']) => parse(text) as Example,
);
const leadMs = 20_000;

let folder: string;
folderForEach((own) => (folder = own));

/** The command by its name, as in the image, and `npx` of this release. */
function path(): string {
  const main = `exec '${process.execPath}' '${join(root, 'dist/src/cli/main.js')}' "$@"\n`;
  const npx = `[ "$1 $2" = '--yes dealership-conformance@${version}' ] || exit 9\nshift 2\n${main}`;
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  for (const [name, script] of [
    ['dealership-conformance', main],
    ['npx', npx],
  ] as const) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}`);
    chmodSync(join(bin, name), 0o755);
  }
  return `${bin}:${process.env['PATH'] ?? ''}`;
}

/** Runs one script for each of three parts at the same time, then that of the judge. */
async function sendAndJudge(script: string, judge: string, envOf: (index: number) => NodeJS.ProcessEnv): Promise<void> {
  const service = await startReference({ limits: { independent: [{ count: 20, seconds: 4 }] } });
  const clock = startProcess(['load', 'clock'], folder);
  const url = await new Promise<string>((resolve) =>
    clock.child.stdout.once('data', (line: Buffer) => resolve(line.toString().trim())),
  );
  const { BASE_URL, API_KEY_INDEPENDENT } = service.settings;
  const START_AT = new Date(Date.now() + leadMs).toISOString();
  const settings = { BASE_URL, API_KEY_INDEPENDENT, LIMITS_INDEPENDENT: '20/4s', CLOCK: url, START_AT };
  const PATH = path();
  const sent = await Promise.all(
    [0, 1, 2].map((index) => {
      const cwd = join(folder, String(index));
      mkdirSync(cwd);
      return runBash(script, { cwd, env: { PATH, ...settings, ...envOf(index) } });
    }),
  );
  await service.close();
  clock.child.kill('SIGTERM');
  await clock.ended;
  expect(sent.map(({ status, said }) => [status, said])).toEqual(sent.map(() => [0, expect.stringContaining('.gz\n')]));
  const { status, said } = await runBash(judge, { cwd: folder, env: { PATH } });
  expect(said).toMatch(/part 3 of 3, [^]*CONFORMANT/);
  expect(status).toBe(0);
}

test('the Job for Kubernetes sends the parts by the index of each pod, to the volume that they share', async () => {
  const [, , line = ''] = examples.find(({ kind }) => kind === 'Job')?.spec.template.spec.containers[0]?.command ?? [];
  const traces = join(folder, 'traces');
  mkdirSync(traces);
  const script = line.replaceAll('/traces/', `${traces}/`);
  const env = (index: number): NodeJS.ProcessEnv => ({ JOB_COMPLETION_INDEX: String(index) });
  await sendAndJudge(script, `dealership-conformance load judge ${traces}/*.gz`, env);
});

test('the matrix for GitHub Actions chooses an instant, sends the parts and judges what the artifacts hold', async () => {
  const { when, load, judge } = examples.find((one) => one?.jobs?.['when'] !== undefined)?.jobs ?? {};
  const output = join(folder, 'output');
  await runBash(when?.steps[0]?.run ?? '', { cwd: folder, env: { PATH: process.env['PATH'], GITHUB_OUTPUT: output } });
  const [, start = ''] = /^start=(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)\n$/.exec(readFileSync(output, 'utf8')) ?? [];
  expect((Date.parse(start) - Date.now()) / 60_000).toBeCloseTo(10, 0);
  expect(Object.keys(load?.env ?? {})).toEqual(expect.arrayContaining(['PART', 'START_AT', 'CLOCK', 'BASE_URL']));
  const all = `cp */*.gz .\n${judge?.steps.find(({ run }) => run !== undefined)?.run ?? ''}`;
  const env = (index: number): NodeJS.ProcessEnv => ({ PART: String(index + 1) });
  await sendAndJudge(load?.steps[0]?.run ?? '', all, env);
});
