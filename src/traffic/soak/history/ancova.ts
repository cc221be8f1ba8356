/** A night's level: the logarithms of the service's and of the control's latency. */
export interface RunLevel {
  readonly service: number;
  readonly control: number;
}

/** How far one more night lies from the earlier ones. */
export interface LatencyShift {
  /** Of the logarithm, once what the control saw of the machine is taken out. */
  readonly shift: number;
  /** How much of the control's change the service shared on the earlier nights: 0 of a service elsewhere, about 1 on the same machine. */
  readonly share: number;
  /** How often nights of one service would differ as much by themselves. */
  readonly probability: number;
}

/** Of the change that a machine brings to the control, a service shares none, or all of it, or somewhat more where it queues. */
const largestShare = 2;

interface Line {
  readonly share: number;
  readonly level: number;
  readonly squares: number;
}

/**
 * An analysis of covariance with the control as covariate: which share of the machine's changes the service has is not known beforehand
 * (it may run on this machine or far away), so the nights themselves say so. That one level and one share explain tonight as well is then
 * weighed against tonight's having a level of its own. Needs three earlier nights.
 */
export function latencyShift(tonight: RunLevel, earlier: readonly RunLevel[]): LatencyShift {
  const before = lineOf(earlier);
  const shift = tonight.service - before.level - before.share * tonight.control;
  const freedom = earlier.length - 2;
  const gained = Math.max(0, lineOf([...earlier, tonight]).squares - before.squares);
  const probability =
    freedom < 1 ? 1 : studentTwoSided(Math.sqrt(gained / Math.max(before.squares / freedom, Number.EPSILON)), freedom);
  return { shift, share: before.share, probability };
}

/** The line through the levels with the least squares, its slope a share. */
function lineOf(levels: readonly RunLevel[]): Line {
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

/** How often Student's t with that many degrees of freedom lies beyond ±`t` (Abramowitz and Stegun 26.7.3 and 26.7.4). */
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
