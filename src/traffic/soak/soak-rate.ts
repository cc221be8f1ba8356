import type { Limit, LimitModel } from '../../settings/index.js';

/** Requests a second that a plan bears for hours under a reading: the slowest of its numbers, or what refills the bucket. */
function bearableRate(limits: readonly Limit[], model: LimitModel): number {
  const rates = limits.map((limit) => limit.count / limit.windowSeconds);
  const generous = model === 'bucket' || model === 'spill';
  return generous ? Math.max(...rates) : Math.min(...rates);
}

/** The rate of a nightly soak unless one is given: 80 % of what the plan bears. */
export function soakRate(limits: readonly Limit[], model: LimitModel): number {
  return 0.8 * bearableRate(limits, model);
}

/** That a rate is above the limits of a plan, in one sentence; null if it is within them, or the plan has none. */
export function moreThanBearable(rate: number, limits: readonly Limit[] | null, model: LimitModel): string | null {
  if (limits === null) return null;
  const bears = bearableRate(limits, model);
  return rate <= bears
    ? null
    : `That is more than the ${bears.toLocaleString('en')} a second that the plan bears for long: expect refusals.`;
}
