import { granularityMs, isLong, type LimitRole, type Slack } from './model.js';
import {
  earliestAnswers,
  lowerBound,
  once,
  pick,
  type RequestGroups,
  type RequestIntervals,
  upperBound,
} from './trace.js';
import type { Limit } from '../settings/index.js';
import { countPossiblyBefore, justifiedBy, tooStrict } from './refusals.js';
import { against, type Counterevidence, decided, formatCount, formatDuration, formatInstant } from './violation.js';
import { excessOver } from './admission.js';

/** What a trace shows about the windows of one limit. */
interface WindowEvidence extends Pick<FitQuestion, 'part' | 'limit'> {
  readonly slack: Slack;
  readonly idleBeforeMs: number;
  readonly accepted: RequestIntervals;
  /** Refusals that only this limit can explain. */
  readonly owned: RequestIntervals;
  /** All that may have been counted but the refusals owned. */
  readonly others: RequestIntervals;
  /** For each refusal owned, the earliest answer among those sent no earlier. */
  readonly earliestAnswer: Float64Array;
  /** The same of the acceptances. */
  readonly acceptedFrom: Float64Array;
}

/**
 * Where a window begins and ends, as far as is known: it begins no earlier than beginLo, what is sent from beginHi on is not in an earlier
 * one, and it ends no earlier than endLo.
 */
interface WindowBounds {
  readonly beginLo: number;
  readonly beginHi: number;
  readonly endLo: number;
}

/** What contradicts a window at that place: too many were accepted in it, or it refused when so few can have counted. */
interface Misfit extends WindowBounds {
  readonly kind: 'overfull' | 'strict';
  readonly count: number;
}

/** Acceptances certainly decided between two instants, counted from below. */
function certainlyAccepted(evidence: WindowEvidence, fromMs: number, untilMs: number): number {
  return lowerBound(evidence.accepted.receivedSorted, untilMs) - lowerBound(evidence.accepted.sent, fromMs);
}

/** Others that may have been decided between two instants. */
function possiblyCounted(evidence: WindowEvidence, fromMs: number, untilMs: number): number {
  return upperBound(evidence.others.sent, untilMs) - lowerBound(evidence.others.receivedSorted, fromMs);
}

/** The earliest answer to a refusal that was certainly decided inside the window, or null. */
function firstOwnedRefusal(evidence: WindowEvidence, bounds: WindowBounds): number | null {
  const from = lowerBound(evidence.owned.sent, bounds.beginHi);
  const answeredMs = evidence.earliestAnswer[from] ?? Infinity;
  return answeredMs < bounds.endLo ? answeredMs : null;
}

/**
 * Whether a fixed window at that position admitted too many, or refused before it was full. Before its first refusal only acceptances can
 * have filled it. `only` restricts the test to one of the two.
 */
function fixedMisfitAt(evidence: WindowEvidence, bounds: WindowBounds, only?: Misfit['kind']): Misfit | null {
  const accepted = only === 'strict' ? 0 : certainlyAccepted(evidence, bounds.beginHi, bounds.endLo);
  if (accepted > evidence.limit.count) return { ...bounds, kind: 'overfull', count: accepted };
  if (only === 'overfull') return null;
  const refusedMs = firstOwnedRefusal(evidence, bounds);
  if (refusedMs === null) return null;
  const count = possiblyCounted(evidence, bounds.beginLo, refusedMs);
  return count < evidence.limit.count ? { ...bounds, kind: 'strict', count } : null;
}

/**
 * Follows windows that begin with the first request after the previous window, each of exact length. Where the begin is known only as an
 * interval, carries the interval along; it narrows wherever traffic paused. Null where nothing (of kind `only`, if given) contradicts.
 */
