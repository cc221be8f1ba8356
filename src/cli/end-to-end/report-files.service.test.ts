import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { parseReport } from '../../certification/read-report.js';
import { scratch } from '../../folder.test-kit.js';
import { closing } from '../../loopback.test-kit.js';
import { startReference } from '../../reference/start-reference.js';
import { problemsOf, type SarifLog } from '../../reports/formats/schemas.test-kit.js';
import { reportFiles, writeReports } from '../../reports/write-reports.js';
import { runInProcess as run } from '../run.test-kit.js';

const ids = 'UNIT-03,DEAL-01,DOC-08,PLAN-01,LIMIT-01';
const faults = ['deals-bare', 'filter-lost-on-page-two'];

interface Issue {
  readonly check_name: string;
  readonly location: { readonly path: string; readonly lines: { readonly begin: number } };
}

/** The line of each result of a SARIF file, checked against Code Quality, and the one file that they are in. */
function placesIn(read: (name: string) => string): { readonly file: string; readonly lines: Record<string, number> } {
  const [{ results }] = (JSON.parse(read('conformance.sarif')) as SarifLog).runs;
  const issues = JSON.parse(read('gl-code-quality-report.json')) as Issue[];
  const places = results.map(({ ruleId, locations: [{ physicalLocation: at }] }) => ({
    check_name: ruleId,
    location: { path: at.artifactLocation.uri, lines: { begin: at.region.startLine } },
  }));
  expect(issues).toMatchObject(places);
  const [file = 'none', ...others] = new Set(places.map(({ location }) => location.path));
  expect(others).toEqual([]);
  return { file, lines: Object.fromEntries(places.map((one) => [one.check_name, one.location.lines.begin])) };
}

test('a failing run writes every file, each as its schema says, with results in the served or the pinned document', async () => {
  using place = scratch();
  const { folder } = place;
  await using reference = closing(await startReference({ faults }));
  const gate = [
    'gate',
    '--base-url',
    reference.baseUrl,
    '--api-key',
    reference.settings['API_KEY'] ?? '',
    '--only',
    ids,
  ];
  const { status, err } = await run([...gate, '--out', 'reports'], {}, folder);
  expect(status, err).toBe(1);
  const read = (name: string): string => readFileSync(join(folder, 'reports', name), 'utf8');
  expect(readdirSync(join(folder, 'reports'))).toEqual(expect.arrayContaining([...reportFiles]));
  const files = {
    junit: 'junit.xml',
    ctrf: 'conformance.ctrf.json',
    sarif: 'conformance.sarif',
    codequality: 'gl-code-quality-report.json',
  } as const;
  for (const [format, name] of Object.entries(files))
    expect(await problemsOf[format as keyof typeof files](read(name)), name).toEqual([]);
  expect(read('conformance.md')).toMatch(
    /^## Not conformant: `http.*\n[^]*\*\*DEAL-01\*\*.*seen `GET .*\n\n```sh\ncurl /m,
  );

  // `"/api/v1/deals": {` is on a line, and its `"get": {` below.
  const lineIn = (text: string, key: string): number => {
    const lines = text.split('\n');
    return lines.findIndex((line, at) => line.includes('"get"') && lines[at - 1]?.includes(`"${key}"`)) + 1;
  };
  const served = placesIn(read);
  expect(served.file).toBe('reports/conformance.openapi.json');
  expect(lineIn(read('conformance.openapi.json'), '/api/v1/deals')).toBeGreaterThan(1);
  expect(served.lines).toMatchObject({
    'DEAL-01': lineIn(read('conformance.openapi.json'), '/api/v1/deals'),
    'UNIT-03': lineIn(read('conformance.openapi.json'), '/api/v1/units'),
  });

  const pinned = `\n\n\n${read('conformance.openapi.json')}`;
  await writeFile(join(folder, 'pinned.json'), pinned);
  expect((await run([...gate, '--contract', 'pinned.json', '--out', 'reports'], {}, folder)).status).toBe(1);
  expect(placesIn(read)).toMatchObject({ file: 'pinned.json', lines: { 'DEAL-01': lineIn(pinned, '/api/v1/deals') } });

  const report = parseReport(read('conformance.json'), 'it');
  await writeReports(join(folder, 'reports'), { ...report, target: { ...report.target, document: null } });
  expect(readdirSync(join(folder, 'reports'))).not.toContain('conformance.openapi.json');
  expect(placesIn(read)).toMatchObject({ lines: { 'DEAL-01': 1 } });
});

test('--baseline says in the summary what changed, whatever folder it is, and has no effect on the exit status', async () => {
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
  const summary = (): string => readFileSync(join(folder, 'reports', 'conformance.md'), 'utf8');
  expect((await gate(['deals-bare'])).status).toBe(1);
  expect(summary()).not.toContain('baseline');
  // The folder of the baseline is that of the run, which replaces it.
  expect((await gate([], '--baseline', 'reports')).status).toBe(0);
  expect(summary()).toMatch(
    /### Since the baseline\n\nCompared with `reports`: 1 better\.\n\nThe baseline is of another target: `http[^`]*`\.\n\n- better: \*\*DEAL-01\*\* fail → pass\n/,
  );
  expect((await gate(['deals-bare'], '--baseline', 'reports/conformance.json')).status).toBe(1);
  expect(summary()).toContain('- worse: **DEAL-01** pass → fail\n');
  await writeFile(join(folder, 'broken.json'), '{}');
  for (const [named, says] of [
    ['none', '--baseline: none cannot be read (ENOENT): expected a conformance.json'],
    ['reports/evidence', '--baseline: reports/evidence is a folder without the expected file: expected'],
    ['broken.json', '--baseline: broken.json is no report ('],
  ] as const) {
    const refused = await gate([], '--baseline', named);
    expect(refused).toMatchObject({ status: 2, out: '', err: expect.stringMatching(/^[^\n]+\n$/) });
    expect(refused.err).toContain(says);
  }
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
