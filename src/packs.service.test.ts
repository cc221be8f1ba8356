import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { runInProcess, type Ended } from './cli/run.test-kit.js';
import type { Report } from './requirement/types.js';
import { scratch } from './folder.test-kit.js';

/** A pack with one requirement that holds and one that does not. */
const ours = `
const units = async (check) => (await check.ask({ path: '/api/v1/units' })).response;
export default {
  name: 'ours',
  sections: [{ id: 'OURS', title: 'House rules', level: 'House' }],
  requirements: [
    { id: 'OURS-01', level: 'MUST', source: 'house rule 1', title: 'the list is there', needs: ['API_KEY'],
      body: async ({ check }) => { if ((await units(check)).status !== 200) check.fail({ expected: '200', actual: 'another' }); } },
    { id: 'OURS-02', level: 'MUST', source: 'house rule 2', title: 'the list is a teapot',
      body: async ({ check }) => { check.fail({ expected: '418', actual: String((await units(check)).status) }); } },
    { id: 'OURS-03', level: 'SHOULD', source: 'house rule 3', title: 'Calls are read', needs: ['API_KEY_READ_CALLS'],
      body: async () => {} },
  ],
};`;

const { folder, remove } = scratch();
test.beforeAll(() => writeFile(join(folder, 'ours.mjs'), ours));
test.afterAll(remove);

const run = (...args: readonly string[]): Promise<Ended> => runInProcess(args, { API_KEY_READ_CALLS: '' }, folder);

test('requirements of another pack are judged after the own ones, and every report shows them', async () => {
  const { status, out, err } = await run('gate', '--embedded', '--only', 'DEAL-01,OURS', '--packs', './ours.mjs');
  expect(status, out + err).toBe(1);
  expect(out).toMatch(/OURS +House rules +1 failed/);
  const read = (name: string): Promise<string> => readFile(join(folder, 'reports', name), 'utf8');
  const report = JSON.parse(await read('conformance.json')) as Report;
  expect(report.requirements.map(({ id, verdict }) => `${id} ${verdict}`)).toEqual([
    'DEAL-01 pass',
    'OURS-01 pass',
    'OURS-02 fail',
    'OURS-03 pass',
  ]);
  expect(report.requirements[2]?.findings[0]?.replay).toContain('--packs ./ours.mjs');
  expect(await read('junit.xml')).toContain('<testsuite name="OURS House rules"');
  expect(await read('conformance.html')).toContain('House rules');
  const listed = await run('list', '--only', 'OURS', '--packs', './ours.mjs');
  expect(listed.out).toContain('OURS-02   MUST      the list is a teapot  (house rule 2)');
  const explained = await run('explain', 'OURS-02', '--packs', './ours.mjs');
  expect(explained.out).toMatch(/grants {2}House, .*\n.*certify --only OURS-02 .* --packs \.\/ours\.mjs$/m);
});

test('--require takes the level of a pack', async () => {
  const { status, out } = await run(
    ...['gate', '--embedded', '--only', 'DEAL-01,OURS-01', '--require', 'house', '--packs', './ours.mjs'],
  );
  expect(status).toBe(3);
  expect(out).toContain('OURS-02');
});

for (const [what, text, says] of [
  ['a file that is not there', null, /PACKS names ".\/a-file-that-is-not-there.mjs"/],
  ['an id of the suite', ours.replaceAll('OURS', 'UNIT'), /section UNIT is defined twice/],
  ['the same id twice', ours.replace('OURS-02', 'OURS-01'), /requirement OURS-01 is defined twice/],
  ['a level that there is not', ours.replace('SHOULD', 'MAY'), /level of the requirement OURS-03 is MAY/],
  ['a key that there is not', ours.replace('API_KEY_READ_CALLS', 'API_KEY_X'), /needs of the requirement OURS-03/],
  ['a level of the suite', ours.replace("'House' }", "'Core' }"), /level of the section OURS is "Core"/],
  ['no pack', 'export default {};', /a pack has a name, sections and requirements/],
] as const)
  test(`${what} ends with status 2 and one sentence`, async () => {
    // A name for each: a module is loaded once.
    const name = `${what.replaceAll(' ', '-')}.mjs`;
    if (text !== null) await writeFile(join(folder, name), text);
    const { status, out, err } = await run('gate', '--embedded', '--packs', `./${name}`);
    expect([status, out]).toEqual([2, '']);
    expect(err).toMatch(says);
    expect(err.trim().split('\n')).toHaveLength(1);
  });
