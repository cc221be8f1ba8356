import { codesOf, coreOf, other, outcomes, type Trace, type TraceOutcome, unsent } from '../ratelimit/index.js';
import type { Check } from '../run/index.js';
import {
  keyedPlans,
  type KeyName,
  type Limit,
  planKeys,
  type PlanName,
  type Remedy,
  remedyText,
  type SettingName,
  toSet,
} from '../settings/index.js';
import { createMutex, timeoutMs } from './scenario/run-steps.js';
import type { ScenarioRun } from './scenario/scenario-runner.js';
import {
  startSession,
  withTopSpeed,
  type DriveFurther,
  driveAgain,
  extendDrive,
  repeatDrives,
  mostTried,
  type PlanSession,
} from './scenario/plan-session.js';
import { createBodies, withWrites, writesCost } from './scenario/writes.js';
import { allowedToLoad } from './load-guard.js';
import { repeatSteps, scenarioSteps } from './scenario/scenario.js';
import { costOf, type Cost, type ScenarioName, type Step } from './scenario/steps.js';

/** One limit that can be tried: its address, its key and its numbers. */
export interface LimitSubject {
  readonly plan: PlanName;
  readonly keyName: KeyName | null;
  readonly limits: readonly Limit[];
  readonly url: string;
}

/** The behaviour of one subject under load. */
export interface PlanTrace {
  readonly subject: LimitSubject;
  readonly conducted: ScenarioRun;
  /** As `Trace.idleBeforeMs`. */
  readonly idleBeforeMs: number;
  /** How late the servers of a service may learn of each other's requests; not at all where nothing is said. */
  readonly lateMs?: number;
  /** Why nothing could be tried, or null. */
  readonly unusable: string | null;
  /** The live operations that took turns. */
  readonly operations?: readonly string[];
  /** Reads beyond every limit, with a few creates among them; in blocks of `blockSize`, the last ones. */
  readonly writes?: ScenarioRun;
  /** Repetitions of all steps: the position of the first record of each, and the reason why the earlier ones were not usable. */
  readonly repeats?: readonly { readonly firstStep: number; readonly why: string }[];
  /** How many answers a second another engine got, where this one never exceeded the limits. */
  readonly topSpeed?: number;
  /** Why more was driven than planned, and the seconds that took. */
  readonly further?: { readonly why: string; readonly seconds: number };
}

/** Every subject's trace, and the subjects that were left out with the setting that would bring them in. */
export interface LimitTraces {
  readonly plans: readonly PlanTrace[];
  readonly leftOut: readonly { readonly plan: PlanName; readonly why: string; readonly remedy?: Remedy }[];
}

/** That no limit was tried, with why each was left out, and what would let it be tried. */
export function whyLeftOut(
  what: string,
  leftOut: LimitTraces['leftOut'],
): [reason: string, remedy: Remedy | undefined] {
  const others = leftOut.filter(({ remedy }) => remedy === undefined).map(({ plan, why }) => `${why} for ${plan}`);
  const names = leftOut.flatMap(({ remedy }) => remedy?.names ?? []);
  return [[what, ...others].join('; '), names.length === 0 ? undefined : { act: 'set', names }];
}

/** The limits of the target that can be tried, and the reasons why others cannot. */
export function limitSubjects(
  target: Check['target'],
  scenario: ScenarioName | null = null,
): { subjects: LimitSubject[]; leftOut: LimitTraces['leftOut'] } {
  const subjects: LimitSubject[] = [];
  const leftOut: LimitTraces['leftOut'][number][] = [];
  const lacks = (plan: PlanName, name: SettingName): void => {
    leftOut.push({ plan, why: remedyText(toSet(name)), remedy: toSet(name) });
  };
  const holders = new Map<string, string>();
  for (const plan of keyedPlans) {
    const keyName = planKeys[plan];
    const key = target.keys[keyName];
    const limits = target.limits[plan];
    const holder = key === undefined ? undefined : holders.get(key);
    if (key === undefined) lacks(plan, keyName);
    else if (limits === null) lacks(plan, `LIMITS_${plan.toUpperCase() as Uppercase<typeof plan>}`);
    else if (holder !== undefined) leftOut.push({ plan, why: `${keyName} is the same key as ${holder}` });
    else subjects.push({ plan, keyName, limits, url: `${target.baseUrl}/api/v1/units?limit=1` });
    if (key !== undefined) holders.set(key, keyName);
  }
  const { demo, sandbox } = target.limits;
  if (demo === null) lacks('demo', 'LIMITS_DEMO');
  else subjects.push({ plan: 'demo', keyName: null, limits: demo, url: `${target.baseUrl}/api/demo/units?limit=1` });
  if (target.sandboxUrl === null) lacks('sandbox', 'SANDBOX_URL');
  else if (sandbox === null) lacks('sandbox', 'LIMITS_SANDBOX');
  else
    subjects.push({
      plan: 'sandbox',
      keyName: null,
      limits: sandbox,
      url: `${target.sandboxUrl}/api/v1/units?limit=1`,
    });
  const idle = subjects.filter(({ limits }) => scenarioSteps(limits, scenario).length === 0);
  return {
    subjects: subjects.filter((subject) => !idle.includes(subject)),
    leftOut: [...leftOut, ...idle.map(({ plan }) => ({ plan, why: `use a scenario other than ${scenario ?? ''}` }))],
  };
}

