import type { Check, Way } from '../run/check.js';
import type { RequestOptions } from '../run/request-options.js';
import { readPage } from '../service/list.js';

/** Which other way: the second address form, the second tenant, or a key that may only read or write units. */
export type WayName = 'second form' | 'second tenant' | 'reading key' | 'writing key';

/** Requests that a way may change: those with full access to what is live. */
const isUsual = ({ as, tenant, base, path, surface }: RequestOptions): boolean =>
  (as === undefined || as === 'API_KEY') &&
  [tenant, base, surface].every((one) => one === undefined) &&
  path.startsWith('/api/v1/');

/** The ways that the settings open, by their names. */
function openWays({ target: { apiBaseUrl, otherTenant, keys } }: Check): Map<WayName, Way> {
  const ways = new Map<WayName, Way>();
  const open = (way: WayName, name: string, change: (options: RequestOptions) => Partial<RequestOptions>): void => {
    ways.set(way, { name, change: (options) => (isUsual(options) ? { ...options, ...change(options) } : options) });
  };
  if (apiBaseUrl !== null)
    open('second form', 'at API_BASE_URL', ({ path }) => ({ base: apiBaseUrl, path: path.replace(/^\/api/, '') }));
  if (keys.OTHER_API_KEY !== undefined)
    open('second tenant', 'with OTHER_API_KEY', () => ({ as: 'OTHER_API_KEY', tenant: otherTenant }));
  const isRead = ({ method = 'GET' }: RequestOptions): boolean => method === 'GET';
  if (keys.API_KEY_READ_INVENTORY !== undefined)
    open('reading key', 'with API_KEY_READ_INVENTORY', (options) =>
      isRead(options) ? { as: 'API_KEY_READ_INVENTORY' } : {},
    );
  if (keys.API_KEY_WRITE_INVENTORY !== undefined)
    open('writing key', 'with API_KEY_WRITE_INVENTORY', (options) =>
      isRead(options) ? {} : { as: 'API_KEY_WRITE_INVENTORY' },
    );
  return ways;
}

/**
 * Judges the same in other ways, unless a breach is known already. A way on which units cannot be listed is left to other checks, and named. What
 * writes goes one way after another.
 */
export async function inOtherWays(
  check: Check,
  names: readonly WayName[],
  judge: () => Promise<unknown>,
): Promise<void> {
  const ways = openWays(check);
  const judgeOne = async (name: WayName): Promise<void> => {
    const way = ways.get(name);
    if (way === undefined || check.breaches.some((one) => !one.soft)) return;
    await check.through(way, async () => {
      if ((await readPage(check, { limit: 50 })).items === null) check.blocked('units could not be listed');
      await judge();
    });
  };
  if (check.entry.writes) for (const name of names) await judgeOne(name);
  else await check.each(names, judgeOne);
}