function anchoredMisfit(evidence: WindowEvidence, only?: Misfit['kind']): Misfit | null {
  const { accepted, others, owned, slack } = evidence;
  const windowMs = evidence.limit.windowSeconds * 1000;
  if (evidence.idleBeforeMs < windowMs * (1 + slack.clockErrorRate) + slack.quantumMs || accepted.count === 0)
    return null;
  let beginLo = Math.min(others.sent[0] ?? Infinity, owned.sent[0] ?? Infinity);
  let beginHi = accepted.receivedSorted[0] ?? Infinity;
  // Whatever was sent once the window before was certainly over belongs to this one, its opener included.
  let certainFrom = beginLo;
  for (;;) {
    const endLo = beginLo + windowMs / (1 + slack.clockErrorRate) - slack.quantumMs;
    // A limiter that stores whole seconds may end a window up to one second late; that admits no more requests.
    const lateMs = Math.max(slack.quantumMs, granularityMs(evidence.limit));
    const endHi = beginHi + windowMs * (1 + slack.clockErrorRate) + lateMs;
    // Where nothing accepted opened another window, what came once the last one was certainly over may not be refused.
    const isLast = beginHi === Infinity;
    // Once nothing is certainly inside a window there is nothing left to learn.
    if (endLo <= beginHi && !isLast) return null;
    const misfit = fixedMisfitAt(evidence, { beginLo, beginHi: Math.min(beginHi, certainFrom), endLo }, only);
    if (misfit !== null || isLast) return misfit;
    beginHi = evidence.acceptedFrom[lowerBound(accepted.sent, endHi)] ?? Infinity;
    beginLo = Math.min(firstPossible(others, endLo), firstPossible(owned, endLo));
    certainFrom = Math.max(beginLo, endHi);
  }
}

/** The earliest instant from `fromMs` on at which one of the requests may have been decided. */
function firstPossible(intervals: WindowEvidence['others'], fromMs: number): number {
  const sentBefore = lowerBound(intervals.sent, fromMs);
  const answeredBefore = lowerBound(intervals.receivedSorted, fromMs);
  if (sentBefore > answeredBefore) return fromMs;
  return intervals.sent[sentBefore] ?? Infinity;
}

/** Into how many ranges the unknown phase of the service's clock is cut. */
const phases = 480;

/**
 * Tries every phase of windows that follow the clock without a gap, of `segments` equal parts of a window each of which begins one; null
 * where `test` finds no misfit at one of them, else that of the phase that lasted longest. Each range of phases is judged as an interval, and
 * the clocks' drift since the first request widens it.
 */
function clockedMisfit(
  { slack, limit, accepted, owned, idleBeforeMs }: WindowEvidence,
  test: (bounds: WindowBounds, before: { lo: number; hi: number }) => Misfit | null,
  segments = 1,
): Misfit | null {
  const windowMs = limit.windowSeconds * 1000;
  const width = windowMs / phases;
  const lastMs = Math.max(accepted.receivedSorted.at(-1) ?? 0, owned.sent.at(-1) ?? 0);
  const misfitFrom = (phase: number): Misfit | null => {
    const edge = (number: number): { lo: number; hi: number } => {
      const atMs = phase * width + (number / segments - 1) * windowMs;
      const drift = Math.abs(atMs) * slack.clockErrorRate + slack.quantumMs;
      return { lo: atMs - drift, hi: atMs + width + drift };
    };
    for (let number = 0; ; number += 1) {
      const [begin, end] = [edge(number), edge(number + segments)];
      if (begin.lo > lastMs || end.lo <= begin.hi) return null;
      const misfit = test({ beginLo: begin.lo, beginHi: begin.hi, endLo: end.lo }, edge(number - segments));
      // Of a window that may have begun before the key is known to have rested, nobody knows what had filled it.
      if (misfit !== null && !(misfit.kind === 'strict' && begin.lo < -idleBeforeMs)) return misfit;
    }
  };
  let latest: Misfit | null = null;
  for (let phase = 0; phase < phases / segments; phase += 1) {
    const misfit = misfitFrom(phase);
    if (misfit === null) return null;
    if (latest === null || misfit.beginLo > latest.beginLo) latest = misfit;
  }
  return latest;
}

const shares = 8;

/**
 * The same for a counter that weighs in what is left of the window before. Refusals are left to the justifications: what explains them is not
 * monotone within a window.
 */
function counterMisfitAt(
  evidence: WindowEvidence,
  bounds: WindowBounds,
  before: { lo: number; hi: number },
): Misfit | null {
  const certainMs = bounds.endLo - bounds.beginHi;
  for (let share = 0; share <= shares; share += 1) {
    const untilMs = bounds.beginHi + (certainMs * share) / shares;
    const accepted = certainlyAccepted(evidence, bounds.beginHi, untilMs);
    // Those before, and those that may belong to either window, weigh what is left of the window before in the eyes of the last of all.
    const earlier = certainlyAccepted(evidence, before.hi, untilMs) - accepted;
    const left = Math.max(0, 1 - (untilMs - bounds.beginLo) / certainMs);
    // Estimates are rounded either way, and compared before or after the request itself is added.
    if (earlier * left + accepted > evidence.limit.count + 2) return { ...bounds, kind: 'overfull', count: accepted };
  }
  return null;
}

