import { basename } from 'node:path';
import { safe } from '../../reports/index.js';
import { exitStatus } from '../../requirement/index.js';
import { readTarget } from '../../settings/index.js';
import { loadPacks } from '../../packs.js';
import { composeReport, readyTarget, type Run, runChecks, withRun } from '../../run/index.js';
import {
  assertOneRun,
  judgeInstances,
  k6Schedule,
  type K6Trace,
  readK6Output,
  scheduleSeconds,
  tallyOf,
  writeLoadPages,
} from '../../traffic/index.js';
import type { Arguments } from '../arguments.js';
import { openOut } from '../claim-folder.js';
import { readSettings } from '../read-settings.js';
import { planLines, resultLines, writeLoadReports } from './load-limits.js';

/** How late servers may learn of each other's requests. */
const lateMs = 100;
/** How wrong a clock may be that NTP keeps, unless the command line says otherwise. */
const usualClockErrorSeconds = 0.05;

/** LIMIT-01 to LIMIT-03, judged by their own checks of what the instances saw. Nothing is sent. */
async function reportOn(instances: readonly K6Trace[], judged: Parameters<typeof judgeInstances>[1], baseUrl: string) {
  const verdict = judgeInstances(instances, judged);
  const { requirements: catalogue, sections } = await loadPacks();
  const selected = catalogue.filter(({ id }) => ['LIMIT-01', 'LIMIT-02', 'LIMIT-03'].includes(id));
  const target = readTarget({ BASE_URL: baseUrl, LIMIT_MODEL: judged.model });
  const command = (): string[] => ['load', 'judge', ...instances.map(({ file }) => file)];
  const reportIn = async (run: Run) => {
    const found = { plans: [verdict.trace], leftOut: [], verdicts: [verdict] };
    await run.once('recorded target state', () => Promise.resolve(readyTarget));
    // Acceptances and refusals of the same request tell requests apart.
    await run.once('control', () => Promise.resolve(null));
    await run.once('limit verdicts', () => Promise.resolve(found));
    const results = await runChecks({ stages: [selected] }, run);
    const { run: sent, startedMs } = instances[0] as K6Trace;
    const report = composeReport({
      ...{ baseUrl, embedded: false, document: null, seed: run.seed, observations: run.observations },
      ...{ catalogue, sections, selected, results, started: new Date(startedMs) },
      requests: tallyOf(verdict.trace).sent,
    });
    const seconds = Math.ceil(scheduleSeconds(k6Schedule(sent.limits, sent.instances)));
    return { verdict, report: { ...report, seconds, judged } };
  };
  return withRun(target, { seed: 1, depth: 'certify', invocation: { command, settings: {} } }, reportIn);
}

/** `load judge FILE…`: one verdict on what several instances of k6 sent; the exit status. Throws SettingsError. */
export async function loadJudge(parsed: Arguments, files: readonly string[]): Promise<number> {
  const instances: K6Trace[] = [];
  // One after another, so that one file at a time is in memory.
  for (const file of files) instances.push(await readK6Output(file));
  assertOneRun(instances);
  const { run } = instances[0] as K6Trace;
  const { LIMIT_MODEL = 'auto' } = readSettings(parsed.settings);
  const { limitModel: model, limits } = readTarget({ BASE_URL: run.target, LIMIT_MODEL });
  const judged = {
    model,
    lateMs,
    clockErrorMs: 1000 * (parsed.options['clock-error'] ?? usualClockErrorSeconds),
  };
  const { verdict, report } = await reportOn(instances, judged, run.target);
  const out = openOut(parsed.options, 'load');
  const reports = writeLoadReports(out, 'judge', report);
  const pages = writeLoadPages(out, [verdict], { target: run.target, model });
  const quiet = parsed.options.quiet === true;
  const clocks = instances.map(
    ({ instance, file }) =>
      `instance ${instance} of ${run.instances}: ${safe(basename(file), 80)}; its clock is taken to be wrong by up to ${judged.clockErrorMs} ms`,
  );
  const lines = [
    ...(quiet ? [] : [...clocks.sort(), ...planLines(verdict, limits), '']),
    ...resultLines(report, quiet),
    ...(quiet ? [] : ['', ...reports, ...pages]),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return exitStatus(report);
}
