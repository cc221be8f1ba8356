import type { FastifyReply, FastifyRequest } from 'fastify';
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

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    operation?: string;
    scope?: string;
  }
}

/** One request and where it is to be answered. */
export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly world: World;
  readonly surface: Surface;
  /** Whether it was sent under the second address form. */
  readonly second: boolean;
  /** Empty where no operation was asked for. */
  readonly operation: string;
  /** Values of the query; may be changed before a route is reached. */
  readonly query: Record<string, string | undefined>;
  /** The id in the path. */
  readonly id: string;
}

/** The answer to send. A body that is no text and no buffer is sent as JSON. */
export interface Answer {
  status: number;
  /** The whole Content-Type. */
  type: string;
  headers: Record<string, string>;
  body: unknown;
}

/** A request with its resolved operation, key and tenant. */
export function exchangeOf(request: FastifyRequest, reply: FastifyReply, world: World): Exchange {
  const surface = surfaceOf(originalPath(request));
  return {
    request,
    reply,
    world,
    surface,
    second: surface === 'second-form',
    operation: request.routeOptions.config.operation ?? '',
    query: (request.query ?? {}) as Record<string, string | undefined>,
    id: ((request.params ?? {}) as { id?: string }).id ?? '',
  };
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
