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

function exceeded(trace: PlanTrace): string | null {
  const { conducted, subject } = trace;
  if (conducted.records.some((record) => record.outcome === 'refused')) return null;
  const burst = conducted.steps.findLast((one) => one.step.kind === 'fast' && one.scenario === 'burst');
  if (burst === undefined) return 'no requests beyond the limits were sent';
  const seconds = (burst.drive.endedMs - burst.drive.startedMs) / 1000;
  const allowed = mostGenerous(subject.limits, seconds);
  if (burst.drive.answered > allowed) return null;
  return `too little load in burst: ${burst.drive.answered} requests were answered in ${seconds.toFixed(1)} s; a conforming service may accept up to ${allowed}`;
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
    beyond: first(false) ?? exceeded(trace),
  };
}