/** How late a timer may fire. */
const timerMs = 5;

/** One of a plan's numbers, and the other one where there are two. */
export interface FitQuestion {
  readonly part: LimitRole;
  readonly limit: Limit;
  readonly other: Limit | null;
}

/** One trace of the limiter in question. */
export interface FitCase {
  readonly groups: RequestGroups;
  readonly slack: Slack;
  /** The known inaccuracy of the clocks, before a mechanism is allowed more. */
  readonly known: Slack;
}

/**
 * Null if windows of one limit explain the traces, either all beginning with the first request or all aligned to the clock; else the
 * contradiction and the trace (from 0) that contains it. `only` restricts the test to one kind of contradiction.
 */
export function fixedMisfit(
  cases: readonly FitCase[],
  question: FitQuestion,
  only?: Misfit['kind'],
): { readonly at: number; readonly contradiction: Counterevidence } | null {
  const evidence = cases.map((one) => evidenceFor(one, question));
  const anchored = evidence.map((each) => anchoredMisfit(each, only));
  const at = anchored.findIndex((each) => each !== null);
  const [seen, misfit] = [evidence[at], anchored[at]];
  if (seen === undefined || misfit == null) return null;
  const clocked = evidence.map((each) => byClock(each, only));
  if (clocked.every((each) => each === null)) return null;
  // Windows of the kind that the service keeps fit for as long as it keeps to its numbers.
  const best = clocked[at];
  const lasted = only === undefined && best != null && best.beginLo > misfit.beginLo;
  return { at, contradiction: tell(seen, lasted ? oneSided(seen, best, misfit) : misfit) };
}

/** The evidence against fixed windows by the clock. A clock with whole seconds does not move their beginnings. */
function byClock(seen: WindowEvidence, only?: Misfit['kind']): Misfit | null {
  const fine = withQuantum(seen, Math.min(seen.slack.quantumMs, timerMs));
  return clockedMisfit(fine, (bounds) => fixedMisfitAt(fine, bounds, only));
}

const withQuantum = (seen: WindowEvidence, quantumMs: number): WindowEvidence => ({
  ...seen,
  slack: { ...seen.slack, quantumMs },
});

/**
 * The contradiction to report where windows follow the clock. A service that only refuses too much overfills no window at some phase; one
 * that only admits too much refuses in none too early. Where both are possible, reports that the windows do not begin with the first
 * request.
 */
function oneSided(seen: WindowEvidence, best: Misfit, anchored: Misfit): Misfit {
  const [strict, overfull] = [byClock(seen, 'strict'), byClock(seen, 'overfull')];
  if (strict === null) return overfull ?? anchored;
  return overfull === null ? strict : best;
}

/** Whether windows laid from the first hit cannot have given the traces. */
export function needsClock(cases: readonly FitCase[], question: FitQuestion): boolean {
  return cases.some((one) => anchoredMisfit(evidenceFor(one, question)) !== null);
}

/**
 * Whether any mechanism that keeps windows can have given the traces, the same one all of them: fixed windows, interpolated counters, logs
 * and segments that slide, or a bucket that fills up in one window. Each is granted the coarseness usual for its window.
 */
export function mixedMisfit(
  given: readonly FitCase[],
  question: FitQuestion,
  only?: Misfit['kind'],
): ReturnType<typeof fixedMisfit> {
  const { limit } = question;
  const cases = given.map((one): FitCase => {
    const quantumMs = Math.max(one.slack.quantumMs, granularityMs(limit));
    return { ...one, slack: { clockErrorRate: 2 * one.slack.clockErrorRate, quantumMs } };
  });
  const slide = (share: number): boolean => cases.every(({ groups, slack }) => slides(groups, limit, slack, share));
  // Of short windows too little is known for a closer look: timers that fire late move them.
  if (slide(isLong(limit) ? 1 - 1 / mostSegments : 1 / 2)) return null;
  const misfit = fixedMisfit(cases, question, only);
  if (misfit === null) return null;
  const evidence = cases.map((one) => evidenceFor(one, question));
  if (slide(1 / 2) && isSegmented(evidence)) return null;
  const counts = evidence.every((each, k) => {
    const fine = withQuantum(each, Math.max(given[k]?.known.quantumMs ?? 0, timerMs));
    return clockedMisfit(fine, (bounds, before) => counterMisfitAt(fine, bounds, before)) === null;
  });
  return counts || evidence.every((seen, k) => fillsUp(cases[k]?.groups, seen)) ? null : misfit;
}

