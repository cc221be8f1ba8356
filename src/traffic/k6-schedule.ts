import { createHash } from 'node:crypto';
import { planNumbers } from '../ratelimit/index.js';
import type { Limit, PlanName } from '../settings/index.js';
import {
  baseSteps,
  even,
  isFast,
  plannedPerSecond,
  pressingShare,
  spentInSeconds,
  type SendStep,
  type Step,
  stepSeconds,
} from './scenario/scenario.js';

/** What all instances of k6 that try a plan's limits together have in common. */
export interface K6Run {
  /** Version of the suite that exported the script. */
  readonly suite: string;
  readonly target: string;
  readonly plan: PlanName;
  readonly limits: readonly Limit[];
  readonly instances: number;
}

/** Digest of a run and its schedule, which a script that was changed does not have. */
export function identityOf(run: K6Run): string {
  return createHash('sha256')
    .update(JSON.stringify([run, k6Schedule(run.limits, run.instances)]))
    .digest('hex');
}

/** Even slots from one start on; slot k belongs to instance k modulo their number. */
export interface TimedSegment {
  readonly step: SendStep;
  /** From the start of the run to the first slot. */
  readonly atSeconds: number;
  readonly count: number;
  /** Of all instances together. */
  readonly ratePerSecond: number;
}

/** Wherever its windows begin, a steady stream of this many windows holds a whole one. */
const steadyWindows = 2.1;

/** So long no window of before has a say: two windows, the coarseness of clocks, and a second. */
const restSeconds = (windowSeconds: number): number => 2.05 * windowSeconds + 1;

/**
 * A stream below the shorter limit and beyond the longer one, for two windows: however a service counts, it has to refuse. So many requests
 * that each of as many counters as there are instances must refuse, if each counts alone.
 */
function steadyStep(limits: readonly Limit[], instances: number): SendStep {
  const { most, each } = steadyRates(limits, instances);
  const { windowSeconds } = planNumbers(limits).burst;
  const rate = Math.min(most, each);
  return even('sustained', rate * steadyWindows * windowSeconds, rate);
}

function steadyRates(limits: readonly Limit[], instances: number): { readonly most: number; readonly each: number } {
  const { burst: long, sustained: short } = planNumbers(limits);
  const perSecond = short === null ? long.count / spentInSeconds(long) : short.count / short.windowSeconds;
  return { most: pressingShare * perSecond, each: ((instances + 1.2) * long.count) / long.windowSeconds };
}

/**
 * After a rest, as much as each of so many counters accepts, until no single one, whatever it has to spare, could have accepted it all: counters
 * that are exchanged seldom show only there, as do counters of more instances than the steady stream reaches. Of two instances the stream is
 * so little faster than the limit that it would take minutes.
 */
function spreadSteps(limits: readonly Limit[], instances: number): Step[] {
  const { burst: long, sustained: short } = planNumbers(limits);
  const { most, each } = steadyRates(limits, instances);
  if (short === null || instances === 1 || (instances === 2 && each <= most)) return [];
  const perSecond = short.count / short.windowSeconds;
  // A network that delays requests does not let any of the counters refuse.
  const rate = 0.7 * instances * perSecond;
  const seconds = (1.5 * (2 * long.count + short.count)) / (rate - 1.3 * perSecond);
  return [{ kind: 'gap', seconds: restSeconds(long.windowSeconds) }, even('probe', rate * seconds, rate)];
}

/** The steps of a plan without those that depend on answers, and the steady stream before the last burst. */
function fixedSteps(limits: readonly Limit[], instances: number): Step[] {
  const steps = baseSteps(limits).filter(({ kind }) => kind !== 'recovery' && kind !== 'return');
  const last = steps.length - (steps.slice(-1).some(isFast) ? 1 : 0);
  return [
    ...steps.slice(0, last),
    steadyStep(limits, instances),
    ...steps.slice(last),
    ...spreadSteps(limits, instances),
  ];
}

/** How fast a burst goes: those of large plans several times as fast as their limits accept, and within an eighth of the longer window. */
function burstPerSecond(count: number, limits: readonly Limit[]): number {
  const accepted = limits.map((limit) => limit.count / limit.windowSeconds);
  return Math.max(plannedPerSecond, 3 * Math.max(...accepted), (8 * count) / planNumbers(limits).burst.windowSeconds);
}

/**
 * What so many instances send together: the plan's own steps at instants that are fixed beforehand, because none sees the answers to
 * the others. Each step that a single machine sends as fast as it can becomes slots at a fixed rate.
 */
export function k6Schedule(limits: readonly Limit[], instances: number): TimedSegment[] {
  const segments: TimedSegment[] = [];
  let atSeconds = 0;
  const add = (step: SendStep, count: number, ratePerSecond: number): void => {
    if (count > 0) segments.push({ step: { ...step, count }, atSeconds, count, ratePerSecond });
    atSeconds += count / ratePerSecond;
  };
  for (const step of fixedSteps(limits, instances)) {
    if (step.kind === 'gap') atSeconds += step.seconds;
    else if (step.kind === 'idle') atSeconds += restSeconds(step.windowSeconds);
    else if (step.kind === 'send') {
      const { afterFirstSeconds = 0, enoughRefusals: _, ...whole } = step;
      const ratePerSecond = step.ratePerSecond ?? burstPerSecond(step.count, limits);
      if (afterFirstSeconds > 0) add(whole, 1, 1 / afterFirstSeconds);
      add(whole, step.count - (afterFirstSeconds > 0 ? 1 : 0), ratePerSecond);
      atSeconds += stepSeconds;
    }
  }
  return segments;
}

/** From the first slot to the last, in seconds. */
export function scheduleSeconds(segments: readonly TimedSegment[]): number {
  return Math.max(0, ...segments.map(({ atSeconds, count, ratePerSecond }) => atSeconds + count / ratePerSecond));
}

/** The slots of an instance (from 1) of so many; a share may be empty. */
export function shareOf({ atSeconds, count, ratePerSecond }: TimedSegment, instance: number, instances: number) {
  return {
    atSeconds: atSeconds + (instance - 1) / ratePerSecond,
    count: Math.max(0, Math.ceil((count - (instance - 1)) / instances)),
    ratePerSecond: ratePerSecond / instances,
  };
}
