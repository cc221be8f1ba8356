import type { Limit, LimitModel } from '../settings/index.js';
import { boundExceeded, emptyTooSoon, holdsAtPace, refillExcess, spareExcess } from './admission.js';
import type { Counterevidence, ModelVerdict } from './violation.js';
import {
  granularityMs,
  type LimiterModel,
  type ModelName,
  modelOf,
  planNumbers,
  type PlanNumbers,
  type Slack,
  withGranularity,
} from './model.js';
import { groupRequests, once, type Trace } from './trace.js';
import { tooStrict } from './refusals.js';
import { type FitCase, type FitQuestion, fixedMisfit, mixedMisfit, needsClock } from './windows.js';

/**
 * Which models of the plan's numbers could have produced some traces of one limiter: one model must explain all of them by the same mechanism
 * (windows aligned to the clock, windows from the first request, or one timer). Noise makes intervals longer and the judgement weaker, never
 * wrong. A `model` other than `auto` is the operator's word; `alone` says that, as far as is known, nobody else used the key; `names` prefix
 * the sentences about each trace.
 */
export function judgeTraces(
  traces: readonly Trace[],
  limits: readonly Limit[],
  { model, alone = true }: { readonly model: LimitModel; readonly alone?: boolean },
  names: readonly string[] = [],
): readonly ModelVerdict[] {
  const cases = traces.map((trace, k): Case => {
    const slack: Slack = { clockErrorRate: trace.clockErrorRate, quantumMs: trace.quantumMs };
    return { groups: groupRequests(trace), name: names[k] ?? '', alone, slack, known: slack };
  });
  const numbers = planNumbers(limits);
  const judge: Judge = (limiter, coarseMs) => verdictOn(cases, numbers, limiter, coarseMs);
  if (model !== 'auto') {
    const limiter = modelOf(model, numbers);
    const fine = judge(limiter);
    // A bucket's timer is what tells how much flows in; other kinds of limiters may be coarser than the pinned model says.
    const isOfWindows = model === 'sliding' || model === 'fixed' || model === 'bucket-slow';
    if (fine.admitted || !isOfWindows) return [fine];
    return [verdictOn(cases, numbers, withGranularity(limiter, numbers), 0, true)];
  }
  const models = ['sliding', 'fixed', 'mixed', 'bucket', 'bucket-slow', 'spill'] as const;
  const named = models
    .filter((name) => numbers.sustained !== null || (name !== 'bucket-slow' && name !== 'spill'))
    .map((name) => (name === 'bucket' ? filledUp(numbers, judge) : judge(modelOf(name, numbers))));
  return [...named, ticked(numbers, judge)];
}

/** One of the traces, and what is known of it. */
interface Case extends FitCase {
  readonly name: string;
  readonly alone: boolean;
}

/** One model on all traces; a part that has been contradicted already needs no closer look. */
function verdictOn(
  cases: readonly Case[],
  numbers: PlanNumbers,
  limiter: LimiterModel,
  coarseMs = 0,
  isGranular = false,
): ModelVerdict {
  const plain = cases.map((one) =>
    evidenceAgainst(limiter, one, { ...one.slack, quantumMs: Math.max(one.slack.quantumMs, coarseMs) }),
  );
  const contradictions = plain.flatMap((one) => one.counterevidence);
  const closer = misfits(cases, numbers, limiter.name, contradictions, isGranular);
  const counterevidence = [...contradictions, ...closer].sort((a, b) => a.atMs - b.atMs);
  const [first] = counterevidence;
  return {
    name: limiter.name,
    admitted: first === undefined,
    reason: first?.sentence ?? null,
    counterevidence,
    needsRefusalsCounted: plain.some((one) => one.needsRefusalsCounted),
    needsClock: first === undefined && limiter.name === 'fixed' && needsClock(cases, questionsOf(numbers)[0]),
    needsTimer: first === undefined && coarseMs > 0,
    tickMs: limiter.name === 'bucket-ticked' ? (limiter.refill?.tickMs ?? null) : null,
  };
}

const named = ({ name }: Case, contradiction: Counterevidence): Counterevidence => ({
  ...contradiction,
  sentence: `${name}${contradiction.sentence}`,
});

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
  const filledIn = (share: number): ModelVerdict =>
    verdictOn(modelOf('bucket-ticked', numbers, refillWindowMs(numbers) / share));
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

/** What contradicts a model's bounds and justifications in one trace, and whether it must count refused requests. */
function evidenceAgainst(
  { refill, spare, bounds, justifications }: LimiterModel,
  one: Case,
  slack: Slack,
): Pick<ModelVerdict, 'counterevidence' | 'needsRefusalsCounted'> {
  const { groups, alone } = one;
  const { accepted, memo } = groups;
  const soonEmpty = refill && alone ? emptyTooSoon(groups, refill) : null;
  // A model that is impossible with any numbers needs no trial of numbers.
  if (soonEmpty !== null) return { counterevidence: [named(one, soonEmpty)], needsRefusalsCounted: false };
  const { strict, needsRefusalsCounted } = tooStrict(groups, justifications, slack);
  const soon = refill ? refillExcess(groups, refill, slack) : null;
  const overspent = spare ? spareExcess(accepted, spare, slack) : null;
  const exceeded = bounds.map((bound) => {
    // Several models have a bound in common.
    const found = once(memo, JSON.stringify([bound, slack]), () => boundExceeded(accepted, bound, slack));
    const paced = found !== null && soon?.part === 'sustained' && refill !== undefined;
    return paced && holdsAtPace(groups, bound, refill, slack) ? null : found;
  });
  return {
    counterevidence: [...exceeded, soon, overspent, strict].flatMap((each) =>
      each === null ? [] : [named(one, each)],
    ),
    needsRefusalsCounted: strict === null && needsRefusalsCounted,
  };
}

/** A plan's numbers, each beside the other one. */
function questionsOf({ burst, sustained }: PlanNumbers): [FitQuestion, ...FitQuestion[]] {
  const first = { part: 'burst', limit: burst, other: sustained } as const;
  return sustained === null ? [first] : [first, { part: 'sustained', limit: sustained, other: burst }];
}

/**
 * A closer test for windows of a known length. Refusals that contradict every position of the windows do not locate them: then only
 * acceptances are tested.
 */
function misfits(
  cases: readonly Case[],
  numbers: PlanNumbers,
  name: ModelName,
  known: readonly Counterevidence[],
  isGranular: boolean,
): Counterevidence[] {
  if (name !== 'fixed' && name !== 'mixed') return [];
  const only = known.some(({ part }) => part === 'refusal') ? 'overfull' : undefined;
  return questionsOf(numbers)
    .filter(({ part }) => !known.some((contradiction) => contradiction.part === part))
    .flatMap((question) => {
      const leastMs = isGranular ? granularityMs(question.limit) : 0;
      const seen = cases.map((one): Case => {
        return { ...one, slack: { ...one.slack, quantumMs: Math.max(one.slack.quantumMs, leastMs) } };
      });
      const misfit = (name === 'fixed' ? fixedMisfit : mixedMisfit)(seen, question, only);
      const one = cases[misfit?.at ?? -1];
      return misfit === null || one === undefined ? [] : [named(one, misfit.contradiction)];
    });
}
