import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { createRedactor } from '../../../http/redactor.js';
import { createTraceContext, type TraceContext } from '../../../http/trace-context.js';
import { createTransport } from '../../../http/transport.js';
import { writeWhole } from '../../../reports/write-reports.js';
import { openRun } from '../../../run/open-run.js';
import { keyedLists, probeTarget } from '../../../run/target-state.js';
import { orSettingsError } from '../../../settings/file-error.js';
import type { Limit } from '../../../settings/limits.js';
import { SettingsError } from '../../../settings/settings-error.js';
import { keyedPlans, type PlanName, type Target } from '../../../settings/target.js';
import {
  localClock,
  measureOffset,
  middleOf,
  uncertaintyOf,
  type ClockOffset,
} from '../../../traffic/parts/clock-offset.js';
import { pushMetrics } from '../../../traffic/export/push-metrics.js';
import { drivePart } from '../../../traffic/parts/drive-part.js';
import { poorShare } from '../../../traffic/parts/merge-parts.js';
import { partSchedule, scheduleSeconds, shareOf } from '../../../traffic/parts/part-schedule.js';
import { encodePart, headerOf, partRun, type PartHeader, type PartRun } from '../../../traffic/parts/part-trace.js';
import { digestOfMix } from '../../../traffic/soak/mix.js';
import { slotsOf } from '../../../traffic/soak/run-soak.js';
import { beyondBounds } from '../../../traffic/scenario/scenario.js';
import { textOption, type Arguments } from '../../arguments.js';
import { liveLine, type LiveLine } from '../../live-line.js';
import { onInterrupt } from '../../on-interrupt.js';
import { openNamed } from '../../open-named.js';
import { telemetryEnvironment } from '../../read-settings.js';
import type { SoakArguments } from '../load-options.js';
import { mixOf } from '../load-soak.js';
import { sendSoak } from './load-soak-part.js';
import { assertMayLoad, loadTargetOf, rateOf, type LoadTarget } from '../load-target.js';

/** The flags of one generator. */
interface PartArguments {
  readonly part: number;
  readonly parts: number;
  readonly startMs: number;
  readonly plan: (typeof keyedPlans)[number];
  readonly file: string;
  readonly clock: string | null;
  readonly source: string | undefined;
  /** The flags of a soak; null for limits. */
  readonly soak: SoakArguments | null;
}

/** How a part is sent: on this machine's clock, which the offset makes the common one. */
export interface PartSending {
  readonly target: Target;
  readonly loadTarget: LoadTarget;
  readonly run: PartRun;
  readonly part: number;
  readonly offsetMs: number;
  readonly trace: TraceContext;
  readonly source: string | undefined;
  readonly signal: AbortSignal;
  readonly live: LiveLine;
}

/** The file of a part, and why it is too poor to be judged, or null. */
export interface SentPart {
  readonly bytes: Buffer;
  readonly poor: string | null;
}

/** Makes the file of what was sent, once the clock has been looked at again. */
export type FinishPart = (head: Pick<PartHeader, 'part' | 'generator' | 'clock'>) => SentPart;

/** The number of generators of one run. */
export const mostParts = 64;
/** To open connections, on every generator. */
const leastLeadMs = 5_000;

/** The value of `--start-at`; throws SettingsError. */
export function startOption(parsed: Arguments): number {
  const text = textOption(parsed, 'start-at') ?? '';
  const atMs = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(atMs))
    throw new SettingsError(
      `--start-at is "${text}": expected the same instant for all generators, such as 2027-01-31T03:00:00Z.`,
    );
  return atMs;
}

/** A plan whose limits several generators can try together; throws SettingsError. */
export function keyedPlan(named: PlanName | null, flag: string): (typeof keyedPlans)[number] {
  const plan = keyedPlans.find((one) => one === named);
  // A limit without a key may count by address, and every generator has another.
  if (plan === undefined)
    throw new SettingsError(
      `${flag} needs --plan with one of ${keyedPlans.join(', ')}: limits without a key may be counted by address.`,
    );
  return plan;
}

