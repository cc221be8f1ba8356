import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import expressIdempotency from 'express-idempotency';
import { Idempotency } from '@node-idempotency/core';
import { MemoryStorageAdapter } from '@node-idempotency/storage-adapter-memory';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { CachePersistenceLayer } from '@aws-lambda-powertools/idempotency/cache';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Loopback, serve as serveOnLoopback } from '../loopback.test-kit.js';

interface StoredLead {
  readonly id: string;
  readonly tenant: string;
  readonly name: string;
  readonly phone: string;
}

/** A small service with a real middleware in front of its creation of leads. */
export interface MiddlewareService extends Loopback {
  /** The leads that were made. */
  readonly leads: readonly StoredLead[];
}

/** Makes a lead of a body; null where name or phone is missing. */
function makeLead(leads: StoredLead[], tenant: string, body: unknown): StoredLead | null {
  const { name, phone } = (body ?? {}) as Record<string, unknown>;
  if (typeof name !== 'string' || typeof phone !== 'string') return null;
  const lead = { id: randomUUID(), tenant, name, phone };
  leads.push(lead);
  return lead;
}

const tenants: Readonly<Record<string, string>> = { 'Bearer key-of-tenant-a': 'a', 'Bearer key-of-tenant-b': 'b' };
const responses = { '200': { description: 'fine' } };
const parameters = ['limit', 'cursor'].map((name) => ({
  name,
  in: 'query',
  schema: name === 'limit' ? { type: 'integer', maximum: 100 } : { type: 'string' },
}));

/** What the small services declare: units to list, leads to create and list. */
const smallDocument = {
  openapi: '3.1.0',
  info: { title: 'leads', version: '1' },
  paths: {
    '/api/v1/units': { get: { parameters, responses } },
    '/api/v1/leads': { get: { parameters, responses }, post: { responses } },
  },
};

/** How long the small services take to make a lead, in milliseconds. */
const workMs = 5;

const wrap = (status: number, data: unknown): [number, unknown] => [
  status,
  status < 300 ? { ok: true, data } : { ok: false, error: { code: String(data) } },
];

function reply(response: Response, status: number, data: unknown): unknown {
  // A handler that runs though its middleware has already answered has nothing left to say.
  if (response.headersSent) return undefined;
  const [code, body] = wrap(status, data);
  return response.status(code).json(body);
}

const failed: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (response.headersSent) {
    next(error);
    return;
  }
  const code =
    error !== null && typeof error === 'object' && 'status' in error ? Number(error.status) : response.statusCode;
  reply(response, code >= 400 ? code : 500, error instanceof Error ? error.name : 'failed');
};

async function serve(leads: readonly StoredLead[], mount: (app: Express) => void): Promise<MiddlewareService> {
  const app = express();
  app.disable('x-powered-by');
  app.get('/api/openapi.json', (_request, response) => void response.json(smallDocument));
  app.use((request, response, next) => {
    if (tenant(request) === '') reply(response, 401, 'unauthorized');
    else next();
  });
  app.get('/api/v1/units', (_request, response) =>
    reply(response, 200, { items: [{ id: 'u1', status: 'available' }], nextCursor: null }),
  );
  app.get('/api/v1/leads', (request, response) => {
    const own = leads.filter((lead) => lead.tenant === tenant(request));
    const [from, size] = [Number(request.query['cursor'] ?? 0), Number(request.query['limit'] ?? 50)];
    const nextCursor = from + size < own.length ? String(from + size) : null;
    return reply(response, 200, { items: own.slice(from, from + size), nextCursor });
  });
  app.use(express.json());
  mount(app);
  app.use((_request, response) => reply(response, 404, 'not_found'));
  app.use(failed);
  return { ...(await serveOnLoopback((request, response) => void app(request, response))), leads };
}

function tenant(request: Request): string {
  return tenants[request.headers.authorization ?? ''] ?? '';
}

function creates(leads: StoredLead[]): RequestHandler {
  return async (request, response) => {
    await sleep(workMs);
    const lead = makeLead(leads, tenant(request), request.body);
    if (lead === null) reply(response, 400, 'invalid');
    else reply(response, 201, lead);
  };
}

