import type { Limit } from '../target/limits.js';
import type { LimitModel } from '../target/target.js';
import { blame, type Blame } from './blame.js';
import { ceilingBroken, holdsAtPace, type TickMemo } from './ceiling-broken.js';
import { overSpent, tooSoonEmpty, tooSoonFull, tooStrict, type Contradiction } from './contradiction.js';
import { coarsened, coarseSlack } from './coarsened.js';
import type { Slack } from './envelope.js';
import {
  planNumbers,
  readingOf,
  tickedBucket,
  type Ceiling,
  type PlanNumbers,
  type Reading,
  type ReadingName,
} from './reading.js';
import { refillExcess } from './refill-excess.js';
import { leastBetween, shortestInterlude, type Interlude } from './refill-shortage.js';
import { spareExcess } from './spare-excess.js';
import { tallyOf } from './tally.js';
import type { Trace } from './trace.js';
import { unjustified, type Tally } from './unjustified.js';
import { fixedMisfit, mixedMisfit, needsClock, type FitCase, type FitQuestion } from './window-fit.js';

/** What one reading makes of a trace. */
export interface ReadingVerdict {
  readonly name: ReadingName;
  /** Whether it could have produced the trace. */
  readonly admitted: boolean;
  /** The first thing that it cannot explain, in one sentence. */
  readonly contradiction: string | null;
  /** The `index` of the records the sentence speaks of. */
  readonly records: readonly number[];
  readonly contradictions: readonly Contradiction[];
  /** It explains the refusals only if refused requests count as well. */
  readonly needsRefusalsCounted: boolean;
  /** It explains what the burst limit let in only with windows that the clock lays. */
  readonly needsClock: boolean;
  /** It explains what was let in only as a bucket that a slow timer fills up. */
  readonly needsTimer: boolean;
  /** How often a bucket is filled up that this reading takes to be filled up in steps, in milliseconds; else null. */
  readonly tickMs: number | null;
}

/** What is known of a trace once every reading has been held against it. */
export interface Judgement {
  readonly readings: readonly ReadingVerdict[];
  /** Some reading explains the whole trace. */
  readonly explained: boolean;
  readonly overAdmission: { readonly burst: boolean; readonly sustained: boolean };
  /** The `index` of refusals that no reading explains. */
  readonly unjustifiedRefusals: readonly number[];
  /** What to hold against the service: one entry for each requirement that is broken. */
  readonly blames: readonly Blame[];
}

/** How to read the plan: `auto` admits every reading, anything else is the operator's word. */
export interface JudgeOptions {
  readonly model: LimitModel;
  /** Whether nobody else used the key, as far as is known: yes unless said otherwise. */
  readonly alone?: boolean;
  /** Overrides the trace's own quantum. */
  readonly quantumMs?: 1 | 1000;
}

/**
 * Which readings of the plan's numbers could have produced the trace. A service fails only where none can, or where the pinned one
 * cannot. Noise makes intervals longer and the judgement weaker, never wrong.
 */
export function judgeTrace(trace: Trace, limits: readonly Limit[], options: JudgeOptions): Judgement {
  return judgeTraces([trace], limits, options, ['']);
}

/**
 * Several traces of the same limiter: a reading must explain all of them, and do so by the same mechanism, be that windows laid by the
 * clock, windows laid from the first hit or a timer of one length. `names` stand before the sentences about each trace, whose records
 * are that trace's: `trace 1: ` and so on unless given.
 */
export function judgeTraces(
  traces: readonly Trace[],
  limits: readonly Limit[],
  options: JudgeOptions,
  names: readonly string[] = traces.map((_, k) => `trace ${k + 1}: `),
): Judgement {
  const numbers = planNumbers(limits);
  const cases = traces.map((trace, k) => caseOf(trace, numbers, options, names[k] ?? ''));
  const anyRefused = traces.some(({ records }) => records.some(({ outcome }) => outcome === 'refused'));
  return summary(verdictsOn(cases, numbers, options.model), anyRefused);
}

/** One of the traces, with what has been computed of it. */
interface Case extends FitCase {
  readonly name: string;
  readonly slack: Slack;
  /** What a reading's ceilings and excuses make of this trace alone. */
  readonly plainly: (reading: Reading, slack: Slack) => Plain;
}

interface Plain {
  readonly contradictions: readonly Contradiction[];
  readonly needsRefusalsCounted: boolean;
}

