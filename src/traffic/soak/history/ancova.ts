/** Logarithms of the median latency of the service and of the control in one soak run. */
export interface RunLevel {
  readonly service: number;
  readonly control: number;
}

/** How far the current run differs from the earlier ones. */
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
 * machine's changes that it has is estimated from the earlier runs. Tests whether the current run fits that line or needs a level of its
 * own. Needs three earlier runs.
 */
export function latencyShift(current: RunLevel, earlier: readonly RunLevel[]): LatencyShift {
  const before = lineOf(earlier);
  const shift = current.service - before.level - before.share * current.control;
  const freedom = earlier.length - 2;
  const gained = Math.max(0, lineOf([...earlier, current]).squares - before.squares);
  const probability =
    freedom < 1 ? 1 : studentTwoSided(Math.sqrt(gained / Math.max(before.squares / freedom, Number.EPSILON)), freedom);
  return { shift, share: before.share, probability };
}

/** Least-squares line through the levels; its slope is the share. */
function lineOf(levels: readonly RunLevel[]) {
  const service = mean(levels.map((one) => one.service));
  const control = mean(levels.map((one) => one.control));
  const together = levels.reduce((sum, one) => sum + (one.service - service) * (one.control - control), 0);
  const alone = levels.reduce((sum, one) => sum + (one.control - control) ** 2, 0);
  const share = alone === 0 ? 0 : Math.min(largestShare, Math.max(0, together / alone));
  const level = service - share * control;
  return {
    share,
    level,
    squares: levels.reduce((sum, one) => sum + (one.service - level - share * one.control) ** 2, 0),
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, one) => sum + one, 0) / values.length;
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
