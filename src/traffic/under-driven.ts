import { booksOf } from './engine/drive.js';
import type { DrivenStep, ScenarioRun } from './scenario/run-steps.js';
import { afterIdleIndex, type PlanTrace } from './limit-traces.js';
import { longAndShort, mostGenerous, stepSeconds } from './scenario/scenario.js';
import { isDeepStrictEqual } from 'node:util';
import { judgeTraces, type LimitRole, type ModelVerdict, type Trace, type TraceRecord } from '../ratelimit/index.js';
import type { Limit } from '../settings/index.js';

/** The share of requests that may go astray before a trace is no test: few where each must be accepted, some where too many are sent. */
const tolerated = { within: 0.05, beyond: 0.5 } as const;

/** Why a trace proves nothing, with what was reached: about refusing too much, and about refusing too little; null where it is a fair test. */
export interface UnderDriven {
  readonly within: string | null;
  readonly beyond: string | null;
}

/** Why too many requests of a step went astray, in words, or null. */
export function lostTooMuch(
  { scenario, drive: { trouble, ratePerSecond, connections } }: DrivenStep,
  records: readonly TraceRecord[],
  isWithin: boolean,
): string | null {
  const { unsent, failed, timedOut } = booksOf(records);
  const lost = unsent + failed + timedOut;
  if (lost <= 1 || lost <= (isWithin ? tolerated.within : tolerated.beyond) * records.length) return null;
  const rate = ratePerSecond === null ? '' : ` at ${ratePerSecond.toFixed(1)} a second`;
  return (
    `too little load in ${scenario}: of ${records.length} requests${rate} over ${connections} connections, ` +
    `${unsent} found no free connection, ${failed} failed and ${timedOut} timed out${trouble === null ? '' : ` (${trouble})`}`
  );
}

/** The records of a step. */
export const recordsOf = ({ records }: Pick<ScenarioRun, 'records'>, { firstIndex, count }: DrivenStep) =>
  records.slice(firstIndex, firstIndex + count);

const lastBurst = ({ conducted }: PlanTrace) =>
  conducted.steps.findLast((one) => one.step.kind === 'fast' && one.scenario === 'burst');

const isEverRefused = ({ conducted }: PlanTrace): boolean =>
  conducted.records.some((record) => record.outcome === 'refused');

/** The last burst, where a conforming service may have accepted all of it as it went so slowly. */
export function slowBurst(trace: PlanTrace) {
  const burst = lastBurst(trace);
  if (burst === undefined || isEverRefused(trace)) return null;
  const seconds = (burst.drive.endedMs - burst.drive.startedMs) / 1000;
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
  // The last of all goes beyond the limits, whoever comes back after it.
  const heaviest = steps.findLast(({ step }) => step.kind !== 'return');
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
  const { long, short } = longAndShort(limits);
  return Math.max(50, ((short ?? long).windowSeconds * 1000) / 4);
}

/** By how much of the longer window the steps of the stream after the rest may begin late, all together. */
const waitedShare = 0.1;

/** Why the stream after the rest did not keep to its window: its steps waited for their turn, or this machine stood still; else null. */
function beganLate(trace: PlanTrace, planned: readonly DrivenStep[], longMs: number): string | null {
  const from = afterIdleIndex(trace);
  const waits = planned
    .filter((one) => one.firstIndex >= from && one.turnMs !== undefined)
    .map((one) => Math.max(0, one.drive.startedMs - (one.turnMs ?? 0) - stepSeconds * 1000));
  const waitedMs = waits.reduce((sum, ms) => sum + ms, 0);
  return waitedMs > waitedShare * longMs
    ? `the steps after the long pause began late, by ${(waitedMs / 1000).toFixed(1)} s in total`
    : null;
}

