import type { Behaviour } from './behaviour.js';
import type { Ruling } from './limits.js';

/** `RateLimit-*` for one ruling, and on a refusal `Retry-After`. */
export function limitHeaders(ruling: Ruling, behaviour: Behaviour): Record<string, string> {
  const { has } = behaviour;
  const refused = !ruling.allowed;
  const seconds = Math.max(refused ? 1 : 0, Math.ceil(ruling.resetSeconds - 1e-6));
  const headers: Record<string, string> = {};
  const silent =
    has('headers-missing') || (refused ? has('headers-missing-on-refusal') : has('headers-missing-on-success'));
  if (!silent) {
    const prefix = has('headers-under-older-names') ? 'X-RateLimit' : 'RateLimit';
    headers[`${prefix}-Limit`] = limitValue(ruling, behaviour);
    headers[`${prefix}-Remaining`] = String(remainingValue(ruling, behaviour));
    if (!has('reset-missing')) headers[`${prefix}-Reset`] = resetValue(seconds, ruling, behaviour);
  }
  return refused ? { ...headers, ...refusalHeaders(seconds, behaviour) } : headers;
}

function limitValue(ruling: Ruling, behaviour: Behaviour): string {
  const { has } = behaviour;
  if (has('limit-in-words')) return `${ruling.limit}/${ruling.windowSeconds === 1 ? 's' : 'min'}`;
  const told = has('limit-told-twice-as-high') ? ruling.limit * 2 : ruling.limit;
  const limit = has('limit-of-no-plan') ? ruling.limit * 3 + 7 : told;
  if (behaviour.dial('limit-header') === 'bare') return String(limit);
  return [String(limit), ...ruling.policies.map((one) => `${one.count};w=${Math.ceil(one.seconds)}`)].join(', ');
}

function remainingValue(ruling: Ruling, behaviour: Behaviour): number {
  const { has } = behaviour;
  if (has('remaining-frozen')) return ruling.limit;
  if (has('remaining-above-limit')) return Math.ceil(ruling.remaining * 1.25) + 1;
  if (ruling.allowed && has('remaining-counts-up')) return ruling.limit - ruling.remaining;
  if (ruling.allowed)
    return behaviour.dial('remaining-header') === 'lowered' ? lowered(ruling, behaviour) : ruling.remaining;
  if (has('remaining-negative')) return -1;
  return has('remaining-on-refusal') ? Math.ceil(ruling.limit / 2) : ruling.remaining;
}

/** What is left, less a share of it near the end of a window; where that part begins, and how large the share is, depends on the seed. */
function lowered({ remaining, resetSeconds, windowSeconds }: Ruling, { seed }: Behaviour): number {
  const part = 0.25 + 0.05 * (seed % 5);
  return resetSeconds < part * windowSeconds ? Math.floor(remaining * (0.3 + 0.1 * (seed % 4))) : remaining;
}

function resetValue(seconds: number, ruling: Ruling, behaviour: Behaviour): string {
  const { has } = behaviour;
  if (has('reset-time-stamp')) return String(Math.floor(Date.now() / 1_000) + seconds);
  if (has('reset-fraction')) return ruling.resetSeconds.toFixed(3);
  if (has('reset-whole-window')) return String(Math.ceil(ruling.windowSeconds));
  return has('reset-constant') ? '1' : String(seconds);
}

function refusalHeaders(seconds: number, behaviour: Behaviour): Record<string, string> {
  const { has } = behaviour;
  const headers: Record<string, string> = {
    'Cache-Control': has('refusal-cacheable') ? 'public, max-age=60' : 'no-store',
  };
  if (has('refusal-cacheable-at-the-edge')) headers['CDN-Cache-Control'] = 'max-age=60';
  if (has('refusal-expires-later')) {
    delete headers['Cache-Control'];
    headers['Expires'] = new Date(Date.now() + 60_000).toUTCString();
  }
  const form = behaviour.dial('retry-after');
  if (has('retry-after-missing') || form === 'absent') return headers;
  if (has('retry-after-words')) headers['Retry-After'] = 'soon';
  else if (has('retry-after-milliseconds')) headers['Retry-After'] = String(seconds * 1_000);
  else if (has('retry-after-past-date')) headers['Retry-After'] = new Date(Date.now() - 60_000).toUTCString();
  else if (has('retry-after-zero')) headers['Retry-After'] = '0';
  else if (has('retry-after-disagrees')) headers['Retry-After'] = String(seconds + 10);
  // A date has whole seconds only: rounded up, so that waiting for it is always enough.
  else
    headers['Retry-After'] =
      form === 'date'
        ? new Date(Math.ceil(Date.now() / 1_000) * 1_000 + seconds * 1_000).toUTCString()
        : String(seconds);
  return headers;
}
