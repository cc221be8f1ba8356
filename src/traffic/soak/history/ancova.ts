import { mean } from './block-test.js';

/** Logarithms of the median latency of the service and of the control in one soak run. */
export interface RunLevel {
  readonly service: number;
  readonly control: number;
}

/** How far the latest runs differ from the earlier ones. */
export interface LatencyShift {
  /** Difference of the logarithms, after the machine's share (seen by the control) is subtracted. */
  readonly shift: number;
  /** How much of the control's change the service shared in the earlier runs: 0 for a service elsewhere, about 1 on the same machine. */
  readonly share: number;
  /** p value: the probability of at least this difference where the service did not change. */
  readonly probability: number;
}

/** Upper bound of the share: a service may change by more than the control where requests queue. */
const largestShare = 2;

/**
 * Analysis of covariance (ANCOVA) with the control as covariate. The service may run on this machine or far away, so the share of the
 * machine's changes that it has is estimated from the earlier runs. Tests whether the latest runs fit that line or need a level of their
 * own. Needs three earlier runs; latest runs that differ in both directions show no change.
 */
export function latencyShift(latest: readonly RunLevel[], earlier: readonly RunLevel[]): LatencyShift {
  const before = lineOf([earlier]);
  const shifts = latest.map((one) => one.service - (before.levels[0] ?? 0) - before.share * one.control);
  const shift = mean(shifts);
  const agree = shifts.every((one) => one * shift > 0);
  const apart = lineOf([earlier, latest]).squares;
  const freedom = earlier.length + latest.length - 3;
  const gained = Math.max(0, lineOf([[...earlier, ...latest]]).squares - apart);
  const probability =
    freedom < 1 || !agree ? 1 : studentTwoSided(Math.sqrt(gained / Math.max(apart / freedom, Number.EPSILON)), freedom);
  return { shift, share: before.share, probability };
}

/** Least-squares lines of one slope, the share, through groups of runs that each have a level of their own. */
function lineOf(groups: readonly (readonly RunLevel[])[]) {
  const centres = groups.map((runs) => ({
    runs,
    service: mean(runs.map((one) => one.service)),
    control: mean(runs.map((one) => one.control)),
  }));
  const sum = (of: (one: RunLevel, centre: RunLevel) => number): number =>
    centres.reduce((all, centre) => centre.runs.reduce((part, one) => part + of(one, centre), all), 0);
  const alone = sum((one, centre) => (one.control - centre.control) ** 2);
  const together = sum((one, centre) => (one.service - centre.service) * (one.control - centre.control));
  const share = alone === 0 ? 0 : Math.min(largestShare, Math.max(0, together / alone));
  return {
    share,
    levels: centres.map((centre) => centre.service - share * centre.control),
    squares: sum((one, centre) => (one.service - centre.service - share * (one.control - centre.control)) ** 2),
  };
}

/** Two-sided tail probability of Student's t (Abramowitz and Stegun 26.7.3 and 26.7.4). */
export function studentTwoSided(t: number, freedom: number): number {
  const angle = Math.atan(t / Math.sqrt(freedom));
  const odd = freedom % 2 === 1;
  let term = odd ? Math.cos(angle) : 1;
  let sum = freedom === 1 ? 0 : term;
  for (let k = odd ? 3 : 2; k < freedom; k += 2) {
    term *= ((k - 1) / k) * Math.cos(angle) ** 2;
    sum += term;
  }
  const inside = odd ? (2 / Math.PI) * (angle + Math.sin(angle) * sum) : Math.sin(angle) * sum;
  return Math.max(0, 1 - inside);
}
