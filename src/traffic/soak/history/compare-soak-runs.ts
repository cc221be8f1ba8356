import { latencyShift, type RunLevel } from './ancova.js';
import { blocksOf, blockWindows, byChance, mean, median, midmean } from './block-test.js';
import { comparableRuns, tooManyErrors } from './comparable-runs.js';
import { errorRise } from './error-rise.js';
import type { SoakRun } from './history.js';
import type { SoakReport } from '../run-soak.js';

/** A soak run compared with earlier runs. */
export interface SoakComparison {
  /** Of the latency. */
  readonly verdict: 'slower' | 'faster' | 'cannot tell';
  readonly reason: string;
  /** Whether there were enough comparable runs to find a change of the latency. */
  readonly compared: boolean;
  /** Whether there were enough comparable runs to find a rise of the errors. */
  readonly errorsCompared: boolean;
  /** How many more requests failed, in a sentence; null where no rise is certain. */
  readonly moreErrors: string | null;
}

/** The upper bound of the probability of a false alarm in one night, over all tests together. */
export const certain = 0.02;
const smallestEffect = 0.05;
/** The smallest rise of the share of errors that is reported. */
const smallestRise = 0.001;
/** Two runs give a level and a share; with only one more, only certain changes could be reported. */
export const fewestRuns = 4;
/** So many earlier runs are compared with at most. */
export const mostRuns = 10;
/** A change too small for one night is found when it lasts: all percentiles of so many nights are also tested together. */
const nightsTogether = 3;
const fewestBlocks = 5;

/** The percentiles that are compared. */
export const percentiles = { p50: 'p50Ms', p95: 'p95Ms', p99: 'p99Ms' } as const;

/** A percentile that is compared. */
export type Percentile = keyof typeof percentiles;

/** The percentiles in their order. */
export const allPercentiles = Object.keys(percentiles) as readonly Percentile[];

/** A percentile of a soak run, or the mean of several: its logarithm in blocks of windows, and as a level of service and control. */
interface RunFigure {
  readonly blocks: readonly (readonly number[])[];
  readonly level: RunLevel;
}

/** The outcome of one test; `shift` is how far the nights that were tested together differ. */
interface TestResult {
  readonly figure: string;
  readonly nights: number;
  readonly earlier: number;
  readonly shift: number;
  readonly probability: number;
}

function logs(report: SoakReport, names: readonly Percentile[]): number[][] {
  return blocksOf(report, (window) => {
    const values = names.map((name) => window[percentiles[name]]);
    return window.due > window.errors && Math.min(...values) > 0 ? mean(values.map(Math.log)) : null;
  });
}

/** The level and the blocks of some percentiles of a soak run. */
export function figureOf({ service, control }: SoakRun, names: readonly Percentile[]): RunFigure {
  const blocks = logs(service, names);
  return {
    blocks,
    level: {
      service: midmean(blocks.flat()),
      control: control === null ? 0 : midmean(logs(control, names).flat()),
    },
  };
}

/** Adjusts p values for their number (Holm), so that all tests together raise a false alarm no more often than one. */
export function adjusted(probabilities: readonly number[]): number[] {
  const order = [...probabilities.keys()].sort((a, b) => (probabilities[a] ?? 1) - (probabilities[b] ?? 1));
  const found: number[] = [];
  let largest = 0;
  for (const [rank, at] of order.entries()) {
    largest = Math.max(largest, Math.min(1, (order.length - rank) * (probabilities[at] ?? 1)));
    found[at] = largest;
  }
  return found;
}

/** Whether the last runs differ from those before in some percentiles: both among runs and among blocks of windows. */
function latencyTest(runs: readonly SoakRun[], names: readonly Percentile[], nights: number, seed: number): TestResult {
  const figures = runs.map((run) => figureOf(run, names));
  const figure = names.join(', ');
  const latest = figures.slice(-nights);
  const earlier = figures.slice(0, -nights).slice(-mostRuns);
  const levels = (of: readonly RunFigure[]): RunLevel[] => of.map(({ level }) => level);
  const { shift, share, probability: amongRuns } = latencyShift(levels(latest), levels(earlier));
  const plain = ({ blocks, level }: RunFigure): number[] =>
    blocks.map((block) => median(block) - share * level.control);
  // The permutation test is slow, so it runs only where the first test found a change.
  const amongBlocks = amongRuns > certain ? 0 : byChance(latest.flatMap(plain), earlier.flatMap(plain), median, seed);
  // The upper bound of the p value.
  return { figure, nights, earlier: earlier.length, shift, probability: Math.max(amongRuns, amongBlocks) };
}

/** Whether more requests failed tonight, among runs and among blocks: a single burst is the work of one block. Null with too few runs. */
function errorTest(current: SoakRun, earlier: readonly SoakRun[], seed: number): TestResult | null {
  const shares = ({ service }: SoakRun): number[] =>
    blocksOf(service, ({ due, errors }) => errors / due).map((block) => mean(block));
  const blocks = shares(current);
  if (current.service.ended !== 'complete' || earlier.length < fewestRuns || blocks.length < fewestBlocks) return null;
  const shareOf = ({ service: { total } }: SoakRun): number => (total.due === 0 ? 0 : total.errors / total.due);
  const shift = shareOf(current) - mean(earlier.map(shareOf));
  const totals = earlier.map(({ service }) => service.total);
  const amongRuns = current.service.total.due === 0 ? 1 : errorRise(current.service.total, totals);
  const amongBlocks = amongRuns > certain ? 0 : byChance(blocks, earlier.flatMap(shares), mean, seed);
  return {
    figure: 'errors',
    nights: 1,
    earlier: earlier.length,
    shift,
    probability: Math.max(amongRuns, amongBlocks),
  };
}

