import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { folderForEach } from '../../folder.test-kit.js';
import { identityOf, type K6Run } from '../../traffic/k6-schedule.js';
import { version } from '../../version.js';
import { runInProcess } from '../run.test-kit.js';

let folder: string;
folderForEach((own) => (folder = own));

interface Line {
  readonly data: { readonly metadata: { point: string } };
}

/** What an instance of k6 wrote, as of this version. */
function outputOf(instance: number): string {
  const file = new URL(`../../traffic/recorded/k6-${instance}.json.gz`, import.meta.url);
  const lines = gunzipSync(readFileSync(fileURLToPath(file)))
    .toString()
    .split('\n');
  const at = lines.findIndex((line) => line.includes('begun'));
  const line = JSON.parse(lines[at] ?? '') as Line;
  const point = JSON.parse(line.data.metadata.point) as { begun: { run: K6Run; identity: string } };
  const { target, plan, limits, instances } = point.begun.run;
  const run = { suite: version, target, plan, limits, instances };
  line.data.metadata.point = JSON.stringify({ begun: { ...point.begun, run, identity: identityOf(run) } });
  const path = join(folder, `${instance}.json`);
  writeFileSync(path, lines.with(at, JSON.stringify(line)).join('\n'));
  return path;
}

test('one verdict on what several instances of k6 wrote; one of them is no run', async () => {
  const files = [outputOf(1), outputOf(2)];
  const judge = (...more: string[]) => runInProcess(['load', 'judge', '--out', join(folder, 'out'), ...more], {});
  const whole = await judge(...files);
  expect(whole.out).toMatch(
    /instance 2 of 2: 2\.json; its clock is taken to be wrong by up to 50 ms[^]*2 of 3 judged: 2 passed/,
  );
  expect(whole.status).toBe(0);
  expect(JSON.parse(readFileSync(join(folder, 'out/load/judge.json'), 'utf8'))).toMatchObject({
    judged: { model: 'auto', lateMs: 100, clockErrorMs: 50 },
  });
  const unsure = await judge(...files, '--clock-error', '2s');
  expect(unsure.out).toContain('the clocks are known to 2000 ms only');
  expect(unsure.status).toBe(3);
  const missing = await judge(files[1] ?? '');
  expect(missing.err).toMatch(/^instance 1 of 2 is missing: .*\n$/);
  expect(missing.status).toBe(2);
});
