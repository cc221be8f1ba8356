import type { KeyPlan } from './api-keys.js';
import type { Behaviour } from './behaviour.js';
import { anyWindow, everyWindow } from './limiter/compose.js';
import type { Limiter } from './limiter/compose.js';
import { fixedByClock } from './limiter/fixed-clock.js';
import { fixedByFirstRequest } from './limiter/fixed-first-request.js';
import { slidingCounter } from './limiter/sliding-counter.js';
import { slidingLog } from './limiter/sliding-log.js';
import { tokenBucket } from './limiter/token-bucket.js';
import type { Decision, MakeWindow, Window } from './limiter/window.js';
import { distortNumbers } from './limit-distortions.js';

/** `count` requests in `seconds`. */
export interface LimitNumber {
  readonly count: number;
  readonly seconds: number;
}

/** Everything that has limits of its own. */
export type LimitedBy = KeyPlan | 'demo' | 'sandbox';

/** The numbers of each; the shortest window is the sustained one. */
export type LimitNumbers = Readonly<Record<LimitedBy, readonly LimitNumber[]>>;

/** A decision with the headers that tell of it. */
export interface Ruling extends Decision {
  readonly policies: readonly LimitNumber[];
}

const windows: Readonly<Record<string, MakeWindow>> = {
  'fixed-first-request': fixedByFirstRequest,
  'fixed-clock': fixedByClock,
  'sliding-log': slidingLog,
  'sliding-counter': slidingCounter,
};

function makeLimiter(behaviour: Behaviour, numbers: readonly LimitNumber[]): Limiter {
  const sorted = [...numbers].sort((a, b) => b.seconds - a.seconds);
  const burst = sorted[0];
  const sustained = sorted.length > 1 ? sorted.at(-1) : undefined;
  if (burst === undefined)
    return {
      windows: [],
      decide: () => ({ allowed: true, limit: 1e6, windowSeconds: 60, remaining: 999_999, resetSeconds: 60 }),
    };
  const kind = behaviour.dial('limiter');
  const refusedCount = behaviour.dial('refused-counted') === 'yes';
  const slow = sustained ?? burst;
  switch (kind) {
    case 'token-bucket':
      return everyWindow([tokenBucket(burst.count, slow.count / slow.seconds, burst.seconds)], false);
    case 'token-bucket-slow': {
      const bucket = tokenBucket(burst.count, burst.count / burst.seconds, burst.seconds);
      return everyWindow(
        sustained ? [bucket, fixedByFirstRequest(sustained.count, sustained.seconds)] : [bucket],
        false,
      );
    }
    case 'spill': {
      const spare = fixedByFirstRequest(burst.count, burst.seconds);
      return sustained
        ? anyWindow([fixedByFirstRequest(sustained.count, sustained.seconds), spare])
        : everyWindow([spare], refusedCount);
    }
    default: {
      const make = windows[kind] ?? fixedByFirstRequest;
      const rest: Window[] = sorted.slice(1).map((one) => make(one.count, one.seconds));
      return everyWindow([make(burst.count, burst.seconds), ...rest], refusedCount);
    }
  }
}

/** The limiters of an instance, one for each key (or tenant), made when first used. */
export class Limits {
  readonly #behaviour: Behaviour;
  readonly #numbers: LimitNumbers;
  readonly #limiters = new Map<string, Limiter>();
  readonly #bannedUntilMs = new Map<string, number>();
  #asked = 0;

  constructor(behaviour: Behaviour, numbers: LimitNumbers) {
    this.#behaviour = behaviour;
    this.#numbers = distortNumbers(numbers, behaviour);
  }

  /** Judges one request; `subject` tells keys (or tenants) apart, `path` is only looked at by a fault. */
  rule(by: LimitedBy, subject: string, path: string, nowMs: number): Ruling {
    const { has } = this.#behaviour;
    const plan = by === 'independent' || by === 'franchise' || by === 'enterprise';
    const together = plan && has('plans-counted-together');
    const name = [
      together ? 'plans' : `${by} ${subject}`,
      ...(plan && has('burst-by-path') ? [path] : []),
      ...(plan && has('limits-by-operation') ? [path.split(/[ ?]/)[1] ?? ''] : []),
    ].join(' ');
    const numbers = this.#numbers[by];
    let limiter = this.#limiters.get(name);
    if (limiter === undefined) {
      limiter = makeLimiter(this.#behaviour, numbers);
      if (this.#limiters.size > 10_000) this.#limiters.clear();
      this.#limiters.set(name, limiter);
    }
    if (plan && has('writes-uncounted') && path.startsWith('POST '))
      return { ...(limiter.windows[0]?.look(nowMs) ?? limiter.decide(nowMs)), allowed: true, policies: numbers };
    const decision = limiter.decide(nowMs);
    this.#asked += 1;
    const open =
      has('limits-missing') ||
      (by === 'demo' && has('demo-unlimited')) ||
      (by === 'sandbox' && has('sandbox-unlimited'));
    const banned = (this.#bannedUntilMs.get(name) ?? 0) > nowMs;
    const unlucky = plan && has('one-in-fifty-refused') && this.#asked % 50 === 0;
    if (!decision.allowed && plan && has('ban-after-refusal') && !banned)
      this.#bannedUntilMs.set(name, nowMs + 3_000 * Math.max(...numbers.map((one) => one.seconds)));
    return { ...decision, allowed: open || (decision.allowed && !banned && !unlucky), policies: numbers };
  }
}
