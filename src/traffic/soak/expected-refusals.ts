import type { Limit, LimitModel } from '../../settings/index.js';
import type { SoakOptions } from './run-soak.js';

/** Remaining capacity of a limiter at an instant, in seconds from the start; `take` consumes some of it. */
interface Capacity {
  room(seconds: number): number;
  take(requests: number): void;
}

/** The part of a soak for which refusals are predicted. */
export type SoakSchedule = Pick<SoakOptions, 'ratePerSecond' | 'durationSeconds'>;

const steps = 10_000;

function windowed({ count, windowSeconds }: Limit): Capacity {
  let last = -1;
  let left = 0;
  return {
    room(seconds) {
      const current = Math.floor(seconds / windowSeconds);
      if (current > last) left = count * (current - last);
      last = current;
      return left;
    },
    take: (requests) => void (left -= requests),
  };
}

function bucket(capacity: number, perSecond: number): Capacity {
  let filledSeconds = 0;
  let left = capacity;
  return {
    room(seconds) {
      left = Math.min(capacity, left + perSecond * (seconds - filledSeconds));
      filledSeconds = seconds;
      return left;
    },
    take: (requests) => void (left -= requests),
  };
}

/** Every part must admit a request. */
function everyOf(parts: readonly Capacity[]): Capacity {
  return {
    room: (seconds) => Math.min(...parts.map((part) => part.room(seconds))),
    take: (requests) => parts.forEach((part) => part.take(requests)),
  };
}

/** The second part admits what exceeds the first. */
function eitherOf(first: Capacity, second: Capacity): Capacity {
  let room = 0;
  return {
    room: (seconds) => (room = first.room(seconds)) + second.room(seconds),
    take(requests) {
      first.take(Math.min(room, requests));
      second.take(Math.max(0, requests - room));
    },
  };
}

/** A plan's numbers under a reading; where any is right, as windows. */
function allowanceOf(limits: readonly Limit[], model: LimitModel): Capacity {
  const [burst, sustained] = [...limits].sort((a, b) => b.windowSeconds - a.windowSeconds);
  if (burst === undefined) return bucket(Infinity, 0);
  const rate = (limit: Limit): number => limit.count / limit.windowSeconds;
  if (model === 'bucket') return bucket(burst.count, rate(sustained ?? burst));
  if (model === 'bucket-slow')
    return everyOf([bucket(burst.count, rate(burst)), ...(sustained === undefined ? [] : [windowed(sustained)])]);
  if (model === 'spill' && sustained !== undefined) return eitherOf(windowed(sustained), windowed(burst));
  return everyOf(limits.map(windowed));
}

/** The share of a soak's requests that a plan refuses under a limiter model, simulated in small time steps. */
export function expectedRefusals(course: SoakSchedule, limits: readonly Limit[], model: LimitModel): number {
  const { ratePerSecond, durationSeconds } = course;
  const allowance = allowanceOf(limits, model);
  const all = ratePerSecond * durationSeconds;
  let letIn = 0;
  for (let step = 0; step < steps; step += 1) {
    const seconds = (durationSeconds * step) / steps;
    const passed = Math.max(0, Math.min(all / steps, allowance.room(seconds)));
    allowance.take(passed);
    letIn += passed;
  }
  return all === 0 ? 0 : Math.max(0, 1 - letIn / all);
}

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
