import { randomUUID } from 'node:crypto';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { safe } from '../../reports/index.js';
import { startReference } from '../../reference/index.js';
import { exitStatus } from '../../requirement/index.js';
import { type Run, withRun } from '../../run/index.js';
import { BlockedSignal, createTraceContext, type TraceContext } from '../../http/index.js';
import { orSettingsError, type PlanName, readInput, SettingsError, type Target } from '../../settings/index.js';
import {
  assertTellsNoSecret,
  compareSoakRuns,
  conditionsOf,
  latencyText,
  loadHeaders,
  type MixOperation,
  parseMix,
  parseThresholds,
  pushMetrics,
  readSoakRuns,
  renderSoakPage,
  runSoak,
  saveSoakRun,
  type SoakOptions,
  type SoakReport,
  type SoakRun,
  usualMix,
  writePage,
} from '../../traffic/index.js';
import type { Arguments } from '../arguments.js';
import type { FailOn } from '../command-table.js';
import { clock } from '../live-line.js';
import {
  assertMayLoad,
  type LoadTarget,
  loadTargetOf,
  moreThanBearable,
  probeTenants,
  rateOf,
  userAgent,
} from './load-target.js';
import { soakReport, soakSummary } from './soak-report.js';
import { writeLoadReports } from './load-limits.js';
import { type Life, withTarget } from '../with-target.js';
import { openOut } from '../claim-folder.js';
import { telemetryEnvironment } from '../read-settings.js';

const usualSeconds = 600;
/** The thresholds of a soak unless the command line names others. */
const usualThresholds = 'errors<1%';
const longestControlSeconds = 60;
const controlWindows = 12;

/** The control lasts as long as the soak, but at most a minute; the number of its windows is what its level depends on. */
export function controlCourse(soakSeconds: number): Pick<SoakOptions, 'durationSeconds' | 'windowSeconds'> {
  const durationSeconds = Math.min(soakSeconds, longestControlSeconds);
  return { durationSeconds, windowSeconds: durationSeconds / controlWindows };
}

const shortSoakSeconds = 120;
/** So many windows can be drawn. */
const mostWindows = 800;

/** How long a window is, in seconds. */
const windowSecondsOf = (soakSeconds: number): number =>
  soakSeconds < shortSoakSeconds ? 1 : Math.max(10, Math.ceil(soakSeconds / mostWindows));

/** Checks, before any load is sent, that the history folder can be written. Throws SettingsError. */
function openHistory(folder: string): void {
  orSettingsError(
    () => {
      mkdirSync(folder, { recursive: true });
      accessSync(folder, constants.R_OK | constants.W_OK);
    },
    (code) =>
      `the run cannot be kept in ${folder} (${code}): expected a folder that can be made, read and written to; fix it, or name another --out.`,
  );
}

/** A load before this one may have used the limit up: waits as the refusals say, so that the soak does not begin with them. */
async function waitUntilAccepted(run: Run, loadTarget: LoadTarget, path?: string): Promise<void> {
  const { keyName, baseUrl, headers } = loadTarget;
  if (path === undefined) return;
  const { authorization, ...rest } = headers;
  await run.client
    .send('set-up', {
      method: 'GET',
      url: `${baseUrl}${path}`,
      surface: loadTarget.plan === 'demo' || loadTarget.plan === 'sandbox' ? loadTarget.plan : 'other',
      headers: Object.entries(rest),
      credential: authorization === undefined || keyName === null ? null : { name: keyName, authorization },
      body: null,
    })
    .catch((error: unknown) => {
      // A service that goes on refusing is seen by the soak itself.
      if (!(error instanceof BlockedSignal)) throw error;
    });
}