/** The first step that was not driven as planned, in words; null where all were. */
function offPlan(trace: PlanTrace): string | null {
  const { conducted, subject } = trace;
  const lateMs = lateAfterMs(subject.limits);
  const longMs = longAndShort(subject.limits).long.windowSeconds * 1000;
  const deviationOf = (one: DrivenStep): string | null => {
    if (one.drive.ratePerSecond === null) {
      const tookMs = one.drive.endedMs - one.drive.startedMs;
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
  const until = conducted.steps.findLastIndex(({ scenario }) => scenario !== 'probe');
  const planned = conducted.steps.slice(0, until + 1);
  for (const one of planned) {
    const words = deviationOf(one);
    if (words !== null) return `the ${one.scenario} scenario did not run as planned: ${words}`;
  }
  return beganLate(trace, planned, longMs);
}

/** A model of windows, and what is said of it. */
type WindowVerdict = ModelVerdict & { readonly name: 'sliding' | 'fixed' };

const isOfWindows = (limiter: ModelVerdict): limiter is WindowVerdict =>
  limiter.name === 'sliding' || limiter.name === 'fixed';

const partOf = (limit: Limit, limits: readonly Limit[]): LimitRole =>
  limit === longAndShort(limits).long ? 'burst' : 'sustained';

const partsAgainst = (limiter: ModelVerdict | null | undefined): ReadonlySet<LimitRole | 'refusal'> =>
  new Set(limiter?.counterevidence.map(({ part }) => part));

/** The evidence against a model in all answers. */
function unexplained(
  parts: readonly Trace[],
  limits: readonly Limit[],
  name: WindowVerdict['name'],
): ReadonlySet<LimitRole | 'refusal'> {
  return partsAgainst(judgeTraces(parts, limits, { model: name })[0]);
}

/**
 * The window model that explains the trace, or most of it where no model explains all; null where another model does, or no window model
 * was asked for.
 */
function nearestWindows(models: readonly ModelVerdict[]): WindowVerdict | null {
  const explained = models.some(({ admitted }) => admitted);
  const [best] = models
    .filter(isOfWindows)
    .filter(({ admitted }) => admitted || !explained)
    .sort((a, b) => partsAgainst(a).size - partsAgainst(b).size);
  return best ?? null;
}

/**
 * Reasons why a drive proves nothing about over-refusal and about over-admission: it did not go as planned, or one violated number may hide
 * that the other is too large. Nulls where all went as planned or the result is conclusive anyway. It is conclusive where the window model
 * that explains most requests (of `parts`, the last of which is the drive) would explain a different number with a limit a fifth smaller or
 * larger.
 */
export function inconclusive(trace: PlanTrace, parts: readonly Trace[], models: readonly ModelVerdict[]): UnderDriven {
  const { limits } = trace.subject;
  const limiter = nearestWindows(models);
  const badly = offPlan(trace);
  const broken = limits.filter((limit) => partsAgainst(limiter).has(partOf(limit, limits)));
  if (limiter === null || (badly === null && broken.length === 0)) return { within: null, beyond: null };
  // Earlier use of the key may justify refusals; it does not make another number look like this one.
  const shown = badly === null ? parts.map((part) => ({ ...part, idleBeforeMs: Infinity })) : parts;
  const seen = unexplained(shown, limits, limiter.name);
  const hidden = (factor: number): string | null => {
    const found = limits.find((limit) => {
      const other = { ...limit, count: Math.max(1, Math.round(limit.count * factor)) };
      if (other.count === limit.count || (factor > 1 && broken.includes(limit))) return false;
      const changed = limits.map((one) => (one === limit ? other : one));
      return isDeepStrictEqual(unexplained(shown, changed, limiter.name), seen);
    });
    if (found === undefined) return null;
    const like = `a limit of ${Math.round(found.count * factor)} in ${found.windowSeconds} s would have looked the same`;
    return `${badly ?? 'the service breaks its other limit'}; ${like}`;
  };
  return { within: badly === null ? null : hidden(factors.within), beyond: hidden(factors.beyond) };
}
