import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { startLimited } from '../traffic/limited-server.test-kit.js';
import type { Night } from '../traffic/soak/history.js';

const main = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));

let out: string;

test.beforeEach(() => {
  out = mkdtempSync(join(tmpdir(), 'interrupted-'));
});

test.afterEach(() => rmSync(out, { recursive: true, force: true }));

/** A soak by the compiled command line, whose output nobody reads after its first line, ended by a signal once it is under way or by itself. */
async function soakUnread(
  duration: string,
  signal: NodeJS.Signals | null,
): Promise<{ readonly status: number | NodeJS.Signals | null; readonly err: string; readonly nights: Night[] }> {
  const server = await startLimited({ kind: 'fixed', limits: { k: [{ count: 1_000_000, windowSeconds: 1 }] } });
  const asked = ['load', '--scenario', 'soak', '--rate', '50', '--duration', duration, '--out', out];
  const child = spawn(process.execPath, [main, ...asked], {
    cwd: out,
    env: { PATH: process.env['PATH'], BASE_URL: server.url, API_KEY_INDEPENDENT: 'k' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let err = '';
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  child.stdout.once('data', () => child.stdout.destroy());
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.on('close', (code, by) => resolve(code ?? by)),
  );
  if (signal !== null) {
    await expect.poll(() => server.requests()).toBeGreaterThan(10);
    child.kill(signal);
    child.kill(signal);
  }
  const status = await ended;
  await server.close();
  const folder = join(out, 'history');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return { status, err, nights: names.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Night) };
}

test('a soak whose output nobody reads any longer ends with its report and its own status, without a word', async () => {
  expect(await soakUnread('1s', null)).toMatchObject({
    status: 0,
    err: '',
    nights: [{ service: { ended: 'complete', total: { due: 50 } } }],
  });
  expect(existsSync(join(out, 'load', 'soak.html'))).toBe(true);
});

for (const [signal, own, more] of [
  ['SIGINT', 0, ''],
  ['SIGHUP', 0, ''],
  // What a machine ends must not be taken for a whole night.
  ['SIGTERM', 3, 'The soak was terminated early, so its thresholds say nothing of the whole.\n'],
] as const) {
  test(`${signal}, though it comes twice at once, ends a soak with its report, and a line says so`, async () => {
    const { status, err, nights } = await soakUnread('1h', signal);
    expect(status).toBe(own);
    expect(nights).toMatchObject([{ service: { ended: 'aborted' }, control: null }]);
    const [first, ...others] = err.split(/(?<=\n)/);
    expect(first).toMatch(/^Ending; the report .* is being written\. Ctrl-C again gives it up\.\n$/);
    expect(others.join('')).toBe(more);
  });
}
