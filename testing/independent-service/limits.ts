import type { Broken } from './breaches.js';

/** What the limits are divided by, and the seconds that a minute and a second of them last: real ones take too long to judge. */
export type Scale = { readonly count: number; readonly minute: number; readonly second: number };

export const realScale: Scale = { count: 1, minute: 60, second: 1 };

/** The most requests a minute and a second. */
const plans = {
  independent: [600, 100],
  franchise: [3000, 500],
  enterprise: [20_000, 5000],
  demo: [100],
  sandbox: [100],
};

export type Plan = keyof typeof plans;

export const policiesOf = (scale: Scale, counts: readonly number[]): Policy[] =>
  counts.map((count, i) => ({ limit: Math.floor(count / scale.count), seconds: i ? scale.second : scale.minute }));

/** The limits that are sold, as settings of the suite. */
export const limitSettings = (scale: Scale): Record<string, string> =>
  Object.fromEntries(
    Object.entries(plans).map(([plan, counts]) => {
      const policies = policiesOf(scale, counts);
      return [`LIMITS_${plan.toUpperCase()}`, policies.map((p) => `${p.limit}/${p.seconds}s`).join(',')];
    }),
  );

/** The plans, as a breach of the limits has them. */
export const brokenPlans = (broken: Broken): Record<Plan, readonly number[]> => ({
  ...plans,
  ...(broken('rate-franchise-second-early') ? { franchise: [3000, 200] } : {}),
  ...(broken('rate-enterprise-as-independent') ? { enterprise: plans.independent } : {}),
  ...(broken('rate-demo-early') ? { demo: [60] } : {}),
});

export type Policy = { readonly limit: number; readonly seconds: number };
type View = { readonly policy: Policy; readonly remaining: number; readonly reset: number };
/** The tightest policy, and the one over the longest time. */
export type Decision = View & { readonly allowed: boolean; readonly long: View };
export type Limiter = { readonly take: (count?: boolean) => Decision; readonly policies: readonly Policy[] };

/** What a limiter without policies allows. */
const nothing: View = { policy: { limit: 0, seconds: 1 }, remaining: 0, reset: 0 };

/** A log of what was accepted, the longest policy first. `sticky`: once refused, refused for good. */
export const createLimiter = (policies: readonly Policy[], sticky = false): Limiter => {
  let log: number[] = [];
  let stuck = false;
  const longest = Math.max(...policies.map(({ seconds }) => seconds));
  return {
    policies,
    take: (count = true) => {
      const now = Date.now();
      log = log.filter((at) => at > now - longest * 1000);
      const views = policies.map((policy): View => {
        const within = log.filter((at) => at > now - policy.seconds * 1000);
        const reset = Math.ceil(((within[0] ?? now) - now) / 1000 + policy.seconds);
        return { policy, remaining: Math.max(0, policy.limit - within.length), reset };
      });
      const byNeed = views.toSorted((a, b) => a.remaining - b.remaining || b.policy.seconds - a.policy.seconds);
      const [tightest = nothing] = byNeed;
      const allowed = !stuck && tightest.remaining >= 1;
      stuck ||= sticky && !allowed;
      const taken = allowed && count ? 1 : 0;
      if (taken === 1) log.push(now);
      const after = ({ remaining, ...view }: View): View => ({ ...view, remaining: stuck ? 0 : remaining - taken });
      return { allowed, ...after(tightest), long: after(views[0] ?? nothing) };
    },
  };
};
