import { basename } from 'node:path';
import {
  argsort,
  attributeViolations,
  detectForeignUse,
  type ModelVerdict,
  type TraceRecord,
  upperBound,
  type Violation,
} from '../ratelimit/index.js';
import { type KeyName, type LimitModel, planKeys, SettingsError } from '../settings/index.js';
import { afterIdleIndex, type PlanTrace, traceOf } from './limit-traces.js';
import type { DrivenStep } from './scenario/run-steps.js';
import { judgeAnswers, lateAfterMs, lateShare, lostTooMuch, type PlanVerdict } from './limit-verdicts.js';
import type { K6Trace } from './k6-output.js';
import { k6Schedule } from './k6-schedule.js';

/** What has to be the same for all instances, in words; a key is not shown. */
function namesOf({ run, key }: K6Trace): Readonly<Record<string, string>> {
  const limits = run.limits.map(({ count, windowSeconds }) => `${count}/${windowSeconds}s`).join(',');
  return { target: run.target, plan: run.plan, limits, 'number of instances': String(run.instances), key };
}

/** Throws SettingsError, in one sentence, unless these are all instances of one run, each once. */
export function assertOneRun(instances: readonly K6Trace[]): void {
  const [first] = instances;
  if (first === undefined) throw new SettingsError('no file is given: expected the JSON outputs of k6.');
  const [expected, count] = [namesOf(first), first.run.instances];
  for (const instance of instances) {
    const found = namesOf(instance);
    const name = Object.keys(expected).find((one) => found[one] !== expected[one]);
    if (name === undefined) continue;
    const both = name === 'key' ? '' : ` (${found[name] ?? ''} and ${expected[name] ?? ''})`;
    throw new SettingsError(
      `${instance.file} is of another run than ${first.file}: the ${name} differs${both}; expected the outputs of one run.`,
    );
  }
  for (let at = 1; at <= count; at += 1) {
    const own = instances.filter(({ instance }) => instance === at);
    if (own.length === 0)
      throw new SettingsError(`instance ${at} of ${count} is missing: expected the outputs of all instances.`);
    if (own.length > 1)
      throw new SettingsError(
        `${own.map(({ file }) => file).join(' and ')} are both instance ${at} of ${count}: expected each instance once.`,
      );
  }
}

/**
 * What the instances of one run sent as one trace, in the order of sending, and the instance of each record. Nothing is known of the key
 * before the first request.
 */
export function mergeInstances(
  instances: readonly K6Trace[],
  errorMs: number,
): { readonly trace: PlanTrace; readonly generators: Uint8Array } {
  const { run } = instances[0] as K6Trace;
  const steps: DrivenStep[] = [];
  const merged: { readonly instance: number; readonly record: TraceRecord }[] = [];
  for (const [at, { step, ratePerSecond }] of k6Schedule(run.limits, run.instances).entries()) {
    const firstIndex = merged.length;
    // Each clock is wrong by up to so much, so the interval in which the service decided grows by it at both ends: wrong clocks make a verdict weaker.
    const own = instances
      .flatMap(({ instance, segments }) => (segments[at]?.records ?? []).map((record) => ({ instance, record })))
      .sort((a, b) => a.record.sentMs - b.record.sentMs)
      .map(({ instance, record }, k) => {
        const { dueMs, sentMs, receivedMs } = record;
        const instants = { dueMs: dueMs - errorMs, sentMs: sentMs - errorMs, receivedMs: receivedMs + errorMs };
        return { instance, record: { ...record, ...instants, index: firstIndex + k } };
      });
    for (const one of own) merged.push(one);
    steps.push({
      step: step.ratePerSecond === null ? step : { ...step, ratePerSecond },
      firstIndex,
      count: own.length,
      startedMs: own[0]?.record.sentMs ?? 0,
      endedMs: own.reduce((last, { record: { sentMs, receivedMs } }) => {
        return Math.max(last, receivedMs === Infinity ? sentMs : receivedMs);
      }, 0),
      trouble: instances.map(({ segments }) => segments[at]?.trouble ?? null).find((one) => one !== null) ?? null,
    });
  }
  const records = merged.map(({ record }) => record);
  earliestFirst(records, steps);
  const keyName: KeyName | null = run.plan in planKeys ? planKeys[run.plan as keyof typeof planKeys] : null;
  const subject = { plan: run.plan, keyName, limits: run.limits, url: run.target };
  return {
    trace: { subject, conducted: { records, steps }, idleBeforeMs: 0, unusable: null },
    generators: Uint8Array.from(merged, ({ instance }) => instance),
  };
}

/**
 * Lets no record be sent before the first one of its segment or of an earlier one, so that what comes before a segment did so certainly.
 * Where clocks are uncertain, the first one's interval grows: that is always allowed.
 */
function earliestFirst(records: { sentMs: number }[], steps: readonly DrivenStep[]): void {
  let leastMs = Infinity;
  for (const { firstIndex } of [...steps].reverse()) {
    const first = records[firstIndex];
    if (first !== undefined) leastMs = first.sentMs = Math.min(leastMs, first.sentMs);
  }
}

