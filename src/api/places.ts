import type { Operation } from '../openapi/index.js';
import { type Check, integerFor, type Way } from '../run/index.js';
import { listing, paths, type WalkOptions } from '../service/index.js';
import { type AddressForm, type KeyName, otherForms } from '../settings/index.js';

/** Where something is asked: under an address form, with X-Tenant or without it, with a key that may do it. */
export interface Place {
  readonly name: 'home' | 'second form' | 'no tenant' | 'scoped key' | 'second tenant';
  /** Ends a sentence about it; empty for the usual place. */
  readonly words: string;
  readonly options: { readonly as?: KeyName; readonly tenant?: string | null; readonly form?: AddressForm };
}

/** A place other than the usual one, and one with a tenant. */
export type WayName = Exclude<Place['name'], 'home' | 'no tenant'>;

export const home: Place = { name: 'home', words: '', options: {} };

/** How findings name the second address form. */
export const secondForm = 'at API_BASE_URL';

/** The places that the settings open, the usual one first; `scoped` is the key that has the right to what is asked and to nothing else. */
function openPlaces({ target }: Check, scoped: KeyName): readonly Place[] {
  const { keys, otherTenant } = target;
  const others: readonly Place[] = [
    ...otherForms(target).map((form) => ({ name: 'second form', words: ` ${secondForm}`, options: { form } }) as const),
    { name: 'no tenant', words: ' without X-Tenant', options: { tenant: null } },
    { name: 'scoped key', words: ` with ${scoped}`, options: { as: scoped } },
    { name: 'second tenant', words: ' in the second tenant', options: { as: 'OTHER_API_KEY', tenant: otherTenant } },
  ];
  return [home, ...others.filter(({ options: { as } }) => as === undefined || keys[as] !== undefined)];
}

/** Whether the document requires X-Tenant of one of these operations. */
export function requireTenant(operations: readonly (Operation | null)[]): boolean {
  const parameters = operations.flatMap((operation) => operation?.parameters ?? []);
  return parameters.some((one) => one.in === 'header' && one.required && /^x-tenant$/i.test(one.name));
}

/** Whether requests may leave X-Tenant out: §4.1 shows the list both ways. What writes names the tenant that it writes to. */
export async function mayLeaveOutTenant(check: Check): Promise<boolean> {
  if (check.entry.writes || check.target.tenant === null) return false;
  const { contract } = await check.contract();
  return !requireTenant(contract.operations);
}

/** The places that the target offers for an operation. */
export async function placesFor(
  check: Check,
  method: string,
  path: string,
  scoped: KeyName,
): Promise<readonly Place[]> {
  const { contract } = await check.contract();
  const mayOmit = check.target.tenant !== null && !requireTenant([contract.operation(method, path)]);
  return openPlaces(check, scoped).filter(({ name }) => name !== 'no tenant' || mayOmit);
}

/** Moves requests with full access to what is live to a place; a key of one scope reads only. */
const wayTo = ({ name, words, options }: Place): Way => ({
  name: words.trim(),
  change(asked) {
    const { as = 'API_KEY', method = 'GET', path, tenant, base, form, surface } = asked;
    const isUsual = as === 'API_KEY' && [tenant, base, form, surface].every((one) => one === undefined);
    const isMoved = isUsual && path.startsWith('/api/v1/') && (name !== 'scoped key' || method === 'GET');
    return isMoved ? { ...asked, ...options } : asked;
  },
});

const firstUnits: WalkOptions = { limit: 50, maxPages: 1 };

/**
 * Judges the same in other places, either in the second tenant or in the others without X-Tenant, as the seed decides, until the judge returns false
 * for one: then it returns false. A place where a list cannot be read is left to other checks, and named. What writes goes to one after another.
 */
export async function inOtherWays(
  check: Check,
  names: readonly WayName[],
  judge: (way: Way) => Promise<unknown>,
  list = firstUnits,
): Promise<boolean> {
  const scoped = list.path === paths.deals ? 'API_KEY_READ_DEALS' : 'API_KEY_READ_INVENTORY';
  const places = names.flatMap((name) => openPlaces(check, scoped).filter((place) => place.name === name));
  const judged: unknown[] = [];
  const isOpen = async (): Promise<boolean> => (await listing(check, list)).pages[0]?.items !== null;
  const unnamed = (await mayLeaveOutTenant(check)) ? integerFor(check.run.seed, 'ways without X-Tenant', 0, 1) : null;
  const judgeOne = async (place: Place): Promise<void> => {
    if (judged.includes(false)) return;
    let way = wayTo(place);
    if (Number(place.name === 'second tenant') === unnamed) {
      const { words, options } = place;
      const other = wayTo({ ...place, words: `${words}, without X-Tenant`, options: { ...options, tenant: null } });
      await check.through(other, async () => {
        if (await isOpen()) way = other;
      });
    }
    await check.through(way, async () => {
      if (!(await isOpen())) check.blocked('the list could not be read');
      judged.push(await judge(way));
    });
  };
  if (check.entry.writes) for (const place of places) await judgeOne(place);
  else await check.each(places, judgeOne);
  return !judged.includes(false);
}
