import type { Limit } from '../../settings/limits.js';
import type { LimitModel } from '../../settings/target.js';
import { expectedRefusals } from './expected-refusals.js';
import type { SoakSchedule } from './expected-refusals.js';

/** Requests a second that a plan bears for hours under a reading: the slowest of its numbers, or what refills the bucket. */
export function bearableRate(limits: readonly Limit[], model: LimitModel): number {
  const rates = limits.map((limit) => limit.count / limit.windowSeconds);
  const generous = model === 'bucket' || model === 'spill';
  return generous ? Math.max(...rates) : Math.min(...rates);
}

/** The rate of a nightly soak unless one is given: 80 % of what the plan bears. */
export function soakRate(limits: readonly Limit[], model: LimitModel): number {
  return 0.8 * bearableRate(limits, model);
}

/** The effect of a rate above the limits of a plan, in one sentence; null if the rate is within them, or the plan has none. */
export function moreThanBearable(
  course: SoakSchedule,
  limits: readonly Limit[] | null,
  model: LimitModel,
): string | null {
  if (limits === null) return null;
  const bears = bearableRate(limits, model);
  if (course.ratePerSecond <= bears) return null;
  const percent = Math.round(100 * expectedRefusals(course, limits, model));
  const more = `That is more than the ${bears.toLocaleString('en')} a second that the plan bears`;
  return percent === 0
    ? `${more} for long, though hardly in ${course.durationSeconds.toLocaleString('en')} s: expect next to no refusals.`
    : `${more}: expect about ${percent} % refusals.`;
}
