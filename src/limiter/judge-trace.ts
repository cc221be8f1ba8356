import type { Limit } from '../target/limits.js';
import type { LimitModel } from '../target/target.js';
import { blame, type Blame } from './blame.js';
import { ceilingBroken, type TickMemo } from './ceiling-broken.js';
import { tooStrict, type Contradiction } from './contradiction.js';
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
import { tallyOf } from './tally.js';
import type { Trace } from './trace.js';
import { unjustified, type Tally } from './unjustified.js';
import { fixedMisfit, mixedMisfit, type FitQuestion } from './window-fit.js';

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
  /** Overrides the trace's own quantum. */
  readonly quantumMs?: 1 | 1000;
}

/**
 * Which readings of the plan's numbers could have produced the trace. A service fails only where none can, or where the pinned one
 * cannot. Noise makes intervals longer and the judgement weaker, never wrong.
 */
export function judgeTrace(trace: Trace, limits: readonly Limit[], options: JudgeOptions): Judgement {
  return summary(
    verdictsOn(trace, limits, options),
    trace.records.some(({ outcome }) => outcome === 'refused'),
  );
}

/**
 * Several traces of the same plan on the same service: a reading must explain all of them. The sentences of a reading tell which trace
 * (from 1) they speak of, and their records are that trace's.
 */
export function judgeTraces(traces: readonly Trace[], limits: readonly Limit[], options: JudgeOptions): Judgement {
  const verdicts = traces.map((trace) => verdictsOn(trace, limits, options));
  const names = [...new Set(verdicts.flat().map(({ name }) => name))];
  const readings = names.map((name) =>
    combined(verdicts.flatMap((each) => each.find((reading) => reading.name === name) ?? [])),
  );
  const anyRefused = traces.some(({ records }) => records.some(({ outcome }) => outcome === 'refused'));
  return summary(readings, anyRefused);
}

function combined(verdicts: readonly ReadingVerdict[]): ReadingVerdict {
  const present = verdicts.map((verdict, k) => ({ verdict, trace: k + 1 }));
  const contradictions = present.flatMap(({ verdict, trace }) =>
    verdict.contradictions.map((each) => ({ ...each, sentence: `trace ${trace}: ${each.sentence}` })),
  );
  const [first] = contradictions;
  return {
    name: verdicts[0]?.name ?? 'mixed',
    admitted: first === undefined,
    contradiction: first?.sentence ?? null,
    records: first?.records ?? [],
    contradictions,
    needsRefusalsCounted: first === undefined && verdicts.some((verdict) => verdict.needsRefusalsCounted),
  };
}

function verdictsOn(trace: Trace, limits: readonly Limit[], options: JudgeOptions): ReadingVerdict[] {
  const slack: Slack = { clockErrorRate: trace.clockErrorRate, quantumMs: options.quantumMs ?? trace.quantumMs };
  const numbers = planNumbers(limits);
  const tally = tallyOf(trace);
  const judge = judgeWith(trace, tally, numbers);
  const named = readingsFor(numbers, options.model, slack).map(({ reading, slack: own }) => judge(reading, own));
  if (options.model !== 'auto') return named;
  return [...named, ticked(numbers, (reading) => judge(reading, slack))];
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

/** Where the reading is open, a bucket may be refilled by a timer, one up to ten times as fast as the refill's window counting as coarseness. */
function readingsFor(numbers: PlanNumbers, model: LimitModel, slack: Slack): { reading: Reading; slack: Slack }[] {
  if (model !== 'auto') return [{ reading: readingOf(model, numbers), slack }];
  const coarse: Slack = { ...slack, quantumMs: Math.max(slack.quantumMs, refillWindowMs(numbers) / 10) };
  const names = ['sliding', 'fixed', 'mixed', 'bucket', 'bucket-slow', 'spill'] as const;
  return names
    .filter((name) => numbers.sustained !== null || (name !== 'bucket-slow' && name !== 'spill'))
    .map((name) => ({ reading: readingOf(name, numbers), slack: name === 'bucket' ? coarse : slack }));
}

/** The first of the slower timers that explains a trace stands for all. */
function ticked(numbers: PlanNumbers, verdictOn: (reading: Reading) => ReadingVerdict): ReadingVerdict {
  const slowest = verdictOn(tickedBucket(numbers, refillWindowMs(numbers)));
  // Refusals that the slowest timer cannot excuse, no faster one can.
  if (slowest.admitted || slowest.contradictions.some(({ part }) => part === 'refusal')) return slowest;
  for (const share of [2, 4, 5]) {
    const verdict = verdictOn(tickedBucket(numbers, refillWindowMs(numbers) / share));
    if (verdict.admitted) return verdict;
  }
  return slowest;
}

function refillWindowMs({ burst, sustained }: PlanNumbers): number {
  return (sustained ?? burst).windowSeconds * 1000;
}

/** One reading after another on one trace; several have a ceiling in common, which is then judged once. */
function judgeWith(
  trace: Trace,
  tally: Tally,
  numbers: PlanNumbers,
): (reading: Reading, slack: Slack) => ReadingVerdict {
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
  return (reading, slack) => {
    const { refusals, needsRefusalsCounted } = unjustified(tally, reading.excuses, slack);
    const strict = refusals.length === 0 ? null : tooStrict(trace, tally.refused, refusals, reading.excuses.flat());
    const plain = [...reading.ceilings.map((ceiling) => broken(ceiling, slack)), strict].filter(
      (each) => each !== null,
    );
    const contradictions = [...plain, ...misfits(trace, tally, numbers, reading.name, slack, plain)].sort(
      (a, b) => a.atMs - b.atMs,
    );
    const first = contradictions[0];
    return {
      name: reading.name,
      admitted: first === undefined,
      contradiction: first?.sentence ?? null,
      records: first?.records ?? [],
      contradictions,
      needsRefusalsCounted: refusals.length === 0 && needsRefusalsCounted,
    };
  };
}

/** The closer look that only windows of a known length allow; a part that has been contradicted already needs none. */
function misfits(
  trace: Trace,
  tally: Tally,
  { burst, sustained }: PlanNumbers,
  name: ReadingName,
  slack: Slack,
  known: readonly Contradiction[],
): Contradiction[] {
  if (name !== 'fixed' && name !== 'mixed') return [];
  const questions: FitQuestion[] = [{ part: 'burst', limit: burst, other: sustained }];
  if (sustained !== null) questions.push({ part: 'sustained', limit: sustained, other: burst });
  return questions
    .filter(({ part }) => !known.some((contradiction) => contradiction.part === part))
    .map((question) => (name === 'fixed' ? fixedMisfit : mixedMisfit)(trace, tally, question, slack))
    .filter((each) => each !== null);
}