/** Throws SettingsError where the settings are wrong; why the service cannot be reached, or null, and the tenant that it accepts. Sends a few requests. */
async function lookAt(
  target: Target,
  loadTarget: LoadTarget,
  mix: readonly MixOperation[],
  { show, trace }: Pick<Life, 'show'> & { readonly trace: TraceContext },
): Promise<{ readonly unreachable: string | null; readonly tenant: string | null }> {
  const live = show();
  live.begin('before the soak', 'looks at the service');
  const look = async (run: Run) => {
    const inWords = (text: string): string =>
      run.redactor.text(loadTarget.plan === 'sandbox' ? text.replaceAll('BASE_URL', 'SANDBOX_URL') : text);
    const paths = mix.filter(({ method }) => method === 'GET').map(({ path }) => path);
    const { tenant, unreachable, isMistaken, refused } = await probeTenants(run, loadTarget, paths);
    if (refused !== null) throw new SettingsError(inWords(refused));
    if (unreachable !== null && isMistaken === true) throw new SettingsError(inWords(unreachable));
    const own = tenant === null ? {} : { 'x-tenant': tenant };
    if (unreachable === null)
      await waitUntilAccepted(run, { ...loadTarget, headers: { ...loadTarget.headers, ...own } }, paths[0]);
    return { unreachable: unreachable === null ? null : inWords(unreachable), tenant };
  };
  return withRun(target, { activity: live.activity, trace }, look).finally(() => live.end());
}

/** The same rate against the reference service on this machine, to separate its variation from the service's; null where it was cut short. */
async function runControl(like: SoakOptions, signal: AbortSignal, show: Life['show']): Promise<SoakReport | null> {
  if (signal.aborted) return null;
  const course = controlCourse(like.durationSeconds);
  const live = show();
  live.begin('reference service:', `the same load for ${course.durationSeconds} s`);
  const reference = await startReference({ limits: { independent: [{ count: 10_000_000, seconds: 60 }] } });
  try {
    const report = await runSoak({
      baseUrl: reference.baseUrl,
      headers: loadHeaders(reference.settings['API_KEY_INDEPENDENT'], userAgent),
      ratePerSecond: like.ratePerSecond,
      ...course,
      mix: usualMix,
      thresholds: [],
      signal,
      activity: live.activity,
    });
    return report.ended === 'complete' ? report : null;
  } finally {
    live.end();
    await reference.close();
  }
}

/** The operations of a soak; throws SettingsError where they cannot be read, tell a secret, or write though they must not. */
function mixOf({ secrets, readOnly }: Target, usual: readonly MixOperation[], file?: string): readonly MixOperation[] {
  if (file === undefined) return usual;
  const mix = parseMix(readInput({ file, by: '--mix', expected: 'a JSON file' }).toString('utf8'), file);
  assertTellsNoSecret(mix, secrets);
  const writing = mix.find((operation) => operation.method !== 'GET');
  if (readOnly && writing !== undefined)
    throw new SettingsError(
      `READ_ONLY is set, and --mix holds the ${writing.method} "${safe(writing.name, 80)}": expected reading operations only.`,
    );
  return mix;
}

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';

/** Where a soak is reported, and what decides its exit status beside its thresholds. */
export interface SoakConclusion {
  readonly out: string;
  readonly name: string;
  readonly plan: string;
  readonly failOn: readonly FailOn[];
  readonly terminated: boolean;
  /** Print a line, a line that `--quiet` leaves out, and a warning. */
  readonly print: (line: string) => void;
  readonly say: (line: string) => void;
  readonly warn: (line: string) => void;
}

/**
 * Reports a soak run, most important part first: the summary, the file in the history, the comparison with earlier runs, the page; the exit
 * status. Reports that fail are only a warning. Throws SettingsError where the run cannot be kept.
 */
export function concludeSoak(run: SoakRun, { print, say, warn, ...about }: SoakConclusion): number {
  const { out, name, plan } = about;
  const history = join(out, 'history');
  for (const line of soakSummary(run)) print(line);
  let kept: string;
  try {
    kept = saveSoakRun(history, run);
  } catch (error) {
    throw new SettingsError(
      `the run could not be kept in ${history} (${firstLine(error)}): expected a folder with room.`,
    );
  }
  const onSkipped = (path: string): void => warn(`${path} is no complete soak run, and is ignored.`);
  const comparison = compareSoakRuns(run, readSoakRuns(history, onSkipped, kept));
  print(`  Compared with earlier runs: ${comparison.verdict}: ${comparison.reason}.`);
  if (comparison.moreErrors !== null) print(`  More errors than in earlier runs: ${comparison.moreErrors}.`);
  // A person who ends a soak knows it; a machine that does, such as a CI that ran out of time, must not take it for a whole one.
  const report = soakReport({ run, comparison, ...about }, name);
  const blocked = report.requirements.filter(({ verdict }) => verdict === 'blocked').map(({ reason }) => reason);
  for (const reason of new Set(blocked)) warn(`${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`);
  say(kept);
  try {
    say(writePage(out, 'soak', renderSoakPage({ name, plan, run, comparison })));
    for (const file of writeLoadReports(out, 'soak', report)) say(file);
  } catch (error) {
    warn(`The reports of the run could not be written (${firstLine(error)}); the run itself is kept.`);
  }
  return exitStatus(report);
}