function caseOf(trace: Trace, numbers: PlanNumbers, options: JudgeOptions, name: string): Case {
  const slack: Slack = { clockErrorRate: trace.clockErrorRate, quantumMs: options.quantumMs ?? trace.quantumMs };
  const tally = tallyOf(trace);
  return { trace, tally, name, slack, known: slack, plainly: judgeWith(trace, tally, options.alone ?? true) };
}

function verdictsOn(cases: readonly Case[], numbers: PlanNumbers, model: LimitModel): ReadingVerdict[] {
  const judge: Judge = (reading, coarseMs = 0) => verdictOn(cases, numbers, reading, coarseMs);
  if (model !== 'auto') return [pinnedVerdict(cases, numbers, model, judge)];
  const names = ['sliding', 'fixed', 'mixed', 'bucket', 'bucket-slow', 'spill'] as const;
  const named = names
    .filter((name) => numbers.sustained !== null || (name !== 'bucket-slow' && name !== 'spill'))
    .map((name) => (name === 'bucket' ? filledUp(numbers, judge) : judge(readingOf(name, numbers))));
  return [...named, ticked(numbers, judge)];
}

/**
 * The reading that the operator pins. It says what kind of limiter is kept, and nothing of how finely it tells time: what only a coarser one
 * of its kind explains is explained.
 */
function pinnedVerdict(
  cases: readonly Case[],
  numbers: PlanNumbers,
  model: Exclude<LimitModel, 'auto'>,
  judge: Judge,
): ReadingVerdict {
  const reading = readingOf(model, numbers);
  const fine = judge(reading);
  // A bucket's timer is what tells how much flows in.
  const isOfWindows = model === 'sliding' || model === 'fixed' || model === 'bucket-slow';
  if (fine.admitted || !isOfWindows) return fine;
  return verdictOn(cases, numbers, coarsened(reading, numbers), 0, coarseSlack);
}

/** One reading on all traces; a part that has been contradicted already needs no closer look. */
function verdictOn(
  cases: readonly Case[],
  numbers: PlanNumbers,
  reading: Reading,
  coarseMs: number,
  slackFor: (slack: Slack, limit: Limit) => Slack = (slack) => slack,
): ReadingVerdict {
  const plain = cases.map((one) =>
    one.plainly(reading, { ...one.slack, quantumMs: Math.max(one.slack.quantumMs, coarseMs) }),
  );
  const told = plain.flatMap(({ contradictions }, k) => contradictions.map((each) => named(cases[k], each)));
  const contradictions = [...told, ...misfits(cases, numbers, reading.name, told, slackFor)].sort(
    (a, b) => a.atMs - b.atMs,
  );
  const [first] = contradictions;
  return {
    name: reading.name,
    admitted: first === undefined,
    contradiction: first?.sentence ?? null,
    records: first?.records ?? [],
    contradictions,
    needsRefusalsCounted: plain.some((one) => one.needsRefusalsCounted),
    needsClock: first === undefined && reading.name === 'fixed' && needsClock(cases, burstQuestion(numbers)),
    needsTimer: first === undefined && coarseMs > 0,
    tickMs: reading.name === 'bucket-ticked' ? (reading.refill?.tickMs ?? null) : null,
  };
}

function named(one: Case | undefined, contradiction: Contradiction): Contradiction {
  return { ...contradiction, sentence: `${one?.name ?? ''}${contradiction.sentence}` };
}

function summary(readings: readonly ReadingVerdict[], anyRefused: boolean): Judgement {
  const explained = readings.some((reading) => reading.admitted);
  const blames = explained ? [] : blame(readings, anyRefused);
  return {
    readings,
    explained,
    overAdmission: {
      burst: blames.some(({ id }) => id === 'LIMIT-02'),
      sustained: blames.some(({ id }) => id === 'LIMIT-03'),
    },
    unjustifiedRefusals: blames.find(({ id }) => id === 'LIMIT-01')?.records ?? [],
    blames,
  };
}

type Judge = (reading: Reading, coarseMs?: number) => ReadingVerdict;

/** Timers from this share of the slowest one on are judged together, and so on for those that are faster yet. */
const timerShare = 1 / 2;
const timerRanges = 6;

/**
 * Where the reading is open, a timer ten times as fast as the refill's window, or faster, counts as coarseness of a bucket. It is the same
 * timer that explains what was let in and what was refused: as slow as the one takes and as fast as the other.
 */
