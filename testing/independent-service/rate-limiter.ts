import type { Flavour } from './flavours.js';

export type Policy = { readonly limit: number; readonly seconds: number };
type View = { readonly policy: Policy; readonly remaining: number; readonly reset: number };
/** The tightest policy, and the one over the longest time. */
export type Decision = View & { readonly allowed: boolean; readonly long: View };

/** One policy at work; times are milliseconds, resets seconds. */
type Gauge = {
  readonly left: (now: number) => number;
  readonly reset: (now: number) => number;
  readonly take: (now: number) => void;
};

/** What a limiter without policies allows. */
const nothing: Policy = { limit: 0, seconds: 1 };

type Kind = Flavour['rate']['limiter'];

const slidingLog = ({ limit, seconds }: Policy): Gauge => {
  const span = seconds * 1000;
  let log: number[] = [];
  return {
    left: (now) => {
      const first = log.findIndex((at) => at > now - span);
      if (first !== 0) log = first < 0 ? [] : log.slice(first);
      return limit - log.length;
    },
    reset: (now) => (log[0] === undefined ? seconds : Math.max(0, (log[0] + span - now) / 1000)),
    take: (now) => {
      log.push(now);
    },
  };
};

const fixedWindow = ({ limit, seconds }: Policy, aligned: boolean): Gauge => {
  const span = seconds * 1000;
  let start = -Infinity;
  let used = 0;
  return {
    left: (now) => {
      if (now - start >= span) {
        start = aligned ? Math.floor(now / span) * span : now;
        used = 0;
      }
      return limit - used;
    },
    reset: (now) => Math.max(0, (start + span - now) / 1000),
    take: () => {
      used += 1;
    },
  };
};

const tokenBucket = ({ limit, seconds }: Policy): Gauge => {
  const perMs = limit / (seconds * 1000);
  let tokens = limit;
  let at = 0;
  return {
    left: (now) => {
      tokens = Math.min(limit, tokens + (at === 0 ? 0 : (now - at) * perMs));
      at = now;
      return Math.floor(tokens);
    },
    reset: () => ((tokens >= 1 ? limit : 1) - tokens) / perMs / 1000,
    take: () => {
      tokens -= 1;
    },
  };
};

const gaugeOf = (kind: Kind, policy: Policy): Gauge => {
  if (kind === 'sliding-log') return slidingLog(policy);
  return kind === 'token-bucket' ? tokenBucket(policy) : fixedWindow(policy, kind === 'clock-window');
};

export type Limiter = { readonly take: (count?: boolean) => Decision; readonly policies: readonly Policy[] };

/** `sticky`: once refused, refused for good. */
export const createLimiter = (kind: Kind, policies: readonly Policy[], sticky = false): Limiter => {
  const gauges = policies.map((policy) => ({ policy, ...gaugeOf(kind, policy) }));
  let stuck = false;
  return {
    policies,
    take: (count = true) => {
      const now = Date.now();
      const views = gauges.map((gauge) => ({ gauge, left: gauge.left(now) }));
      const byNeed = views.toSorted((a, b) => a.left - b.left || b.gauge.policy.seconds - a.gauge.policy.seconds);
      const allowed = !stuck && (byNeed[0]?.left ?? 0) >= 1;
      if (allowed && count) for (const gauge of gauges) gauge.take(now);
      if (!allowed && sticky) stuck = true;
      const view = (gauge: (typeof gauges)[number] | undefined, left: number): View => ({
        policy: gauge?.policy ?? nothing,
        remaining: stuck ? 0 : Math.max(0, left),
        reset: Math.ceil(gauge?.reset(now) ?? 0),
      });
      const [tightest] = byNeed;
      const taken = allowed && count ? 1 : 0;
      return {
        allowed,
        ...view(tightest?.gauge, (tightest?.left ?? 0) - taken),
        long: view(gauges[0], gauges[0]?.left(now) ?? 0),
      };
    },
  };
};
