import { blame } from '../limiter/blame.js';
import type { Blame } from '../limiter/blame.js';
import { detectForeignUse } from '../limiter/detect-foreign-use.js';
import type { ForeignUse } from '../limiter/detect-foreign-use.js';
import type { HeaderFinding } from '../limiter/header-finding.js';
import { judgeUncountedWrites } from '../limiter/judge-counted.js';
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
import { furtherSteps, lingerSteps, refillSteps } from './plan.js';
import { refusalStatuses, seenAs, withRefusals } from './refusals.js';
import { drivesOf, limitTraces, partsOf, traceOf } from './limit-traces.js';
import type { LimitTraces, PlanTrace } from './limit-traces.js';

/** What the oracle makes of one subject. */
export interface PlanVerdict {
  readonly trace: PlanTrace;
  readonly blames: readonly Blame[];
  readonly headers: readonly HeaderFinding[];
  readonly readings: readonly ReadingVerdict[];
  /** The statuses taken for refusals: 429, and what stands in its place; none where nothing was refused. */
  readonly refusals: readonly number[];
  /** Signs of somebody else on the same key where this run alone does not explain the refusals, or null; refusals then prove nothing. */
  readonly foreign: ForeignUse | null;
  /** The same signs where this run alone explains all that was accepted and refused: then they prove nothing. */
  readonly lowered: ForeignUse | null;
  /** Creates that the limit does not count, in words, or null. */
  readonly uncounted: string | null;
  /** Why silence of the oracle proves nothing, where it does not. */
  readonly weak: DriveProblems;
  /** By what the limits count, where a second key could tell; else null. */
  readonly scope: ScopeVerdict | null;
}

/** What is left of a reading's contradictions where somebody else may have caused the refusals. */
function withoutRefusals(reading: ReadingVerdict): ReadingVerdict {
  const contradictions = reading.contradictions.filter((one) => one.part !== 'refusal');
  return { ...reading, contradictions, admitted: contradictions.length === 0 };
}

