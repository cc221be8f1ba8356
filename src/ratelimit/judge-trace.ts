import type { Limit, LimitModel } from '../settings/index.js';
import { boundExceeded, holdsAtPace, type TickMemo } from './admission/admission-bound.js';
import {
  overSpent,
  tooSoonEmpty,
  describeEarlyAcceptances,
  tooStrict,
  type Counterevidence,
} from './counterevidence.js';
import {
  type AdmissionBound,
  granularSlack,
  type LimiterModel,
  type ModelName,
  modelOf,
  planNumbers,
  type PlanNumbers,
  type Slack,
  tickedBucket,
  withGranularity,
} from './model.js';
import { type Interlude, leastBetween, refillExcess, shortestInterlude } from './admission/refill.js';
import { spareExcess } from './admission/spare-excess.js';
import { groupRequests, type RequestGroups } from './request-intervals.js';
import type { Trace } from './trace.js';
import { unjustifiedRefusals } from './refusals.js';
import type { ModelVerdict } from './violation.js';
import { type FitCase, type FitQuestion, fixedMisfit, mixedMisfit, needsClock } from './windows.js';

/** How to read the plan: `auto` admits every model, anything else is the operator's word. */
export interface JudgeOptions {
  readonly model: LimitModel;
  /** Whether nobody else used the key, as far as is known: yes unless said otherwise. */
  readonly alone?: boolean;
}

/**
 * Which models of the plan's numbers could have produced some traces of one limiter: one model must explain all of them by the same mechanism
 * (windows aligned to the clock, windows from the first request, or one timer). Noise makes intervals longer and the judgement weaker, never
 * wrong. `names` prefix the sentences about each trace.
 */
export function judgeTraces(
  traces: readonly Trace[],
  limits: readonly Limit[],
  { model, alone = true }: JudgeOptions,
  names: readonly string[] = [],
): readonly ModelVerdict[] {
  const numbers = planNumbers(limits);
  const cases = traces.map((trace, k): Case => {
    const slack: Slack = { clockErrorRate: trace.clockErrorRate, quantumMs: trace.quantumMs };
    const groups = groupRequests(trace);
    return { trace, groups, name: names[k] ?? '', slack, known: slack, plainly: judgeWith(trace, groups, alone) };
  });
  return verdictsOn(cases, numbers, model);
}

/** One of the traces, with what has been computed of it. */
interface Case extends FitCase {
  readonly name: string;
  readonly slack: Slack;
  /** The result of a model's bounds and justifications for this trace alone. */
  readonly plainly: (limiter: LimiterModel, slack: Slack) => Plain;
}

interface Plain {
  readonly counterevidence: readonly Counterevidence[];
  readonly needsRefusalsCounted: boolean;
}

function verdictsOn(cases: readonly Case[], numbers: PlanNumbers, model: LimitModel): ModelVerdict[] {
  const judge: Judge = (limiter, coarseMs = 0) => verdictOn(cases, numbers, limiter, coarseMs);
  if (model !== 'auto') return [pinnedVerdict(cases, numbers, model, judge)];
  const names = ['sliding', 'fixed', 'mixed', 'bucket', 'bucket-slow', 'spill'] as const;
  const named = names
    .filter((name) => numbers.sustained !== null || (name !== 'bucket-slow' && name !== 'spill'))
    .map((name) => (name === 'bucket' ? filledUp(numbers, judge) : judge(modelOf(name, numbers))));
  return [...named, ticked(numbers, judge)];
}

/**
 * The model that the operator pins. It fixes the kind of limiter, not its granularity: a coarser limiter of that kind is accepted as well.
 */
function pinnedVerdict(
  cases: readonly Case[],
  numbers: PlanNumbers,
  model: Exclude<LimitModel, 'auto'>,
  judge: Judge,
): ModelVerdict {
  const limiter = modelOf(model, numbers);
  const fine = judge(limiter);
  // A bucket's timer is what tells how much flows in.
  const isOfWindows = model === 'sliding' || model === 'fixed' || model === 'bucket-slow';
  if (fine.admitted || !isOfWindows) return fine;
  return verdictOn(cases, numbers, withGranularity(limiter, numbers), 0, granularSlack);
}

