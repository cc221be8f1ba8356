import type { Limit } from '../../settings/index.js';
import { anchoredMisfit, type Misfit } from './anchored-fit.js';
import { justifiedBy, countPossiblyBefore } from '../refusals/refusal-context.js';
import { clockedMisfit } from './clocked-fit.js';
import { decided, indexOf, type Counterevidence } from '../counterevidence.js';
import type { Slack } from '../models/envelope.js';
import { formatCount, formatDuration, formatInstant } from '../format-units.js';
import { lineExcess } from '../admission/line-excess.js';
import { lowerBound } from '../rank.js';
import type { LimitRole } from '../models/model.js';
import { granularityMs, isLong } from '../models/granularity.js';
import { fitsSegments } from './segmented-fit.js';
import { pick, type RequestIntervals } from '../request-intervals.js';
import { stepExcess } from '../admission/step-excess.js';
import { ticksOf } from '../admission/ticks.js';
import type { Trace } from '../trace.js';
import { once, unjustifiedRefusals, type RequestGroups } from '../refusals/justification.js';
import { earliestAnswers, type WindowEvidence, type WindowFault } from './window-evidence.js';

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
  readonly trace: Trace;
  readonly groups: RequestGroups;
  readonly slack: Slack;
  /** The known inaccuracy of the clocks, before a mechanism is allowed more. */
  readonly known: Slack;
}

/** The evidence against windows, and the trace (from 0) that contains it. */
export interface Unfit {
  readonly at: number;
  readonly contradiction: Counterevidence;
}

/**
 * Null if windows of one limit explain the traces, either all beginning with the first request or all aligned to the clock; else the
 * contradiction. `only` restricts the test to one kind of contradiction.
 */
export function fixedMisfit(
  cases: readonly FitCase[],
  question: FitQuestion,
  only?: WindowFault['kind'],
): Unfit | null {
  // One after the other: the evidence of a long trace fills hundreds of megabytes.
  const at = cases.findIndex((one) => anchoredMisfit(evidenceFor(one, question), only) !== null);
  if (at < 0) return null;
  const evidence = cases.map((one) => evidenceFor(one, question));
  const [one, seen] = [cases[at], evidence[at]];
  const misfit = seen === undefined ? null : anchoredMisfit(seen, only);
  if (one === undefined || misfit === null || seen === undefined) return null;
  const clocked = evidence.map((each) => byClock(each, only));
  if (clocked.every((each) => each === null)) return null;
  // Windows of the kind that the service keeps fit for as long as it keeps to its numbers.
  const best = clocked[at];
  const lasted = only === undefined && best != null && best.bounds.beginLo > misfit.bounds.beginLo;
  return { at, contradiction: tell(one.trace, seen, question, lasted ? oneSided(seen, best, misfit) : misfit) };
}

/** The evidence against fixed windows by the clock. A clock with whole seconds does not move their beginnings. */
function byClock(seen: WindowEvidence, only?: WindowFault['kind']): Misfit | null {
  const quantumMs = Math.min(seen.slack.quantumMs, timerMs);
  return clockedMisfit({ ...seen, slack: { ...seen.slack, quantumMs } }, 'fixed', only);
}

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
  only?: WindowFault['kind'],
): Unfit | null {
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
    const quantumMs = Math.max(given[k]?.known.quantumMs ?? 0, timerMs);
    return clockedMisfit({ ...each, slack: { ...each.slack, quantumMs } }, 'counter') === null;
  });
  if (counts) return null;
  const fills = cases.every(({ groups, slack }, k) => {
    const seen = evidence[k];
    return seen !== undefined && fillsUp(groups, seen, slack);
  });
  return fills ? null : misfit;
}

function evidenceFor({ trace, groups, slack, known }: FitCase, { limit, other }: FitQuestion): WindowEvidence {
  // However coarse this limit's windows are, the other one's are as coarse as is usual for their own length.
  const otherMs = other === null ? 0 : Math.max(known.quantumMs, granularityMs(other));
  const { owned, others } = ownership(trace.records.length, groups, other, {
    ...slack,
    quantumMs: Math.min(slack.quantumMs, otherMs),
  });
  return {
    limit,
    slack,
    idleBeforeMs: groups.idleBeforeMs,
    accepted: groups.accepted,
    owned,
    others,
    earliestAnswer: earliestAnswers(owned),
    acceptedFrom: earliestAnswers(groups.accepted),
  };
}