function partArguments(parsed: Arguments, named: PlanName | null, soak: SoakArguments | null): PartArguments {
  const text = textOption(parsed, 'part') ?? '';
  const [part = 0, parts = 0] = (/^(\d{1,3})\/(\d{1,3})$/.exec(text) ?? []).slice(1).map(Number);
  if (part < 1 || part > parts || parts > mostParts)
    throw new SettingsError(`--part is "${text}": expected K/N, generator K of N, with N up to ${mostParts}.`);
  const plan = keyedPlan(named, '--part');
  const file = textOption(parsed, 'trace') ?? join(textOption(parsed, 'out') ?? 'reports', 'load', `part-${part}.gz`);
  const clock = textOption(parsed, 'clock');
  if (clock !== null && !/^https?:/.test(clock))
    throw new SettingsError(`--clock is "${clock}": expected the URL that "load clock" prints.`);
  return {
    part,
    parts,
    startMs: startOption(parsed),
    plan,
    file,
    clock,
    source: textOption(parsed, 'source') ?? undefined,
    soak,
  };
}

/** The address of the service as a trace names it. */
export function shownTarget({ baseUrl, secrets }: Target): string {
  const redactor = createRedactor();
  for (const [name, value] of secrets) redactor.add(name, value);
  return redactor.text(baseUrl);
}

/** The numbers of a plan that so many generators can try; throws SettingsError. */
export function limitsToTry({ plan, limits }: LoadTarget, parts: number): readonly Limit[] {
  if (limits === null) throw new SettingsError(`the ${plan} plan has no numbers: set LIMITS_${plan.toUpperCase()}.`);
  const beyond = beyondBounds(partSchedule(limits, parts).map(({ step }) => step));
  if (beyond !== null) throw new SettingsError(`the ${plan} plan cannot be tried: ${beyond}.`);
  return limits;
}

/** Throws SettingsError where the trace could not be written, before anything is sent. */
function assertWritable(file: string): void {
  orSettingsError(
    () => {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(`${file}.part`, '');
    },
    (code) =>
      `--trace names "${file}", which cannot be written (${code}): expected a file in a folder that can be made.`,
  );
}

/** Why the service cannot be reached, or null; throws SettingsError where it refuses the key. */
async function troubleOf(target: Target, { keyName }: LoadTarget): Promise<string | null> {
  const run = openRun(target);
  try {
    const probed = { ...target, tenant: null };
    const { unreachable, refused } = await probeTarget(probed, run.client, 0, { keyName, paths: keyedLists });
    if (refused !== null) throw new SettingsError(run.redactor.text(refused));
    return unreachable === null ? null : run.redactor.text(unreachable);
  } finally {
    await run.close();
  }
}

/** Looks at the common clock: that of `load clock`, or the service's dates. Throws SettingsError. */
async function readClock(target: Target, { clock }: PartArguments): Promise<ClockOffset> {
  const isDate = clock === null;
  const transport = isDate ? createTransport(target.network) : createTransport();
  const url = clock ?? `${target.baseUrl}/api/openapi.json`;
  try {
    return await measureOffset({ url, isDate }, { transport, headers: isDate ? target.headers : [] });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new SettingsError(
      `${clock === null ? 'the Date of the service' : `--clock ${clock}`} cannot be used: ${why}; expected the URL that "load clock" prints.`,
    );
  } finally {
    await transport.close();
  }
}

function assertInTime({ startMs }: PartArguments, before: ClockOffset): void {
  const leftMs = startMs - (localClock() + middleOf(before));
  if (leftMs < leastLeadMs)
    throw new SettingsError(
      `--start-at ${new Date(startMs).toISOString()} is ${leftMs < 0 ? 'over' : `in ${(leftMs / 1000).toFixed(1)} s`}: expected an instant at least ${leastLeadMs / 1000} s ahead, so that every generator is ready.`,
    );
  if (leftMs > 86_400_000) throw new SettingsError('--start-at is more than a day ahead: expected an earlier instant.');
}

function describe({ part, parts, startMs, plan, soak }: PartArguments, run: PartRun, before: ClockOffset): string {
  const segments = soak === null ? partSchedule(run.limits, parts) : [];
  const shared = segments.reduce((sum, one) => sum + shareOf(one, part, parts).count, 0);
  const count = run.soak === undefined ? shared : slotsOf(run.soak, part, parts);
  return (
    `${plan}: part ${part} of ${parts} sends ${count.toLocaleString('en')} requests from ${new Date(startMs).toISOString()} on, ` +
    `for ${soak?.durationSeconds ?? Math.ceil(scheduleSeconds(segments))} s; the clock is known to ${uncertaintyOf(before).toFixed(1)} ms`
  );
}