/** Why an instance's share is no fair part of the load, in words: it sent too little, or too late; null where it is one. */
export function poorShare({ run, instance, file, segments }: K6Trace): string | null {
  const lateMs = lateAfterMs(run.limits);
  const which = `instance ${instance} of ${run.instances} (${basename(file)})`;
  for (const [at, { step }] of k6Schedule(run.limits, run.instances).entries()) {
    const { records = [], trouble = null } = segments[at] ?? {};
    const { scenario } = step;
    const lost = lostTooMuch({ trouble, step: { ...step, ratePerSecond: null } }, records, scenario !== 'burst');
    if (lost !== null) return `${which}: ${lost}`;
    const late = records.filter(({ sentMs, dueMs }) => sentMs - dueMs > lateMs).length;
    if (late > lateShare * records.length)
      return `${which}: ${late} of ${records.length} requests of ${scenario} were sent more than ${lateMs.toFixed(0)} ms late`;
  }
  return null;
}

/**
 * The violations by a model that explains what each instance saw alone, if there is one: then the service counts instances apart, and it is
 * that model's limit that all of them exceed together.
 */
function countedApart(
  instances: readonly K6Trace[],
  { models, violations }: PlanVerdict,
  clockErrorMs: number,
): readonly Violation[] {
  if (instances.length < 2 || violations.length === 0) return violations;
  const alone = instances.map((one) => judgeAnswers(mergeInstances([one], clockErrorMs).trace, 'auto').models);
  const explainsEach = ({ name }: ModelVerdict): boolean =>
    alone.every((own) => own.some((one) => one.name === name && one.admitted));
  const common = models.filter(explainsEach);
  const apart = `the answers to each of the ${instances.length} instances alone fit the limit: the service counts instances apart`;
  return common.length === 0
    ? violations
    : attributeViolations(common, true).map((one) => ({ ...one, actual: `${one.actual}; ${apart}` }));
}

/**
 * The same trace, of servers that learn up to `lateMs` later what the others accepted. A limit that is reached may be exceeded for so long,
 * until the next request is refused or none follows: what was accepted shortly before a refusal or the end of a step, or beside it, is no
 * certain acceptance. A refusal may be the doing of a request that was accepted so much earlier.
 */
function allowingFor(lateMs: number, trace: PlanTrace): PlanTrace {
  const { records, steps } = trace.conducted;
  // The first step after the rest does not go beyond any limit.
  const within = afterIdleIndex(trace);
  const ends = new Set(steps.map(({ firstIndex, count }) => (firstIndex === within ? -1 : firstIndex + count - 1)));
  const refusals = [...argsort(Float64Array.from(records, ({ sentMs }) => sentMs))].flatMap((at) => {
    const record = records[at];
    return record !== undefined && (record.outcome === 'refused' || ends.has(at)) ? [record] : [];
  });
  const sent = refusals.map(({ sentMs }) => sentMs);
  let latestMs = -Infinity;
  const latest = refusals.map(({ receivedMs }) => (latestMs = Math.max(latestMs, receivedMs)));
  const isNearRefusal = ({ sentMs, receivedMs }: TraceRecord): boolean =>
    (latest[upperBound(sent, receivedMs + 2 * lateMs) - 1] ?? -Infinity) >= sentMs;
  const seen = records.map((one): TraceRecord =>
    one.outcome === 'accepted' && isNearRefusal(one) ? { ...one, outcome: 'other' } : one,
  );
  return { ...trace, lateMs, conducted: { ...trace.conducted, records: seen } };
}

/** Instances that begin further apart do not send together. */
const mostApartMs = 2_000;

/**
 * Why what the instances do not show is no proof, in words, or null: they did not send together, or the clocks are not known well enough for
 * the shorter window. What is found all the same is a violation.
 */
function doubtOf(instances: readonly K6Trace[], { clockErrorMs }: JudgeInstancesOptions): string | null {
  const started = instances.map(({ startedMs }) => startedMs);
  const apartMs = Math.max(...started) - Math.min(...started);
  if (apartMs > mostApartMs + 2 * clockErrorMs)
    return `the instances began ${(apartMs / 1000).toFixed(1)} s apart, so they did not send together; give all the same START_AT`;
  const enoughMs = lateAfterMs((instances[0] as K6Trace).run.limits) / 2;
  return clockErrorMs > enoughMs
    ? `the clocks are known to ${clockErrorMs.toFixed(0)} ms only (--clock-error), and these windows need ${enoughMs.toFixed(0)} ms`
    : null;
}

/** How the instances of a run are judged. */
interface JudgeInstancesOptions {
  readonly model: LimitModel;
  /** How late the servers of a service may learn of each other's requests, in milliseconds. */
  readonly lateMs: number;
  /** How wrong the clock of an instance may be, in milliseconds. */
  readonly clockErrorMs: number;
}

/**
 * One verdict on what several instances of k6 sent with one key, which is one run.
 */
export function judgeInstances(instances: readonly K6Trace[], options: JudgeInstancesOptions): PlanVerdict {
  const { model, lateMs, clockErrorMs } = options;
  const poorest = instances.map(poorShare).find((one) => one !== null);
  const { trace, generators } = mergeInstances(instances, clockErrorMs);
  const seen = instances.length > 1 && lateMs > 0 ? allowingFor(lateMs, trace) : trace;
  // Servers that count alone tell each instance another number: that is what the traces are to show, and no sign.
  const verdict = judgeAnswers(seen, model, (own) => detectForeignUse(traceOf(own), own.subject.limits, generators));
  const poor = poorest ?? doubtOf(instances, options);
  const weak = { within: poor ?? verdict.weak.within, beyond: poor ?? verdict.weak.beyond };
  return { ...verdict, trace, violations: countedApart(instances, verdict, clockErrorMs), weak };
}
