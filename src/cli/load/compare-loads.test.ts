import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { folderForEach } from '../../folder.test-kit.js';
import { sampleReport, sampleResults } from '../../reports/test-kit.js';
import { randomFrom } from '../../run/random.js';
import type { PlanSummary } from '../../traffic/plan-summary.js';
import type { SoakRun } from '../../traffic/soak/history/history.js';
import { simulatedNight, simulatedNights } from '../../traffic/soak/history/simulated-night.test-kit.js';
import { runInProcess, type Ended } from '../run.test-kit.js';
import { openLoadEvidence } from './load-evidence.js';
import { nightOf } from './report-soak-run.js';
import { writeSoakReports } from './write-load-reports.js';

let folder: string;

folderForEach((own) => (folder = own));

const plan: PlanSummary = {
  plan: 'independent',
  limits: [{ count: 600, windowSeconds: 60 }],
  requests: 1_000,
  accepted: 600,
  refused: 400,
  ways: ['sliding', 'fixed'],
  most: [600],
  broken: [],
};

function writeLimits(side: string, verdict: 'pass' | 'fail', more: Partial<PlanSummary>): void {
  const out = join(folder, side);
  const report = sampleReport(sampleResults({ 'LIMIT-01': 'pass', 'LIMIT-02': verdict }));
  openLoadEvidence(out, 'all').keep({ ...report, plans: [{ ...plan, ...more }] });
}

function writeSoak(side: string, run: SoakRun, earlier: readonly SoakRun[], kept = true): void {
  const out = join(folder, side);
  const thresholds = [{ text: 'p95<200ms', value: kept ? 100 : 300, kept }];
  const one = { ...run, service: { ...run.service, thresholds } };
  writeSoakReports(out, { run: one, failOn: [], terminated: false, ...nightOf(one, earlier) }, 'http://x');
}

const compare = (a: string, b: string, ...flags: string[]): Promise<Ended> =>
  runInProcess(['compare', join(folder, a, 'load'), join(folder, b, 'load'), ...flags], {}, folder);

test('limits of two loads: a verdict decides which is worse, and figures that chance may change are told', async () => {
  writeLimits('a', 'pass', {});
  writeLimits('b', 'fail', { most: [900], ways: [], refused: 100, broken: ['LIMIT-02'] });
  writeLimits('c', 'pass', { most: [640], refused: 402, ways: ['fixed'] });
  const worse = await compare('a', 'b');
  expect(worse.status).toBe(1);
  for (const line of [
    'all.json: B is worse',
    'worse   LIMIT-02  pass → fail',
    'independent: ways to count that fit: sliding, fixed → none',
    'independent: most accepted within any 60 s: 600 → 900',
    'independent: refused: 40 % → 10 %',
    'independent: breaks: nothing → LIMIT-02',
    'B is worse than A.',
  ])
    expect(worse.out).toContain(line);
  expect((await compare('b', 'a')).status).toBe(0);
  const chance = await compare('a', 'c');
  expect(chance.out).toMatch(
    /^all\.json: no verdict differs\n {2}independent: ways [^\n]*\n[^\n]*600 → 640\nB is not worse/,
  );
  expect(chance.status).toBe(0);
  expect(JSON.parse((await compare('a', 'c', '--json')).out)).toMatchObject({
    worse: false,
    reports: [{ name: 'all' }],
  });
});

test('soaks of two loads are compared as nights are: chance is no difference, a slower night and a broken threshold are', async () => {
  const random = randomFrom(3);
  const scene = { share: 0.03, spread: 0.015, unrest: 0.5, errorShare: 0.001 };
  const [last, ...before] = simulatedNights(9, scene, random).reverse() as [SoakRun, ...SoakRun[]];
  const earlier = before.reverse();
  writeSoak('a', last, earlier);
  writeSoak('alike', simulatedNight(9, scene, random), []);
  writeSoak('slow', simulatedNight(9, { ...scene, factor: 1.4 }, random), []);
  writeSoak('broken', last, [], false);
  const alike = await compare('a', 'alike');
  expect(alike.out).toMatch(
    /soak\.json: no verdict differs\n {2}p50: [^]* {2}latency: cannot tell: [^]*B is not worse/,
  );
  expect(alike.status).toBe(0);
  const slow = await compare('a', 'slow');
  expect(slow.out).toMatch(/soak\.json: B is worse\n[^]*latency: slower: \+[^]*B is worse than A/);
  const broken = await compare('a', 'broken');
  expect(broken.out).toMatch(/worse {3}p95<200ms {2}pass → fail/);
  expect([slow.status, broken.status]).toEqual([1, 1]);
});

test('folders that cannot be compared are refused in one sentence', async () => {
  writeLimits('a', 'pass', {});
  const random = randomFrom(3);
  writeSoak('b', simulatedNight(1, { share: 0 }, random), []);
  mkdirSync(join(folder, 'c', 'load'), { recursive: true });
  const refused = [await compare('a', 'b'), await compare('a', 'c'), await compare('a', 'a', '--html', 'x.html')];
  expect(refused.map(({ status }) => status)).toEqual([2, 2, 2]);
  const [foreign, empty, page] = refused.map(({ err }) => err);
  expect(foreign).toMatch(/have no report of the same load: .*\n$/);
  expect(empty).toMatch(/holds no report of a load/);
  expect(page).toMatch(/^--html is not for reports of loads/);
});
