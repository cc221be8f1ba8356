import { blame } from '../limiter/blame.js';
import type { Blame } from '../limiter/blame.js';
import { detectForeignUse } from '../limiter/detect-foreign-use.js';
import type { ForeignUse } from '../limiter/detect-foreign-use.js';
import type { HeaderFinding } from '../limiter/header-finding.js';
import { judgeHeaders } from '../limiter/judge-headers.js';
import { judgeTraces } from '../limiter/judge-trace.js';
import type { ReadingVerdict } from '../limiter/judge-trace.js';
import type { TraceRecord } from '../limiter/trace.js';
import type { Check } from '../run/check.js';
import type { Run } from '../run/run.js';
import type { LimitModel, LimitScope } from '../target/target.js';
import { indecisive, lateBy } from './decisive.js';
import { driveProblems } from './drive-problem.js';
import type { DriveProblems } from './drive-problem.js';
import { judgeScope } from './limit-scope.js';
import type { ScopeVerdict } from './limit-scope.js';
import type { WantingMore } from './course.js';
import { furtherSteps, refillSteps } from './plan.js';
import { drivesOf, limitTraces, partsOf, traceOf } from './limit-traces.js';
import type { LimitTraces, PlanTrace } from './limit-traces.js';

/** What the oracle makes of one subject. */
export interface PlanVerdict {
  readonly trace: PlanTrace;
  readonly blames: readonly Blame[];
  readonly headers: readonly HeaderFinding[];
  readonly readings: readonly ReadingVerdict[];
  /** The status taken for a refusal: 429, or what stands in its place; null where nothing was refused. */
  readonly refusal: number | null;
  /** Signs of somebody else on the same key, or null; refusals then prove nothing. */
  readonly foreign: ForeignUse | null;
  /** Why silence of the oracle proves nothing, where it does not. */
  readonly weak: DriveProblems;
  /** By what the limits count, where a second key could tell; else null. */
  readonly scope: ScopeVerdict | null;
}

/** What refuses here: 429 where it is seen at all, else the one redirection or error that comes and goes between acceptances. */
export function refusalStatus(records: readonly TraceRecord[]): number | null {
  if (records.some((record) => record.status === 429)) return 429;
  const lastAccepted = records.findLastIndex((record) => record.outcome === 'accepted');
  const seen = new Map<number, number>();
  for (const [at, record] of records.entries()) {
    const { status } = record;
    if (status !== null && status >= 300 && (at < lastAccepted || record.limit !== undefined))
      seen.set(status, (seen.get(status) ?? 0) + 1);
  }
  const [most] = [...seen].sort((a, b) => b[1] - a[1]);
  return most !== undefined && most[1] >= 3 ? most[0] : null;
}

/** The same trace with every answer of that status taken for a refusal. */
export function withRefusals(trace: PlanTrace, status: number | null): PlanTrace {
  if (status === null || status === 429) return trace;
  const records = trace.conducted.records.map((record): TraceRecord =>
    record.status === status ? { ...record, outcome: 'refused' } : record,
  );
  return { ...trace, conducted: { ...trace.conducted, records } };
}

/** What is left of a reading's contradictions where somebody else may have caused the refusals. */
function withoutRefusals(reading: ReadingVerdict): ReadingVerdict {
  const contradictions = reading.contradictions.filter((one) => one.part !== 'refusal');
  return { ...reading, contradictions, admitted: contradictions.length === 0 };
}

/** Holds every reading, and the headers' word, against all that one subject did. */
export function judgePlan(seen: PlanTrace, model: LimitModel, scope: LimitScope = 'auto'): PlanVerdict {
  const refusal = refusalStatus(seen.conducted.records);
  const trace = withRefusals(seen, refusal);
  const { limits, keyName } = trace.subject;
  const all = traceOf(trace);
  const parts = partsOf(trace);
  const names = parts.map((_, at) => (at === 0 ? '' : 'after the longest rest, '));
  // What is odd once in each drive is no sign of anybody.
  const signs = drivesOf(trace).map((drive) => detectForeignUse(traceOf(drive), limits));
  const foreign = signs.find((sign) => sign !== null) ?? null;
  const { readings } = judgeTraces(parts, limits, { model, alone: foreign === null }, names);
  const judged = foreign === null ? readings : readings.map(withoutRefusals);
  const blames = judged.some((reading) => reading.admitted) ? [] : blame(judged, refusal !== null);
  const headers = judgeHeaders(all, limits, {
    required: keyName !== null,
    identicalPlan: true,
    alone: foreign === null,
    pinnedFixed: model === 'fixed',
  });
  const last = drivesOf(trace).at(-1) ?? trace;
  const driven = driveProblems(last);
  const unclear = indecisive(last, parts, judged);
  const firstIsSound = blames.length === 0 && foreign === null;
  return {
    trace,
    blames,
    headers,
    readings,
    refusal,
    foreign,
    weak: {
      within: driven.within ?? unclear.within,
      beyond: driven.beyond ?? unclear.beyond,
    },
    scope: trace.second ? judgeScope(trace, trace.second, { model, scope, refusal, firstIsSound }) : null,
  };
}