/** Refusals that the other limit cannot possibly explain fall to this one. */
function ownership(
  records: number,
  groups: RequestGroups,
  other: Limit | null,
  slack: Slack,
): { owned: RequestIntervals; others: RequestIntervals } {
  const { refused, everything, idleBeforeMs } = groups;
  if (other === null) return { owned: refused, others: groups.spent };
  const context = { refused, counted: everything, self: 1, idleBeforeMs, slack } as const;
  const lookBackMs = other.windowSeconds * 1000;
  const justification = { kind: 'counter', part: 'both', count: other.count, lookBackMs } as const;
  const key = JSON.stringify(['owned by the other', other, slack]);
  const holds = once(groups.memo, key, () => justifiedBy(context, countPossiblyBefore(context), justification));
  const marked = new Uint8Array(records);
  for (let k = 0; k < refused.count; k += 1) if (holds[k] === 0) marked[refused.position[k] ?? 0] = 1;
  return { owned: pick(refused, marked, 1), others: pick(everything, marked, 0) };
}

/** Windows cut into more segments than this slide nearly as a log does. */
const mostSegments = 12;

/** Whether segments that slide fit, the same number of them in every trace. */
function isSegmented(evidence: readonly WindowEvidence[]): boolean {
  for (let segments = 2; segments < mostSegments; segments += 1)
    if (evidence.every((each) => fitsSegments(each, segments))) return true;
  return false;
}

/** A sliding log admits at most the limit in any window; sliding segments do so in all segments but one. */
function slides({ accepted }: RequestGroups, limit: Limit, slack: Slack, share: number): boolean {
  const windowMs = limit.windowSeconds * 1000 * share;
  const ceiling = { kind: 'step', base: limit.count, perWindow: limit.count, windowMs, rounding: 'floor' } as const;
  return stepExcess(accepted, ticksOf(accepted, slack), ceiling) === null;
}

/** A bucket of one window, topped up at least twenty times in it. */
function fillsUp(groups: RequestGroups, { limit, owned, others }: WindowEvidence, slack: Slack): boolean {
  const windowMs = limit.windowSeconds * 1000;
  const perMs = limit.count / windowMs;
  const coarse = { ...slack, quantumMs: Math.max(slack.quantumMs, windowMs / 20) };
  const excess = lineExcess(groups.accepted, ticksOf(groups.accepted, coarse), {
    kind: 'line',
    capacity: limit.count,
    perMs,
  });
  if (excess !== null) return false;
  const justification = { kind: 'bucket', part: 'both', capacity: limit.count, perMs, tickMs: 0 } as const;
  const own: RequestGroups = { ...groups, refused: owned, spent: others, memo: new Map() };
  return unjustifiedRefusals(own, [[justification]], coarse).refusals.length === 0;
}

function tell(
  trace: Trace,
  evidence: WindowEvidence,
  question: FitQuestion,
  { fault, bounds }: Misfit,
): Counterevidence {
  const { limit, accepted, owned } = evidence;
  const window = `a window of ${formatDuration(limit.windowSeconds * 1000)} that began between ${formatInstant(bounds.beginLo)} and ${formatInstant(bounds.beginHi)}`;
  if (fault.kind === 'overfull') {
    const last = accepted.byReceived[lowerBound(accepted.receivedSorted, bounds.endLo) - 1] ?? 0;
    return {
      part: question.part,
      plain: `You let ${fault.accepted} requests through in one window of ${formatDuration(limit.windowSeconds * 1000)}; ${limit.count} are allowed`,
      sentence: `${fault.accepted} requests accepted, where ${limit.count} are allowed, in ${window}; the last was ${decided(trace, accepted, last)}`,
      records: [indexOf(trace, accepted, last)],
      atMs: accepted.received[last] ?? 0,
    };
  }
  const k = lowerBound(owned.sent, bounds.beginHi);
  return {
    part: 'refusal',
    plain: `You refused request ${indexOf(trace, owned, k)}, although at most ${formatCount(fault.owned)} of the ${limit.count} requests that ${formatDuration(limit.windowSeconds * 1000)} allow had been counted`,
    sentence: `refused although the limit was not used up: ${decided(trace, owned, k)}; at most ${formatCount(fault.owned)} of ${limit.count} had counted in ${window}`,
    records: [indexOf(trace, owned, k)],
    atMs: owned.received[k] ?? 0,
  };
}
