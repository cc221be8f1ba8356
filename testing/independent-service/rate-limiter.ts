import type { LimiterKind } from './types.js';

export type Policy = { readonly limit: number; readonly seconds: number };
type View = { readonly policy: Policy; readonly remaining: number; readonly reset: number };
/** The tightest policy, and the one over the longest time. */
export type Decision = View & { readonly allowed: boolean; readonly long: View };

type Gauge = {
  readonly policy: Policy;
  readonly left: (now: number) => number;
  readonly reset: (now: number) => number;
  readonly take: (now: number) => void;
};

const slidingLog = (policy: Policy): Gauge => {
  const span = policy.seconds * 1000;
  let log: number[] = [];
  const prune = (now: number): void => {
    let i = 0;
    while (i < log.length && (log[i] ?? 0) <= now - span) i += 1;
    if (i > 0) log = log.slice(i);
  };
  return {
    policy,
    left: (now) => {
      prune(now);
      return policy.limit - log.length;
    },
    reset: (now) => (log.length === 0 ? policy.seconds : Math.max(0, ((log[0] ?? now) + span - now) / 1000)),
    take: (now) => {
      log.push(now);
    },
  };
};

const fixedWindow = (policy: Policy, aligned: boolean): Gauge => {
  const span = policy.seconds * 1000;
  let start = -Infinity;
  let used = 0;
  const roll = (now: number): void => {
    if (now - start >= span) {
      start = aligned ? Math.floor(now / span) * span : now;
      used = 0;
    }
  };
  return {
    policy,
    left: (now) => {
      roll(now);
      return policy.limit - used;
    },
    reset: (now) => Math.max(0, (start + span - now) / 1000),
    take: () => {
      used += 1;
    },
  };
};

const tokenBucket = (policy: Policy): Gauge => {
  const perMs = policy.limit / (policy.seconds * 1000);
  let tokens = policy.limit;
  let at = 0;
  const refill = (now: number): void => {
    tokens = Math.min(policy.limit, tokens + (at === 0 ? 0 : (now - at) * perMs));
    at = now;
  };
  return {
    policy,
    left: (now) => {
      refill(now);
      return Math.floor(tokens);
    },
    reset: () => (tokens >= 1 ? (policy.limit - tokens) / perMs / 1000 : (1 - tokens) / perMs / 1000),
    take: () => {
      tokens -= 1;
    },
  };
};

const gauge = (kind: LimiterKind, policy: Policy): Gauge => {
  if (kind === 'sliding-log') return slidingLog(policy);
  if (kind === 'token-bucket') return tokenBucket(policy);
  return fixedWindow(policy, kind === 'clock-window');
};

export type Limiter = { readonly take: (count?: boolean) => Decision; readonly policies: readonly Policy[] };

export const createLimiter = (kind: LimiterKind, policies: readonly [Policy, ...Policy[]], sticky = false): Limiter => {
  const gauges = policies.map((p) => gauge(kind, p));
  let stuck = false;
  return {
    policies,
    take: (count = true) => {
      const now = Date.now();
      let tightest = gauges[0];
      let least = Infinity;
      for (const g of gauges) {
        const left = g.left(now);
        if (left < least || (left === least && g.policy.seconds > (tightest?.policy.seconds ?? 0))) {
          least = left;
          tightest = g;
        }
      }
      const allowed = !stuck && least >= 1;
      if (allowed && count) for (const g of gauges) g.take(now);
      if (!allowed && sticky) stuck = true;
      const policy = tightest?.policy ?? policies[0];
      const remaining = Math.max(0, allowed && count ? least - 1 : stuck ? 0 : least);
      const first = gauges[0];
      const long: View = {
        policy: policies[0],
        remaining: stuck ? 0 : Math.max(0, first?.left(now) ?? 0),
        reset: Math.ceil(first?.reset(now) ?? 60),
      };
      return { allowed, policy, remaining, reset: Math.ceil(tightest?.reset(now) ?? policy.seconds), long };
    },
  };
};
