import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { folderForEach } from '../../src/folder.test-kit.js';
import { startReference } from '../../src/reference/start-reference.js';
import { version } from '../../src/version.js';
import { useAction } from './composite.test-kit.js';
import { pullRequestEvent, serveComments, type Comment } from './github-api.test-kit.js';
import { makeFakeSuite, type Faked } from './fake-suite.test-kit.js';
import { npmArguments, root } from './shell.test-kit.js';

let folder: string;
folderForEach((made) => (folder = made));

/** Uses the action with a suite that does as it is told, on a pull request unless another event is given. */
async function useFaked(faked: Faked, more: Partial<Parameters<typeof useAction>[0]> = {}) {
  const { suite, env, received } = makeFakeSuite(folder, faked);
  const used = await useAction({
    folder,
    suite,
    event: pullRequestEvent('branch'),
    ...more,
    env: { BASE_URL: 'https://staging.example.com', ...env, ...more.env },
  });
  return { ...used, received };
}

const keysOf = (settings: Readonly<Record<string, string>>) => ({
  API_KEY: settings['API_KEY'],
  TENANT: settings['TENANT'],
});

test('a conforming service: outputs, job summary, artifact and success', async () => {
  const reference = await startReference();
  const used = await useAction({
    folder,
    inputs: { 'base-url': reference.baseUrl, only: 'PLAN' },
    env: keysOf(reference.settings),
  }).finally(() => reference.close());
  expect(used, used.said).toMatchObject({ failed: false, statuses: [0, 0, 0, 0] });
  expect(used.outputs).toMatchObject({
    outcome: 'conformant',
    'exit-code': '0',
    passed: '5',
    failed: '0',
    blocked: '0',
  });
  expect(used.outputs).toMatchObject({ 'not-applicable': '0', 'report-path': 'reports' });
  expect(existsSync(join(folder, 'reports/junit.xml'))).toBe(true);
  expect(used.summary).toBe(readFileSync(join(folder, 'reports/conformance.md'), 'utf8'));
  expect(used.used['actions/upload-artifact']).toMatchObject({ name: 'conformance', path: 'reports' });
  expect(npmArguments(folder).at(-3)).toBe(`dealership-conformance@${version}`);
  expect(npmArguments(folder)).toContain('--ignore-scripts');
});

test('a failing service: the status is kept, and one comment is made and then updated, beyond the first page too', async () => {
  const others: Comment[] = Array.from({ length: 130 }, (_, id) => ({ id, body: 'Nice', user: { login: 'reviewer' } }));
  await using api = await serveComments(others);
  const reference = await startReference({ faults: ['deals-bare'] });
  const used = await useAction({
    folder,
    inputs: { 'base-url': reference.baseUrl, only: 'DEAL-01' },
    env: keysOf(reference.settings),
    event: pullRequestEvent('branch'),
    api: api.url,
  }).finally(() => reference.close());
  expect(used, used.said).toMatchObject({ failed: true });
  expect(used.statuses.at(-1)).toBe(1);
  expect(used.outputs).toMatchObject({ outcome: 'nonconformant', 'exit-code': '1', failed: '1' });
  expect(used.used).toHaveProperty('actions/upload-artifact');
  expect(used.said).toContain('::error title=DEAL-01');
  expect(api.comments).toHaveLength(131);
  const made = api.comments[130]?.body ?? '';
  expect(made).toMatch(/^<!-- dealership-conformance \w{16} -->\n/);
  expect(made).toContain(
    '`gate` of commit abc1234: [log and report](https://github.example.com/acme/staging/actions/runs/4711)',
  );

  // A comment of somebody else that copies the hidden line is left alone.
  api.comments.unshift({ id: 999, body: made, user: { login: 'stranger' } });
  const env = { BASE_URL: reference.baseUrl };
  const again = await useFaked({ status: 0, counts: { pass: 84 }, markdown: '### All is well' }, { api: api.url, env });
  expect(again, again.said).toMatchObject({ failed: false });
  expect(api.comments).toHaveLength(132);
  expect(api.comments[0]?.body).toBe(made);
  expect(api.comments[131]?.body).toContain('\n### All is well\n');
  expect(api.requests.at(-1)).toBe('PATCH /repos/acme/staging/issues/comments/1130');

  // Another mode, and another target, have comments of their own.
  await useFaked({ status: 0, counts: { pass: 84 } }, { api: api.url, env, inputs: { mode: 'certify' } });
  await useFaked({ status: 0, counts: { pass: 84 } }, { api: api.url });
  expect(api.comments).toHaveLength(134);
  expect(new Set(api.comments.slice(131).map(({ body }) => body.split('\n')[0])).size).toBe(3);
});

