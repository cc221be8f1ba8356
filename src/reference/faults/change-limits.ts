import type { FaultHooks, LimitNumber, LimitNumbers, LimitedBy } from '../instance.js';
import type { Limiter } from '../limiter/compose.js';

export const isPlan = (by: LimitedBy): boolean => by === 'independent' || by === 'franchise' || by === 'enterprise';
export const longest = (list: readonly LimitNumber[]): number => Math.max(...list.map(({ seconds }) => seconds));

/** Changes the numbers of what is limited; an empty list of numbers is no limit. */
export const limitsOf = (
  which: (by: LimitedBy) => boolean,
  change: (list: readonly LimitNumber[], all: LimitNumbers) => readonly LimitNumber[],
): FaultHooks => ({
  limitNumbers: (all) =>
    Object.fromEntries(
      Object.entries(all).map(([by, list]) => [by, which(by as LimitedBy) ? change(list, all) : list]),
    ) as LimitNumbers,
});
type Scale = (count: number) => number;
export const scaled = (list: readonly LimitNumber[], scale: Scale): LimitNumber[] =>
  list.map(({ count, seconds }) => ({ count: Math.max(1, scale(count)), seconds }));
/** Changes the counts of the plans: of the long window, or of the others. */
export const burst = (scale: Scale): FaultHooks =>
  limitsOf(isPlan, (list) =>
    scaled(list, scale).map((one, at) => (one.seconds === longest(list) ? one : (list[at] ?? one))),
  );
export const sustained = (scale: Scale): FaultHooks =>
  limitsOf(isPlan, (list) =>
    scaled(list, scale).map((one, at) => (one.seconds === longest(list) ? (list[at] ?? one) : one)),
  );
export const only = (
  name: LimitedBy,
  change: (list: readonly LimitNumber[], all: LimitNumbers) => readonly LimitNumber[],
) => limitsOf((by) => by === name, change);

/** Lets everything pass that is limited so. */
export const passes = (which: (by: LimitedBy) => boolean): FaultHooks => ({
  limiter: (limiter, by) =>
    which(by) ? { ...limiter, decide: (nowMs) => ({ ...limiter.decide(nowMs), allowed: true }) } : limiter,
});
/** Counts requests of the plans under another name. */
export const counted = (name: (usual: string, request: string, source: string) => string): FaultHooks => ({
  limiterName: (usual, by, request, source) => (isPlan(by) ? name(usual, request, source) : usual),
});

export function banAfterRefusal(limiter: Limiter, by: LimitedBy, list: readonly LimitNumber[]): Limiter {
  let bannedUntilMs = 0;
  const decide = (nowMs: number): ReturnType<Limiter['decide']> => {
    const decision = limiter.decide(nowMs);
    const banned = bannedUntilMs > nowMs;
    if (!decision.allowed && !banned) bannedUntilMs = nowMs + 3_000 * longest(list);
    return { ...decision, allowed: decision.allowed && !banned };
  };
  return isPlan(by) ? { ...limiter, decide } : limiter;
}

export function oneInFiftyRefused(): FaultHooks {
  let count = 0;
  return {
    limiter: (limiter, by) => ({
      ...limiter,
      decide: (nowMs) => {
        const decision = limiter.decide(nowMs);
        count += 1;
        return { ...decision, allowed: decision.allowed && !(isPlan(by) && count % 50 === 0) };
      },
    }),
  };
}

export function writesUncounted(limiter: Limiter, by: LimitedBy): Limiter {
  return {
    ...limiter,
    decide: (nowMs, request = '') =>
      isPlan(by) && request.startsWith('POST ')
        ? { ...(limiter.windows[0]?.look(nowMs) ?? limiter.decide(nowMs)), allowed: true }
        : limiter.decide(nowMs),
  };
}
