import type { Check, Way } from '../run/check.js';
import type { RequestOptions } from '../run/request-options.js';
import { readPage } from '../service/list.js';
import { otherForms } from '../settings/address-forms.js';
import type { KeyName } from '../settings/target.js';

/** Which other way: the second address form, the second tenant, or a key that may only read or write units. */
export type WayName = 'second form' | 'second tenant' | 'reading key' | 'writing key';

/** Requests that a way may change: those with full access to what is live. */
const isUsual = ({ as, tenant, base, form, path, surface }: RequestOptions): boolean =>
  (as === undefined || as === 'API_KEY') &&
  [tenant, base, form, surface].every((one) => one === undefined) &&
  path.startsWith('/api/v1/');

const isRead = ({ method = 'GET' }: RequestOptions): boolean => method === 'GET';

/** The ways that the settings open; undefined where they do not. */
function openWays({ target }: Check): Readonly<Record<WayName, Way | undefined>> {
  const way = (
    name: string,
    change: Partial<RequestOptions>,
    changes: (options: RequestOptions) => boolean = () => true,
  ): Way => ({
    name,
    change: (options) => (isUsual(options) && changes(options) ? { ...options, ...change } : options),
  });
  const keyed = (as: KeyName, change: Partial<RequestOptions>, changes?: typeof isRead): Way | undefined =>
    target.keys[as] === undefined ? undefined : way(`with ${as}`, { as, ...change }, changes);
  const [form] = otherForms(target);
  return {
    'second form': form && way('at API_BASE_URL', { form }),
    'second tenant': keyed('OTHER_API_KEY', { tenant: target.otherTenant }),
    'reading key': keyed('API_KEY_READ_INVENTORY', {}, isRead),
    'writing key': keyed('API_KEY_WRITE_INVENTORY', {}, (options) => !isRead(options)),
  };
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
    const way = ways[name];
    if (way === undefined || check.breaches.some((one) => !one.soft)) return;
    await check.through(way, async () => {
      if ((await readPage(check, { limit: 50 })).items === null) check.blocked('units could not be listed');
      await judge();
    });
  };
  if (check.entry.writes) for (const name of names) await judgeOne(name);
  else await check.each(names, judgeOne);
}