/** More of a drive's requests than this going without an answer is the service's doing; it would be so again. */
const unansweredShare = 0.02;

/** Where even the quickest answer takes a good part of the shortest window, the service is that far away, and will be. */
function isDistant(records: readonly TraceRecord[], limits: PlanTrace['subject']['limits']): boolean {
  const answered = records.filter(({ status }) => status !== null);
  return answered.length > 0 && answered.every(({ sentMs, receivedMs }) => receivedMs - sentMs > lateBy(limits));
}

/** Whether a step of several requests found nobody to answer any: who lets nobody connect is not there, however busy this machine. */
function isGone(drive: PlanTrace | undefined): boolean {
  const steps = drive?.conducted.steps ?? [];
  return steps.some(({ count, drive: { answered, trouble } }) => count > 1 && answered === 0 && trouble !== null);
}

/** Why a drive should be done again: it went too badly at this end to show a limit that is off, and nothing was found to hold against it. */
export function wantingAnother({ blames, foreign, weak, trace }: PlanVerdict): string | null {
  if (blames.length > 0 || foreign !== null) return null;
  const last = drivesOf(trace).at(-1);
  if (isGone(last)) return null;
  const records = last?.conducted.records ?? [];
  const unanswered = records.filter(({ outcome }) => outcome === 'failed' || outcome === 'timeout').length;
  if (unanswered > unansweredShare * records.length || isDistant(records, trace.subject.limits)) return null;
  return weak.beyond ?? weak.within;
}

/**
 * Readings that say much of what a service does next: nothing else, once they explain a drive, is likely to hide behind it. Behind a log of
 * a number that stands alone do longer windows on the clock, as a drive that ends before a log empties does not see them last.
 */
function isPlain(reading: ReadingVerdict, standsAlone: boolean): boolean {
  const { name, admitted, needsRefusalsCounted, needsClock, needsTimer } = reading;
  if (!admitted || name === 'mixed' || name === 'bucket-ticked') return false;
  if (name === 'fixed') return !needsClock;
  if (name === 'sliding') return !standsAlone;
  return !needsRefusalsCounted && !needsTimer;
}

/** What more should be driven, and why, where what explains a drive would look the same with other numbers. */
export function wantingMore({ blames, foreign, readings, trace }: PlanVerdict): ReturnType<WantingMore> {
  const { limits } = trace.subject;
  if (blames.length > 0 || foreign !== null) return null;
  const explaining = readings.filter(({ admitted }) => admitted);
  const bursts = refillSteps(limits);
  // A bucket of other numbers is no bucket, but may be what those spare who keep the second limit.
  if (
    explaining.length > 0 &&
    explaining.every(({ name }) => name === 'spill') &&
    readings.length > 1 &&
    bursts.length > 0
  )
    return { why: 'so far only requests spared above the shorter limit explain it', steps: bursts };
  // Who says that a log is kept needs no telling it from windows.
  const standsAlone = limits.length === 1 && readings.length > 1;
  if (explaining.some((reading) => isPlain(reading, standsAlone))) return null;
  const why = 'so far only windows that begin at an unknown instant explain it, or none';
  return { why, steps: furtherSteps(limits) };
}

/** Traces with the verdicts on them. */
export type LimitVerdicts = LimitTraces & { readonly verdicts: readonly PlanVerdict[] };

/** The verdicts that a run has come to, or null where nothing was driven in it. To be asked when the run is over. */
export function drivenIn(run: Run): Promise<LimitVerdicts | null> {
  return run
    .once<LimitVerdicts>('limit verdicts', () => Promise.reject(new Error('nothing was driven')))
    .catch(() => null);
}

/** The verdicts on every subject that could be tried, computed once in a run. */
export function limitVerdicts(check: Check): Promise<LimitVerdicts> {
  return check.once('limit verdicts', async () => {
    const { limitModel, limitScope } = check.target;
    const judged = new WeakMap<PlanTrace, PlanVerdict>();
    const judge = (seen: PlanTrace): PlanVerdict => {
      const verdict = judged.get(seen) ?? judgePlan(seen, limitModel, limitScope);
      judged.set(seen, verdict);
      return verdict;
    };
    const traces = await limitTraces(check, {
      another: (seen) => wantingAnother(judge(seen)),
      more: (seen) => wantingMore(judge(seen)),
    });
    const verdicts = traces.plans.filter((plan) => plan.unusable === null).map(judge);
    return { ...traces, verdicts };
  });
}