test('a flag that judges nothing, such as --help, is a wrong setting and not green', async () => {
  const used = await useFaked({ status: 0 }, { inputs: { args: '--help' } });
  expect(used.statuses.at(-1)).toBe(2);
  expect(used.outputs).toMatchObject({ outcome: 'invalid-settings', 'exit-code': '2', passed: '' });
  expect(used.said).toContain('::error title=Nothing was judged::args is "--help"');
});

test('a pull request from a fork gets no comment, and a notice says why', async () => {
  await using api = await serveComments([]);
  const event = pullRequestEvent('fork');
  const used = await useFaked({ status: 0, counts: { pass: 1 } }, { event, api: api.url });
  expect(used).toMatchObject({ failed: false });
  expect(used.said).toMatch(/^::notice title=No comment::The pull request comes from a fork/m);
  expect(api.requests).toEqual([]);
});

test('a run without a pull request, and one without comments, ask nothing of GitHub', async () => {
  await using api = await serveComments([]);
  await useFaked({ status: 0, counts: { pass: 1 } }, { event: { ref: 'refs/heads/main' }, api: api.url });
  await useFaked({ status: 0, counts: { pass: 1 } }, { inputs: { comment: 'false' }, api: api.url });
  expect(api.requests).toEqual([]);
});

test('a token without the permission is one warning, and the exit status stays', async () => {
  await using api = await serveComments([], { status: 403, message: 'Resource not accessible\nby integration' });
  const used = await useFaked({ status: 0, counts: { pass: 1 } }, { api: api.url });
  expect(used).toMatchObject({ failed: false });
  expect(used.said.match(/^::.*$/gm)).toEqual([
    '::warning title=No comment on the pull request::GitHub answered 403 (Resource not accessible%0Aby integration). Give the job "permissions: pull-requests: write", or set the input comment to false.',
  ]);
  const down = await useFaked({ status: 1, counts: { fail: 1 } });
  expect(down.statuses.at(-1)).toBe(1);
  expect(down.said).toMatch(/^::warning title=No comment on the pull request::/m);
});

test('load reports its outcome by the exit status, uploads, and makes no comment', async () => {
  await using api = await serveComments([]);
  const used = await useFaked({ status: 3 }, { api: api.url, inputs: { mode: 'load', args: '--scenario soak' } });
  expect(used.statuses.at(-1)).toBe(3);
  expect(used.outputs).toMatchObject({ outcome: 'incomplete', 'exit-code': '3', passed: '', failed: '' });
  expect(used.received().argv).toEqual(['load', '--scenario', 'soak', '--out=reports']);
  expect(used.used).toHaveProperty('actions/upload-artifact');
  expect(api.requests).toEqual([]);
});

