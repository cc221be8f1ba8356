import type { FastifyRequest } from 'fastify';
import type { ApiKey } from './api-keys.js';
import type { TenantStore } from './tenant-store.js';

/** Which face of the service was addressed. */
export type Surface = 'production' | 'second-form' | 'sandbox' | 'demo' | 'other';

/** Who is asking, once admitted. */
export interface Caller {
  readonly key: ApiKey | null;
  readonly tenant: TenantStore;
  readonly scopes: readonly string[];
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    operation?: string;
    scope?: string;
  }
}

/** The path that was asked for, without the query. */
export function originalPath(request: FastifyRequest): string {
  return request.originalUrl.split('?', 1)[0] ?? '';
}

/** The face of the service that a path belongs to. */
export function surfaceOf(path: string): Surface {
  if (/^\/sandbox(\/|$)/.test(path)) return 'sandbox';
  if (/^\/gateway\/v1(\/|$)/.test(path)) return 'second-form';
  if (/^\/api\/demo(\/|$)/.test(path)) return 'demo';
  return /^\/api\/v\d+(\/|$)/.test(path) ? 'production' : 'other';
}

/** Every face is served by the same routes under `/api/v1`. */
export function routedUrl(url: string): string {
  if (url.startsWith('/gateway/v1')) return `/api${url.slice('/gateway'.length)}`;
  if (url.startsWith('/sandbox/v1')) return `/api${url.slice('/sandbox'.length)}`;
  return url.startsWith('/sandbox/api/v1') ? url.slice('/sandbox'.length) : url;
}

/** The admitted caller of a request that a route handles. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error('a route was reached without admission');
  return request.caller;
}
