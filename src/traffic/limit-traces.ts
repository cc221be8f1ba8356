import type { Trace, TraceOutcome } from '../ratelimit/index.js';
import type { Check } from '../run/index.js';
import { paths } from '../service/index.js';
import {
  keyedPlans,
  type KeyName,
  type Limit,
  planKeys,
  type PlanName,
  planNames,
  type Remedy,
  remedyText,
  type SettingName,
  toSet,
} from '../settings/index.js';
import { booksOf, usualTimeoutMs } from './engine/drive.js';
import type { DrivenStep, ScenarioRun } from './scenario/run-steps.js';
import { type ScenarioName, scenarioSteps } from './scenario/scenario.js';

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
  /** What was driven beyond the plan, and why: all steps once more, or further ones; and the place of the first of these steps. */
  readonly additions?: readonly Addition[];
  /** How many answers a second another engine got, where this one never exceeded the limits. */
  readonly topSpeed?: number;
}

export interface Addition {
  readonly how: 'repeated' | 'extended';
  readonly why: string;
  readonly firstStep: number;
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

/** Where the requests go that a plan's limit counts, and with which key. */
export function placeOf(
  { baseUrl, sandboxUrl, limits }: Pick<Check['target'], 'baseUrl' | 'sandboxUrl' | 'limits'>,
  plan: PlanName,
) {
  const isKeyed = keyedPlans.find((one) => one === plan);
  return {
    keyName: isKeyed === undefined ? null : planKeys[isKeyed],
    baseUrl: plan === 'sandbox' ? sandboxUrl : baseUrl,
    path: plan === 'demo' ? paths.demoUnits : paths.units,
    limits: limits[plan],
  };
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
  for (const plan of planNames) {
    const { keyName, baseUrl, path, limits } = placeOf(target, plan);
    const key = keyName === null ? undefined : target.keys[keyName];
    const holder = key === undefined ? undefined : holders.get(key);
    if (keyName !== null && key === undefined) lacks(plan, keyName);
    else if (baseUrl === null) lacks(plan, 'SANDBOX_URL');
    else if (limits === null) lacks(plan, `LIMITS_${plan.toUpperCase() as Uppercase<typeof plan>}`);
    else if (holder !== undefined) leftOut.push({ plan, why: `${keyName ?? ''} is the same key as ${holder}` });
    else subjects.push({ plan, keyName, limits, url: `${baseUrl}${path}?limit=1` });
    if (key !== undefined) holders.set(key, keyName ?? '');
  }
  const idle = subjects.filter(({ limits }) => scenarioSteps(limits, scenario).length === 0);
  return {
    subjects: subjects.filter((subject) => !idle.includes(subject)),
    leftOut: [...leftOut, ...idle.map(({ plan }) => ({ plan, why: `use a scenario other than ${scenario ?? ''}` }))],
  };
}

/** What came of the requests for a plan, the creates among them: how many had an outcome, other statuses, and what RateLimit-Limit said. */
export function tallyOf({ conducted, writes }: Pick<PlanTrace, 'conducted' | 'writes'>) {
  const records = [...conducted.records, ...(writes?.records ?? [])];
  const counts = booksOf(records);
  const others = records.filter(({ outcome }) => outcome === 'other').map(({ status }) => status ?? 0);
  return {
    count: (...names: TraceOutcome[]): number => names.reduce((sum, name) => sum + counts[name], 0),
    sent: records.length - counts.unsent,
    others: [...new Set(others)],
    limits: [...new Set(records.map(({ limit }) => limit ?? ''))],
  };
}

/** The records of a step. */
export const recordsOf = ({ records }: Pick<ScenarioRun, 'records'>, { firstIndex, count }: DrivenStep) =>
  records.slice(firstIndex, firstIndex + count);

/** The input of the limit judge. */
export function traceOf({ conducted: { records }, idleBeforeMs, lateMs = 0 }: PlanTrace): Trace {
  return { records, clockErrorRate: 0.001, quantumMs: Math.max(1, lateMs), idleBeforeMs };
}

/** The drives that a trace holds one after another, each as a trace of its own from its first step on; records keep their index. */
export function drivesOf(planTrace: PlanTrace): PlanTrace[] {
  const { records, steps } = planTrace.conducted;
  const repeats = (planTrace.additions ?? []).filter(({ how }) => how === 'repeated');
  const begins = [0, ...repeats.map((one) => one.firstStep)];
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
  const at = steps.findLastIndex(({ step }) => step.scenario === 'recovery' || step.scenario === 'burst');
  const next = steps.slice(at + 1).find(({ step }) => step.scenario === 'probe' || step.scenario === 'boundary');
  return next?.firstIndex ?? records.length;
}

/**
 * A key's whole trace, and what follows each drive's longest rest: a bucket is known to be full after that only; before it, it justifies
 * every refusal.
 */
export function partsOf(planTrace: PlanTrace): Trace[] {
  const parts = [traceOf(planTrace)];
  let offset = 0;
  for (const { conducted } of drivesOf(planTrace)) {
    const { records, steps } = conducted;
    let [lastMs, idleBeforeMs, from] = [-Infinity, 0, 0];
    for (const step of steps) {
      const restMs = (records[step.firstIndex]?.sentMs ?? 0) - lastMs;
      if (Number.isFinite(restMs) && restMs > idleBeforeMs) [idleBeforeMs, from] = [restMs, step.firstIndex];
      for (const { outcome, sentMs, receivedMs } of recordsOf(conducted, step))
        if (outcome !== 'unsent')
          lastMs = Math.max(lastMs, receivedMs === Infinity ? sentMs + usualTimeoutMs : receivedMs);
    }
    if (from > 0)
      parts.push({ ...traceOf(planTrace), idleBeforeMs, records: planTrace.conducted.records.slice(offset + from) });
    offset += records.length;
  }
  return parts;
}