test('text of inputs is never run, and reaches the suite as it stands', async () => {
  const hostile = '$(touch pwned)`touch pwned`;touch pwned #';
  const inputs = {
    'base-url': `https://a.example/${hostile}`,
    tenant: hostile,
    only: hostile,
    waivers: '-x; touch pwned',
    baseline: '"a b"',
    args: ' --seed\t7;touch *\n"$(touch pwned)" && --quiet',
    out: 'reports\nexit-code=0',
    version: '1 || touch pwned',
    artifact: '',
  };
  const used = await useFaked({ status: 1, counts: { fail: 1 } }, { inputs, event: {}, env: { API_KEY: 'k3y' } });
  const { argv, env } = used.received();
  expect(argv).toEqual([
    'gate',
    ...['--seed', '7;touch', '*', '"$(touch', 'pwned)"', '&&', '--quiet'],
    ...[`--only=${hostile}`, '--waivers=-x; touch pwned', '--baseline="a b"', '--out=reports\nexit-code=0'],
  ]);
  expect(env).toMatchObject({ BASE_URL: inputs['base-url'], TENANT: hostile, API_KEY: 'k3y' });
  expect(Object.keys(env).filter((name) => name.startsWith('CONFORMANCE'))).toEqual([]);
  expect(used.outputs).toMatchObject({ 'exit-code': '1', 'report-path': 'reports\nexit-code=0' });
  expect(npmArguments(folder).at(-3)).toBe('dealership-conformance@1 || touch pwned');
  expect(existsSync(join(folder, 'pwned'))).toBe(false);
  expect(used.used).not.toHaveProperty('actions/upload-artifact');
});

test("wrong settings end with 2, say so in outputs and comment, and take nothing from an earlier run's report", async () => {
  await using api = await serveComments([]);
  mkdirSync(join(folder, 'reports'));
  const earlier = join(folder, 'reports/conformance.json');
  writeFileSync(earlier, '{ "counts": { "pass": 84 } }');
  writeFileSync(join(folder, 'reports/conformance.md'), '### CONFORMANT');
  const minuteAgo = Date.now() / 1_000 - 60;
  utimesSync(earlier, minuteAgo, minuteAgo);
  const used = await useAction({ folder, event: pullRequestEvent('branch'), api: api.url });
  expect(used.statuses.at(-1)).toBe(2);
  expect(used.said).toContain('BASE_URL');
  expect(used.outputs).toMatchObject({ outcome: 'invalid-settings', 'exit-code': '2', passed: '', failed: '' });
  expect(api.comments[0]?.body).toContain('\n### invalid-settings\n\n`gate` ended with status 2');

  const wrong = await useFaked({ status: 0 }, { inputs: { mode: 'serve; exit 0' }, api: api.url });
  expect(wrong.statuses.at(-1)).toBe(2);
  expect(wrong.said).toMatch(
    /^::error title=Wrong input::mode is "serve; exit 0": expected one of gate, certify, load.$/m,
  );
});

test('a long summary is cut to what GitHub accepts, with what is open at the cut closed', async () => {
  await using api = await serveComments([]);
  const line = `${'€'.repeat(99)}\n`;
  const markdown = `<details><summary>All</summary>\n\n\`\`\`\`sh\n<details>\n\`\`\`\n${line.repeat(1_000)}\`\`\`\`\n</details>\n`;
  const used = await useFaked({ status: 1, counts: { fail: 1 }, markdown }, { api: api.url });
  expect(used.said).not.toContain('::warning');
  const body = api.comments[0]?.body ?? '';
  expect(body.length).toBeGreaterThan(65_000);
  expect(body).toMatch(
    /\n€{99}\n````\n<\/details>\n\n\*The rest is left out here; the report has all\.\*\n\n\n<sub>.*<\/sub>\n$/,
  );
});

test('a cancelled job interrupts the suite, and the status is that of the suite', async () => {
  const { suite, env } = makeFakeSuite(folder, { status: 3, untilInterrupted: true });
  mkdirSync(join(folder, 'temp/dealership-conformance/node_modules'), { recursive: true });
  symlinkSync(suite, join(folder, 'temp/dealership-conformance/node_modules/dealership-conformance'));
  const outputs = join(folder, 'outputs');
  const script = spawn(process.execPath, [join(root, 'action/conformance.mjs'), 'run'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...env,
      RUNNER_TEMP: join(folder, 'temp'),
      GITHUB_OUTPUT: outputs,
      CONFORMANCE_MODE: 'gate',
      CONFORMANCE_OUT: 'reports',
    },
  });
  await once(script.stdout, 'data');
  script.kill('SIGINT');
  await once(script, 'exit');
  expect(readFileSync(outputs, 'utf8')).toMatch(/^exit-code<<(.*)\n3\n\1\noutcome<<(?!\1\n)(.*)\nincomplete\n\2\n/);
});
