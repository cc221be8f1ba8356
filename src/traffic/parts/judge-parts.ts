import { detectForeignUse } from '../../ratelimit/headers/detect-foreign-use.js';
import { argsort, upperBound } from '../../ratelimit/rank.js';
import { accepted, other, refused, type RecordColumns } from '../../ratelimit/record-columns.js';
import type { ModelVerdict } from '../../ratelimit/model-verdict.js';
import { attributeViolations, type Violation } from '../../ratelimit/violation.js';
import type { LimitModel } from '../../settings/target.js';
import { afterIdleIndex, tallyOf, traceOf, type PlanTrace } from '../limit-traces.js';
import { judgePlan, type PlanVerdict } from '../limit-verdicts.js';
import { lateAfterMs } from '../statistical-power.js';
import { assertOneRun, mergeParts, offsetOf, poorShare, type MergedParts } from './merge-parts.js';
import type { PartTrace } from './part-trace.js';

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
 * The violations by a model that explains what each generator saw alone, if there is one: then the service counts generators apart, and it is
 * that model's limit that all of them exceed together.
 */
function countedApart(parts: readonly PartTrace[], verdict: PlanVerdict): readonly Violation[] {
  const { models } = verdict;
  const violations = nearest(verdict);
  if (parts.length < 2 || violations.length === 0) return violations;
  const admitted = parts.map((part) => {
    const alone = judgePlan(mergeParts([part]).trace, 'auto', silent).models.filter((one) => one.admitted);
    part.release?.();
    return alone.map(({ name }) => name);
  });
  const common = models.filter(({ name }) => admitted.every((names) => names.includes(name)));
  const found = common.length === 0 ? [] : attributeViolations(common, true);
  const apart = `the answers to each of the ${parts.length} generators alone fit the limit: the service counts generators apart`;
  return found.length === 0 ? violations : found.map((one) => ({ ...one, actual: `${one.actual}; ${apart}` }));
}

/**
 * The same trace, of servers that learn up to `lateMs` later what the others accepted. A limit that is reached may be exceeded for so long,
 * until the next request is refused or none follows: what was accepted shortly before a refusal or the end of a step, or beside it, is no
 * certain acceptance. A refusal may be the doing of a request that was accepted so much earlier.
 */
function allowingFor(lateMs: number, trace: PlanTrace<RecordColumns>): PlanTrace<RecordColumns> {
  const { records, steps } = trace.conducted;
  // The first step after the rest does not go beyond any limit.
  const within = afterIdleIndex(trace);
  const ends = new Set(steps.map(({ firstIndex, count }) => (firstIndex === within ? -1 : firstIndex + count - 1)));
  const { outcome, sentMs, receivedMs } = records.columns;
  const refusals = argsort(sentMs).filter((at) => outcome[at] === refused || ends.has(at));
  const sent = Float64Array.from(refusals, (at) => sentMs[at] ?? 0);
  let latestMs = -Infinity;
  const latest = Float64Array.from(refusals, (at) => (latestMs = Math.max(latestMs, receivedMs[at] ?? 0)));
  const isNearRefusal = (at: number): boolean =>
    (latest[upperBound(sent, (receivedMs[at] ?? 0) + 2 * lateMs) - 1] ?? -Infinity) >= (sentMs[at] ?? 0);
  const shown = outcome.map((one, at) => (one === accepted && isNearRefusal(at) ? other : one));
  return { ...trace, lateMs, conducted: { ...trace.conducted, records: records.withOutcomes(shown) } };
}

/**
 * Why the clocks are not known well enough for the shorter window, in words, or null. What is found all the same is a violation; that nothing is
 * found proves nothing, whichever model explains it.
 */
function clockDoubt(parts: readonly PartTrace[]): string | null {
  for (const part of parts) {
    const { header } = part;
    const { limits, parts: count } = header.run;
    const { leastMs, mostMs } = offsetOf(part);
    const enoughMs = lateAfterMs(limits) / 2;
    if (mostMs - leastMs > 2 * enoughMs)
      return `the clock of part ${header.part} of ${count} (${header.generator}) is known to ${((mostMs - leastMs) / 2).toFixed(0)} ms only, and these windows need ${enoughMs.toFixed(0)} ms; use --clock (k6: CLOCK)`;
  }
  return null;
}

/** What the headers say is not judged of parts: a single machine does so more exactly. */
const silent = { judgesHeaders: false };

/** How the parts of a run are judged. */
export interface JudgePartsOptions {
  readonly model: LimitModel;
  /** How late the servers of a service may learn of each other's requests, in milliseconds. */
  readonly lateMs: number;
}

/** A verdict with the part that sent each record of its trace. */
export type PartsVerdict = PlanVerdict & Pick<MergedParts, 'generators'>;

/**
 * One verdict on what several generators sent with one key. Throws SettingsError where they are not the parts of one run.
 */
export function judgeParts(parts: readonly PartTrace[], { model, lateMs }: JudgePartsOptions): PartsVerdict {
  assertOneRun(parts);
  const poorest = parts.map(poorShare).find((one) => one !== null);
  const { trace, generators } = mergeParts(parts);
  for (const part of parts) part.release?.();
  const seen = parts.length > 1 && lateMs > 0 ? allowingFor(lateMs, trace) : trace;
  const verdict = judgePlan(seen, model, {
    ...silent,
    // Servers that count alone tell each generator another number: that is what the traces are to show, and no sign.
    signOf: (own) => detectForeignUse(traceOf(own), own.subject.limits, generators),
  });
  const poor = poorest ?? clockDoubt(parts);
  const weak = { within: poor ?? verdict.weak.within, beyond: poor ?? verdict.weak.beyond };
  return { ...verdict, trace, generators, violations: countedApart(parts, verdict), weak };
}