const percent = (shift: number): string => `${shift >= 0 ? '+' : ''}${(100 * (Math.exp(shift) - 1)).toFixed(1)} %`;

/** The verdict on the latency, from tests with adjusted p values. */
function latencyVerdict(tests: readonly TestResult[], without: string): Pick<SoakComparison, 'verdict' | 'reason'> {
  const [likeliest] = [...tests].sort((a, b) => a.probability - b.probability || Math.abs(b.shift) - Math.abs(a.shift));
  if (likeliest === undefined) return { verdict: 'cannot tell', reason: 'nothing to compare' };
  const against = ({ earlier }: TestResult): string => `against ${earlier} earlier runs${without}`;
  const sure = tests.filter(({ probability }) => probability <= certain);
  const changed = sure.filter(({ shift }) => Math.abs(shift) >= Math.log(1 + smallestEffect));
  const isSlower = changed.some(({ shift }) => shift > 0);
  const told = changed.filter(({ shift }) => shift > 0 === isSlower);
  const [first] = [...told].sort((a, b) => a.probability - b.probability);
  if (first === undefined) {
    const chance = `which runs of one service give with probability ${likeliest.probability.toFixed(3)}`;
    const why = sure.length > 0 ? 'too little to speak of' : chance;
    const { figure, shift } = likeliest;
    return { verdict: 'cannot tell', reason: `${percent(shift)} in ${figure} ${against(likeliest)}, ${why}` };
  }
  const shifts = new Map(told.map(({ figure, shift }) => [figure, `${percent(shift)} in ${figure}`]));
  const lasting = first.nights === 1 ? '' : ` for ${first.nights} nights`;
  return {
    verdict: isSlower ? 'slower' : 'faster',
    reason: `${[...shifts.values()].join(', ')}${lasting} ${against(first)}, the machine's own change taken out (p = ${first.probability.toFixed(4)})`,
  };
}

/** Why the latency of a run cannot be compared; null where it can. */
function notComparable(
  current: SoakRun,
  comparable: ReturnType<typeof comparableRuns>,
  without: string,
): string | null {
  const { runs, otherControl } = comparable;
  const blocks = figureOf(current, allPercentiles).blocks.length;
  if (current.service.ended !== 'complete') return 'this run was ended early';
  const wrong = tooManyErrors(current);
  if (wrong !== null) return `${wrong}, and how long an error takes is not how fast a service is`;
  if (runs.length < fewestRuns)
    return `${runs.length} comparable earlier runs${without}, where ${fewestRuns} are needed${otherControl === 0 ? '' : `; the history starts again, as ${otherControl} earlier runs loaded the reference service for another length of time`}`;
  if (blocks < fewestBlocks)
    return `${blocks} blocks of ${blockWindows} windows (${current.service.windowSeconds} s each) in this run, where ${fewestBlocks} are needed`;
  return current.control === null ? 'without the same load on the reference service a change may be the machine' : null;
}

/**
 * Compares the current run with up to ten earlier runs under the same conditions: three percentiles, and the share of errors. Reports a
 * change only where two tests agree, one over runs and a permutation test over blocks of windows. The test of a percentile is an analysis of
 * covariance, which subtracts the machine's change. The p values are adjusted for the number of tests.
 */
export function compareSoakRuns(current: SoakRun, earlier: readonly SoakRun[], seed = 1): SoakComparison {
  const comparable = comparableRuns(current, earlier, mostRuns + nightsTogether - 1);
  const { alike, leftOut } = comparable;
  const runs = comparable.runs.filter((run) => figureOf(run, allPercentiles).blocks.length > 0);
  const without = leftOut === 0 ? '' : ` (${leftOut} more left out for their errors)`;
  const silent = notComparable(current, { ...comparable, runs }, without);
  const test = (names: readonly Percentile[], nights: number): TestResult[] =>
    silent !== null || runs.length - nights + 1 < fewestRuns
      ? []
      : [latencyTest([...runs, current], names, nights, seed)];
  const latency = [...allPercentiles.flatMap((name) => test([name], 1)), ...test(allPercentiles, nightsTogether)];
  const errors = errorTest(current, alike.slice(-mostRuns), seed);
  const raw = errors === null ? latency : [...latency, errors];
  // A percentile that cannot be compared counts as a test too: whether it can be depends on the errors.
  const untested = silent === null ? [] : allPercentiles.map(() => 1);
  const corrected = adjusted([...raw.map(({ probability }) => probability), ...untested]);
  const tests = raw.map((test, at) => ({ ...test, probability: corrected[at] ?? 1 }));
  const rise = tests.find(({ figure }) => figure === 'errors');
  const { total } = current.service;
  const share = total.due === 0 ? 0 : total.errors / total.due;
  return {
    ...(silent === null
      ? latencyVerdict(
          tests.filter(({ figure }) => figure !== 'errors'),
          without,
        )
      : { verdict: 'cannot tell', reason: silent }),
    compared: silent === null,
    errorsCompared: errors !== null,
    moreErrors:
      rise !== undefined && rise.probability <= certain && rise.shift >= smallestRise
        ? `${(100 * share).toFixed(2)} % of the requests failed, against ${(100 * (share - rise.shift)).toFixed(2)} % in ${rise.earlier} earlier runs (p = ${rise.probability.toFixed(4)})`
        : null,
  };
}
