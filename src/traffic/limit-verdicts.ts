import { gatewayStatuses } from '../http/index.js';
import {
  attributeViolations,
  detectForeignUse,
  type ForeignUse,
  type HeaderFinding,
  judgeHeaders,
  judgeTraces,
  judgeUncountedWrites,
  leftOf,
  type ModelVerdict,
  type TraceRecord,
  type Violation,
} from '../ratelimit/index.js';
import { drivesOf, partsOf, type PlanTrace, traceOf } from './limit-traces.js';
import type { LimitModel } from '../settings/index.js';
import { inconclusive, lateAfterMs, recordsOf, underDriven, type UnderDriven } from './under-driven.js';
import {
  longAndShort,
  refillProbe,
  serversProbe,
  shares,
  steadyProbe,
  type Step,
  windowProbe,
} from './scenario/scenario.js';

/** This many answers with one status are not accidental. */
const enough = 3;

/** Statuses that may speak of what was asked for, or of how it came. */
const ofTheRequest = new Set([400, 408, 422]);

/** Whether an answer says of itself that a limit decided it. */
function isLimited(record: TraceRecord): boolean {
  if (record.limit === undefined && record.remaining === undefined) return false;
  return !ofTheRequest.has(record.status ?? 0) || leftOf(record) === 0;
}

/**
 * The statuses that this service refuses with, the main one first: 429 where it occurs, and every redirection or error that alternates with
 * acceptances of the same request. Beside 429, a server error may come from the load and a 400 from the request: those count only where
 * they carry rate-limit headers.
 */
export function refusalStatuses(records: readonly TraceRecord[]): readonly number[] {
  const lastAccepted = records.findLastIndex(({ outcome }) => outcome === 'accepted');
  const limited = records.some(({ status }) => status === 429);
  const seen = new Map<number, number>();
  for (const [at, record] of records.entries()) {
    const status = record.status ?? 0;
    // A request for a record that does not exist fails for that reason.
    if (status < 300 || status === 429 || record.asked !== undefined) continue;
    const unsigned = at < lastAccepted && !(limited && (status >= 500 || ofTheRequest.has(status)));
    if (unsigned || isLimited(record)) seen.set(status, (seen.get(status) ?? 0) + 1);
  }
  const found = [...seen].filter(([, count]) => count >= enough).sort((a, b) => b[1] - a[1]);
  const others = found.map(([status]) => status);
  if (limited) return [429, ...others];
  const [most] = others;
  return most === undefined ? [] : [most, ...others.slice(1).filter((status) => status < 500 || most >= 500)];
}

/** Answers of a gateway while the service was away: those in one interval in which the service itself gave none. */
export function gatewayAnswers(given: readonly TraceRecord[]): readonly TraceRecord[] {
  const isGateway = ({ status, hasEnvelope }: TraceRecord): boolean =>
    hasEnvelope === false && gatewayStatuses.includes(status ?? 0);
  const records = [...given];
  const stretch = records.slice(records.findIndex(isGateway), records.findLastIndex(isGateway) + 1);
  return stretch.every((record) => isGateway(record) || record.status === null) ? stretch.filter(isGateway) : [];
}

/** An answer of one of those statuses is a refusal. */
function seenAs(statuses: readonly number[]): (record: TraceRecord) => TraceRecord {
  return (record) =>
    record.asked !== 'missing' &&
    record.status !== null &&
    record.outcome !== 'refused' &&
    statuses.includes(record.status)
      ? { ...record, outcome: 'refused' }
      : record;
}

/** The same trace with every answer of those statuses counted as a refusal. */
export function withRefusals(trace: PlanTrace, statuses: readonly number[]): PlanTrace {
  if (statuses.every((status) => status === 429)) return trace;
  const records = trace.conducted.records.map(seenAs(statuses));
  return { ...trace, conducted: { ...trace.conducted, records } };
}

/** The verdict on one subject. */
export interface PlanVerdict {
  readonly trace: PlanTrace;
  readonly violations: readonly Violation[];
  readonly headers: readonly HeaderFinding[];
  readonly models: readonly ModelVerdict[];
  /** The statuses treated as refusals: 429, and others used instead; empty where nothing was refused. */
  readonly refusals: readonly number[];
  /**
   * Signs of another user of the key, where this run alone does not explain the refusals; else null. With such signs, refusals prove
   * nothing.
   */
  readonly foreign: ForeignUse | null;
  /** The same signs where this run alone explains all that was accepted and refused: then they prove nothing. */
  readonly lowered: ForeignUse | null;
  /** Creates that the limit does not count, in words, or null. */
  readonly uncounted: string | null;
  /** Why silence of the oracle proves nothing, where it does not. */
  readonly weak: UnderDriven;
}