/** Sends a share of the load that tries a plan's limits. */
async function sendLimits(sending: PartSending): Promise<FinishPart> {
  const { target, loadTarget, run, live } = sending;
  const { drives, records } = await drivePart({
    ...sending,
    now: localClock,
    url: `${target.baseUrl}/api/v1/units?limit=1`,
    headers: { ...Object.fromEntries(target.headers), ...loadTarget.headers },
    network: target.network,
    activity: live.activity,
  });
  return (head) => {
    const header = headerOf(run, { ...head, drives, requests: records.length });
    return { bytes: encodePart({ header, records }), poor: poorShare({ file: '', header, records }) };
  };
}

/** What all generators of a soak send together. */
function soakShape(target: Target, loadTarget: LoadTarget, soak: SoakArguments): NonNullable<PartRun['soak']> {
  return {
    ratePerSecond: rateOf(loadTarget, target.limitModel, soak.ratePerSecond),
    durationSeconds: soak.durationSeconds,
    rampSeconds: soak.rampSeconds,
    operations: digestOfMix(mixOf(target, loadTarget, soak)),
    thresholds: soak.thresholds.map(({ text }) => text),
  };
}

/** Sends and writes the trace; the exit status. */
async function drive(target: Target, asked: PartArguments, loadTarget: LoadTarget, live: LiveLine): Promise<number> {
  const limits = loadTarget.limits ?? [];
  const { part, parts, startMs, plan, file, soak, source } = asked;
  const before = await readClock(target, asked);
  assertInTime(asked, before);
  const key = loadTarget.headers['authorization'] ?? '';
  const shape = soak === null ? {} : { soak: soakShape(target, loadTarget, soak) };
  const run = partRun({ target: shownTarget(target), plan, limits, startMs, parts, ...shape }, key);
  const trace = createTraceContext(randomUUID());
  process.stdout.write(`${describe(asked, run, before)}; trace ${trace.traceId}\n`);
  const off = new AbortController();
  const endListening = onInterrupt(() => off.abort());
  await using metrics = await pushMetrics(telemetryEnvironment(), (line) => void process.stderr.write(`${line}\n`));
  live.activity.onLoadRequest = metrics.record;
  live.begin(`part ${part} of ${parts}`, 'waits for its slots');
  const { signal } = off;
  const sending = { target, loadTarget, run, part, offsetMs: middleOf(before), trace, source, signal, live };
  const finish = await (soak === null ? sendLimits(sending) : sendSoak(sending, mixOf(target, loadTarget, soak)));
  metrics.end();
  live.end();
  endListening();
  if (signal.aborted) {
    process.stderr.write('Stopped; a trace of a part that was cut short is of no use, so none is written.\n');
    return 3;
  }
  const clock = { before, after: await readClock(target, asked) };
  const { bytes, poor } = finish({ part, generator: hostname(), clock });
  writeWhole(file, bytes);
  if (poor !== null) process.stderr.write(`This part is too poor to be judged: ${poor}.\n`);
  process.stdout.write(`${file}\n`);
  return 0;
}

/** `load --part K/N`: one generator's share of a plan's load, at instants that all generators share; the exit status. Throws SettingsError. */
export async function loadPart(parsed: Arguments, plan: PlanName | null, soak: SoakArguments | null): Promise<number> {
  const asked = partArguments(parsed, plan, soak);
  const opened = await openNamed(parsed);
  const live = liveLine(process.stderr, parsed.options['quiet'] === true);
  try {
    const { target } = opened;
    const loadTarget = loadTargetOf(target, asked.plan);
    if (soak === null) limitsToTry(loadTarget, asked.parts);
    if (asked.source !== undefined && target.network.proxyFor(target.baseUrl) !== null)
      throw new SettingsError(
        `--source is "${asked.source}", but requests reach the service from a proxy: expected --source, or PROXY, not both.`,
      );
    assertMayLoad(target.baseUrl, target.allowLoad);
    assertWritable(asked.file);
    const trouble = await troubleOf(target, loadTarget);
    if (trouble === null) return await drive(target, asked, loadTarget, live);
    process.stderr.write(`${trouble}\n`);
    return 3;
  } finally {
    live.end();
    await opened.close();
  }
}
