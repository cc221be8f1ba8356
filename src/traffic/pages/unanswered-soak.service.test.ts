import { expect, test } from '@playwright/test';
import { soakSummary } from '../../cli/load/soak-report.js';
import { startRaw } from '../engine/raw-server.test-kit.js';
import { compareSoakRuns } from '../soak/history.js';
import { soakRun as plainSoakRun, soaked } from '../soak/soak-run.test-kit.js';
import type { SoakOptions, SoakReport } from '../soak/run-soak.js';
import { parseThresholds } from '../soak/figures.js';
import { renderSoakPage } from './soak-page.js';

/** What becomes of a soak of a service that hangs up on everybody. */
async function soakUnanswered(thresholds: string, more: Partial<SoakOptions>): Promise<SoakReport> {
  await using server = await startRaw((socket) => socket.destroy());
  const report = await soaked(server, { durationSeconds: 0.5, thresholds: parseThresholds(thresholds), ...more });
  return report;
}

test('a soak run without any answer says so: it shows and judges no latency, and counts every request as an error', async () => {
  const service = await soakUnanswered('p95<200ms,max<20s,errors<1%', { timeoutMs: 300 });
  expect(service).toMatchObject({ ended: 'complete', total: { due: 10, errors: 10 } });
  expect(service.thresholds).toEqual([
    { text: 'p95<200ms', value: null, kept: false },
    { text: 'max<20s', value: null, kept: false },
    { text: 'errors<1%', value: 1, kept: false },
  ]);
  const run = { ...plainSoakRun(5, 1, null), service };
  const comparison = compareSoakRuns(run, []);
  const page = renderSoakPage({ name: 'x', plan: 'independent', run, comparison });
  expect(page).toContain('No request was answered');
  expect(page).not.toContain('Ended early');
  const badges = [...page.matchAll(/class="badge [\w-]+">([^<]+)</g)].map((found) => found[1]);
  expect(badges).toEqual(['not judged', 'not judged', 'broken']);
  const said = soakSummary(run).join('\n');
  for (const line of [
    '? p95<200ms: not judged, as nothing was answered',
    '✗ errors<1%: 100.000 %',
    'p50 –  p95 –  p99 –  max – ms',
  ])
    expect(said).toContain(line);
  expect(page + said).not.toMatch(/\b0\.00\d* ms/);
});

test('a soak that was ended before anything was due judges nothing', async () => {
  const service = await soakUnanswered('errors<1%', { signal: AbortSignal.abort() });
  expect(service.thresholds).toEqual([{ text: 'errors<1%', value: null, kept: false }]);
  const run = { ...plainSoakRun(5, 1, null), service };
  const page = renderSoakPage({
    name: 'x',
    plan: 'demo',
    run,
    comparison: compareSoakRuns(run, []),
  });
  expect(page).toContain('Ended early');
});
