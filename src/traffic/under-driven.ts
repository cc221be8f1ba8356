import type { DrivenStep } from './scenario/scenario-runner.js';
import { afterIdleIndex, type PlanTrace } from './limit-traces.js';
import { mostGenerous } from './scenario/scenario.js';

/** The share of requests that may go astray before a trace is no test: few where each must be accepted, some where too many are sent. */
const tolerated = { within: 0.05, beyond: 0.5 } as const;

/** Why a trace proves nothing, with what was reached: about refusing too much, and about refusing too little; null where it is a fair test. */
export interface UnderDriven {
  readonly within: string | null;
  readonly beyond: string | null;
}

/** A step, whatever is known of how late it was sent. */
type CountedStep = Omit<DrivenStep, 'drive'> & { readonly drive: Omit<DrivenStep['drive'], 'late'> };

function lost({ drive }: CountedStep): number {
  return drive.unsent + drive.failed + drive.timedOut;
}

function describeStep(one: CountedStep): string {
  const { scenario, drive } = one;
  const why = drive.trouble === null ? '' : ` (${drive.trouble})`;
  const rate = drive.ratePerSecond === null ? '' : ` at ${drive.ratePerSecond.toFixed(1)} a second`;
  return (
    `too little load in ${scenario}: of ${one.count} requests${rate} over ${drive.connections} connections, ` +
    `${drive.unsent} found no free connection, ${drive.failed} failed and ${drive.timedOut} timed out${why}`
  );
}

/** Why too many requests of a step went astray, in words, or null. */
export function lostTooMuch(one: CountedStep, isWithin: boolean): string | null {
  const share = isWithin ? tolerated.within : tolerated.beyond;
  return lost(one) > 1 && lost(one) > share * one.count ? describeStep(one) : null;
}

const lastBurst = ({ conducted }: PlanTrace) =>
  conducted.steps.findLast((one) => one.step.kind === 'fast' && one.scenario === 'burst');

const isEverRefused = ({ conducted }: PlanTrace): boolean =>
  conducted.records.some((record) => record.outcome === 'refused');

/** The last burst, where a conforming service may have accepted all of it as it went so slowly. */
export function slowBurst(trace: PlanTrace) {
  const burst = lastBurst(trace)?.drive;
  if (burst === undefined || isEverRefused(trace)) return null;
  const seconds = (burst.endedMs - burst.startedMs) / 1000;
  const allowed = mostGenerous(trace.subject.limits, seconds);
  return burst.answered > allowed ? null : { answered: burst.answered, seconds, allowed };
}

function neverExceeded(trace: PlanTrace): string | null {
  if (lastBurst(trace) === undefined && !isEverRefused(trace)) return 'no requests beyond the limits were sent';
  const slow = slowBurst(trace);
  if (slow === null) return null;
  const { answered, seconds, allowed } = slow;
  const other =
    trace.topSpeed === undefined
      ? ''
      : `; autocannon, another engine, gets ${trace.topSpeed.toFixed(1)} answers a second there`;
  return `too little load in burst: ${answered} requests were answered in ${seconds.toFixed(1)} s; a conforming service may accept up to ${allowed}${other}`;
}

/** Holds what was sent against what had been planned. */
export function underDriven(trace: PlanTrace): UnderDriven {
  const { steps, records } = trace.conducted;
  const idleUntil = afterIdleIndex(trace);
  // The last of all goes beyond the limits, whoever comes back after it.
  const heaviest = steps.findLast(({ step }) => step.kind !== 'return');
  const isWithin = (one: DrivenStep): boolean => one.firstIndex >= idleUntil && one !== heaviest;
  const first = (which: boolean): string | null =>
    steps
      .filter((one) => isWithin(one) === which)
      .map((one) => lostTooMuch(one, which))
      .find((words) => words !== null) ?? null;
  const within = first(true);
  return {
    within:
      within !== null
        ? within
        : idleUntil >= records.length
          ? 'the part of the load that stays within the limits was never sent'
          : null,
    beyond: first(false) ?? neverExceeded(trace),
  };
}
