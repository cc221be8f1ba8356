import { randomUUID } from 'node:crypto';
import { readdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, safe } from '../../reports/index.js';
import { startReference } from '../../reference/index.js';
import { exitStatus } from '../../requirement/index.js';
import { openRun, probeTarget, type Run } from '../../run/index.js';
import { BlockedSignal, createTraceContext, type TraceContext } from '../../http/index.js';
import { orSettingsError, type PlanName, SettingsError, type Target } from '../../settings/index.js';
import {
  assertTellsNoSecret,
  conditionsOf,
  type MixOperation,
  moreThanBearable,
  pushMetrics,
  runSoak,
  type SoakOptions,
  type SoakReport,
  type SoakRun,
  usualMix,
} from '../../traffic/index.js';
import type { Arguments } from '../arguments.js';
import { assertMayLoad, loadTargetOf, loadHeaders, rateOf, type LoadTarget } from './load-target.js';
import { historyIn, type SoakArguments } from './load-options.js';
import { reportSoakRun, type SoakRunOutput } from './report-soak-run.js';
import { soakProgress } from './load-progress.js';
import { type SoakNight, soakReport } from './soak-report.js';
import { writeLoadReports } from './write-load-reports.js';
import { type Life, withRun } from '../with-run.js';
import { openOut } from '../claim-folder.js';
import { telemetryEnvironment } from '../read-settings.js';

const longestControlSeconds = 60;
const controlWindows = 12;

/** The control lasts as long as the soak, but at most a minute; the number of its windows is what its level depends on. */
export function controlCourse(soakSeconds: number): {
  readonly durationSeconds: number;
  readonly windowSeconds: number;
} {
  const durationSeconds = Math.min(soakSeconds, longestControlSeconds);
  return { durationSeconds, windowSeconds: durationSeconds / controlWindows };
}
const shortSoakSeconds = 120;

/** How long a window is, in seconds. */
const windowSecondsOf = (soakSeconds: number): number => (soakSeconds < shortSoakSeconds ? 1 : 10);

/** Checks, before any load is sent, that the history folder can be written: writes a file and removes it. Throws SettingsError. */
function openHistory(folder: string): void {
  const probe = join(folder, `${randomUUID()}.part`);
  orSettingsError(
    () => {
      makeFolder(folder);
      readdirSync(folder);
      writeFileSync(probe, '', { flag: 'wx' });
      unlinkSync(probe);
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
  const run = openRun(target, { activity: live.activity, trace });
  const inWords = (text: string): string =>
    run.redactor.text(loadTarget.plan === 'sandbox' ? text.replaceAll('BASE_URL', 'SANDBOX_URL') : text);
  try {
    const paths = mix.filter(({ method }) => method === 'GET').map(({ path }) => path);
    const probe = (tenant: string | null): ReturnType<typeof probeTarget> =>
      probeTarget({ ...target, baseUrl: loadTarget.baseUrl, tenant }, run.client, 0, {
        keyName: loadTarget.keyName,
        paths,
      });
    const [first = null, ...others] = loadTarget.tenants;
    let tenant = first;
    let state = await probe(tenant);
    for (const other of others) {
      if (state.refused === null) break;
      tenant = other;
      state = await probe(other);
    }
    const { unreachable, isMistaken, refused } = state;
    if (refused !== null) throw new SettingsError(inWords(refused));
    if (unreachable !== null && isMistaken === true) throw new SettingsError(inWords(unreachable));
    const own = tenant === null ? {} : { 'x-tenant': tenant };
    if (unreachable === null)
      await waitUntilAccepted(run, { ...loadTarget, headers: { ...loadTarget.headers, ...own } }, paths[0]);
    return { unreachable: unreachable === null ? null : inWords(unreachable), tenant };
  } finally {
    live.end();
    await run.close();
  }
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
      headers: loadHeaders(reference.settings['API_KEY_INDEPENDENT'] ?? null),
      ratePerSecond: like.ratePerSecond,
      ...course,
      mix: usualMix,
      thresholds: [],
      signal,
      progress(_window, { due, statuses }) {
        Object.assign(live.activity, { requests: due, refusals: statuses['429'] ?? 0 });
      },
    });
    return report.ended === 'complete' ? report : null;
  } finally {
    live.end();
    await reference.close();
  }
}

