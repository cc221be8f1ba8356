import { isDeepStrictEqual } from 'node:util';
import { gatewayStatuses } from '../http/index.js';
import {
  attributeViolations,
  detectForeignUse,
  type HeaderFinding,
  judgeHeaders,
  judgeTraces,
  judgeUncountedWrites,
  leftOf,
  type LimitRole,
  type ModelVerdict,
  planNumbers,
  type Trace,
  type TraceRecord,
  type Violation,
} from '../ratelimit/index.js';
import { booksOf } from './engine/drive.js';
import { afterIdleIndex, drivesOf, partsOf, type PlanTrace, recordsOf, traceOf } from './limit-traces.js';
import type { Limit, LimitModel } from '../settings/index.js';
import type { DrivenStep } from './scenario/run-steps.js';
import {
  isFast,
  mostGenerous,
  refillProbe,
  serversProbe,
  shares,
  steadyProbe,
  type Step,
  stepSeconds,
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
  readonly foreign: string | null;
  /** The same signs where this run alone explains all that was accepted and refused: then they prove nothing. */
  readonly lowered: string | null;
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
function foreignSign(trace: PlanTrace): string | null {
  const signs = drivesOf(trace).map((drive) => detectForeignUse(traceOf(drive), trace.subject.limits));
  return signs.find((one) => one !== null) ?? null;
}

/** Compares all answers of one subject with every model, and with the headers. */
export function judgePlan(seen: PlanTrace, model: LimitModel): PlanVerdict {
  const verdict = judgeAnswers(seen, model);
  const { trace, models, foreign, lowered } = verdict;
  // Where somebody else may use the key, refusals speak against no model.
  const isPossible = models.some(
    ({ name, counterevidence }) =>
      name === 'fixed' && counterevidence.every(({ part }) => foreign !== null && part === 'refusal'),
  );
  const fixed = model === 'fixed' ? 'pinned' : isPossible ? 'possible' : 'excluded';
  const alone = foreign === null && lowered === null;
  return { ...verdict, headers: judgeHeaders(traceOf(trace), trace.subject.limits, { alone, fixed }) };
}

/** The same by what was accepted and refused alone, whatever the headers say. */
export function judgeAnswers(seen: PlanTrace, model: LimitModel, signOf = foreignSign): PlanVerdict {
  const refusals = refusalStatuses(seen.conducted.records);
  const trace = withRefusals(seen, refusals);
  const { limits } = trace.subject;
  const parts = partsOf(trace);
  const names = parts.map(({ idleBeforeMs }, at) =>
    at === 0 ? '' : `after ${(idleBeforeMs / 1000).toFixed(1)} s without requests, `,
  );
  const sign = signOf(trace);
  const supposed = judgeTraces(parts, limits, { model }, names);
  // A server may lower the fields between two responses (draft-ietf-httpapi-ratelimit-headers-06, section 4): the answers decide.
  const explained = supposed.some((limiter) => limiter.admitted);
  const foreign = explained ? null : sign;
  const models = foreign === null ? supposed : judgeTraces(parts, limits, { model, alone: false }, names);
  const judged = foreign === null ? models : models.map(withoutRefusals);
  const last = drivesOf(trace).at(-1) ?? trace;
  const driven = underDriven(last);
  const unclear = inconclusive(last, parts, judged);
  return {
    trace,
    violations: judged.some((limiter) => limiter.admitted) ? [] : attributeViolations(judged, refusals.length > 0),
    headers: [],
    models,
    refusals,
    foreign,
    lowered: explained ? sign : null,
    uncounted: judgeUncountedWrites((trace.writes?.records ?? []).map(seenAs(refusals))),
    weak: { within: driven.within ?? unclear.within, beyond: driven.beyond ?? unclear.beyond },
  };
}

/**
 * The limit whose enforcement no answer shows, in words, or null: the other limit alone explains every answer. A limit of 100 in a second,
 * for one, may refuse a whole burst before 600 in a minute are accepted.
 */
export function unshownLimit({ trace }: PlanVerdict, role: 'burst' | 'sustained'): string | null {
  const { burst: long, sustained: short } = planNumbers(trace.subject.limits);
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
    return one.count > 1 && one.trouble !== null && records.every(({ status }) => status === null);
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

/** Why servers are looked for in full: what accepts the most in all is what they, or a bucket of other numbers, look like. */
export const onlySpill =
  'so far only a sustained rate with an extra allowance is consistent; a token bucket with incorrect numbers, and servers that each count for themselves, would look the same';

function probeFor({ models, trace }: PlanVerdict): Extension | null {
  const { limits } = trace.subject;
  const explaining = models.filter(({ admitted }) => admitted);
  if (explaining.length > 0 && explaining.every(({ name }) => name === 'spill'))
    return {
      why: onlySpill,
      steps: [...(models.length > 1 ? refillProbe(limits) : []), ...serversProbe(limits)],
    };
  // Traffic timed to end with a window on the clock, but explained without one, missed the end of that window.
  const byClock = trace.conducted.steps.some((step) => step.byClock ?? false);
  // Where LIMIT_MODEL pins one kind of window, their length can be measured.
  const pinned = models.length === 1;
  // Whether a model predicts what the service does next, so that no other limiter is likely to look the same.
  const isPlain = ({ name, needsRefusalsCounted, needsClock, needsTimer }: ModelVerdict): boolean => {
    if (name === 'mixed' || name === 'bucket-ticked') return false;
    if (name === 'fixed') return !needsClock && !byClock && !pinned;
    // A sliding log of a single limit may hide longer windows on the clock: the drive ends before the log empties.
    if (name === 'sliding') return limits.length > 1 && !pinned;
    return !needsRefusalsCounted && !needsTimer;
  };
  if (explaining.some(isPlain)) {
    const isBucket = explaining.every(({ name }) => name === 'spill' || name.startsWith('bucket'));
    const steps = isBucket ? serversProbe(limits, true) : [];
    return steps.length === 0
      ? null
      : {
          why: 'so far a token bucket is consistent, and servers that each count for themselves would look the same',
          steps,
        };
  }
  const why = 'the answers so far do not show how long the windows of the limit are';
  return { why, steps: windowProbe(limits) };
}

/** The share of requests that may go astray before a trace is no test: few where each must be accepted, some where too many are sent. */
const tolerated = { within: 0.05, beyond: 0.5 } as const;

/** Why a trace proves nothing, with what was reached: about refusing too much, and about refusing too little; null where it is a fair test. */
export interface UnderDriven {
  readonly within: string | null;
  readonly beyond: string | null;
}

/** Why too many requests of a step went astray, in words, or null. */
export function lostTooMuch(
  { trouble, step: { scenario, ratePerSecond, connections } }: Pick<DrivenStep, 'trouble' | 'step'>,
  records: readonly TraceRecord[],
  isWithin: boolean,
): string | null {
  const { unsent, failed, timeout } = booksOf(records);
  const lost = unsent + failed + timeout;
  if (lost <= 1 || lost <= (isWithin ? tolerated.within : tolerated.beyond) * records.length) return null;
  const rate = ratePerSecond === null ? '' : ` at ${ratePerSecond.toFixed(1)} a second`;
  return (
    `too little load in ${scenario}: of ${records.length} requests${rate} over ${connections} connections, ` +
    `${unsent} found no free connection, ${failed} failed and ${timeout} timed out${trouble === null ? '' : ` (${trouble})`}`
  );
}

const lastBurst = ({ conducted }: PlanTrace) =>
  conducted.steps.findLast((one) => isFast(one.step) && one.step.scenario === 'burst');

const isEverRefused = ({ conducted }: PlanTrace): boolean =>
  conducted.records.some((record) => record.outcome === 'refused');

/** The last burst, where a conforming service may have accepted all of it as it went so slowly. */
export function slowBurst(trace: PlanTrace) {
  const burst = lastBurst(trace);
  if (burst === undefined || isEverRefused(trace)) return null;
  const seconds = (burst.endedMs - burst.startedMs) / 1000;
  const allowed = mostGenerous(trace.subject.limits, seconds);
  const { answered } = booksOf(recordsOf(trace.conducted, burst));
  return answered > allowed ? null : { answered, seconds, allowed };
}

function neverExceeded(trace: PlanTrace): string | null {
  if (lastBurst(trace) === undefined && !isEverRefused(trace)) return 'no requests beyond the limits were sent';
  const slow = slowBurst(trace);
  if (slow === null) return null;
  const { answered, seconds, allowed } = slow;
  const other =
    trace.topSpeed === undefined
      ? ''
      : `; autocannon, another engine, gets ${trace.topSpeed.toFixed(1)} answers a second there`;
  return `too little load in burst: ${answered} requests were answered in ${seconds.toFixed(1)} s; a conforming service may accept up to ${allowed}${other}`;
}

/** Holds what was sent against what had been planned. */
export function underDriven(trace: PlanTrace): UnderDriven {
  const { steps, records } = trace.conducted;
  const idleUntil = afterIdleIndex(trace);
  // The last of all goes beyond the limits, whoever comes back after it, one at a time.
  const heaviest = steps.findLast(({ count }) => count > 1);
  const isWithin = (one: DrivenStep): boolean => one.firstIndex >= idleUntil && one !== heaviest;
  const first = (which: boolean): string | null =>
    steps
      .filter((one) => isWithin(one) === which)
      .map((one) => lostTooMuch(one, recordsOf(trace.conducted, one), which))
      .find((words) => words !== null) ?? null;
  const within = first(true);
  return {
    within:
      within !== null
        ? within
        : idleUntil >= records.length
          ? 'the part of the load that stays within the limits was never sent'
          : null,
    beyond: first(false) ?? neverExceeded(trace),
  };
}

/** A limit that is larger or smaller by these factors has to look different. */
const factors = { beyond: 1.2, within: 0.8 } as const;
/** More of a step's requests than this may not be late. */
export const lateShare = 0.3;

/** A request sent, or answered, this much later may fall into another part of the shortest window, in milliseconds. */
export function lateAfterMs(limits: readonly Limit[]): number {
  const { burst: long, sustained: short } = planNumbers(limits);
  return Math.max(50, ((short ?? long).windowSeconds * 1000) / 4);
}

/** By how much of the longer window the steps of the stream after the rest may begin late, all together. */
const waitedShare = 0.1;

/** Why the stream after the rest did not keep to its window: its steps waited for their turn, or this machine stood still; else null. */
function beganLate(trace: PlanTrace, planned: readonly DrivenStep[], longMs: number): string | null {
  const from = afterIdleIndex(trace);
  const waits = planned
    .filter((one) => one.firstIndex >= from && one.turnMs !== undefined)
    .map((one) => Math.max(0, one.startedMs - (one.turnMs ?? 0) - stepSeconds * 1000));
  const waitedMs = waits.reduce((sum, ms) => sum + ms, 0);
  return waitedMs > waitedShare * longMs
    ? `the steps after the long pause began late, by ${(waitedMs / 1000).toFixed(1)} s in total`
    : null;
}

/** The first step that was not driven as planned, in words; null where all were. */
function offPlan(trace: PlanTrace): string | null {
  const { conducted, subject } = trace;
  const lateMs = lateAfterMs(subject.limits);
  const longMs = planNumbers(subject.limits).burst.windowSeconds * 1000;
  const deviationOf = (one: DrivenStep): string | null => {
    if (one.step.ratePerSecond === null) {
      const tookMs = one.endedMs - one.startedMs;
      return one.count > 1 && tookMs > longMs / 4
        ? `a burst of ${one.count} requests took ${(tookMs / 1000).toFixed(1)} s`
        : null;
    }
    const own = recordsOf(conducted, one);
    const late = own.filter((record) => record.outcome === 'unsent' || record.sentMs - record.dueMs > lateMs).length;
    if (late > lateShare * one.count)
      return `${late} of ${one.count} requests were sent more than ${lateMs.toFixed(0)} ms late or not at all`;
    // The instant of a slow decision is uncertain by a good part of the shortest window.
    const slow = own.filter(({ sentMs, receivedMs }) => receivedMs - sentMs > lateMs).length;
    return slow > lateShare * one.count
      ? `${slow} of ${one.count} answers took more than ${lateMs.toFixed(0)} ms`
      : null;
  };
  // The last burst and what is driven further only add to what was shown before.
  const until = conducted.steps.findLastIndex(({ step }) => step.scenario !== 'probe');
  const planned = conducted.steps.slice(0, until + 1);
  for (const one of planned) {
    const words = deviationOf(one);
    if (words !== null) return `the ${one.step.scenario} scenario did not run as planned: ${words}`;
  }
  return beganLate(trace, planned, longMs);
}

/** What is held against a model. */
const partsAgainst = (limiter: ModelVerdict | undefined): ReadonlySet<LimitRole | 'refusal'> =>
  new Set(limiter?.counterevidence.map(({ part }) => part));

/**
 * Reasons why a drive proves nothing about over-refusal and about over-admission: it did not go as planned, or one violated number may hide
 * that the other is too large. Nulls where all went as planned or the result is conclusive anyway. It is conclusive where the window model
 * that explains most requests (of `parts`, the last of which is the drive) would explain a different number with a limit a fifth smaller or
 * larger; where another model explains all, there is no such model.
 */
export function inconclusive(trace: PlanTrace, parts: readonly Trace[], models: readonly ModelVerdict[]): UnderDriven {
  const { limits } = trace.subject;
  const isExplained = models.some(({ admitted }) => admitted);
  const [limiter] = models
    .filter(({ name, admitted }) => (name === 'sliding' || name === 'fixed') && (admitted || !isExplained))
    .sort((a, b) => partsAgainst(a).size - partsAgainst(b).size);
  const badly = offPlan(trace);
  const { burst } = planNumbers(limits);
  const broken = limits.filter((limit) => partsAgainst(limiter).has(limit === burst ? 'burst' : 'sustained'));
  if (limiter === undefined || (badly === null && broken.length === 0)) return { within: null, beyond: null };
  const model = limiter.name === 'sliding' ? 'sliding' : 'fixed';
  // Earlier use of the key may justify refusals; it does not make another number look like this one.
  const shown = badly === null ? parts.map((part) => ({ ...part, idleBeforeMs: Infinity })) : parts;
  const unexplained = (numbers: readonly Limit[]) => partsAgainst(judgeTraces(shown, numbers, { model })[0]);
  const seen = unexplained(limits);
  const hidden = (factor: number): string | null => {
    const found = limits.find((limit) => {
      const other = { ...limit, count: Math.max(1, Math.round(limit.count * factor)) };
      if (other.count === limit.count || (factor > 1 && broken.includes(limit))) return false;
      return isDeepStrictEqual(unexplained(limits.map((one) => (one === limit ? other : one))), seen);
    });
    if (found === undefined) return null;
    const like = `a limit of ${Math.round(found.count * factor)} in ${found.windowSeconds} s would have looked the same`;
    return `${badly ?? 'the service breaks its other limit'}; ${like}`;
  };
  return { within: badly === null ? null : hidden(factors.within), beyond: hidden(factors.beyond) };
}
