import type { Target } from './target.js';

type Addresses = Pick<Target, 'baseUrl' | 'apiBaseUrl'>;

/** How an address is written: `{base_url}/api/v1/…`, or `{api_base_url}/v1/…` (§4). */
export type AddressForm = 'first' | 'second';

/** The address forms that a target has beside the usual one. */
export function otherForms({ apiBaseUrl }: Addresses): readonly AddressForm[] {
  return apiBaseUrl === null ? [] : ['second'];
}

/** The address forms that a target has, the usual one first. */
export function addressForms(target: Addresses): readonly AddressForm[] {
  return ['first', ...otherForms(target)];
}

/** The URL of a path below `{base_url}` in an address form. */
export function urlIn(form: AddressForm, path: string, { baseUrl, apiBaseUrl }: Addresses): string {
  return form === 'second' ? `${apiBaseUrl ?? ''}${path.replace(/^\/api/, '')}` : `${baseUrl}${path}`;
}