/** The operations of a soak; throws SettingsError where they tell a secret, or write though they must not. */
function mixOf(target: Target, loadTarget: LoadTarget, { mix: own }: SoakArguments): readonly MixOperation[] {
  const mix = own ?? loadTarget.mix;
  if (own !== null) assertTellsNoSecret(own, target.secrets);
  const writing = mix.find((operation) => operation.method !== 'GET');
  if (target.readOnly && writing !== undefined)
    throw new SettingsError(
      `READ_ONLY is set, and --mix holds the ${writing.method} "${safe(writing.name, 80)}": expected reading operations only.`,
    );
  return mix;
}

const warn = (line: string): void => void process.stderr.write(`${line}\n`);

/** Where a soak is reported, and what decides its exit status beside its thresholds. */
interface SoakConclusion extends Pick<SoakRunOutput, 'out' | 'history' | 'name' | 'plan'> {
  readonly quiet: boolean;
  readonly failOn: SoakNight['failOn'];
  readonly terminated: boolean;
}

/** Keeps a soak in the history and reports it; the exit status. */
function concludeSoak(run: SoakRun, conclusion: SoakConclusion): number {
  const { out, name, quiet, failOn, terminated } = conclusion;
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  const say = (line: string): void => (quiet ? undefined : print(line));
  const { comparison } = reportSoakRun(run, { ...conclusion, print, say, warn });
  // A person who ends a soak knows it; a machine that does, such as a CI that ran out of time, must not take it for a whole one.
  const report = soakReport({ run, comparison, failOn, terminated }, name);
  const blocked = report.requirements.filter(({ verdict }) => verdict === 'blocked').map(({ reason }) => reason);
  for (const reason of new Set(blocked)) warn(`${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`);
  for (const file of writeLoadReports(out, 'soak', report)) say(file);
  return exitStatus(report);
}

/** `load --scenario soak`: a fixed rate for a long time, kept in the history and compared with it; the exit status. Throws SettingsError. */
export async function loadSoak(
  parsed: Arguments,
  soakArguments: SoakArguments,
  plan: PlanName | null,
): Promise<number> {
  return withRun(parsed, async ({ opened, quiet, say, show, off }) => {
    const { target } = opened;
    const loadTarget = loadTargetOf(target, plan);
    assertMayLoad(loadTarget.baseUrl, target.allowLoad);
    const mix = mixOf(target, loadTarget, soakArguments);
    const ratePerSecond = rateOf(loadTarget, target.limitModel, soakArguments.ratePerSecond);
    const out = openOut(parsed.options, 'load');
    const history = historyIn(out);
    openHistory(history);
    const trace = createTraceContext(randomUUID());
    const { unreachable, tenant } = await lookAt(target, loadTarget, mix, { show, trace });
    if (unreachable !== null) {
      process.stderr.write(`${unreachable}\n`);
      return { status: 3 };
    }
    if (off.aborted) return { status: 3 };
    await using metrics = await pushMetrics(telemetryEnvironment(), warn);
    const progress = soakProgress(process.stdout, soakArguments.durationSeconds);
    off.addEventListener('abort', progress.end);
    const name = target.embedded ? 'the embedded reference service' : loadTarget.baseUrl;
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
      durationSeconds: soakArguments.durationSeconds,
      mix,
      thresholds: soakArguments.thresholds,
      windowSeconds: windowSecondsOf(soakArguments.durationSeconds),
      signal: off,
      plan: loadTarget.name,
      onLoadRequest: metrics.record,
      ...(quiet ? {} : { progress: progress.window }),
    } satisfies SoakOptions;
    const requests = Math.round(ratePerSecond * soakArguments.durationSeconds);
    say(
      `Soak of ${name}, ${loadTarget.name}: ${ratePerSecond.toLocaleString('en')} requests a second for ${soakArguments.durationSeconds} s, about ${requests.toLocaleString('en')} requests, trace ${trace.traceId}; Ctrl-C ends it with a report.\n`,
    );
    const more =
      loadTarget.name === loadTarget.plan
        ? moreThanBearable(ratePerSecond, loadTarget.limits, target.limitModel)
        : null;
    if (more !== null) say(`${more}\n`);
    const service = await runSoak(options);
    metrics.end();
    progress.end();
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
    const about = { out, history, name, plan: loadTarget.name, quiet };
    const terminated = off.reason === 'SIGTERM';
    return { status: concludeSoak(run, { ...about, failOn: soakArguments.failOn, terminated }) };
  });
}
