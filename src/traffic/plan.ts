import type { Limit } from '../target/limits.js';
import type { LimitModel } from '../target/target.js';

/** One thing that is done with a key, or with demo or sandbox; a plan's steps follow one another. */
export type Step =
  /** As fast as the connections go. */
  | { readonly kind: 'fast'; readonly scenario: ScenarioName; readonly count: number; readonly connections: number }
  /** Evenly, whatever the answers. */
  | { readonly kind: 'even'; readonly scenario: ScenarioName; readonly count: number; readonly ratePerSecond: number; readonly connections: number }
  /** Wait for what the last refusal advertises, then one request; again while that is refused. */
  | { readonly kind: 'recovery'; readonly scenario: 'recovery'; readonly longestSeconds: number }
  /** Nothing, until so long after the last heavy request and after the last request of any kind. */
  | { readonly kind: 'idle'; readonly sinceHeavySeconds: number; readonly sinceAnySeconds: number }
  /** Nothing, for so long. */
  | { readonly kind: 'gap'; readonly seconds: number }
  /** One request, then nothing until so long before the end of the window that its answer advertises. */
  | { readonly kind: 'anchor'; readonly scenario: 'boundary'; readonly leadSeconds: number; readonly windowSeconds: number };

/** The scenarios by the name that reports use. */
export type ScenarioName = 'burst' | 'sustained' | 'recovery' | 'probe' | 'boundary';

/** What a plan's steps cost: the most requests, and the seconds that no client could save. */
export interface Cost {
  readonly requests: number;
  readonly floorSeconds: number;
}

/** Share of a limit that is certainly below it, and the share above; exactly 100 % would be told apart by pacing noise alone. */
export const shares = { below: 0.95, above: 1.05 } as const;

/** How fast a burst is taken to go when its size and time are planned. */
const plannedPerSecond = 2_000;
const overSeconds = 4;
const oneMore = 5;
const longestQuantumSeconds = 1;
/** The first requests of a run find a pool to open; each step opens its own. */
const stepSeconds = 0.1;

/** The limit with the longer window (the one that idling must outlast), and the shorter one where there are two. */
export function longAndShort(limits: readonly Limit[]): { readonly long: Limit; readonly short: Limit | null } {
  const [first, second] = [...limits].sort((a, b) => b.windowSeconds - a.windowSeconds);
  if (first === undefined) throw new RangeError('a plan without limits cannot be driven');
  return { long: first, short: second ?? null };
}

/** The most requests that the most generous reading accepts within `seconds`. */
export function mostGenerous(limits: readonly Limit[], seconds: number): number {
  const inWindows = (limit: Limit): number => limit.count * (Math.ceil(seconds / limit.windowSeconds) + 1);
  const rate = Math.max(...limits.map((limit) => limit.count / limit.windowSeconds));
  const capacity = Math.max(...limits.map((limit) => limit.count));
  return Math.max(limits.reduce((sum, limit) => sum + inWindows(limit), 0), capacity + Math.ceil(rate * seconds));
}

/** How many requests make a burst that no reading accepts whole, at the planned speed. */
export function burstCount(limits: readonly Limit[]): number {
  let count = mostGenerous(limits, 1);
  for (let round = 0; round < 4; round += 1) count = Math.ceil(mostGenerous(limits, Math.max(1, count / plannedPerSecond)) * 1.05) + oneMore;
  return Math.min(count, 200_000);
}

/** Connections for an even rate: enough for answers that take 0.4 s. */
export function connectionsFor(ratePerSecond: number): number {
  return Math.min(200, Math.max(4, Math.ceil(ratePerSecond * 0.4)));
}

/**
 * The steps for one key. First what exceeds every limit, for which it does not matter what the key did before; then two idle
 * windows, after which nothing that an earlier run may have done still counts; then a stream within every reading up to the last
 * request that must be accepted, one more, and pressure again.
 */
export function planSteps(limits: readonly Limit[], model: LimitModel): Step[] {
  const { long, short } = longAndShort(limits);
  const quick = short ?? long;
  const above = (shares.above * quick.count) / quick.windowSeconds;
  const below = (shares.below * quick.count) / quick.windowSeconds;
  const burst = burstCount(limits);
  const overCount = Math.max(oneMore, Math.ceil(above * Math.min(overSeconds, Math.max(2 * quick.windowSeconds, 1))));
  const over: Step = { kind: 'even', scenario: 'sustained', count: overCount, ratePerSecond: above, connections: connectionsFor(above) };
  const first = Math.min(quick.count, long.count);
  const anchored = model === 'fixed';
  const rest = long.count - first - (anchored ? 1 : 0);
  const quantum = Math.min(longestQuantumSeconds, long.windowSeconds / 4);
  // A second limiter may look back over two of its windows, and tell time in whole seconds.
  const gapSeconds = 2 * quick.windowSeconds + Math.min(longestQuantumSeconds, quick.windowSeconds) + 0.05;
  const probeCount = anchored && rest < 0 ? first - 1 : first;
  const probe: Step = { kind: 'fast', scenario: 'probe', count: Math.max(1, probeCount), connections: Math.min(64, Math.max(1, probeCount)) };
  const afterIdle: Step[] = [probe];
  const beyond = anchored ? long.count + oneMore : oneMore;
  const pacedRate = short === null ? Math.max(below, long.count / Math.min(5, long.windowSeconds / 4)) : below;
  const pacedCount = Math.max(0, rest) + beyond;
  if (short !== null && rest > 0) afterIdle.push({ kind: 'gap', seconds: gapSeconds });
  afterIdle.push({ kind: 'even', scenario: 'boundary', count: pacedCount, ratePerSecond: pacedRate, connections: connectionsFor(pacedRate) });
  if (anchored) {
    const leadSeconds = (short !== null && rest > 0 ? gapSeconds : 0) + Math.max(0, rest) / pacedRate + probeCount / plannedPerSecond + 1.5 * quantum;
    if (leadSeconds < long.windowSeconds * 0.8) {
      afterIdle.unshift({ kind: 'anchor', scenario: 'boundary', leadSeconds, windowSeconds: long.windowSeconds });
    }
  }
  return [
    { kind: 'fast', scenario: 'burst', count: burst, connections: burst > 3_000 ? 100 : Math.min(64, burst) },
    over,
    { kind: 'recovery', scenario: 'recovery', longestSeconds: long.windowSeconds + quantum },
    { kind: 'idle', sinceHeavySeconds: 2 * long.windowSeconds + quantum, sinceAnySeconds: long.windowSeconds + quantum },
    ...afterIdle,
    over,
  ];
}

/** What steps cost. */
export function costOf(steps: readonly Step[]): Cost {
  let requests = 0;
  let floorSeconds = 0;
  for (const step of steps) {
    if (step.kind === 'fast') {
      requests += step.count;
      floorSeconds += stepSeconds + step.count / plannedPerSecond;
    } else if (step.kind === 'even') {
      requests += step.count;
      floorSeconds += stepSeconds + step.count / step.ratePerSecond;
    } else if (step.kind === 'recovery') {
      // Its wait lies within the idle time that follows.
      requests += 3;
    } else if (step.kind === 'idle') {
      floorSeconds += step.sinceHeavySeconds;
    } else if (step.kind === 'gap') {
      floorSeconds += step.seconds;
    } else {
      requests += 1;
      floorSeconds += Math.max(0, step.windowSeconds - step.leadSeconds);
    }
  }
  return { requests, floorSeconds };
}
