import type { Check, RequestOptions } from '../../run/index.js';
import { type KeyName, otherForms } from '../../settings/index.js';
import { requireTenant } from '../other-ways.js';

/** Where records are created and read: an address form, with X-Tenant or without it, by a caller that may do it. */
export interface Place {
  readonly name: 'home' | 'second form' | 'no tenant' | 'scoped key' | 'second tenant';
  /** Ends a sentence about it; empty for the usual place. */
  readonly words: string;
  readonly options: Pick<RequestOptions, 'as' | 'tenant' | 'form'>;
}

export const home: Place = { name: 'home', words: '', options: {} };

/** The places that the target offers for an operation, the usual one first; `scoped` is the key that has the right to it alone. */
export async function placesFor(
  check: Check,
  method: string,
  path: string,
  scoped: KeyName,
): Promise<readonly Place[]> {
  const { keys, tenant, otherTenant, ...addresses } = check.target;
  const { contract } = await check.contract();
  const mayOmit = tenant !== null && !requireTenant([contract.operation(method, path)]);
  const [form] = otherForms(addresses);
  const places: readonly (Place | false)[] = [
    home,
    form !== undefined && { name: 'second form', words: ' at API_BASE_URL', options: { form } },
    mayOmit && { name: 'no tenant', words: ' without X-Tenant', options: { tenant: null } },
    keys[scoped] !== undefined && { name: 'scoped key', words: ` with ${scoped}`, options: { as: scoped } },
    keys.OTHER_API_KEY !== undefined && {
      name: 'second tenant',
      words: ' in the second tenant',
      options: { as: 'OTHER_API_KEY', tenant: otherTenant },
    },
  ];
  return places.filter((place) => place !== false);
}