/** What one trace shows of one limit: refusals that the other limit cannot possibly explain fall to this one. */
function evidenceFor({ groups, slack, known }: FitCase, { part, limit, other }: FitQuestion): WindowEvidence {
  const { refused, accepted, everything, idleBeforeMs, memo } = groups;
  let [owned, others] = [refused, groups.spent];
  if (other !== null) {
    // However coarse this limit's windows are, the other one's are as coarse as is usual for their own length.
    const otherMs = Math.max(known.quantumMs, granularityMs(other));
    const coarse = { ...slack, quantumMs: Math.min(slack.quantumMs, otherMs) };
    const context = { refused, counted: everything, self: 1, idleBeforeMs, slack: coarse } as const;
    const lookBackMs = other.windowSeconds * 1000;
    const justification = { kind: 'counter', part: 'both', count: other.count, lookBackMs } as const;
    const key = JSON.stringify(['owned by the other', other, coarse]);
    const holds = once(memo, key, () => justifiedBy(context, countPossiblyBefore(context), justification));
    const marked = new Uint8Array(everything.records.length);
    for (let k = 0; k < refused.count; k += 1) if (holds[k] === 0) marked[refused.position[k] ?? 0] = 1;
    [owned, others] = [pick(refused, marked, 1), pick(everything, marked, 0)];
  }
  const [earliestAnswer, acceptedFrom] = [earliestAnswers(owned), earliestAnswers(accepted)];
  return { part, limit, slack, idleBeforeMs, accepted, owned, others, earliestAnswer, acceptedFrom };
}

/** Windows cut into more segments than this slide nearly as a log does. */
const mostSegments = 12;

/**
 * Whether a limiter that counts in equal parts of its window, aligned to the clock, can have admitted the acceptances, with the same number
 * of parts in every trace: as many consecutive parts as make a window hold no more than the limit.
 */
function isSegmented(evidence: readonly WindowEvidence[]): boolean {
  const fits = (each: WindowEvidence, segments: number): boolean =>
    clockedMisfit(each, (bounds) => fixedMisfitAt(each, bounds, 'overfull'), segments) === null;
  for (let segments = 2; segments < mostSegments; segments += 1)
    if (evidence.every((each) => fits(each, segments))) return true;
  return false;
}

/** A sliding log admits at most the limit in any window; sliding segments do so in all segments but one. */
function slides({ accepted }: RequestGroups, limit: Limit, slack: Slack, share: number): boolean {
  const windowMs = limit.windowSeconds * 1000 * share;
  const ceiling = { kind: 'step', base: limit.count, perWindow: limit.count, windowMs, rounding: 'floor' } as const;
  return excessOver(accepted, slack, ceiling) === null;
}

/** A bucket of one window, topped up at least twenty times in it. */
function fillsUp(groups: RequestGroups | undefined, { limit, owned, others, slack }: WindowEvidence): boolean {
  if (groups === undefined) return false;
  const windowMs = limit.windowSeconds * 1000;
  const bucket = { capacity: limit.count, perMs: limit.count / windowMs };
  const coarse = { ...slack, quantumMs: Math.max(slack.quantumMs, windowMs / 20) };
  if (excessOver(groups.accepted, coarse, { kind: 'line', ...bucket }) !== null) return false;
  const justification = { kind: 'bucket', part: 'both', ...bucket, tickMs: 0 } as const;
  const own: RequestGroups = { ...groups, refused: owned, spent: others, memo: new Map() };
  return tooStrict(own, [[justification]], coarse).strict === null;
}

function tell({ part, limit, accepted, owned }: WindowEvidence, misfit: Misfit): Counterevidence {
  const { kind, count, beginLo, beginHi, endLo } = misfit;
  const length = formatDuration(limit.windowSeconds * 1000);
  const window = `a window of ${length} that began between ${formatInstant(beginLo)} and ${formatInstant(beginHi)}`;
  if (kind === 'overfull') {
    const last = accepted.byReceived[lowerBound(accepted.receivedSorted, endLo) - 1] ?? 0;
    return against(
      part,
      accepted,
      last,
      `${count} requests accepted, where ${limit.count} are allowed, in ${window}; the last was ${decided(accepted, last)}`,
    );
  }
  const k = lowerBound(owned.sent, beginHi);
  return against(
    'refusal',
    owned,
    k,
    `refused although the limit was not used up: ${decided(owned, k)}; at most ${formatCount(count)} of ${limit.count} had counted in ${window}`,
  );
}
