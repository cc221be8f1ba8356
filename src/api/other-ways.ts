import type { Check, RequestOptions, Way } from '../run/index.js';
import { readPage } from '../service/index.js';
import { type KeyName, otherForms } from '../settings/index.js';

/** Which other way: the second address form, the second tenant, or a key that may only read units. */
export type WayName = 'second form' | 'second tenant' | 'reading key';

/** How findings name the second address form. */
export const secondForm = 'at API_BASE_URL';

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
    'second form': form && way(secondForm, { form }),
    'second tenant': keyed('OTHER_API_KEY', { tenant: target.otherTenant }),
    'reading key': keyed('API_KEY_READ_INVENTORY', {}, isRead),
  };
}

/**
 * Judges the same in other ways, until the judge returns false for one: then it returns false. A way on which units cannot be listed is left to
 * other checks, and named. What writes goes one way after another.
 */
export async function inOtherWays(
  check: Check,
  names: readonly WayName[],
  judge: (way: Way) => Promise<unknown>,
): Promise<boolean> {
  const ways = openWays(check);
  const judged: unknown[] = [];
  const judgeOne = async (name: WayName): Promise<void> => {
    const way = ways[name];
    if (way === undefined || judged.includes(false)) return;
    await check.through(way, async () => {
      if ((await readPage(check, { limit: 50 })).items === null) check.blocked('units could not be listed');
      judged.push(await judge(way));
    });
  };
  if (check.entry.writes) for (const name of names) await judgeOne(name);
  else await check.each(names, judgeOne);
  return !judged.includes(false);
}
