import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { folderForEach } from '../../src/folder.test-kit.js';
import { startReference } from '../../src/reference/start-reference.js';
import { version } from '../../src/version.js';
import { body, inputs, jobWith, text, type Job } from './component.test-kit.js';
import { makeFakeSuite } from './fake-suite.test-kit.js';
import { fakeNpm, npmArguments, root, runBash } from './shell.test-kit.js';

/** Carries a job out as a runner does, in a project's folder of its own. */
async function runJob(folder: string, job: Job, env: NodeJS.ProcessEnv, suite = root) {
  const variables = Object.entries(job.variables).map(([name, set]) => [
    name,
    typeof set === 'string' ? set.replace(/\$(\w+)/g, (_, other: string) => env[other] ?? '') : set.value,
  ]);
  const settings = {
    HOME: folder,
    TMPDIR: folder,
    CI_PROJECT_DIR: folder,
    ...env,
    ...(Object.fromEntries(variables) as object),
  };
  return runBash(job.script.join('\n'), { cwd: folder, env: { ...fakeNpm(folder, suite), ...settings } });
}

let folder: string;
folderForEach((made) => (folder = made));

test('every input is described, has a value, and is used; the package is of this release', () => {
  const unused = Object.keys(inputs).filter((name) => !text.includes(`$[[ inputs.${name} ]]`));
  expect(unused).toEqual([]);
  for (const { description, default: value, options } of Object.values(inputs)) {
    expect(description).toMatch(/\.$/);
    expect(options ?? [value]).toContain(value);
  }
  expect(inputs['version']?.default).toBe(version);
  expect(jobWith().image).toBe('node:24-slim');
  // A shell would run the text of an input there.
  expect(JSON.stringify(body['$[[ inputs.job-name ]]']?.script)).not.toContain('$[[');
});

test('the job judges a service, and leaves its artifacts where GitLab looks for them', async () => {
  const reference = await startReference({ faults: ['deals-bare'] });
  const { API_KEY, TENANT } = reference.settings;
  const job = jobWith({ 'job-name': 'staging', 'base-url': '$STAGING_URL', only: 'DEAL-01', out: 'results' });
  const env = { API_KEY, TENANT, STAGING_URL: reference.baseUrl };
  const { status, said } = await runJob(folder, job, env).finally(() => reference.close());
  expect(status, said).toBe(1);
  expect(said).toContain('DEAL-01');
  expect(job.artifacts).toMatchObject({ name: 'conformance', when: 'always', paths: ['results/'] });
  expect(existsSync(join(folder, 'results/evidence'))).toBe(true);
  expect(Object.keys(job.artifacts.reports)).toEqual(['junit']);
  for (const path of Object.values(job.artifacts.reports)) expect(existsSync(join(folder, path)), path).toBe(true);
  expect(npmArguments(folder).at(-3)).toBe(`dealership-conformance@${version}`);
});

test('text of inputs is never run, and reaches the suite as it stands; without inputs the settings of the project count', async () => {
  const hostile = '$(touch pwned)`touch pwned`;touch pwned #';
  const { suite, env, received } = makeFakeSuite(folder, { status: 3 });
  const values = {
    ...{ 'base-url': 'https://a.example', tenant: 'dealer;touch pwned', mode: 'certify', only: hostile },
    ...{ waivers: '-x; touch pwned', baseline: '"a b"', args: ' --seed\t7;touch *\n"$(touch pwned)" && --quiet' },
    ...{ out: 'a folder/$(touch pwned)', version: '1 || touch pwned', artifact: hostile },
  };
  expect((await runJob(folder, jobWith(values), env, suite)).status).toBe(3);
  expect(received().argv).toEqual([
    'certify',
    ...['--seed', '7;touch', '*', '"$(touch', 'pwned)"', '&&', '--quiet'],
    ...[`--only=${hostile}`, '--waivers=-x; touch pwned', '--baseline="a b"', '--out=a folder/$(touch pwned)'],
  ]);
  expect(received().env).toMatchObject({ BASE_URL: 'https://a.example', TENANT: 'dealer;touch pwned' });
  expect(npmArguments(folder).at(-3)).toBe('dealership-conformance@1 || touch pwned');
  expect(existsSync(join(folder, 'pwned'))).toBe(false);

  await runJob(folder, jobWith(), { ...env, BASE_URL: 'https://b.example', TENANT: 'dealer' }, suite);
  expect(received().argv).toEqual(['gate', '--out=reports']);
  expect(received().env).toMatchObject({ BASE_URL: 'https://b.example', TENANT: 'dealer' });
});