/** Holds every reading, and the headers' word, against all that one subject did. */
export function judgePlan(seen: PlanTrace, model: LimitModel, scope: LimitScope = 'auto'): PlanVerdict {
  const refusals = refusalStatuses(seen.conducted.records);
  const trace = withRefusals(seen, refusals);
  const { limits, keyName } = trace.subject;
  const all = traceOf(trace);
  const parts = partsOf(trace);
  const names = parts.map((_, at) => (at === 0 ? '' : 'after the longest rest, '));
  // What is odd once in each drive is no sign of anybody.
  const signs = drivesOf(trace).map((drive) => detectForeignUse(traceOf(drive), limits));
  const sign = signs.find((one) => one !== null) ?? null;
  const supposed = judgeTraces(parts, limits, { model }, names).readings;
  // A server may lower the fields between two responses (draft-ietf-httpapi-ratelimit-headers-06, section 4): the answers decide.
  const explained = supposed.some((reading) => reading.admitted);
  const foreign = explained ? null : sign;
  const readings = foreign === null ? supposed : judgeTraces(parts, limits, { model, alone: false }, names).readings;
  const judged = foreign === null ? readings : readings.map(withoutRefusals);
  const blames = judged.some((reading) => reading.admitted) ? [] : blame(judged, refusals.length > 0);
  const headers = judgeHeaders(all, limits, {
    required: keyName !== null,
    identicalPlan: true,
    alone: sign === null,
    fixed:
      model === 'fixed'
        ? 'pinned'
        : judged.some(({ name, admitted }) => admitted && name === 'fixed')
          ? 'possible'
          : 'excluded',
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
    refusals,
    foreign,
    lowered: explained ? sign : null,
    uncounted: judgeUncountedWrites((trace.writes?.records ?? []).map(seenAs(refusals))),
    weak: {
      within: driven.within ?? unclear.within,
      beyond: driven.beyond ?? unclear.beyond,
    },
    scope: trace.second ? judgeScope(trace, trace.second, { model, scope, refusals, firstIsSound }) : null,
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

/** What tells which readings say much of what a service does next. */
interface Plainness {
  readonly standsAlone: boolean;
  /** The stream after the rest was timed to end with a window on the clock. */
  readonly byClock: boolean;
  /** The operator says what kind of limiter it is. */
  readonly pinned: boolean;
}

/**
 * Readings that say much of what a service does next: nothing else, once they explain a drive, is likely to hide behind it. Behind a log of
 * a number that stands alone do longer windows on the clock, as a drive that ends before a log empties does not see them last; and where
 * nothing but windows of one kind is admitted, how long they last can be told.
 */
function isPlain(reading: ReadingVerdict, { standsAlone, byClock, pinned }: Plainness): boolean {
  const { name, admitted, needsRefusalsCounted, needsClock, needsTimer } = reading;
  if (!admitted || name === 'mixed' || name === 'bucket-ticked') return false;
  // What was timed to end with a window on the clock, and then needs none to be explained, did not meet that window's end.
  if (name === 'fixed') return !needsClock && !byClock && !pinned;
  if (name === 'sliding') return !standsAlone && !pinned;
  return !needsRefusalsCounted && !needsTimer;
}

/** What more should be driven, and why, where what explains a drive would look the same with other numbers, or where more takes seconds. */
export function wantingMore(verdict: PlanVerdict): ReturnType<WantingMore> {
  const { limits } = verdict.trace.subject;
  if (verdict.blames.length > 0 || verdict.foreign !== null) return null;
  const unclear = wantingClearer(verdict);
  const steady = lingerSteps(limits);
  if (steady.length === 0) return unclear;
  const why = unclear?.why ?? 'its windows are short enough for a steady stream to outlast them';
  return { why, steps: [...(unclear?.steps ?? []), ...steady] };
}

function wantingClearer({ readings, trace }: PlanVerdict): ReturnType<WantingMore> {
  const { limits } = trace.subject;
  const explaining = readings.filter(({ admitted }) => admitted);
  const bursts = refillSteps(limits);
  // A bucket of other numbers is no bucket, but may be what those spare who keep the second limit.
  if (
    explaining.length > 0 &&
    explaining.every(({ name }) => name === 'spill') &&
    readings.length > 1 &&
    bursts.length > 0
  )
    return {
      why: 'so far only one way to count is consistent, and a bucket of other numbers would look the same',
      steps: bursts,
    };
  const byClock = trace.conducted.steps.some((step) => step.byClock ?? false);
  const plainness = { standsAlone: limits.length === 1, byClock, pinned: readings.length === 1 };
  if (explaining.some((reading) => isPlain(reading, plainness))) return null;
  const why = 'nothing seen so far shows how long its windows last';
  return { why, steps: furtherSteps(limits) };
}

/** Traces with the verdicts on them. */
export type LimitVerdicts = LimitTraces & { readonly verdicts: readonly PlanVerdict[] };

const driven = new WeakMap<Run, LimitVerdicts>();

/** The verdicts that a run has come to, or null where nothing has been driven in it so far. */
export function drivenIn(run: Run): LimitVerdicts | null {
  return driven.get(run) ?? null;
}

/** The verdicts on every subject that could be tried, computed once in a run. */
export function limitVerdicts(check: Check): Promise<LimitVerdicts> {
  return check.once('limit verdicts', async () => {
    const { limitModel, limitScope } = check.target;
    const judged = new WeakMap<PlanTrace, PlanVerdict>();
    const judge = (seen: PlanTrace): PlanVerdict => {
      if (check.run.calledOff.aborted) return check.blocked('the run was interrupted');
      const verdict = judged.get(seen) ?? judgePlan(seen, limitModel, limitScope);
      judged.set(seen, verdict);
      return verdict;
    };
    // A scenario of its own sends nothing more, and what stays within the limits is sent by one of them alone.
    const { scenario } = check.run;
    const isWithin = scenario === null || scenario === 'boundary';
    const owed = (verdict: PlanVerdict): PlanVerdict =>
      isWithin ? verdict : { ...verdict, weak: { ...verdict.weak, within: null } };
    const traces = await limitTraces(check, {
      another: (seen) => wantingAnother(owed(judge(seen))),
      more: (seen) => (scenario === null ? wantingMore(judge(seen)) : null),
    });
    const verdicts = traces.plans.filter((plan) => plan.unusable === null).map(judge);
    const found = { ...traces, verdicts };
    driven.set(check.run, found);
    return found;
  });
}
