import type { Limit } from '../../settings/index.js';
import { granularityMs, planNumbers } from '../../ratelimit/index.js';
import { driveBounds, type Segment } from '../engine/drive.js';

/** The scenarios by the name that reports use. */
export type ScenarioName = 'burst' | 'sustained' | 'recovery' | 'probe' | 'boundary';

/** A segment of a plan. */
export interface SendStep extends Segment {
  readonly kind: 'send';
  readonly scenario: ScenarioName;
}

/**
 * Wait for what the last refusal advertises, then one request, again while that is refused: at once where it is a short wait, and in
 * any case once `anchorSeconds` after the last heavy request.
 */
export interface RecoveryStep {
  readonly kind: 'recovery';
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
interface GapStep {
  readonly kind: 'gap';
  readonly seconds: number;
}

/** One request after another until one is accepted; where none is within `mostSeconds`, no further step is taken. */
interface PollStep {
  readonly kind: 'poll';
  readonly everySeconds: number;
  readonly mostSeconds: number;
}

/**
 * One request after another, each once the wait is over that the refusal before asked for, and the first no sooner than `leastSeconds`:
 * where that is a brief one, or where the headers disagree about it and the shorter is at most `mostSeconds`.
 */
export interface ReturnStep {
  readonly kind: 'return';
  readonly leastSeconds: number;
  readonly mostSeconds: number;
}

/** One thing that is done with one key; a plan's steps follow one another. */
export type Step = SendStep | RecoveryStep | IdleStep | GapStep | PollStep | ReturnStep;

/** Requests that may follow a refusal's word. */
export const returnTries = 3;
/** Requests before, and after, the longer window must be open. */
export const recoveryTries = 3;

/** How fast a burst is taken to go when its size and time are planned. */
export const plannedPerSecond = 2_000;
/** Opening and closing a step's connections. */
export const stepSeconds = 0.15;
/** Connections for an even rate: enough for answers that take 0.2 s. */
function connectionsFor(ratePerSecond: number): number {
  return Math.min(120, Math.max(6, Math.ceil(ratePerSecond * 0.2)));
}

export function even(
  scenario: ScenarioName,
  count: number,
  ratePerSecond: number,
): SendStep & { ratePerSecond: number } {
  return {
    kind: 'send',
    scenario,
    count: Math.max(1, Math.ceil(count)),
    ratePerSecond,
    connections: connectionsFor(ratePerSecond),
  };
}

export function fast(scenario: ScenarioName, count: number): SendStep {
  return { kind: 'send', scenario, count, ratePerSecond: null, connections: count > 3_000 ? 100 : Math.min(64, count) };
}

/** Whether a step sends as fast as it can. */
export const isFast = (step: Step): step is SendStep => step.kind === 'send' && step.ratePerSecond === null;

/** The cost of steps, with the one request before them: at most so many requests, in at least so many seconds. */
export function costOf(steps: readonly Step[]): { requests: number; floorSeconds: number } {
  const cost = { requests: 1, floorSeconds: 0 };
  const add = (requests: number, seconds: number): void => {
    cost.requests += requests;
    cost.floorSeconds += seconds;
  };
  for (const [at, step] of steps.entries()) {
    if (step.kind === 'send') {
      const { count, ratePerSecond, afterFirstSeconds = 0, enoughRefusals } = step;
      // A step that ends after a number of refusals has no planned duration.
      const seconds = enoughRefusals === undefined ? count / (ratePerSecond ?? plannedPerSecond) : 0;
      add(count, stepSeconds + afterFirstSeconds + seconds);
    } else if (step.kind === 'gap') add(0, step.seconds);
    else if (step.kind === 'idle') add(0, step.sinceHeavySeconds);
    else if (step.kind === 'return') add(returnTries, 0);
    else if (step.kind === 'poll') add(Math.ceil(step.mostSeconds / step.everySeconds), step.mostSeconds);
    // The wait for recovery is part of the idle time that follows it, if any does.
    else add(2 * recoveryTries, steps.slice(at).some(({ kind }) => kind === 'idle') ? 0 : step.windowSeconds);
  }
  return cost;
}

/** Shares of a limit that are certainly below and above it; at exactly 100 % the noise of pacing would decide. */
export const shares = { below: 0.95, above: 1.05 } as const;
/** A share of the shorter limit at which no refusal is its doing, even where its timer fires late and its counter interpolates. */
export const pressingShare = 0.87;
const oneMore = 5;
/** Seconds in which the limit of a plan with one number is spent. */
export function spentInSeconds(limit: Limit): number {
  return Math.min(5, limit.windowSeconds / 8);
}

/** This many windows after it was filled, no conforming counter still refuses, not even one that counts refused requests. */
const watchedWindows = 1.45;

/**
 * For a key that has just run `baseSteps`: its limit is spent, and the position of the window is unknown. Polling finds when it opens; the
 * client then fills it again and polls until it reopens, neither too early (a few more requests confirm that) nor too late.
 */
export function windowProbe(limits: readonly Limit[]): Step[] {
  const { burst: long, sustained: short } = planNumbers(limits);
  const { windowSeconds, count } = long;
  const rate = short === null ? count / spentInSeconds(long) : (pressingShare * short.count) / short.windowSeconds;
  // The fewer of them are refused, the sooner an interpolated counter that counts them must have let go of a limit that stands alone.
  const fillShare = short === null ? 1.15 : 1.3;
  const fill = even('probe', fillShare * count + oneMore, Math.max(rate, (2 * count) / windowSeconds));
  // Refused requests may count: polling must never spend a limit by itself, nor make up much of what an interpolated counter weighs.
  const everySeconds = windowSeconds * Math.max(1 / 40, 4 / count, Math.min(1 / 12, 8 / count));
  const poll = (mostSeconds: number): PollStep => ({ kind: 'poll', everySeconds, mostSeconds });
  // The first and last request of a window may fall outside by its coarseness; those between are certainly inside.
  const inside: GapStep = { kind: 'gap', seconds: (2 * granularityMs(long)) / 1000 + windowSeconds / 60 };
  const spent = inside.seconds + fill.count / fill.ratePerSecond;
  return [
    poll(2 * windowSeconds + Math.min(1, windowSeconds / 4)),
    inside,
    fill,
    poll(watchedWindows * windowSeconds - spent),
    inside,
    even('probe', Math.max(oneMore, count / 10), fill.ratePerSecond),
  ];
}

/** A steady stream covers several windows of at most this many seconds; longer ones would take minutes. */
const steadyWindowSeconds = 10;
const steadyStream = { windows: 2.6, share: 0.8 } as const;

/**
 * For a plan of short windows: a stream that is within every model, for so long that all its requests together are beyond the limit, once
 * what came before is forgotten. A window that begins anew with every request never ends while it lasts. Empty where windows are long.
 */
export function steadyProbe(limits: readonly Limit[]): Step[] {
  const { burst: long, sustained: short } = planNumbers(limits);
  if (long.windowSeconds > steadyWindowSeconds) return [];
  const perSecond = Math.min(...[long, short ?? long].map(({ count, windowSeconds }) => count / windowSeconds));
  const rate = steadyStream.share * perSecond;
  return [even('probe', steadyStream.windows * long.windowSeconds * rate, rate)];
}

/**
 * Number of full bursts in one long window. An allowance that holds its number once for each window cannot admit them all, wherever its
 * windows begin.
 */
const burstsInWindow = 4;

/**
 * For a plan of two limits whose first refills at the pace of the second, long before its window ends: full bursts, each when the bucket
 * must be full again. Empty where that does not fit the window.
 */
export function refillProbe(limits: readonly Limit[]): Step[] {
  const { burst: long, sustained: short } = planNumbers(limits);
  if (short === null) return [];
  const refillSeconds = (1.05 * long.count * short.windowSeconds) / short.count + 0.5 * short.windowSeconds;
  if (burstsInWindow * (refillSeconds + 1) > 0.9 * long.windowSeconds) return [];
  const burst: SendStep = {
    ...fast('probe', Math.ceil(1.3 * long.count + 2 * short.count)),
    enoughRefusals: Math.max(20, Math.ceil(short.count / 3)),
  };
  return Array.from({ length: burstsInWindow }, (): Step[] => [{ kind: 'gap', seconds: refillSeconds }, burst]).flat();
}

/** More than the most generous way to count allows. */
const beyondShare = 1.3;
/** Under interpolated counters a refusal is certainly wrong only at half the rate. */
const slowShare = 0.475;

/**
 * For a plan of two limits, where one that grants the second beside an allowance explains all: twice, many connections in turn spend what servers
 * that each count for themselves have left, or are accepted more often than any way to count allows; then a slow stream follows, of which
 * only such servers refuse any. The second time stands half a window later, so that no window hides both. Where a bucket explains all, `brief`
 * does: it accepts what flows in, be refusals charged or not. Empty where a plan has one limit.
 */
export function serversProbe(limits: readonly Limit[], brief = false): Step[] {
  const { burst: long, sustained: short } = planNumbers(limits);
  if (short === null) return [];
  const rate = short.count / short.windowSeconds;
  const spendSeconds = Math.max(long.windowSeconds / 4, (1.2 * long.count) / rate);
  const mostPerSecond = rate + long.count / long.windowSeconds;
  const most = mostPerSecond * (spendSeconds + short.windowSeconds) + short.count + 2 * long.count;
  const spent = beyondShare * most;
  const round = Math.ceil(spendSeconds / long.windowSeconds - 0.3) + 0.5;
  const slowSeconds = brief ? spendSeconds / 2 : round * long.windowSeconds - spendSeconds;
  const once: Step[] = [
    even('probe', spent, spent / spendSeconds),
    even('probe', slowShare * rate * slowSeconds, slowShare * rate),
  ];
  // What was accepted before would leave room in a log, at the pace of the slow stream.
  return brief ? once : [{ kind: 'gap', seconds: long.windowSeconds }, ...once, ...once];
}

/** How much later than advertised a request leaves: a limiter that counts in whole seconds may be one late. */
export const resetSlackSeconds = 1.05;

/** The share of a window that pressure on a limit that stands alone lasts. */
const drawnOutShare = 0.2;

/**
 * Share of a window during which a single limit is not exceeded, before it is slightly exceeded; a plan with two limits takes equally long.
 */
const leisureShare = 0.14;

/**
 * The client follows an advertised wait up to this share of the window. A correct window or log that was just filled is still full by then;
 * one of half the length is open again.
 */
const promptShare = 0.6;

/** Of shorter windows, waits in whole seconds say too little. */
const leastReturnSeconds = 10;
/** Headers that disagree are taken at their word for waits up to this share of the window. */
const returnShare = 0.4;
/** So long before a window ends the stream that fills it does, for windows that are no more than a second coarse. */
const alignmentMarginSeconds = (limit: Limit): number => Math.max(0.15, (1.3 * granularityMs(limit)) / 1000);

/** How long after its length a window may still be open, and a clock be behind. */
const latestEndSeconds = (limit: Limit): number => granularityMs(limit) / 1000 + 0.005 * limit.windowSeconds;

/** The most requests that the most generous model accepts within `seconds`. */
export function mostGenerous(limits: readonly Limit[], seconds: number): number {
  const inWindows = limits.map((limit) => limit.count * (Math.ceil(seconds / limit.windowSeconds) + 1));
  const perSecond = Math.max(...limits.map((limit) => limit.count / limit.windowSeconds));
  const capacity = Math.max(...limits.map((limit) => limit.count));
  return Math.max(
    inWindows.reduce((sum, count) => sum + count, 0),
    capacity + Math.ceil(perSecond * seconds),
  );
}

/** How many requests make a burst that no model accepts whole, at the planned speed. */
export function burstCount(limits: readonly Limit[]): number {
  let count = mostGenerous(limits, 0.5);
  for (let round = 0; round < 4; round += 1) {
    count = Math.ceil(mostGenerous(limits, Math.max(0.5, count / plannedPerSecond)) * 1.05) + oneMore;
  }
  return Math.min(count, 200_000);
}

/**
 * The steps for one key, after one first request. A burst beyond every limit comes first, because earlier use of the key does not matter
 * for it. Two idle windows follow, which clear earlier runs; they contain the request after the advertised reset, which begins a window
 * where windows begin with a request. Then come a stream within every model up to the last guaranteed request and a few more, timed to the
 * end of that window, pressure that fills the next window, and a last burst.
 */
export function baseSteps(limits: readonly Limit[]): Step[] {
  const { burst: long, sustained: short } = planNumbers(limits);
  const quantum = Math.min(1, long.windowSeconds / 4);
  const above = short === null ? long.count / spentInSeconds(long) : (shares.above * short.count) / short.windowSeconds;
  const below = short === null ? above : (shares.below * short.count) / short.windowSeconds;
  const perSecond = short === null ? above : short.count / short.windowSeconds;
  const pressing = pressingShare * perSecond;
  const mustAccept = long.count - 1;
  const atOnce = Math.min(short?.count ?? mustAccept, mustAccept);
  const paced = mustAccept - atOnce;
  const clean: Step[] = [];
  if (atOnce > 0) clean.push(fast('probe', atOnce));
  // An interpolated counter looks back over two of its windows.
  if (short !== null && paced > 0) clean.push({ kind: 'gap', seconds: 2 * short.windowSeconds + 0.1 });
  // Under interpolated counters a refusal is certainly wrong only at half the rate: the last fifth, which tells the numbers apart, goes slow.
  const slow = short === null ? below : below / 2;
  const last = short === null ? paced : Math.min(paced, Math.ceil(long.count / 5 + 2 * short.windowSeconds * slow));
  const brisk = Math.ceil((paced - last) / 2);
  if (brisk > 0) clean.push(even('sustained', brisk, below));
  if (paced - last > brisk) clean.push(even('sustained', paced - last - brisk, pressing));
  clean.push(even('boundary', last + oneMore, slow));
  const cleanSeconds = costOf(clean).floorSeconds + alignmentMarginSeconds(long);
  const aligned = cleanSeconds + quantum < 0.9 * long.windowSeconds;
  // If the stream is too long to end with a window, the load must last until the window that it began is over.
  const unfinished = aligned || short === null ? 0 : long.windowSeconds - (cleanSeconds % long.windowSeconds);
  // Below the short limit, every refusal comes from the long one. A very large long limit fills only at the full rate of the short one.
  const spentSlowly = (1.15 * long.count) / (drawnOutShare * long.windowSeconds);
  const belowShort = long.count < 0.8 * perSecond * long.windowSeconds ? pressing : above;
  // A single limit is kept under pressure for longer, so that a clock window of half the length shows despite rare polls afterwards.
  const pressure = short === null ? Math.min(pressing, spentSlowly) : belowShort;
  const heavy: Step[] = [];
  if (short !== null) {
    // A lone request opens a short window, and pressure from its middle on into the next one shows what two windows hold together.
    heavy.push({ kind: 'gap', seconds: 1.05 * short.windowSeconds });
    const edge = even('burst', 3 * short.count, (3 * short.count) / short.windowSeconds);
    heavy.push({ ...edge, afterFirstSeconds: 0.45 * short.windowSeconds });
    // From rest, more at once than a bucket of one window holds is no interpolation's doing either.
    heavy.push({ kind: 'gap', seconds: 2.4 * short.windowSeconds });
  }
  if (short === null) {
    // The long limit alone sets the lasting rate: send a little below it, and a little above.
    const seconds = leisureShare * long.windowSeconds;
    for (const share of [shares.below, shares.above]) {
      const rate = (share * long.count) / long.windowSeconds;
      heavy.push(even('sustained', rate * seconds, rate));
    }
  }
  heavy.push({ ...fast('burst', burstCount(limits)), enoughRefusals: Math.max(20, Math.ceil(long.count / 3)) });
  if (short !== null) {
    // Long enough to spend the longer limit though it be a quarter too large: its refusals then tell where windows on the clock end.
    const spent = ((1.25 * long.count) / short.count - 2.5) * short.windowSeconds;
    const least = Math.min(2, Math.max(2 * short.windowSeconds, 0.2));
    heavy.push(even('sustained', above * Math.max(least, Math.min(spent, long.windowSeconds / 8)), above));
  }
  return [
    ...heavy,
    {
      kind: 'recovery',
      windowSeconds: long.windowSeconds,
      promptSeconds: aligned
        ? Math.max(quantum + cleanSeconds, promptShare * long.windowSeconds - resetSlackSeconds)
        : long.windowSeconds,
      coarsenessMs: granularityMs(long),
      anchorSeconds: aligned ? long.windowSeconds + quantum + cleanSeconds : long.windowSeconds,
    },
    {
      kind: 'idle',
      // The request after the advertised reset may come a window later than anything heavy, and a window may end late.
      sinceHeavySeconds: 2 * long.windowSeconds + quantum + (aligned ? 0 : latestEndSeconds(long)),
      leadSeconds: aligned ? cleanSeconds : 0,
      windowSeconds: long.windowSeconds,
      shortSeconds: short === null ? 0 : Math.ceil(short.windowSeconds) + 1,
    },
    ...clean,
    // Slowly at first: what is refused once the window must be over, be it a second late, is then not the short limit's doing.
    ...(short === null
      ? []
      : [
          even(
            'sustained',
            slow * (alignmentMarginSeconds(long) + granularityMs(long) / 1000 + 0.5 * short.windowSeconds),
            slow,
          ),
        ]),
    even(
      'sustained',
      pressure * (unfinished + (1.15 * long.count) / Math.min(pressure, perSecond) + quantum),
      pressure,
    ),
    // Below the short limit, a bucket stays full and an allowance is unused: both must now admit more than two seconds' worth, a bucket all
    // that it holds.
    ...(short === null ? [] : [fast('probe', Math.max(3 * short.count, Math.ceil(1.05 * long.count)))]),
    // The long limit is spent: who takes the last refusal at its word finds out whether it spoke of that one.
    ...(long.windowSeconds < leastReturnSeconds
      ? []
      : [
          {
            kind: 'return' as const,
            leastSeconds: short === null ? 0 : 2.1 * short.windowSeconds,
            mostSeconds: returnShare * long.windowSeconds,
          },
        ]),
  ];
}

/** At a share of the shorter limit's rate, more requests than windows of the longer limit accept wherever they begin. */
function spendingStep(long: Limit, share: number, short: Limit): SendStep {
  const rate = (share * short.count) / short.windowSeconds;
  return even('sustained', Math.min(2.1 * long.count, rate * long.windowSeconds), rate);
}

/**
 * The steps of one scenario: its own traffic, preceded by steps that bring the limit into the required state. All steps where no scenario
 * is named; none where these limits do not support the scenario.
 */
export function scenarioSteps(limits: readonly Limit[], scenario: ScenarioName | null): Step[] {
  const all = baseSteps(limits);
  if (scenario === null) return all;
  const beyond = all.slice(
    0,
    all.findIndex(({ kind }) => kind === 'recovery'),
  );
  const spent = beyond.filter(isFast);
  const { burst: long, sustained: short } = planNumbers(limits);
  if (scenario === 'burst') {
    const own = beyond.filter((step) => step.kind === 'gap' || (step.kind === 'send' && step.scenario === 'burst'));
    if (short === null) return own;
    // The shorter limit refuses most of a burst. Below it, only the longer limit can refuse.
    const rest: GapStep = { kind: 'gap', seconds: 2.4 * short.windowSeconds };
    return [...own, rest, spendingStep(long, pressingShare, short)];
  }
  if (scenario === 'sustained') return short === null ? [] : [...spent, spendingStep(long, shares.above, short)];
  if (scenario === 'probe') return [...spent, ...windowProbe(limits)];
  if (scenario === 'boundary') {
    const last = all.findLastIndex(isFast);
    // Nothing has exceeded the limits before: the last burst is one that no model accepts whole.
    return all.flatMap((step, at) =>
      at < beyond.length ? [] : at === last ? spent.map((one) => ({ ...one, scenario: 'probe' as const })) : [step],
    );
  }
  return [
    ...spent,
    ...all.flatMap((step) =>
      step.kind === 'recovery'
        ? [{ ...step, promptSeconds: step.windowSeconds, anchorSeconds: step.windowSeconds }]
        : [],
    ),
  ];
}

/** The same steps for a key that has just gone through them: first a rest, so that no window of before has a say. */
export function repeatSteps(limits: readonly Limit[], scenario: ScenarioName | null = null): Step[] {
  const { burst: long } = planNumbers(limits);
  const rest: GapStep = { kind: 'gap', seconds: 2 * long.windowSeconds + Math.min(1, long.windowSeconds / 4) };
  return [rest, ...scenarioSteps(limits, scenario)];
}

/** The limits that need a step larger than `driveBounds`, in words; null if none does. */
export function beyondBounds(steps: readonly Step[]): string | null {
  const most = Math.max(...steps.map((step) => ('count' in step ? step.count : 0)));
  return most <= driveBounds.requests
    ? null
    : `its limits ask for ${most.toLocaleString('en')} requests in one go, and at most ${driveBounds.requests.toLocaleString('en')} are sent`;
}
