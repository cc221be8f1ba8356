import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { referenceLimiter, simulateParts } from '../../../testing/simulated-drives/simulated-parts.test-kit.js';
import { atMost, randomFrom } from '../../../testing/limiter-simulators/test-kit.js';
import { digestOf } from '../../certification/bundle/manifest.js';
import { folderForEach } from '../../folder.test-kit.js';
import { encodePart } from '../../traffic/parts/part-trace.js';
import type { SoakRun } from '../../traffic/soak/history/history.js';
import { runInProcess, type Ended } from '../run.test-kit.js';
import type { LoadReport } from './load-evidence.js';

let folder: string;

folderForEach((own) => (folder = own));

const inLoad = (...names: string[]): string => join(folder, 'reports', 'load', ...names);
const readReport = (name: string): LoadReport => JSON.parse(readFileSync(inLoad(`${name}.json`), 'utf8')) as LoadReport;
const writeReport = (name: string, report: object): void =>
  writeFileSync(inLoad(`${name}.json`), JSON.stringify(report));
const verify = (...flags: string[]): Promise<Ended> => runInProcess(['verify', inLoad(), ...flags], {}, folder);

/** Writes a file of the evidence, and its digest into the report, as a forger would. */
function forge(name: string, file: string, bytes: Buffer): void {
  writeFileSync(inLoad('evidence', name, file), bytes);
  const report = readReport(name);
  writeReport(name, { ...report, evidence: { ...report.evidence, [file]: digestOf(bytes) } });
}

test('a scenario is judged again from its traces; what is missing, changed or said otherwise is named', async () => {
  test.setTimeout(60_000);
  const flags = ['--embedded', '--scenario', 'burst', '--plan', 'demo', '--limits-demo', '20/1s', '--quiet'];
  expect((await runInProcess(['load', ...flags], {}, folder)).status).toBe(0);
  const sound = await verify();
  expect(sound.out).toMatch(/same {5}demo: \d+ requests, \d+ accepted[^]*same {5}LIMIT-02 pass[^]*Verified\.\n$/);
  expect(sound.status).toBe(0);

  const report = readReport('burst');
  const traces = 'recorded-limit-traces.json.gz';
  const whole = readFileSync(inLoad('evidence', 'burst', traces));
  const said = async (): Promise<string> => {
    const { out, status } = await verify();
    expect(status).toBe(1);
    return out;
  };
  const failed = report.requirements.map((one) => (one.id === 'LIMIT-02' ? { ...one, verdict: 'blocked' } : one));
  writeReport('burst', { ...report, requirements: failed });
  expect(await said()).toMatch(
    /LIMIT-02: the report says blocked [^\n]*; the evidence gives pass[^]*the outcome of the/,
  );
  const [demo] = report.plans ?? [];
  writeReport('burst', { ...report, plans: [{ ...demo, refused: 1 }] });
  expect(await said()).toMatch(/the evidence gives demo: .*; the report says otherwise/);
  const more = gunzipSync(whole)
    .toString()
    .replaceAll('"status":429,"outcome":"refused"', '"status":200,"outcome":"accepted"');
  writeReport('burst', report);
  forge('burst', traces, gzipSync(more));
  expect(await said()).toMatch(/LIMIT-02: the report says pass [^\n]*; the evidence gives fail/);
  writeReport('burst', report);
  expect(await said()).toContain(`${traces} was changed or damaged`);
  forge('burst', traces, whole.subarray(0, -20));
  expect(await said()).toContain('the evidence cannot be judged');
  rmSync(inLoad('evidence', 'burst', traces));
  expect(await said()).toContain(`${traces} is missing`);
  rmSync(inLoad('evidence'), { recursive: true });
  expect(await said()).toContain('run.json is missing');

  const { evidence: _, ...old } = report;
  writeReport('burst', old);
  const plain = await verify();
  expect(plain.out).toContain('it keeps no evidence, so it cannot be judged again');
  expect(plain.status).toBe(3);
  expect((await verify('--key', 'x')).status).toBe(2);
  renameSync(inLoad('burst.json'), inLoad('other.json'));
  const none = await verify();
  expect(none.err).toContain('holds no report of a load');
  expect(none.status).toBe(2);
});

test('parts are judged again with the tolerance they were judged with; other answers give another verdict', async () => {
  const limits = [atMost(60, 6), atMost(30, 0.5)];
  const decide = referenceLimiter(limits, { faults: ['limits-exchanged-late'] });
  const network = { skewMs: 0, drift: 0, jitterMs: 1, looks: 1, random: randomFrom(1) };
  const parts = simulateParts({ limits, parts: 3, decide, ...network });
  for (const part of parts) writeFileSync(join(folder, part.file), encodePart(part));
  const files = parts.map(({ file }) => file);
  const judged = await runInProcess(['load', 'judge', ...files, '--tolerance', '6s', '--quiet'], {}, folder);
  const sound = await verify();
  expect(sound.out).toContain('Verified.');
  expect(sound.status).toBe(0);
  // The traces in the folder of the report are those of its next judgement, too.
  const again = files.map((file) => inLoad('evidence', 'judge', file));
  const strict = await runInProcess(['load', 'judge', ...again, '--tolerance', '0ms', '--quiet'], {}, folder);
  expect([judged.status, strict.status]).toEqual([0, 1]);
  expect((await verify()).status).toBe(0);
  for (const { file, header, records } of parts) {
    const open = records.map((one) => ({ ...one, outcome: 'accepted' as const, status: 200 }));
    forge('judge', file, encodePart({ header, records: open }));
  }
  expect((await verify()).out).toMatch(/differs {2}LIMIT-0[23]: the report says/);
});

test('the thresholds of a soak are decided again from its histogram and its counts', async () => {
  test.setTimeout(60_000);
  const flags = ['--embedded', '--scenario', 'soak', '--plan', 'independent', '--duration', '1s', '--rate', '40'];
  const thresholds = ['--threshold', 'max<20s,p95<20s,min<20s,errors<1%', '--quiet'];
  expect((await runInProcess(['load', ...flags, ...thresholds], {}, folder)).status).toBe(0);
  expect((await verify()).out).toMatch(/same {5}THRESHOLD-04 pass\n[^]*same {5}NIGHTS-03 pass\nVerified/);
  const nights = JSON.parse(
    gunzipSync(readFileSync(inLoad('evidence', 'soak', 'nights.json.gz'))).toString(),
  ) as SoakRun[];
  const [run] = nights as [SoakRun];
  const total = { ...run.service.total, errors: 3, maxMs: 21_000 };
  forge('soak', 'nights.json.gz', gzipSync(JSON.stringify([{ ...run, service: { ...run.service, total } }])));
  const { out, status } = await verify();
  expect(out).toMatch(/differs {2}THRESHOLD-01: the report says pass [^\n]*gives fail[^]*differs {2}THRESHOLD-04/);
  expect(out).toContain('same     THRESHOLD-02 pass');
  expect(status).toBe(1);
});
