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
