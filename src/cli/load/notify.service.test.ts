import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { scratch } from '../../folder.test-kit.js';
import { plainNetwork } from '../../http/connector.js';
import { serve } from '../../loopback.test-kit.js';
import { startForwardProxy } from '../../proxy.test-kit.js';
import { readTarget } from '../../settings/read-target.js';
import type { SoakRun } from '../../traffic/soak/history/history.js';
import { runInProcess } from '../run.test-kit.js';
import { messages } from './messages.test-kit.js';
import { notify, type Notice } from './notify.js';

const notice: Notice = {
  target: 'http://service.example',
  plan: 'independent',
  outcome: 'failed',
  exitStatus: 1,
  happened: ['p95<200ms: 230 ms', 'the service says <!channel> & "the-key-in-full"'],
};

/** Sends a notice to a receiver, and hands back the warnings. */
async function send(
  notifyUrl: string | null,
  more: Partial<Notice> = {},
  timeoutMs?: number,
  network = plainNetwork,
): Promise<string[]> {
  const warned: string[] = [];
  const secrets = [['API_KEY', 'the-key-in-full'] as const, ['NOTIFY_URL', notifyUrl ?? ''] as const];
  await notify({ notifyUrl, secrets, network }, { ...notice, ...more }, (line) => warned.push(line), timeoutMs);
  return warned;
}

test('a notification is sent once, without secrets, links and mentions', async () => {
  await using hook = await messages();
  expect(await send(hook.url)).toEqual([]);
  expect(hook.received).toEqual([
    {
      text: 'Load of http://service.example, independent: failed (exit status 1)\n• p95&lt;200ms: 230 ms\n• the service says &lt;!channel&gt; &amp; "[redacted:API_KEY]"',
      target: 'http://service.example',
      plan: 'independent',
      outcome: 'failed',
      exitStatus: 1,
      happened: ['p95<200ms: 230 ms', 'the service says <!channel> & "[redacted:API_KEY]"'],
    },
  ]);
});

test('nothing is sent where nothing happened, or to nowhere', async () => {
  await using hook = await messages();
  expect(await send(hook.url, { happened: [] })).toEqual([]);
  expect(await send(null)).toEqual([]);
  expect(hook.received).toEqual([]);
});

test('a notification that is not accepted is sent once more, then costs one line that does not show the address', async () => {
  await using once = await messages(500);
  expect(await send(once.url)).toEqual([]);
  expect(once.received).toHaveLength(2);
  await using never = await messages(500, 302, 500);
  expect(await send(never.url)).toEqual([
    'The notification to NOTIFY_URL was not accepted (it answers 302); the exit status stays as it is.',
  ]);
  expect(never.received).toHaveLength(2);
  await using silent = await messages(null, null);
  expect((await send(silent.url, {}, 100))[0]).toContain('(no answer within 0.1 s)');
  const gone = await messages();
  await gone.close();
  expect((await send(gone.url))[0]).toContain('(no answer: refused)');
});

test('a notification takes the proxy of the run', async () => {
  await using hook = await messages();
  await using proxy = await startForwardProxy();
  const { network } = readTarget({ BASE_URL: 'http://x', PROXY: proxy.url });
  expect(await send(hook.url, {}, undefined, network)).toEqual([]);
  expect(proxy.seen).toHaveLength(1);
  expect(hook.received).toHaveLength(1);
});

/** A service that answers every request alike. */
const service = () =>
  serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"ok":true,"data":[]}');
  });

test('a missing night is reported in every form, and fails the run only where --fail-on names it', async () => {
  test.setTimeout(60_000);
  await using server = await service();
  await using hook = await messages(500, 500);
  using place = scratch();
  const [out, history] = [join(place.folder, 'out'), join(place.folder, 'kept')];
  const summary = join(place.folder, 'summary.md');
  writeFileSync(summary, '');
  const soak = ['load', '--scenario', 'soak', '--rate', '20', '--duration', '1s', '--out', out, '--history', history];
  const env = { BASE_URL: server.url, API_KEY: 'key-of-the-service', NOTIFY_URL: hook.url };
  const first = await runInProcess([...soak, '--fail-on', 'slower,errors,missing-night'], env);
  expect(first).toMatchObject({ status: 0, err: '' });
  expect(existsSync(join(out, 'history'))).toBe(false);
  expect(hook.received).toEqual([]);
  const [name = ''] = readdirSync(history);
  const run = JSON.parse(readFileSync(join(history, name), 'utf8')) as SoakRun;
  for (const days of [3, 4, 5]) {
    const started = new Date(Date.parse(run.started) - days * 86_400_000).toISOString();
    writeFileSync(join(history, `${days}.json`), JSON.stringify({ ...run, started }));
  }
  writeFileSync(join(history, name), JSON.stringify({ ...run, conditions: 'others' }));
  const github = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary };
  const failing = await runInProcess([...soak, '--fail-on', 'errors,missing-night'], { ...env, ...github });
  expect(failing.status).toBe(1);
  expect(failing.out).toMatch(/A night is missing: .* 72\.0 h before this one, where 24\.0 h are usual\.\n/);
  expect(failing.out).toContain('::error title=NIGHTS-03 fail%3A no night is missing::');
  expect(failing.err).toBe(
    'The notification to NOTIFY_URL was not accepted (it answers 500); the exit status stays as it is.\n',
  );
  expect(readFileSync(summary, 'utf8')).toMatch(/^## Load, soak: Not conformant: [^]*no night is missing/);
  expect(readFileSync(join(out, 'load', 'soak.junit.xml'), 'utf8')).toMatch(
    /name="NIGHTS-03 no night is missing"[^>]*><failure /,
  );
  expect(hook.received).toHaveLength(2);
  writeFileSync(
    join(
      history,
      readdirSync(history)
        .filter((one) => one.startsWith('20'))
        .at(-1) ?? '',
    ),
    '{}',
  );
  writeFileSync(join(history, name), '{}');
  const warning = await runInProcess(soak, { ...env, ...github });
  expect(warning.status).toBe(0);
  expect(warning.out).toContain('::warning title=NIGHTS-03 warn%3A no night is missing::');
  expect(hook.received.at(-1)).toMatchObject({ plan: 'API_KEY', outcome: 'passed', exitStatus: 0 });
});
