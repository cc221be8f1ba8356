import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { folderForEach } from '../../folder.test-kit.js';
import { startReference } from '../../reference/start-reference.js';
import { runProcess, type EndedProcess } from '../run.test-kit.js';

const version = spawnSync('k6', ['version'], { encoding: 'utf8' });
test.skip(version.status !== 0, 'k6 is not on the PATH, so no script was run by the real k6');

let folder: string;
folderForEach((own) => (folder = own));

const limits = {
  independent: [
    { count: 120, seconds: 12 },
    { count: 60, seconds: 1 },
  ],
};
const leadMs = 15_000;

/** Runs a script on one of several execution segments, from an address of its own. */
function k6(script: string, instance: number, instances: number, env: NodeJS.ProcessEnv): Promise<string> {
  const file = `${script}.${instance}.json.gz`;
  const places = Array.from({ length: instances + 1 }, (_, at) => `${at}/${instances}`);
  const segment =
    instances === 1
      ? []
      : [
          ...['--execution-segment', places.slice(instance - 1, instance + 1).join(':')],
          ...['--execution-segment-sequence', places.join()],
        ];
  const flags = ['--quiet', '--no-usage-report', '--address', '', '--local-ips', `127.0.0.${instance + 1}`];
  const child = spawn('k6', ['run', ...flags, ...segment, '--out', `json=${file}`, script], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve(file) : reject(new Error(said))));
  });
}

/** Exports the test of the limits and lets so many instances of k6 run it; their outputs. */
async function sent(faults: readonly string[], instances: number): Promise<string[]> {
  const service = await startReference({ faults, limits });
  try {
    const { BASE_URL, API_KEY_INDEPENDENT = '' } = service.settings;
    const script = join(folder, `${faults.join()}-${instances}.js`);
    const flags = ['--plan', 'independent', '--parallelism', String(instances)];
    const settings = { BASE_URL, LIMITS_INDEPENDENT: '120/12s,60/1s' };
    expect(await runProcess(['load', 'export', '--k6', script, ...flags], folder, settings)).toMatchObject({
      status: 0,
    });
    const env = { API_KEY: API_KEY_INDEPENDENT, START_AT: new Date(Date.now() + leadMs).toISOString() };
    return await Promise.all(Array.from({ length: instances }, (_, k) => k6(script, k + 1, instances, env)));
  } finally {
    await service.close();
  }
}

const judge = (files: readonly string[]): Promise<EndedProcess> => runProcess(['load', 'judge', ...files], folder);

test('a counter for each server is missed by one k6, and found by three on execution segments', async () => {
  test.setTimeout(400_000);
  const alone = await judge(await sent(['limits-by-source'], 1));
  expect(alone.out).toContain('judged: 3 passed');
  expect(alone.status).toBe(0);
  const three = await judge(await sent(['limits-by-source'], 3));
  expect(three.out).toMatch(/✗ LIMIT-02 failed: .*the service counts instances apart/);
  expect(three.status).toBe(1);
});

test('three k6 find nothing in a service that conforms; one of them is no run', async () => {
  test.setTimeout(180_000);
  const files = await sent([], 3);
  const { out, status } = await judge(files);
  expect(out).toContain('judged: 3 passed');
  expect(status).toBe(0);
  const missing = await judge(files.slice(1));
  expect(missing.err).toMatch(/^instance 1 of 3 is missing: .*\n$/);
  expect(missing.status).toBe(2);
});
