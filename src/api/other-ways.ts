import type { Operation } from '../openapi/index.js';
import { type Check, integerFor, type RequestOptions, type Way } from '../run/index.js';
import { listing, type WalkOptions } from '../service/index.js';
import { type KeyName, otherForms } from '../settings/index.js';

/** Which other way: the second address form, the second tenant, or a key that may only read units or deals. */
export type WayName = 'second form' | 'second tenant' | 'reading key' | 'key for deals';

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
    'key for deals': keyed('API_KEY_READ_DEALS', {}, isRead),
  };
}

/** Whether the document requires X-Tenant of one of these operations. */
export function requireTenant(operations: readonly (Operation | null)[]): boolean {
  const parameters = operations.flatMap((operation) => operation?.parameters ?? []);
  return parameters.some((one) => one.in === 'header' && one.required && /^x-tenant$/i.test(one.name));
}

const withoutTenant = ({ name, change }: Way): Way => ({
  name: `${name}, without X-Tenant`,
  change: (options) => {
    const changed = change(options);
    return changed === options ? options : { ...changed, tenant: null };
  },
});

/** Whether requests may leave X-Tenant out: §4.1 shows the list both ways. What writes names the tenant that it writes to. */
export async function mayLeaveOutTenant(check: Check): Promise<boolean> {
  if (check.entry.writes || check.target.tenant === null) return false;
  const { contract } = await check.contract();
  return !requireTenant(contract.operations);
}

const firstUnits: WalkOptions = { limit: 50, maxPages: 1 };

/**
 * Judges the same in other ways, on every other of them without X-Tenant, as the seed decides, until the judge returns false for one: then it
 * returns false. A way on which a list cannot be read is left to other checks, and named. What writes goes one way after another.
 */
export async function inOtherWays(
  check: Check,
  names: readonly WayName[],
  judge: (way: Way) => Promise<unknown>,
  list = firstUnits,
): Promise<boolean> {
  const ways = openWays(check);
  const judged: unknown[] = [];
  const isOpen = async (): Promise<boolean> => (await listing(check, list)).pages[0]?.items !== null;
  const unnamed = (await mayLeaveOutTenant(check)) ? integerFor(check.run.seed, 'ways without X-Tenant', 0, 1) : null;
  const judgeOne = async (name: WayName): Promise<void> => {
    const usual = ways[name];
    if (usual === undefined || judged.includes(false)) return;
    let way = usual;
    if (Object.keys(ways).indexOf(name) % 2 === unnamed)
      await check.through(withoutTenant(usual), async () => {
        if (await isOpen()) way = withoutTenant(usual);
      });
    await check.through(way, async () => {
      if (!(await isOpen())) check.blocked('the list could not be read');
      judged.push(await judge(way));
    });
  };
  if (check.entry.writes) for (const name of names) await judgeOne(name);
  else await check.each(names, judgeOne);
  return !judged.includes(false);
}