/** A model's contradictions without refusals, which another client may have caused. */
function withoutRefusals(limiter: ModelVerdict): ModelVerdict {
  const counterevidence = limiter.counterevidence.filter((one) => one.part !== 'refusal');
  return { ...limiter, counterevidence, admitted: counterevidence.length === 0 };
}

/** The first sign of another user of the key. One odd fall in each drive is none. */
function foreignSign(trace: PlanTrace): ForeignUse | null {
  const signs = drivesOf(trace).map((drive) => detectForeignUse(traceOf(drive), trace.subject.limits));
  return signs.find((one) => one !== null) ?? null;
}

/** Compares all answers of one subject with every model, and with the headers. */
export function judgePlan(
  seen: PlanTrace,
  model: LimitModel,
  { signOf = foreignSign, judgesHeaders = true } = {},
): PlanVerdict {
  const refusals = refusalStatuses(seen.conducted.records);
  const trace = withRefusals(seen, refusals);
  const { limits } = trace.subject;
  const parts = partsOf(trace);
  const names = parts.map((_, at) => (at === 0 ? '' : 'after the longest pause, '));
  const sign = signOf(trace);
  const supposed = judgeTraces(parts, limits, { model }, names);
  // A server may lower the fields between two responses (draft-ietf-httpapi-ratelimit-headers-06, section 4): the answers decide.
  const explained = supposed.some((limiter) => limiter.admitted);
  const foreign = explained ? null : sign;
  const models = foreign === null ? supposed : judgeTraces(parts, limits, { model, alone: false }, names);
  const judged = foreign === null ? models : models.map(withoutRefusals);
  const violations = judged.some((limiter) => limiter.admitted) ? [] : attributeViolations(judged, refusals.length > 0);
  const fixed = judged.some(({ name, admitted }) => admitted && name === 'fixed') ? 'possible' : 'excluded';
  const headers = !judgesHeaders
    ? []
    : judgeHeaders(traceOf(trace), limits, {
        alone: sign === null,
        fixed: model === 'fixed' ? 'pinned' : fixed,
      });
  const last = drivesOf(trace).at(-1) ?? trace;
  const driven = underDriven(last);
  const unclear = inconclusive(last, parts, judged);
  return {
    trace,
    violations,
    headers,
    models,
    refusals,
    foreign,
    lowered: explained ? sign : null,
    uncounted: judgeUncountedWrites((trace.writes?.records ?? []).map(seenAs(refusals))),
    weak: {
      within: driven.within ?? unclear.within,
      beyond: driven.beyond ?? unclear.beyond,
    },
  };
}

/**
 * The limit whose enforcement no answer shows, in words, or null: the other limit alone explains every answer. A limit of 100 in a second,
 * for one, may refuse a whole burst before 600 in a minute are accepted.
 */
export function unshownLimit({ trace }: PlanVerdict, role: 'burst' | 'sustained'): string | null {
  const { long, short } = longAndShort(trace.subject.limits);
  if (short === null) return null;
  const [limit, other] = role === 'burst' ? [long, short] : [short, long];
  // No client can exceed a limit that the other limit keeps out of reach.
  if (limit.count > shares.below * other.count * Math.ceil(limit.windowSeconds / other.windowSeconds)) return null;
  const models = judgeTraces(partsOf(trace), [other], { model: 'auto' });
  // Below the shorter limit's rate, as a scenario's last step is, counted refusals cause no further ones.
  return models.some(({ admitted, needsRefusalsCounted }) => admitted && !needsRefusalsCounted)
    ? `the limit of ${other.count} in ${other.windowSeconds} s explains every answer, so none shows the limit of ${limit.count} in ${limit.windowSeconds} s`
    : null;
}

/** With a larger share of unanswered requests the service is the cause, and a repetition would not help. */
const unansweredShare = 0.02;