function filledUp(numbers: PlanNumbers, judge: Judge): ReadingVerdict {
  const reading = readingOf('bucket', numbers);
  let slowestMs = refillWindowMs(numbers) / 10;
  let verdict = judge(reading, slowestMs);
  // What no timer explains, none does that is faster.
  if (!verdict.admitted) return verdict;
  const steady = judge(reading);
  if (steady.admitted) return steady;
  for (let range = 0; range < timerRanges; range += 1) {
    const leastTickMs = range === timerRanges - 1 ? 0 : slowestMs * timerShare;
    const { refill } = reading;
    verdict = judge({ ...reading, ...(refill === undefined ? {} : { refill: { ...refill, leastTickMs } }) }, slowestMs);
    if (verdict.admitted) return verdict;
    slowestMs = leastTickMs;
  }
  return verdict;
}

/**
 * The first of the slower timers that explains a trace stands for all. A single number's bucket that is filled up once in its window is a
 * fixed window.
 */
function ticked(numbers: PlanNumbers, verdictOn: Judge): ReadingVerdict {
  const [first, ...faster] = numbers.sustained === null ? [2, 3, 4, 5] : [1, 2, 3, 4, 5];
  const filledIn = (share: number): ReadingVerdict => verdictOn(tickedBucket(numbers, refillWindowMs(numbers) / share));
  // Refusals that one timer cannot excuse, no faster one can.
  const isLast = ({ admitted, contradictions }: ReadingVerdict): boolean =>
    admitted || contradictions.some(({ part }) => part === 'refusal');
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

/** One reading after another on one trace; several have a ceiling in common, which is then judged once. */
function judgeWith(trace: Trace, tally: Tally, alone: boolean): Case['plainly'] {
  const ticks: TickMemo = new Map();
  const ceilings = new Map<string, Contradiction | null>();
  const broken = (ceiling: Ceiling, slack: Slack): Contradiction | null => {
    const key = JSON.stringify([ceiling, slack]);
    const known = ceilings.get(key);
    if (known !== undefined) return known;
    const found = ceilingBroken(trace, tally.accepted, ceiling, slack, ticks);
    ceilings.set(key, found);
    return found;
  };
  let shortest: Interlude | null | undefined;
  return (reading, slack) => {
    const { refill } = reading;
    const least = refill && alone ? leastBetween(refill) : 0;
    if (least > 0 && shortest === undefined) shortest = shortestInterlude(tally);
    // What it cannot be whatever its numbers are need not be asked about them.
    if (shortest && shortest.most < least - 1e-6)
      return { contradictions: [tooSoonEmpty(trace, tally, shortest, least)], needsRefusalsCounted: false };
    const { refusals, needsRefusalsCounted } = unjustified(tally, reading.excuses, slack);
    const strict = refusals.length === 0 ? null : tooStrict(trace, tally.refused, refusals, reading.excuses.flat());
    const excess = refill ? refillExcess(tally.accepted, tally.refused, refill, slack) : null;
    const soon = refill && excess !== null ? tooSoonFull(trace, tally, refill.part, excess) : null;
    const overspent = reading.spare === undefined ? null : spentBeyond(trace, tally, reading.spare, slack);
    const { accepted, refused } = tally;
    const exceeded = reading.ceilings.map((ceiling) => {
      const found = broken(ceiling, slack);
      const paced = found !== null && soon?.part === 'sustained' && refill !== undefined;
      return paced && holdsAtPace(accepted, refused, ceiling, refill, slack) ? null : found;
    });
    const all = [...exceeded, soon, overspent, strict];
    return {
      contradictions: all.filter((each) => each !== null),
      needsRefusalsCounted: refusals.length === 0 && needsRefusalsCounted,
    };
  };
}

function spentBeyond(
  trace: Trace,
  { accepted }: Tally,
  { base, spare }: NonNullable<Reading['spare']>,
  slack: Slack,
): Contradiction | null {
  const excess = spareExcess(accepted, base, spare, slack);
  return excess === null ? null : overSpent(trace, accepted, base, spare, excess);
}

function burstQuestion({ burst, sustained }: PlanNumbers): FitQuestion {
  return { part: 'burst', limit: burst, other: sustained };
}

/**
 * The closer look that only windows of a known length allow. Refusals that are wrong wherever windows lie do not tell where they do: then
 * only what was accepted is looked at.
 */
function misfits(
  cases: readonly Case[],
  { burst, sustained }: PlanNumbers,
  name: ReadingName,
  known: readonly Contradiction[],
  slackFor: (slack: Slack, limit: Limit) => Slack,
): Contradiction[] {
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