/** `independent: at most 3,512 requests, about 142 s`. */
export function describeCost(plan: string, cost: Cost): string {
  return `${plan}: at most ${cost.requests.toLocaleString('en')} requests, at most about ${Math.ceil(cost.floorSeconds)} s`;
}

/** `limits: took 168 s, 1.05 times the 160 s that had to be waited for`. */
export function describeTime(seconds: number, floorSeconds: number): string {
  return `limits: took ${Math.round(seconds)} s, ${(seconds / floorSeconds).toFixed(2)} times the ${Math.round(floorSeconds)} s that had to be waited for`;
}

/** What came of the requests for a plan, the creates among them: how many had an outcome, other statuses, and what RateLimit-Limit said. */
export function tallyOf({ conducted, writes }: PlanTrace) {
  const counts = outcomes.map(() => 0);
  const others = new Set<number>();
  const limits = new Set<string>();
  for (const records of [conducted.records, writes?.records ?? []]) {
    const { outcome, status } = coreOf(records);
    outcome.forEach((one, at) => {
      counts[one] = (counts[one] ?? 0) + 1;
      if (one === other) others.add(status[at] ?? 0);
    });
    const { codes, table } = codesOf(records, 'limit');
    for (const code of new Set(codes)) limits.add(table.textOf(code) ?? '');
  }
  const count = (...names: TraceOutcome[]): number =>
    names.reduce((sum, name) => sum + (counts[outcomes.indexOf(name)] ?? 0), 0);
  return { count, sent: count(...outcomes) - count('unsent'), others: [...others], limits: [...limits] };
}

/** The input of the limit judge, for all records of a subject or for those from `firstIndex` on. */
export function traceOf(planTrace: PlanTrace, firstIndex = 0): Trace {
  const { records } = planTrace.conducted;
  const idleBeforeMs = firstIndex === 0 ? planTrace.idleBeforeMs : (restsBefore(planTrace, [firstIndex])[0] ?? 0);
  return {
    records: records.slice(firstIndex),
    clockErrorRate: 0.001,
    quantumMs: Math.max(1, planTrace.lateMs ?? 0),
    idleBeforeMs,
  };
}

/** For each of some ascending positions, how long the key had certainly been unused before the record there. */
function restsBefore({ conducted, idleBeforeMs }: PlanTrace, positions: readonly number[]): number[] {
  const { outcome, sentMs, receivedMs } = coreOf(conducted.records);
  let lastMs = -Infinity;
  let at = 0;
  return positions.map((position) => {
    for (; at < position; at += 1) {
      if (outcome[at] === unsent) continue;
      const endMs = receivedMs[at] ?? 0;
      lastMs = Math.max(lastMs, Number.isFinite(endMs) ? endMs : (sentMs[at] ?? 0) + timeoutMs);
    }
    return lastMs === -Infinity ? idleBeforeMs : Math.max(0, (sentMs[position] ?? 0) - lastMs);
  });
}

/** The drives that a trace holds one after another, each as a trace of its own from its first step on; records keep their index. */
export function drivesOf(planTrace: PlanTrace): PlanTrace[] {
  const { records, steps } = planTrace.conducted;
  const begins = [0, ...(planTrace.repeats ?? []).map((one) => one.firstStep)];
  return begins.map((begin, at) => {
    const own = steps.slice(begin, begins[at + 1]);
    const from = own[0]?.firstIndex ?? records.length;
    const until = steps[begins[at + 1] ?? steps.length]?.firstIndex ?? records.length;
    return {
      ...planTrace,
      conducted: {
        records: records.slice(from, until),
        steps: own.map((step) => ({ ...step, firstIndex: step.firstIndex - from })),
      },
    };
  });
}

/** The position of the first record after the long idle time; the records' end where it was not reached. */
export function afterIdleIndex(planTrace: PlanTrace): number {
  const { steps, records } = planTrace.conducted;
  const at = steps.findLastIndex((one) => one.scenario === 'recovery' || one.scenario === 'burst');
  const next = steps.slice(at + 1).find((one) => one.scenario === 'probe' || one.scenario === 'boundary');
  return next?.firstIndex ?? records.length;
}

/**
 * A key's whole trace, and what follows each drive's longest rest: a bucket is known to be full after that only; before it, it justifies
 * every refusal.
 */
