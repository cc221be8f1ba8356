import {
  argsort,
  attributeViolations,
  detectForeignUse,
  type ModelVerdict,
  type TraceRecord,
  upperBound,
  type Violation,
} from '../ratelimit/index.js';
import type { LimitModel } from '../settings/index.js';
import { afterIdleIndex, tallyOf, traceOf, type PlanTrace } from './limit-traces.js';
import { judgePlan, type PlanVerdict } from './limit-verdicts.js';
import { lateAfterMs } from './statistical-power.js';
import type { K6Trace } from './k6-output.js';
import { assertOneRun, mergeInstances, poorShare } from './merge-instances.js';

/**
 * The violations, without the models that leave a twentieth of the refusals unexplained where another model explains all of them: a bucket that
 * refuses what it should accept is no likelier reading than windows that accept too much.
 */
function nearest({ models, violations, trace }: PlanVerdict): readonly Violation[] {
  const unexplained = ({ counterevidence }: ModelVerdict): number =>
    Math.max(0, ...counterevidence.map(({ refusals = 0 }) => refusals));
  if (violations.length === 0 || !models.some((one) => unexplained(one) === 0)) return violations;
  const refusals = tallyOf(trace).count('refused');
  return attributeViolations(
    models.filter((one) => 20 * unexplained(one) <= refusals),
    refusals > 0,
  );
}

/**
 * The violations by a model that explains what each instance saw alone, if there is one: then the service counts instances apart, and it is
 * that model's limit that all of them exceed together.
 */
function countedApart(instances: readonly K6Trace[], verdict: PlanVerdict, clockErrorMs: number): readonly Violation[] {
  const { models } = verdict;
  const violations = nearest(verdict);
  if (instances.length < 2 || violations.length === 0) return violations;
  const admitted = instances.map((instance) => {
    const alone = judgePlan(mergeInstances([instance], clockErrorMs).trace, 'auto', silent).models.filter(
      (one) => one.admitted,
    );
    return alone.map(({ name }) => name);
  });
  const common = models.filter(({ name }) => admitted.every((names) => names.includes(name)));
  const found = common.length === 0 ? [] : attributeViolations(common, true);
  const apart = `the answers to each of the ${instances.length} instances alone fit the limit: the service counts instances apart`;
  return found.length === 0 ? violations : found.map((one) => ({ ...one, actual: `${one.actual}; ${apart}` }));
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

/** What the headers say is not judged of several instances: a single machine does so more exactly. */
const silent = { judgesHeaders: false };

/** How the instances of a run are judged. */
export interface JudgeInstancesOptions {
  readonly model: LimitModel;
  /** How late the servers of a service may learn of each other's requests, in milliseconds. */
  readonly lateMs: number;
  /** How wrong the clock of an instance may be, in milliseconds. */
  readonly clockErrorMs: number;
}

/**
 * One verdict on what several instances of k6 sent with one key. Throws SettingsError where they are not the instances of one run.
 */
export function judgeInstances(instances: readonly K6Trace[], options: JudgeInstancesOptions): PlanVerdict {
  const { model, lateMs, clockErrorMs } = options;
  assertOneRun(instances);
  const poorest = instances.map(poorShare).find((one) => one !== null);
  const { trace, generators } = mergeInstances(instances, clockErrorMs);
  const seen = instances.length > 1 && lateMs > 0 ? allowingFor(lateMs, trace) : trace;
  const verdict = judgePlan(seen, model, {
    ...silent,
    // Servers that count alone tell each instance another number: that is what the traces are to show, and no sign.
    signOf: (own) => detectForeignUse(traceOf(own), own.subject.limits, generators),
  });
  const poor = poorest ?? doubtOf(instances, options);
  const weak = { within: poor ?? verdict.weak.within, beyond: poor ?? verdict.weak.beyond };
  return { ...verdict, trace, violations: countedApart(instances, verdict, clockErrorMs), weak };
}