/** One model on all traces; a part that has been contradicted already needs no closer look. */
function verdictOn(
  cases: readonly Case[],
  numbers: PlanNumbers,
  limiter: LimiterModel,
  coarseMs: number,
  slackFor: (slack: Slack, limit: Limit) => Slack = (slack) => slack,
): ModelVerdict {
  const plain = cases.map((one) =>
    one.plainly(limiter, { ...one.slack, quantumMs: Math.max(one.slack.quantumMs, coarseMs) }),
  );
  const contradictions = plain.flatMap(({ counterevidence }, k) =>
    counterevidence.map((each) => named(cases[k], each)),
  );
  const counterevidence = [...contradictions, ...misfits(cases, numbers, limiter.name, contradictions, slackFor)].sort(
    (a, b) => a.atMs - b.atMs,
  );
  const [first] = counterevidence;
  return {
    name: limiter.name,
    admitted: first === undefined,
    reason: first?.sentence ?? null,
    counterevidence,
    needsRefusalsCounted: plain.some((one) => one.needsRefusalsCounted),
    needsClock: first === undefined && limiter.name === 'fixed' && needsClock(cases, burstQuestion(numbers)),
    needsTimer: first === undefined && coarseMs > 0,
    tickMs: limiter.name === 'bucket-ticked' ? (limiter.refill?.tickMs ?? null) : null,
  };
}

function named(one: Case | undefined, contradiction: Counterevidence): Counterevidence {
  return { ...contradiction, sentence: `${one?.name ?? ''}${contradiction.sentence}` };
}

type Judge = (limiter: LimiterModel, coarseMs?: number) => ModelVerdict;

/** Timers from this share of the slowest one on are judged together, and so on for those that are faster yet. */
const timerShare = 1 / 2;
const timerRanges = 6;

/**
 * Where no model is pinned, a refill timer at least ten times as fast as the refill window counts as granularity of a bucket. One timer
 * must explain acceptances and refusals: slow enough for the first and fast enough for the second.
 */
function filledUp(numbers: PlanNumbers, judge: Judge): ModelVerdict {
  const limiter = modelOf('bucket', numbers);
  let slowestMs = refillWindowMs(numbers) / 10;
  let verdict = judge(limiter, slowestMs);
  // If a timer explains nothing, a faster one does not either.
  if (!verdict.admitted) return verdict;
  const steady = judge(limiter);
  if (steady.admitted) return steady;
  for (let range = 0; range < timerRanges; range += 1) {
    const leastTickMs = range === timerRanges - 1 ? 0 : slowestMs * timerShare;
    const { refill } = limiter;
    verdict = judge({ ...limiter, ...(refill === undefined ? {} : { refill: { ...refill, leastTickMs } }) }, slowestMs);
    if (verdict.admitted) return verdict;
    slowestMs = leastTickMs;
  }
  return verdict;
}

/**
 * Tries refill timers from the slowest to the fastest, and returns the first that explains the trace. For a plan with one limit it skips one
 * refill in a window, because that is a fixed window.
 */
function ticked(numbers: PlanNumbers, verdictOn: Judge): ModelVerdict {
  const [first, ...faster] = numbers.sustained === null ? [2, 3, 4, 5] : [1, 2, 3, 4, 5];
  const filledIn = (share: number): ModelVerdict => verdictOn(tickedBucket(numbers, refillWindowMs(numbers) / share));
  // If one timer cannot explain the refusals, no faster one can.
  const isLast = ({ admitted, counterevidence }: ModelVerdict): boolean =>
    admitted || counterevidence.some(({ part }) => part === 'refusal');
  const slowest = filledIn(first ?? 1);
  let verdict = slowest;
  for (const share of faster) {
    if (isLast(verdict)) return verdict;
    verdict = filledIn(share);
  }
  return isLast(verdict) ? verdict : slowest;
}

