import { latencyShift } from './ancova.js';
import { comparableRuns } from './comparable-runs.js';
import {
  allPercentiles,
  certain,
  compareSoakRuns,
  fewestRuns,
  figureOf,
  mostRuns,
  type Percentile,
  type SoakComparison,
} from './compare-soak-runs.js';
import { errorRise } from './error-rise.js';
import type { SoakRun } from './history.js';

/** A value of one night, and the bounds beyond which it is certainly a change; null where there is none. */
export interface Band {
  readonly value: number | null;
  readonly lower: number | null;
  readonly upper: number | null;
}

/** One night, compared with those before it. */
export interface NightBands {
  readonly run: SoakRun;
  readonly comparison: SoakComparison;
  /** Levels in milliseconds: the mean of the middle half of the windows. */
  readonly latency: Readonly<Record<Percentile, Band>>;
  /** Shares of errors from 0 to 1. */
  readonly errors: Band;
}

const mostNights = 30;
/** The level of the strictest test: three percentiles, all of them over three nights, and errors. */
const strictest = certain / (allPercentiles.length + 2);
const steps = 40;

/** The number between `inside`, where the test finds nothing, and `outside`, where it starts to find a change. */
function boundary(inside: number, outside: number, probability: (value: number) => number): number {
  let [low, high] = [inside, outside];
  for (let step = 0; step < steps; step += 1) {
    const middle = (low + high) / 2;
    if (probability(middle) <= strictest) high = middle;
    else low = middle;
  }
  return (low + high) / 2;
}

/** The band of one percentile: the levels at which the test of one night finds no change. */
function latencyBand(run: SoakRun, earlier: readonly SoakRun[], name: Percentile): Band {
  const { level, blocks } = figureOf(run, [name]);
  const value = blocks.length === 0 ? null : Math.exp(level.service);
  if (earlier.length < fewestRuns || run.control === null) return { value, lower: null, upper: null };
  const levels = earlier.map((one) => figureOf(one, [name]).level);
  const expected = level.service - latencyShift([level], levels).shift;
  const probability = (service: number): number => latencyShift([{ ...level, service }], levels).probability;
  // Ten times as slow or as fast is outside any band of use.
  const [lower, upper] = [-1, 1].map((sign) => Math.exp(boundary(expected, expected + sign * Math.LN10, probability)));
  return { value, lower: lower ?? null, upper: upper ?? null };
}

function errorBand({ service: { total } }: SoakRun, earlier: readonly SoakRun[]): Band {
  const value = total.due === 0 ? null : total.errors / total.due;
  if (value === null || earlier.length < fewestRuns) return { value, lower: null, upper: null };
  const totals = earlier.map(({ service }) => service.total);
  const probability = (errors: number): number => errorRise({ due: total.due, errors }, totals);
  return { value, lower: null, upper: boundary(0, total.due, probability) / total.due };
}

/** The latest nights under the conditions of the last one, oldest first, each compared with those before it. */
export function nightBands(current: SoakRun, earlier: readonly SoakRun[]): NightBands[] {
  const { alike } = comparableRuns(current, earlier, mostNights + mostRuns);
  const runs = [...alike, current];
  return runs
    .map((run, at): NightBands => {
      const before = runs.slice(0, at);
      const comparable = comparableRuns(run, before, mostRuns);
      const band = (name: Percentile): Band => latencyBand(run, comparable.runs, name);
      return {
        run,
        comparison: compareSoakRuns(run, before),
        latency: { p50: band('p50'), p95: band('p95'), p99: band('p99') },
        errors: errorBand(run, comparable.alike),
      };
    })
    .slice(-mostNights);
}
