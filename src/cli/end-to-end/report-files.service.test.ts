import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { scratch } from '../../folder.test-kit.js';
import { closing } from '../../loopback.test-kit.js';
import { startReference } from '../../reference/start-reference.js';
import { junitProblems } from '../../reports/formats/schemas.test-kit.js';
import { reportFiles } from '../../reports/write-reports.js';
import { runInProcess as run } from '../run.test-kit.js';

test('a failing run writes every file; --baseline says in the summary what changed, whatever folder it is, and has no effect on the exit status', async () => {
  using place = scratch();
  const { folder } = place;
  const gate = async (of: readonly string[], ...more: string[]): ReturnType<typeof run> => {
    await using reference = closing(await startReference({ faults: of }));
    const key = ['--api-key', reference.settings['API_KEY'] ?? ''];
    return await run(
      ['gate', '--base-url', reference.baseUrl, ...key, '--only', 'DEAL-01,PLAN-01', ...more],
      {},
      folder,
    );
  };
  const read = (name: string): string => readFileSync(join(folder, 'reports', name), 'utf8');
  const summary = (): string => read('conformance.md');
  expect((await gate(['deals-bare'])).status).toBe(1);
  expect(readdirSync(join(folder, 'reports'))).toEqual(expect.arrayContaining([...reportFiles]));
  expect(await junitProblems(read('junit.xml'))).toEqual([]);
  expect(summary()).toMatch(
    /^## Not conformant: `http.*\n[^]*\*\*DEAL-01\*\*.*seen `GET .*\n\n<details>.*\n\n```sh\ncurl /m,
  );
  expect(summary()).not.toContain('baseline');
  // The folder of the baseline is that of the run, which replaces it.
  expect((await gate([], '--baseline', 'reports')).status).toBe(0);
  expect(summary()).toMatch(
    /### Since the baseline\n\nCompared with `reports`: 1 better\.\n\nThe baseline is of another target: `http[^`]*`\.\n\n- better: \*\*DEAL-01\*\* fail → pass\n/,
  );
  expect((await gate(['deals-bare'], '--baseline', 'reports/conformance.json')).status).toBe(1);
  expect(summary()).toContain('- worse: **DEAL-01** pass → fail\n');
  expect(read('conformance.html')).toMatch(
    /<h2 id="since">Since reports\/conformance.json: 1 worse<.*#DEAL-01.*worse: pass before/s,
  );
  await writeFile(join(folder, 'broken.json'), '{}');
  const refused = await gate([], '--baseline', 'broken.json');
  expect(refused).toMatchObject({ status: 2, out: '', err: expect.stringMatching(/^[^\n]+\n$/) });
  expect(refused.err).toContain('--baseline names broken.json, which is wrong (');
  expect(summary()).toContain('- worse: **DEAL-01** pass → fail\n');
});

test('the summary is added to that of GitHub, and a file that cannot be written is one line', async () => {
  using place = scratch();
  const { folder } = place;
  const gate = ['gate', '--embedded', '--only', 'PLAN-01,LIMIT-01', '--quiet', '--out', join(folder, 'reports')];
  const file = join(folder, 'summary.md');
  await writeFile(file, 'earlier\n');
  expect((await run(gate, { GITHUB_STEP_SUMMARY: file })).status).toBe(0);
  expect(readFileSync(file, 'utf8')).toBe(
    `earlier\n${readFileSync(join(folder, 'reports', 'conformance.md'), 'utf8')}`,
  );
  const absent = join(folder, 'absent', 'summary.md');
  expect(await run(gate, { GITHUB_STEP_SUMMARY: absent })).toMatchObject({
    status: 0,
    err: `GITHUB_STEP_SUMMARY names ${absent}, which cannot be written (ENOENT); the summary is in ${join(folder, 'reports', 'conformance.md')}.\n`,
  });
});