function refillWindowMs({ burst, sustained }: PlanNumbers): number {
  return (sustained ?? burst).windowSeconds * 1000;
}

/** One model after another on one trace; several have a bound in common, which is then judged once. */
function judgeWith(trace: Trace, groups: RequestGroups, alone: boolean): Case['plainly'] {
  const ticks: TickMemo = new Map();
  const bounds = new Map<string, Counterevidence | null>();
  const broken = (bound: AdmissionBound, slack: Slack): Counterevidence | null => {
    const key = JSON.stringify([bound, slack]);
    const known = bounds.get(key);
    if (known !== undefined) return known;
    const found = boundExceeded(trace, groups.accepted, bound, slack, ticks);
    bounds.set(key, found);
    return found;
  };
  let shortest: Interlude | null | undefined;
  return (limiter, slack) => {
    const { refill } = limiter;
    const least = refill && alone ? leastBetween(refill) : 0;
    if (least > 0 && shortest === undefined) shortest = shortestInterlude(groups);
    // A model that is impossible with any numbers needs no trial of numbers.
    if (shortest && shortest.most < least - 1e-6)
      return { counterevidence: [tooSoonEmpty(trace, groups, shortest, least)], needsRefusalsCounted: false };
    const { refusals, needsRefusalsCounted } = unjustifiedRefusals(groups, limiter.justifications, slack);
    const strict =
      refusals.length === 0 ? null : tooStrict(trace, groups.refused, refusals, limiter.justifications.flat());
    const excess = refill ? refillExcess(groups.accepted, groups.refused, refill, slack) : null;
    const soon = refill && excess !== null ? describeEarlyAcceptances(trace, groups, refill.part, excess) : null;
    const overspent = limiter.spare === undefined ? null : spentBeyond(trace, groups, limiter.spare, slack);
    const { accepted, refused } = groups;
    const exceeded = limiter.bounds.map((bound) => {
      const found = broken(bound, slack);
      const paced = found !== null && soon?.part === 'sustained' && refill !== undefined;
      return paced && holdsAtPace(accepted, refused, bound, refill, slack) ? null : found;
    });
    const all = [...exceeded, soon, overspent, strict];
    return {
      counterevidence: all.filter((each) => each !== null),
      needsRefusalsCounted: refusals.length === 0 && needsRefusalsCounted,
    };
  };
}

function spentBeyond(
  trace: Trace,
  { accepted }: RequestGroups,
  { base, spare }: NonNullable<LimiterModel['spare']>,
  slack: Slack,
): Counterevidence | null {
  const excess = spareExcess(accepted, base, spare, slack);
  return excess === null ? null : overSpent(trace, accepted, base, spare, excess);
}

function burstQuestion({ burst, sustained }: PlanNumbers): FitQuestion {
  return { part: 'burst', limit: burst, other: sustained };
}

/**
 * A closer test for windows of a known length. Refusals that contradict every position of the windows do not locate them: then only
 * acceptances are tested.
 */
function misfits(
  cases: readonly Case[],
  { burst, sustained }: PlanNumbers,
  name: ModelName,
  known: readonly Counterevidence[],
  slackFor: (slack: Slack, limit: Limit) => Slack,
): Counterevidence[] {
  if (name !== 'fixed' && name !== 'mixed') return [];
  const only = known.some(({ part }) => part === 'refusal') ? 'overfull' : undefined;
  const questions = [burstQuestion({ burst, sustained })];
  if (sustained !== null) questions.push({ part: 'sustained', limit: sustained, other: burst });
  return questions
    .filter(({ part }) => !known.some((contradiction) => contradiction.part === part))
    .flatMap((question) => {
      const seen = cases.map((one): Case => ({ ...one, slack: slackFor(one.slack, question.limit) }));
      const misfit = (name === 'fixed' ? fixedMisfit : mixedMisfit)(seen, question, only);
      return misfit === null ? [] : [named(cases[misfit.at], misfit.contradiction)];
    });
}
