import { detectForeignUse, type ForeignUse } from '../../ratelimit/headers/detect-foreign-use.js';
import { upperBound } from '../../ratelimit/rank.js';
import type { TraceRecord } from '../../ratelimit/trace.js';
import { attributeViolations, type Violation } from '../../ratelimit/violation.js';
import type { LimitModel } from '../../settings/target.js';
import { traceOf, type PlanTrace } from '../limit-traces.js';
import { judgePlan, type PlanVerdict } from '../limit-verdicts.js';
import { lateAfterMs } from '../statistical-power.js';
import { assertOneRun, mergeParts, offsetOf, poorShare } from './merge-parts.js';
import type { PartTrace } from './part-trace.js';

/**
 * A sign of another user of the key in the answers to one generator. Servers that count alone tell each generator another number, which is
 * what the traces are to show, and no sign.
 */
function signTo(generators: readonly number[], parts: number): (trace: PlanTrace) => ForeignUse | null {
  return (trace) => {
    const whole = traceOf(trace);
    for (let part = 1; part <= parts; part += 1) {
      const records = whole.records.map((record, at) => {
        const { remaining: _, ...silent } = record;
        return generators[at] === part ? record : silent;
      });
      const sign = detectForeignUse({ ...whole, records }, trace.subject.limits);
      if (sign !== null) return sign;
    }
    return null;
  };
}

/**
 * The violations by a model that explains what each generator saw alone, if there is one: then the service counts generators apart, and it is
 * that model's limit that all of them exceed together.
 */
function countedApart(parts: readonly PartTrace[], { models, violations }: PlanVerdict): readonly Violation[] {
  if (parts.length < 2 || violations.length === 0) return violations;
  const admitted = parts.map((part) =>
    judgePlan(mergeParts([part]).trace, 'auto')
      .models.filter((one) => one.admitted)
      .map(({ name }) => name),
  );
  const common = models.filter(({ name }) => admitted.every((names) => names.includes(name)));
  const found = common.length === 0 ? [] : attributeViolations(common, true);
  const apart = `the answers to each of the ${parts.length} generators alone fit the limit: the service counts generators apart`;
  return found.length === 0 ? violations : found.map((one) => ({ ...one, actual: `${one.actual}; ${apart}` }));
}

/**
 * The same trace, of servers that learn up to `lateMs` later what the others accepted. A limit that is reached may be exceeded for so long,
 * until the next request is refused: what was accepted shortly before a refusal, or beside it, is no certain acceptance.
 */
function allowingFor(lateMs: number, trace: PlanTrace): PlanTrace {
  const { records } = trace.conducted;
  const refused = records.filter(({ outcome }) => outcome === 'refused').sort((a, b) => a.sentMs - b.sentMs);
  const sent = refused.map(({ sentMs }) => sentMs);
  let latestMs = -Infinity;
  const latest = refused.map(({ receivedMs }) => (latestMs = Math.max(latestMs, receivedMs)));
  const isNearRefusal = ({ sentMs, receivedMs }: TraceRecord): boolean =>
    (latest[upperBound(sent, receivedMs + 2 * lateMs) - 1] ?? -Infinity) >= sentMs;
  const shown = records.map((record) =>
    record.outcome === 'accepted' && isNearRefusal(record) ? { ...record, outcome: 'other' as const } : record,
  );
  return { ...trace, conducted: { ...trace.conducted, records: shown } };
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
      return `the clock of part ${header.part} of ${count} (${header.generator}) is known to ${((mostMs - leastMs) / 2).toFixed(0)} ms only, and these windows need ${enoughMs.toFixed(0)} ms; use --clock`;
  }
  return null;
}

/** How the parts of a run are judged. */
export interface JudgePartsOptions {
  readonly model: LimitModel;
  /** How late the servers of a service may learn of each other's requests, in milliseconds. */
  readonly lateMs: number;
}

/**
 * One verdict on what several generators sent with one key. Throws SettingsError where they are not the parts of one run. What the headers say
 * is not judged: a single machine does so more exactly.
 */
export function judgeParts(parts: readonly PartTrace[], { model, lateMs }: JudgePartsOptions): PlanVerdict {
  assertOneRun(parts);
  const { trace, generators } = mergeParts(parts);
  const seen = parts.length > 1 && lateMs > 0 ? allowingFor(lateMs, trace) : trace;
  const verdict = judgePlan(seen, model, signTo(generators, parts.length));
  const poor = parts.map(poorShare).find((one) => one !== null) ?? clockDoubt(parts);
  const weak = { within: poor ?? verdict.weak.within, beyond: poor ?? verdict.weak.beyond };
  return { ...verdict, trace, violations: countedApart(parts, verdict), headers: [], weak };
}
