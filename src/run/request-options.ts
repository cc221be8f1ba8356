import {
  acceptedTypes,
  type Ask,
  type Credential,
  type Exchange,
  type HeaderLine,
  percentEncode,
  type Surface,
} from '../http/index.js';
import { type AddressForm, type KeyName, type Target, urlIn } from '../settings/index.js';

/** One request as a check words it; paths are below `{base_url}`. */
export interface RequestOptions {
  readonly method?: string;
  readonly path: string;
  readonly query?: readonly (readonly [string, string])[];
  /** A configured key by its setting's name, a made-up credential, or null for none; API_KEY unless said. */
  readonly as?: KeyName | Credential | null;
  /** X-Tenant; the configured tenant unless said, null for no header. */
  readonly tenant?: string | null;
  readonly headers?: readonly HeaderLine[];
  readonly json?: unknown;
  readonly body?: Buffer;
  readonly surface?: Surface;
  /** The first address form unless said. */
  readonly form?: AddressForm;
  /** A URL in place of an address form. */
  readonly base?: string;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  readonly raw?: boolean;
  /** The body goes out in small pieces with pauses, so that an answer before its end is read before more is sent. */
  readonly slowly?: boolean;
  /** Called with each try whose answer was lost, before the request is sent again. */
  readonly onLost?: (exchange: Exchange) => void;
}

/** Whether it carries API_KEY and the configured tenant, unless it says otherwise. */
export function isAuthenticated({ surface = 'production' }: RequestOptions): boolean {
  return surface === 'production' || surface === 'planned';
}

/** The request as the client sends it. */
export function askOf(options: RequestOptions, credential: Credential | null, target: Target): Ask {
  const { method = 'GET', path, query: pairs = [], as: _, headers: given = [], json, body, ...others } = options;
  const { tenant = isAuthenticated(options) ? target.tenant : null, base, form = 'first', ...how } = others;
  const headers: HeaderLine[] = given.some(([name]) => name === 'accept') ? [] : [['accept', acceptedTypes]];
  if (tenant !== null) headers.push(['x-tenant', tenant]);
  if (json !== undefined) headers.push(['content-type', 'application/json']);
  headers.push(...given);
  const query = pairs.map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`).join('&');
  const address = base === undefined ? urlIn(form, path, target) : `${base}${path}`;
  return {
    surface: 'production',
    ...how,
    method,
    url: `${address}${query ? `${path.includes('?') ? '&' : '?'}${query}` : ''}`,
    headers,
    credential,
    body: body ?? (json === undefined ? null : Buffer.from(JSON.stringify(json))),
  };
}
