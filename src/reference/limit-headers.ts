import type { Behaviour, Ruling } from './instance.js';

/** `RateLimit-*` for one ruling, and on a refusal `Retry-After`. */
export function limitHeaders(ruling: Ruling, behaviour: Behaviour): Record<string, string> {
  const { option } = behaviour;
  const { allowed, limit, policies } = ruling;
  const seconds = Math.max(allowed ? 0 : 1, Math.ceil(ruling.resetSeconds - 1e-6));
  const policyItems = policies.map((one) => `${one.count};w=${Math.ceil(one.seconds)}`);
  const isLowered = allowed && option('remaining-header') === 'lowered';
  const remaining = isLowered ? lowered(ruling, behaviour) : ruling.remaining;
  const headers = {
    'RateLimit-Limit': [String(limit), ...(option('limit-header') === 'policy' ? policyItems : [])].join(', '),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(seconds),
    ...(option('limit-header') === 'later-fields' ? laterFields(ruling, remaining, seconds) : {}),
    ...(allowed ? {} : { 'Cache-Control': 'no-store', ...retryAfter(seconds, option('retry-after')) }),
  };
  return behaviour.apply('limitHeaders', headers, ruling, seconds);
}

/** The fields that replaced the three (draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4). */
export function laterFields(
  { limit, windowSeconds }: Ruling,
  remaining: number,
  seconds: number,
): Record<string, string> {
  return {
    'RateLimit-Policy': `"plan";q=${limit};w=${Math.ceil(windowSeconds)}`,
    RateLimit: `"plan";r=${remaining};t=${seconds}`,
  };
}

/**
 * The remaining count, reduced by a share near the end of a window; the seed determines where that part begins and how large the share is.
 */
function lowered({ remaining, resetSeconds, windowSeconds }: Ruling, { seed }: Behaviour): number {
  const part = 0.25 + 0.05 * (seed % 5);
  return resetSeconds < part * windowSeconds ? Math.floor(remaining * (0.3 + 0.1 * (seed % 4))) : remaining;
}

function retryAfter(seconds: number, form: 'seconds' | 'date' | 'absent'): Record<string, string> {
  if (form === 'absent') return {};
  // A date has whole seconds only: rounded up, so that waiting for it is always enough.
  const date = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + seconds * 1_000);
  return { 'Retry-After': form === 'date' ? date.toUTCString() : String(seconds) };
}