/** express-idempotency: with the `isHit` guard that its manual asks for, or without. */
export function expressIdempotencyService(guarded: boolean): Promise<MiddlewareService> {
  const leads: StoredLead[] = [];
  const service = new expressIdempotency.IdempotencyService();
  return serve(leads, (app) => {
    app.use('/api/v1/leads', (request, response, next) => {
      service.provideMiddlewareFunction(request, response, next).catch(next);
    });
    const create = creates(leads);
    app.post('/api/v1/leads', (request, response, next) => {
      if (guarded && service.isHit(request)) return;
      return create(request, response, next);
    });
  });
}

/** @node-idempotency/core with its memory store, wired as its manual shows; `perTenant` puts the tenant into the cache key. */
export function nodeIdempotencyService(perTenant: boolean): Promise<MiddlewareService> {
  const leads: StoredLead[] = [];
  const idempotency = new Idempotency(new MemoryStorageAdapter());
  const status: Readonly<Record<string, number>> = { REQUEST_IN_PROGRESS: 409, IDEMPOTENCY_FINGERPRINT_MISSMATCH: 422 };
  return serve(leads, (app) => {
    app.post('/api/v1/leads', async (request, response) => {
      const asked = {
        method: 'POST',
        path: request.path,
        headers: request.headers,
        body: request.body as Record<string, unknown>,
        options: perTenant ? { cacheKeyPrefix: tenant(request) } : {},
      };
      try {
        const known = await idempotency.onRequest(asked);
        if (known !== undefined) return response.status(Number(known.additional?.['status'])).json(known.body);
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : '';
        return reply(response, status[code] ?? 400, code);
      }
      await sleep(workMs);
      const lead = makeLead(leads, tenant(request), request.body);
      const [code, body] = wrap(lead === null ? 400 : 201, lead ?? 'invalid');
      await idempotency.onResponse(asked, { body: body as Record<string, unknown>, additional: { status: code } });
      return response.status(code).json(body);
    });
  });
}

const refusals: Readonly<Record<string, number>> = {
  IdempotencyAlreadyInProgressError: 409,
  IdempotencyItemAlreadyExistsError: 409,
  IdempotencyValidationError: 422,
};

/** Powertools' idempotency with its cache layer over a map; with its own validation of the payload, and a deadline as in Lambda, or without. */
export function powertoolsService(options: {
  readonly perTenant: boolean;
  readonly validatesPayload: boolean;
  readonly deadline: boolean;
}): Promise<MiddlewareService> {
  const leads: StoredLead[] = [];
  const kept = new Map<string, string>();
  const client = {
    get: (name: string) => Promise.resolve(kept.get(name) ?? null),
    set: (name: string | Uint8Array, value: unknown, how?: unknown) => {
      const onlyNew = typeof how === 'object' && how !== null && 'NX' in how;
      if (onlyNew && kept.has(String(name))) return Promise.resolve(null);
      kept.set(String(name), String(value));
      return Promise.resolve('OK');
    },
    del: (names: string[]) => Promise.resolve(names.filter((name) => kept.delete(name)).length),
  };
  const config = new IdempotencyConfig({
    eventKeyJmesPath: options.perTenant ? '[tenant, key]' : 'key',
    ...(options.validatesPayload ? { payloadValidationJmesPath: 'body' } : {}),
  });
  if (options.deadline)
    config.registerLambdaContext({ getRemainingTimeInMillis: () => 10_000 } as Parameters<
      IdempotencyConfig['registerLambdaContext']
    >[0]);
  const create = makeIdempotent(
    async (event: { tenant: string; key: string; body: unknown }) => {
      await sleep(workMs);
      const lead = makeLead(leads, event.tenant, event.body);
      if (lead === null) throw Object.assign(new Error('invalid'), { status: 400 });
      return { ...lead };
    },
    { persistenceStore: new CachePersistenceLayer({ client }), config },
  );
  return serve(leads, (app) => {
    app.post('/api/v1/leads', async (request, response) => {
      try {
        const key = String(request.headers['idempotency-key']);
        return reply(response, 201, await create({ tenant: tenant(request), key, body: request.body }));
      } catch (error) {
        const name = error instanceof Error ? error.name : '';
        const status = refusals[name];
        if (status === undefined) throw error;
        return reply(response, status, name);
      }
    });
  });
}
