import type { Behaviour, LimitNumber, LimitNumbers, LimitedBy, Ruling } from './instance.js';
import { anyWindow, everyWindow, type Limiter } from './limiter/compose.js';
import { severalServers } from './limiter/several-servers.js';
import * as limiters from './limiter/window.js';

const { fixedByFirstRequest, tokenBucket } = limiters;
const windows: Readonly<Record<string, limiters.MakeWindow>> = {
  'fixed-first-request': fixedByFirstRequest,
  'fixed-clock': limiters.fixedByClock,
  'sliding-log': limiters.slidingLog,
  'sliding-counter': limiters.slidingCounter,
};

function makeLimiter(behaviour: Behaviour, numbers: readonly LimitNumber[]): Limiter {
  const sorted = [...numbers].sort((a, b) => b.seconds - a.seconds);
  const burst = sorted[0];
  const sustained = sorted.length > 1 ? sorted.at(-1) : undefined;
  if (burst === undefined)
    return {
      windows: [],
      count: () => undefined,
      decide: () => ({ allowed: true, limit: 1e6, windowSeconds: 60, remaining: 999_999, resetSeconds: 60 }),
    };
  const kind = behaviour.option('limiter');
  const slow = sustained ?? burst;
  const bucket = (perSecond: number): limiters.Window => tokenBucket(burst.count, perSecond, burst.seconds);
  const short = sustained && fixedByFirstRequest(sustained.count, sustained.seconds);
  if (kind === 'token-bucket') return everyWindow([bucket(slow.count / slow.seconds)], false);
  if (kind === 'token-bucket-slow')
    return everyWindow([bucket(burst.count / burst.seconds), ...(short ? [short] : [])], false);
  if (kind === 'spill' && short) return anyWindow([short, fixedByFirstRequest(burst.count, burst.seconds)]);
  const make = windows[kind] ?? fixedByFirstRequest;
  const rest = sorted.slice(1).map((one) => make(one.count, one.seconds));
  return everyWindow([make(burst.count, burst.seconds), ...rest], behaviour.option('refused-counted') === 'yes');
}

/** How often servers that count for themselves tell each other. */
const exchangeMs = 50;

/** The limiters of an instance, one for each key (or tenant), made when first used. */
export class Limits {
  readonly #behaviour: Behaviour;
  readonly #numbers: LimitNumbers;
  readonly #limiters = new Map<string, Limiter>();

  constructor(behaviour: Behaviour, numbers: LimitNumbers) {
    this.#behaviour = behaviour;
    this.#numbers = behaviour.apply('limitNumbers', numbers);
  }

  /** Judges one request; `subject` tells keys (or tenants) apart. Only faults look at `request` (method and path); `source` is the address that it came from. */
  rule(by: LimitedBy, subject: string, request: string, nowMs: number, source = ''): Ruling {
    const numbers = this.#numbers[by];
    const name = this.#behaviour.apply('limiterName', `${by} ${subject}`, by, request, source);
    let limiter = this.#limiters.get(name);
    if (limiter === undefined) {
      const make = (): Limiter => makeLimiter(this.#behaviour, numbers);
      const isApart = this.#behaviour.option('limit-counters') === 'exchanged';
      const usual = isApart ? severalServers(exchangeMs, make) : make();
      limiter = this.#behaviour.apply('limiter', usual, by, numbers, name);
      if (this.#limiters.size > 10_000) this.#limiters.clear();
      this.#limiters.set(name, limiter);
    }
    return { ...limiter.decide(nowMs, request, source), policies: numbers };
  }
}