/** Whether even the quickest answer takes a good part of the shortest window: a repetition would not help. */
function isDistant(records: readonly TraceRecord[], limits: PlanTrace['subject']['limits']): boolean {
  const answered = records.filter(({ status }) => status !== null);
  return answered.length > 0 && answered.every(({ sentMs, receivedMs }) => receivedMs - sentMs > lateAfterMs(limits));
}

/** Whether a step of several requests got no answer and no connection: the service is away, however busy this machine is. */
function isGone(drive: PlanTrace | undefined): boolean {
  return (drive?.conducted.steps ?? []).some((one) => {
    const records = drive === undefined ? [] : recordsOf(drive.conducted, one);
    return one.count > 1 && one.drive.trouble !== null && records.every(({ status }) => status === null);
  });
}

/**
 * Why to repeat a drive: this machine sent it too badly to show an incorrect limit, and it shows no violation. Of some scenarios nothing
 * `staysWithin` the limits.
 */
export function repeatReason({ violations, foreign, weak, trace }: PlanVerdict, staysWithin = true): string | null {
  if (violations.length > 0 || foreign !== null) return null;
  const last = drivesOf(trace).at(-1);
  if (isGone(last)) return null;
  const records = last?.conducted.records ?? [];
  const unanswered = records.filter(({ outcome }) => outcome === 'failed' || outcome === 'timeout').length;
  if (unanswered > unansweredShare * records.length || isDistant(records, trace.subject.limits)) return null;
  return weak.beyond ?? (staysWithin ? weak.within : null);
}

/** Facts that decide which models predict the next answers. */
interface Plainness {
  readonly standsAlone: boolean;
  /** The stream after the rest was timed to end with a window on the clock. */
  readonly byClock: boolean;
  /** The operator says what kind of limiter it is. */
  readonly pinned: boolean;
}

/**
 * Whether a model that explains a drive predicts what the service does next, so that no other limiter is likely to look the same.
 * A sliding log of a single limit may hide longer windows on the clock: the drive ends before the log empties. Where LIMIT_MODEL pins
 * one kind of window, their length can be measured.
 */
function isPlain(limiter: ModelVerdict, { standsAlone, byClock, pinned }: Plainness): boolean {
  const { name, admitted, needsRefusalsCounted, needsClock, needsTimer } = limiter;
  if (!admitted || name === 'mixed' || name === 'bucket-ticked') return false;
  // Traffic timed to end with a window on the clock, but explained without one, missed the end of that window.
  if (name === 'fixed') return !needsClock && !byClock && !pinned;
  if (name === 'sliding') return !standsAlone && !pinned;
  return !needsRefusalsCounted && !needsTimer;
}

/** The load to add to the plan, and the reason. */
export interface Extension {
  readonly why: string;
  readonly steps: readonly Step[];
}

/** Steps to add, and why: where the same answers would fit other numbers, or where the steps take only seconds. */
export function extensionFor(verdict: PlanVerdict): Extension | null {
  const { limits } = verdict.trace.subject;
  if (verdict.violations.length > 0 || verdict.foreign !== null) return null;
  const unclear = probeFor(verdict);
  const stream = steadyProbe(limits);
  if (stream.length === 0) return unclear;
  const why =
    unclear?.why ?? 'its windows are short, so a steady stream of requests over several windows takes only seconds';
  return { why, steps: [...(unclear?.steps ?? []), ...stream] };
}

function probeFor({ models, trace }: PlanVerdict): Extension | null {
  const { limits } = trace.subject;
  const explaining = models.filter(({ admitted }) => admitted);
  // What accepts the most in all is what servers that count for themselves, or a bucket of other numbers, look like.
  if (explaining.length > 0 && explaining.every(({ name }) => name === 'spill'))
    return {
      why: 'so far only a sustained rate with an extra allowance is consistent; a token bucket with incorrect numbers, and servers that each count for themselves, would look the same',
      steps: [...(models.length > 1 ? refillProbe(limits) : []), ...serversProbe(limits)],
    };
  const byClock = trace.conducted.steps.some((step) => step.byClock ?? false);
  const plainness = { standsAlone: limits.length === 1, byClock, pinned: models.length === 1 };
  if (explaining.some((limiter) => isPlain(limiter, plainness))) return null;
  const why = 'the answers so far do not show how long the windows of the limit are';
  return { why, steps: windowProbe(limits) };
}