export function partsOf(planTrace: PlanTrace): Trace[] {
  let from = 0;
  const rested = drivesOf(planTrace).flatMap((drive) => {
    const index = restedIndex(drive);
    const part = index === 0 ? [] : [traceOf(planTrace, from + index)];
    from += drive.conducted.records.length;
    return part;
  });
  return [traceOf(planTrace), ...rested];
}

/** The position of the record before which the key had rested longest; 0 where there is no later one. */
function restedIndex(planTrace: PlanTrace): number {
  const { steps, records } = planTrace.conducted;
  const starts = steps.map(({ firstIndex }) => firstIndex).filter((index) => index > 0 && index < records.length);
  const rests = restsBefore(planTrace, starts);
  const longest = Math.max(0, ...rests);
  return longest === 0 ? 0 : (starts[rests.indexOf(longest)] ?? 0);
}

/**
 * Drives every subject in a run, side by side, each with its own key. Repeats a drive where `repeatReason` gives a reason, extends it by the
 * steps of `extensionFor`, and where it `isTooSlow` asks another engine how fast the service goes. Prints the cost first.
 */
export function limitTraces(
  check: Check,
  { repeatReason, extensionFor, isTooSlow }: DriveFurther,
): Promise<LimitTraces> {
  return check.recorded('limit traces', async () => {
    const scenario = check.run.scenario as ScenarioName | null;
    const { subjects, leftOut } = limitSubjects(check.target, scenario);
    const allowed = subjects.filter((subject) => allowedToLoad(subject.url, check.target.allowLoad));
    const barred = subjects.find((subject) => !allowed.includes(subject));
    if (barred !== undefined && allowed.length === 0) {
      return check.blocked(`load may not be sent to ${new URL(barred.url).hostname}`, toSet('ALLOW_LOAD'), ' to it');
    }
    if (subjects.length === 0) return check.notApplicable(...whyLeftOut('no limit can be tried', leftOut));
    const barredOut = subjects
      .filter((subject) => !allowed.includes(subject))
      .map((subject) => ({ plan: subject.plan, why: 'set ALLOW_LOAD to its host' }));
    // A limiter may count the requests that fetch the document: none is sent while limits are driven.
    await check.contract();
    const sendsCreates = (scenario === null || scenario === 'burst') && allowed.some(({ keyName }) => keyName !== null);
    const bodies = sendsCreates ? await createBodies(check) : [];
    const planned = allowed.map((subject) => {
      const steps = scenarioSteps(subject.limits, scenario);
      const tried: Cost = { requests: subject.keyName === null ? 1 : mostTried, floorSeconds: 0 };
      const writes = subject.keyName === null || bodies.length === 0 ? [] : [writesCost(subject.limits)];
      const costs = [costOf(steps), tried, ...writes];
      return {
        subject,
        steps,
        cost: {
          requests: costs.reduce((sum, { requests }) => sum + requests, 0),
          floorSeconds: costs.reduce((sum, { floorSeconds }) => sum + floorSeconds, 0),
        },
      };
    });
    const { say } = check.run.activity;
    const least = Math.max(...planned.map((one) => one.cost.floorSeconds));
    for (const { subject, cost } of planned) say(describeCost(subject.plan, cost));
    say(
      `limits: all plans at the same time, at most about ${Math.ceil(least)} s, then until requests are accepted again`,
    );
    const mutex = createMutex();
    const startedMs = performance.now();
    const begun = await Promise.all(planned.map(({ subject, steps }) => startSession(check, subject, steps, mutex)));
    const rest = (session: PlanSession): Step[] => repeatSteps(session.trace.subject.limits, scenario);
    const driven = await repeatDrives(
      begun,
      repeatReason,
      (session, why) => driveAgain(session, why, rest(session), mutex),
      (more) =>
        (performance.now() - startedMs) / 1000 + Math.max(...more.map((session) => costOf(rest(session)).floorSeconds)),
    );
    const extended = await Promise.all(driven.map((session) => extendDrive(session, extensionFor, mutex)));
    const sessions = await Promise.all(
      extended.map(async (one) => (isTooSlow(one.trace) ? withTopSpeed(one, mutex) : one)),
    );
    const plans = await Promise.all(sessions.map((session) => withWrites(check, session, bodies, mutex)));
    // The check that asks first pays for all; the others share what it bought.
    check.requests += plans.reduce((sum, plan) => sum + tallyOf(plan).sent, 0);
    const floors = planned.map(({ cost }, at) => {
      const session = sessions[at];
      const { repeats = [], further } = session?.trace ?? {};
      const again = session === undefined ? 0 : repeats.length * costOf(rest(session)).floorSeconds;
      return cost.floorSeconds + again + (further?.seconds ?? 0);
    });
    const floorSeconds = Math.max(...floors);
    const seconds = (performance.now() - startedMs) / 1000;
    say(scenario === null ? describeTime(seconds, floorSeconds) : `limits: took ${Math.round(seconds)} s`);
    return { plans, leftOut: [...leftOut, ...barredOut] };
  });
}
