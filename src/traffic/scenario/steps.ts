import type { Limit } from '../../settings/index.js';

/** The scenarios by the name that reports use. */
export type ScenarioName = 'burst' | 'sustained' | 'recovery' | 'probe' | 'boundary';

/** Requests as fast as the connections go. */
export interface FastStep {
  readonly kind: 'fast';
  readonly scenario: ScenarioName;
  readonly count: number;
  readonly connections: number;
  /** The step ends after this many refusals. */
  readonly enoughRefusals?: number;
}

/** Requests at even instants, whatever the answers. */
export interface EvenStep {
  readonly kind: 'even';
  readonly scenario: ScenarioName;
  readonly count: number;
  readonly ratePerSecond: number;
  readonly connections: number;
  /** The first request stands alone, so long before the others. */
  readonly afterFirstSeconds?: number;
}

/**
 * Wait for what the last refusal advertises, then one request, again while that is refused: at once where it is a short wait, and in
 * any case once `anchorSeconds` after the last heavy request.
 */
export interface RecoveryStep {
  readonly kind: 'recovery';
  readonly scenario: 'recovery';
  readonly windowSeconds: number;
  readonly promptSeconds: number;
  readonly anchorSeconds: number;
  /** How late a window may end. */
  readonly coarsenessMs: number;
}

/**
 * Sends nothing until this long after the last heavy request, and until a stream of `leadSeconds` would end with a window, as the answers
 * so far show it.
 */
export interface IdleStep {
  readonly kind: 'idle';
  readonly sinceHeavySeconds: number;
  readonly leadSeconds: number;
  readonly windowSeconds: number;
  /** Advertised waits up to this may speak of the shorter window. */
  readonly shortSeconds: number;
}

/** Nothing, for so long. */
export interface GapStep {
  readonly kind: 'gap';
  readonly seconds: number;
}

/** One request after another until one is accepted; where none is within `mostSeconds`, no further step is taken. */
export interface PollStep {
  readonly kind: 'poll';
  readonly scenario: 'probe';
  readonly everySeconds: number;
  readonly mostSeconds: number;
}

/**
 * One request after another, each once the wait is over that the refusal before asked for, and the first no sooner than `leastSeconds`:
 * where that is a brief one, or where the headers disagree about it and the shorter is at most `mostSeconds`.
 */
export interface ReturnStep {
  readonly kind: 'return';
  readonly scenario: 'probe';
  readonly leastSeconds: number;
  readonly mostSeconds: number;
}

/** One thing that is done with one key; a plan's steps follow one another. */
export type Step = FastStep | EvenStep | RecoveryStep | IdleStep | GapStep | PollStep | ReturnStep;

/** The cost of a plan's steps: the maximum of requests, and the minimum of seconds. */
export interface Cost {
  readonly requests: number;
  readonly floorSeconds: number;
}

/** Requests that may follow a refusal's word. */
export const returnTries = 3;

/** How fast a burst is taken to go when its size and time are planned. */
export const plannedPerSecond = 2_000;
/** Opening and closing a step's connections. */
export const stepSeconds = 0.15;
/** Connections for an even rate: enough for answers that take 0.2 s. */
export function connectionsFor(ratePerSecond: number): number {
  return Math.min(120, Math.max(6, Math.ceil(ratePerSecond * 0.2)));
}

export function even(scenario: ScenarioName, count: number, ratePerSecond: number): EvenStep {
  return {
    kind: 'even',
    scenario,
    count: Math.max(1, Math.ceil(count)),
    ratePerSecond,
    connections: connectionsFor(ratePerSecond),
  };
}

export function fast(scenario: ScenarioName, count: number): FastStep {
  return { kind: 'fast', scenario, count, connections: count > 3_000 ? 100 : Math.min(64, count) };
}

export function secondsOf(steps: readonly Step[]): number {
  return steps.reduce((sum, step, at) => {
    // A step that ends after a number of refusals has no planned duration.
    if (step.kind === 'fast')
      return sum + stepSeconds + (step.enoughRefusals === undefined ? step.count / plannedPerSecond : 0);
    if (step.kind === 'even')
      return sum + stepSeconds + (step.afterFirstSeconds ?? 0) + step.count / step.ratePerSecond;
    if (step.kind === 'gap') return sum + step.seconds;
    if (step.kind === 'poll') return sum + step.mostSeconds;
    if (step.kind === 'idle') return sum + step.sinceHeavySeconds;
    // The wait for recovery is part of the idle time that follows it, if any does.
    const ends = step.kind === 'recovery' && !steps.slice(at).some((later) => later.kind === 'idle');
    return ends ? sum + step.windowSeconds : sum;
  }, 0);
}

function pollsOf(step: Step): number {
  if (step.kind === 'return') return returnTries;
  return step.kind === 'poll' ? Math.ceil(step.mostSeconds / step.everySeconds) : 0;
}

/** The cost of steps, with the one request before them. */
export function costOf(steps: readonly Step[]): Cost {
  const requests = steps.reduce(
    (sum, step) => sum + ('count' in step ? step.count : step.kind === 'recovery' ? 6 : pollsOf(step)),
    1,
  );
  return { requests, floorSeconds: secondsOf(steps) };
}

/** Shares of a limit that are certainly below and above it; at exactly 100 % the noise of pacing would decide. */
export const shares = { below: 0.95, above: 1.05 } as const;
/** A share of the shorter limit at which no refusal is its doing, even where its timer fires late and its counter interpolates. */
export const pressingShare = 0.87;
export const oneMore = 5;
/** The limit over the longer window, which idling must exceed, and the one over the shorter where there are two. */
export function longAndShort(limits: readonly Limit[]): { readonly long: Limit; readonly short: Limit | null } {
  const [first, second] = [...limits].sort((a, b) => b.windowSeconds - a.windowSeconds);
  if (first === undefined) throw new RangeError('a plan without limits cannot be driven');
  return { long: first, short: second ?? null };
}

/** Seconds in which the limit of a plan with one number is spent. */
export function spentInSeconds(limit: Limit): number {
  return Math.min(5, limit.windowSeconds / 8);
}
