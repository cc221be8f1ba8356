import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { ApiKey } from './api-keys.js';
import type { TenantStore } from './data/tenant-store.js';
import type { World } from './world.js';

/** The part of the service that was addressed. */
export type Surface = 'production' | 'second-form' | 'sandbox' | 'demo' | 'other';

/** The admitted caller. */
export interface Caller {
  readonly key: ApiKey | null;
  readonly tenant: TenantStore;
  readonly scopes: readonly string[];
}

/** One request, with its resolved operation, key and tenant, and where it is to be answered. */
export interface Exchange {
  readonly world: World;
  readonly response: ServerResponse;
  /** Names the request in the logs. */
  readonly requestId: string;
  readonly method: string;
  /** As it was sent, with the query. */
  readonly url: string;
  /** The path without the query, under `/api/v1` for every address form. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The address that it came from. */
  readonly source: string;
  readonly surface: Surface;
  /** Whether it was sent under the second address form. */
  readonly second: boolean;
  /** Empty where no operation was asked for. */
  readonly operation: string;
  readonly scope: string | undefined;
  /** Values of the query; may be changed before a route is reached. */
  readonly query: Record<string, string | undefined>;
  /** The id in the path; may be changed before a route is reached. */
  id: string;
  /** Empty until the caller is admitted. */
  body: Buffer;
  caller: Caller | null;
}

/** The answer to send. A body that is no text and no buffer is sent as JSON. */
export interface Answer {
  status: number;
  /** The whole Content-Type. */
  type: string;
  headers: Record<string, string>;
  body: unknown;
}

/** The face of the service that a path belongs to. */
export function surfaceOf(path: string): Surface {
  if (/^\/sandbox(\/|$)/.test(path)) return 'sandbox';
  if (/^\/gateway\/v1(\/|$)/.test(path)) return 'second-form';
  if (/^\/api\/demo(\/|$)/.test(path)) return 'demo';
  return /^\/api\/v\d+(\/|$)/.test(path) ? 'production' : 'other';
}

/** Every face is served by the same routes under `/api/v1`. */
export function routedPath(path: string): string {
  if (path.startsWith('/gateway/v1')) return `/api${path.slice('/gateway'.length)}`;
  if (path.startsWith('/sandbox/v1')) return `/api${path.slice('/sandbox'.length)}`;
  return path.startsWith('/sandbox/api/v1') ? path.slice('/sandbox'.length) : path;
}

/** The admitted caller of a request that a route handles. */
export function callerOf({ caller }: Exchange): Caller {
  if (caller === null) throw new Error('a route was reached without admission');
  return caller;
}
