import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { expect, test } from '@playwright/test';
import { startLimited } from '../../../testing/real-limiters/limited-server.test-kit.js';
import { reportFiles } from '../../reports/write-reports.js';
import type { SoakRun } from '../../traffic/soak/history.js';
import { runInProcess, runProcess, startProcess, type EndedProcess } from '../run.test-kit.js';
import { folderForEach } from '../../folder.test-kit.js';

let out: string;

folderForEach((folder) => (out = folder));

/**
 * Runs a soak with the compiled command. Nobody reads its output after the first line; a signal ends it once it is under way, or it ends by
 * itself.
 */
async function soakUnread(
  duration: string,
  signal: NodeJS.Signals | null,
): Promise<Omit<EndedProcess, 'out'> & { readonly runs: SoakRun[] }> {
  await using server = await startLimited({ k: [{ count: 1_000_000, windowSeconds: 1 }] });
  const args = ['load', '--scenario', 'soak', '--rate', '50', '--duration', duration, '--out', out];
  const { child, ended } = startProcess(args, out, { BASE_URL: server.url, API_KEY_INDEPENDENT: 'k' });
  child.stdout.once('data', () => child.stdout.destroy());
  if (signal !== null) {
    await expect.poll(() => server.requests(), { timeout: 60_000 }).toBeGreaterThan(10);
    child.kill(signal);
    child.kill(signal);
  }
  const { status, err } = await ended;
  const folder = join(out, 'history');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return { status, err, runs: names.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as SoakRun) };
}

test('a soak whose output nobody reads any longer ends with its report and its own status, without a word', async () => {
  expect(await soakUnread('1s', null)).toMatchObject({
    status: 0,
    err: '',
    runs: [{ service: { ended: 'complete', total: { due: 50 } } }],
  });
  expect(existsSync(join(out, 'load', 'soak.html'))).toBe(true);
});

for (const [signal, own, more] of [
  ['SIGINT', 0, ''],
  // A soak run that a machine ended must not count as complete.
  ['SIGTERM', 3, 'The soak was terminated early, so its thresholds say nothing of the whole.\n'],
] as const) {
  test(`${signal}, though it comes twice at once, ends a soak with its report, and a line says so`, async () => {
    const { status, err, runs } = await soakUnread('1h', signal);
    expect(status).toBe(own);
    expect(runs).toMatchObject([{ service: { ended: 'aborted' }, control: null }]);
    expect(readFileSync(join(out, 'load', 'soak.html'), 'utf8')).toContain('Ended early');
    const [first, ...others] = err.trimStart().split(/(?<=\n)/);
    expect(first).toMatch(/^Stopping; writing the report .*\. Ctrl-C again stops without a report\.\n$/);
    expect(others.join('')).toBe(more);
  });
}

/** True as soon as the stream has said this, false where it ended without. */
function saying(stream: Readable, words: string): Promise<boolean> {
  return new Promise((resolve) => {
    let said = '';
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
      if (said.includes(words)) resolve(true);
    });
    stream.on('close', () => resolve(false));
  });
}

test('SIGTERM, though it comes twice at once, ends a gate with a report that says so, and keeps an earlier one', async () => {
  const once = ['gate', '--embedded', '--only', 'PLAN-01', '--out', out];
  expect(await runProcess(once, out)).toMatchObject({ status: 0, err: '' });
  const { child, ended } = startProcess(['gate', '--embedded', '--out', out], out);
  const [underWay, ending] = [saying(child.stdout, '✓'), saying(child.stderr, 'Stopping; writing the report')];
  expect(await underWay).toBe(true);
  child.kill('SIGTERM');
  await ending;
  // As npx passes it on.
  child.kill('SIGTERM');
  const { status, out: said, err } = await ended;
  expect(status, err).toBe(3);
  expect(err).toContain('Stopping; writing the report');
  expect(said).toContain('the run was interrupted');
  expect(readFileSync(join(out, 'conformance.json'), 'utf8')).toContain('the run was interrupted');
  expect(said).toContain(`The earlier, complete report: ${join(out, 'previous/conformance.html')}`);
  expect(readFileSync(join(out, 'previous/conformance.json'), 'utf8')).toContain('"outcome": "conformant"');
  expect(readdirSync(join(out, 'previous'))).toEqual(expect.arrayContaining([...reportFiles]));
  expect((await runInProcess(once)).out).not.toContain('earlier');
  expect(existsSync(join(out, 'previous'))).toBe(false);
  // Wrong settings leave it where it was.
  expect((await runInProcess([...once, '--tenant', 'nobody'])).err).toMatch(/does not accept the tenant/);
  expect(readFileSync(join(out, 'conformance.json'), 'utf8')).toContain('"outcome": "conformant"');
  // So does a target that is down, every time.
  for (let tries = 0; tries < 2; tries += 1) {
    const down = await runInProcess(['gate', '--base-url', 'http://127.0.0.1:1', '--only', 'PLAN-01', '--out', out]);
    expect(down.status).toBe(3);
    expect(down.out).toContain(`The earlier, complete report: ${join(out, 'previous/conformance.html')}`);
    expect(readFileSync(join(out, 'previous/conformance.json'), 'utf8')).toContain('"outcome": "conformant"');
  }
});

test('an interrupt ends the wait for a limit’s window, and nothing more is sent', async () => {
  // Waiting for the windows would take minutes.
  test.setTimeout(40_000);
  await using server = await startLimited({ k: [{ count: 60, windowSeconds: 60 }] });
  const env = { BASE_URL: server.url, API_KEY: 'k', API_KEY_INDEPENDENT: 'k', LIMITS_INDEPENDENT: '60/60s' };
  const { child, ended } = startProcess(['certify', '--only', 'LIMIT', '--out', out], out, env);
  await expect.poll(() => server.requests(), { timeout: 20_000 }).toBeGreaterThan(10);
  child.kill('SIGINT');
  expect(await ended).toMatchObject({ status: 3 });
  expect(readFileSync(join(out, 'conformance.json'), 'utf8')).toContain('the run was interrupted');
});

test('a signal that came again while the process was busy is the same one, and a later one ends it', async () => {
  const module = new URL('../../../dist/src/cli/on-interrupt.js', import.meta.url).href;
  const file = join(out, 'sent');
  const program = `
    import { existsSync } from 'node:fs';
    import { onInterrupt } from ${JSON.stringify(module)};
    onInterrupt(() => {
      console.log('heard');
      const untilMs = performance.now() + 700;
      while (performance.now() < untilMs || !existsSync(${JSON.stringify(file)}));
      setTimeout(() => console.log('alive'), 50);
    });
    setInterval(() => undefined, 1000);
    console.log('listening');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.on('close', (code, by) => resolve(code ?? by)));
  const [listening, heard, alive] = ['listening', 'heard', 'alive'].map((words) => saying(child.stdout, words));
  await listening;
  child.kill('SIGHUP');
  await heard;
  child.kill('SIGHUP');
  writeFileSync(file, '');
  expect(await alive).toBe(true);
  child.kill('SIGINT');
  expect(await ended).toBe('SIGINT');
});