/** `load --scenario soak`: a fixed rate for a long time, kept in the history and compared with it; the exit status. Throws SettingsError. */
export async function loadSoak(parsed: Arguments, plan: PlanName | null): Promise<number> {
  const { rate, duration = usualSeconds, threshold = usualThresholds, mix: mixFile } = parsed.options;
  const thresholds = parseThresholds(threshold);
  return withTarget(parsed, async ({ opened, say, show, off }) => {
    const { target } = opened;
    const loadTarget = loadTargetOf(target, plan);
    assertMayLoad(loadTarget.baseUrl, target.allowLoad);
    const mix = mixOf(target, loadTarget.mix, mixFile);
    const ratePerSecond = rateOf(loadTarget, target.limitModel, rate);
    const out = openOut(parsed.options, 'load');
    openHistory(join(out, 'history'));
    const trace = createTraceContext(randomUUID());
    const { unreachable, tenant } = await lookAt(target, loadTarget, mix, { show, trace });
    const warn = (line: string): void => void process.stderr.write(`${line}\n`);
    if (unreachable !== null) warn(unreachable);
    if (unreachable !== null || off.aborted) return 3;
    await using metrics = await pushMetrics(telemetryEnvironment(), warn);
    const name = target.embedded ? 'the embedded reference service' : loadTarget.baseUrl;
    const requests = Math.round(ratePerSecond * duration);
    say(
      `Soak of ${name}, ${loadTarget.name}: ${ratePerSecond.toLocaleString('en')} requests a second for ${duration} s, about ${requests.toLocaleString('en')} requests, trace ${trace.traceId}; Ctrl-C ends it with a report.\n`,
    );
    const more =
      loadTarget.name === loadTarget.plan
        ? moreThanBearable(ratePerSecond, loadTarget.limits, target.limitModel)
        : null;
    if (more !== null) say(`${more}\n`);
    const live = show();
    live.begin('');
    live.activity.onLoadRequest = metrics.record;
    let told = '';
    const options = {
      baseUrl: loadTarget.baseUrl,
      headers: {
        ...Object.fromEntries(target.headers),
        ...loadTarget.headers,
        ...(tenant === null ? {} : { 'x-tenant': tenant }),
      },
      network: target.network,
      trace,
      ratePerSecond,
      durationSeconds: duration,
      mix,
      thresholds,
      windowSeconds: windowSecondsOf(duration),
      signal: off,
      plan: loadTarget.name,
      activity: live.activity,
      progress: (window, { due, errors, p95Ms }) => {
        told = `${due.toLocaleString('en')} requests, ${errors.toLocaleString('en')} errors; p95 ${latencyText(window.p95Ms)}, since the start ${latencyText(p95Ms)}`;
      },
    } satisfies SoakOptions;
    const service = await live.activity.during(
      () => `of ${clock(duration)}  ${told}`,
      () => runSoak(options),
    );
    live.end();
    metrics.end();
    if (!off.aborted) say('\nThe same load on the reference service, for comparison, for at most a minute…');
    const control = await runControl(options, off, show);
    const run: SoakRun = {
      format: 'dealership-soak-run/1',
      started: service.started,
      target: target.embedded ? 'embedded' : loadTarget.baseUrl,
      conditions: conditionsOf(loadTarget.name, mix),
      service,
      control,
    };
    const print = (line: string): void => void process.stdout.write(`${line}\n`);
    const { 'fail-on': failOn = [] } = parsed.options;
    const about = { out, name, plan: loadTarget.name, failOn, terminated: off.reason === 'SIGTERM' };
    return concludeSoak(run, { ...about, print, say, warn });
  });
}
