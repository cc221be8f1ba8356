import { granularityMs } from '../../ratelimit/index.js';
import type { Limit } from '../../settings/index.js';
import {
  even,
  fast,
  longAndShort,
  oneMore,
  pressingShare,
  spentInSeconds,
  type FastStep,
  type GapStep,
  type PollStep,
  type Step,
} from './steps.js';

/** This many windows after it was filled, no conforming counter still refuses, not even one that counts refused requests. */
const watchedWindows = 1.45;

/**
 * For a key that has just run `baseSteps`: its limit is spent, and the position of the window is unknown. Polling finds when it opens; the
 * client then fills it again and polls until it reopens, neither too early (a few more requests confirm that) nor too late.
 */
export function windowProbe(limits: readonly Limit[]): Step[] {
  const { long, short } = longAndShort(limits);
  const { windowSeconds, count } = long;
  const rate = short === null ? count / spentInSeconds(long) : (pressingShare * short.count) / short.windowSeconds;
  // The fewer of them are refused, the sooner an interpolated counter that counts them must have let go of a limit that stands alone.
  const fillShare = short === null ? 1.15 : 1.3;
  const fill = even('probe', fillShare * count + oneMore, Math.max(rate, (2 * count) / windowSeconds));
  // Refused requests may count: polling must never spend a limit by itself, nor make up much of what an interpolated counter weighs.
  const everySeconds = windowSeconds * Math.max(1 / 40, 4 / count, Math.min(1 / 12, 8 / count));
  const poll = (mostSeconds: number): PollStep => ({ kind: 'poll', scenario: 'probe', everySeconds, mostSeconds });
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
  const { long, short } = longAndShort(limits);
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
  const { long, short } = longAndShort(limits);
  if (short === null) return [];
  const refillSeconds = (1.05 * long.count * short.windowSeconds) / short.count + 0.5 * short.windowSeconds;
  if (burstsInWindow * (refillSeconds + 1) > 0.9 * long.windowSeconds) return [];
  const burst: FastStep = {
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
 * only such servers refuse any. The second time stands half a window later, so that no window hides both. Empty where a plan has one limit.
 */
export function serversProbe(limits: readonly Limit[]): Step[] {
  const { long, short } = longAndShort(limits);
  if (short === null) return [];
  const rate = short.count / short.windowSeconds;
  const spendSeconds = Math.max(long.windowSeconds / 4, (1.2 * long.count) / rate);
  const mostPerSecond = rate + long.count / long.windowSeconds;
  const most = mostPerSecond * (spendSeconds + short.windowSeconds) + short.count + 2 * long.count;
  const spent = beyondShare * most;
  const round = Math.ceil(spendSeconds / long.windowSeconds - 0.3) + 0.5;
  const slowSeconds = round * long.windowSeconds - spendSeconds;
  const once: Step[] = [
    even('probe', spent, spent / spendSeconds),
    even('probe', slowShare * rate * slowSeconds, slowShare * rate),
  ];
  // What was accepted before would leave room in a log, at the pace of the slow stream.
  return [{ kind: 'gap', seconds: long.windowSeconds }, ...once, ...once];
}
