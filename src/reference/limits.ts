import type { Behaviour, LimitNumber, LimitNumbers, World } from './instance.js';
import { anyWindow, everyWindow, severalServers, type Limiter } from './limiter/compose.js';
import * as limiters from './limiter/window.js';

const { fixedByFirstRequest, tokenBucket } = limiters;
const windows: Readonly<Record<string, limiters.MakeWindow>> = {
  'fixed-first-request': fixedByFirstRequest,
  'fixed-clock': limiters.fixedByClock,
  'sliding-log': limiters.slidingLog,
  'sliding-counter': limiters.slidingCounter,
};

/** Where a fault leaves no limit. */
const unlimited: LimitNumber = { count: 1e6, seconds: 60 };

function makeLimiter({ option }: Behaviour, numbers: readonly LimitNumber[]): Limiter {
  const [burst = unlimited, ...rest] = [...numbers].sort((a, b) => b.seconds - a.seconds);
  const kind = option('limiter');
  const slow = rest.at(-1) ?? burst;
  const bucket = (perSecond: number): limiters.Window => tokenBucket(burst.count, perSecond, burst.seconds);
  const short = rest.slice(-1).map(({ count, seconds }) => fixedByFirstRequest(count, seconds));
  if (kind === 'token-bucket') return everyWindow([bucket(slow.count / slow.seconds)], false);
  if (kind === 'token-bucket-slow') return everyWindow([bucket(burst.count / burst.seconds), ...short], false);
  if (kind === 'spill' && short.length > 0)
    return anyWindow([...short, fixedByFirstRequest(burst.count, burst.seconds)]);
  const make = windows[kind] ?? fixedByFirstRequest;
  const all = [burst, ...rest].map(({ count, seconds }) => make(count, seconds));
  return everyWindow(all, option('refused-counted') === 'yes');
}

/** How often servers that count for themselves tell each other. */
const exchangeMs = 50;

/** The limiters of an instance, one for each key (or tenant), made when first used. */
export function makeLimits(behaviour: Behaviour, numbers: LimitNumbers): World['limits'] {
  const { option, apply } = behaviour;
  const kept = apply('limitNumbers', numbers);
  const limiters = new Map<string, Limiter>();
  return {
    rule(by, subject, request, nowMs, source = '') {
      const policies = kept[by];
      const name = apply('limiterName', `${by} ${subject}`, by, request, source);
      let limiter = limiters.get(name);
      if (limiter === undefined) {
        const make = (): Limiter => makeLimiter(behaviour, policies);
        const usual = option('limit-counters') === 'exchanged' ? severalServers(exchangeMs, make) : make();
        limiter = apply('limiter', usual, by, policies, name);
        if (limiters.size > 10_000) limiters.clear();
        limiters.set(name, limiter);
      }
      return { ...limiter.decide(nowMs, request, source), policies };
    },
  };
}
