import type { IncomingMessage, ServerResponse } from 'node:http';
import * as leads from '../../specs/leads.spec.js';
import { closing, serve } from '../loopback.test-kit.js';
import type { RequirementResult } from '../requirement/types.js';
import { execute } from '../run/execute.js';
import { openRun, type RunOptions } from '../run/open-run.js';
import { readTarget } from '../settings/read-target.js';
import { isRecord, type JsonSchema } from './schema/schema.js';
import { isValid } from './schema/validity.js';

/** How the tiny service behaves; all of it conforming unless a fault is set. */
export interface TinyOptions {
  readonly schema?: JsonSchema | null;
  /** Says why the lead makes the service crash, or null. */
  readonly crashesOn?: (lead: Record<string, unknown>) => boolean;
  /** Refuses leads that are allowed. */
  readonly refuses?: (lead: Record<string, unknown>) => boolean;
  /** What is kept of a lead. */
  readonly stores?: (lead: Record<string, unknown>) => Record<string, unknown>;
  readonly shape?: 'flat' | 'nested' | 'id only';
  readonly status?: number;
  readonly reads?: boolean;
  readonly refusal?: number;
  /** Answers the raw body itself; undefined goes on as usual. */
  readonly raw?: (
    bytes: Buffer,
    contentType: string | undefined,
  ) => { status: number; body: string } | 'reset' | undefined;
  readonly maxBytes?: number;
  /** Answers 413 and closes after this many bytes, without reading the rest. */
  readonly closesAt?: number;
  /** Whether that close is a reset. */
  readonly resets?: boolean;
}

/** A lead's schema as a document of this service would declare it. */
export const usualSchema: JsonSchema = {
  type: 'object',
  required: ['name', 'phone', 'vehicleId'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 120 },
    phone: { type: 'string', pattern: '^\\+[1-9]\\d{6,14}$' },
    vehicleId: { type: 'string', minLength: 1 },
    source: { $ref: '#/components/schemas/Source' },
    notes: { type: 'string', maxLength: 500 },
    consent: { type: 'boolean' },
  },
};

const components = { schemas: { Source: { type: 'string', enum: ['website', 'phone', 'walk-in'] } } };

/** A running tiny service. */
export interface Tiny extends AsyncDisposable {
  readonly baseUrl: string;
  readonly requests: () => number;
  close(): Promise<void>;
}

function documentOf(schema: JsonSchema, reads: boolean): Record<string, unknown> {
  const get = { get: { responses: { 200: { description: 'ok' } } } };
  return {
    openapi: '3.1.0',
    info: { title: 'tiny', version: '1' },
    paths: {
      '/api/v1/leads': {
        ...(reads ? get : {}),
        post: {
          requestBody: { content: { 'application/json': { schema } } },
          responses: { 201: { description: 'ok' } },
        },
      },
      ...(reads
        ? {
            '/api/v1/leads/{id}': {
              ...get,
              parameters: [{ in: 'path', name: 'id', required: true, schema: { type: 'string' } }],
            },
          }
        : {}),
    },
    components,
  };
}

/** Starts a tiny service on a free loopback port: units, leads and the document, nothing else. */
export async function startTiny(options: TinyOptions = {}): Promise<Tiny> {
  const schema = options.schema === undefined ? usualSchema : options.schema;
  const whole = schema === null ? null : bundled(schema);
  const units = Array.from({ length: 5 }, (_, index) => ({
    id: `unit-${String(index)}`,
    status: index === 4 ? 'sold' : 'available',
  }));
  const leads = new Map<string, Record<string, unknown>>();
  let requests = 0;
  const answer = (response: ServerResponse, status: number, body: unknown): ServerResponse => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  };
  const failure = (response: ServerResponse, status: number, message: string): ServerResponse =>
    answer(response, status, { ok: false, error: { code: 'x', message } });
  const show = (lead: Record<string, unknown>): unknown =>
    options.shape === 'id only'
      ? { id: lead['id'] }
      : options.shape === 'nested'
        ? { lead, vehicle: { id: 'v', name: 'Golf' } }
        : lead;

  const create = (response: ServerResponse, bytes: Buffer, contentType: string | undefined): unknown => {
    const own = options.raw?.(bytes, contentType);
    if (own === 'reset') return response.socket?.destroy();
    if (own) return answer(response, own.status, own.body);
    if (bytes.length > (options.maxBytes ?? 5e6)) return failure(response, 413, 'too large');
    let lead: unknown;
    try {
      lead = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
    } catch {
      return failure(response, 400, 'no JSON');
    }
    const refused = options.refusal ?? 422;
    if (!isRecord(lead)) return failure(response, refused, 'no object');
    if (options.crashesOn?.(lead)) return failure(response, 500, 'internal error');
    if (options.refuses?.(lead)) return failure(response, refused, 'not wanted');
    const valid =
      whole === null
        ? typeof lead['name'] === 'string' && /^\+\d{7,15}$/.test(String(lead['phone']))
        : isValid(whole, lead);
    if (!valid) return failure(response, refused, 'not valid');
    const stored = { ...(options.stores?.(lead) ?? lead), id: `lead-${String(leads.size)}` };
    leads.set(stored.id, stored);
    return answer(response, options.status ?? 201, { ok: true, data: show(stored) });
  };

  const handle = (request: IncomingMessage, response: ServerResponse, bytes: Buffer): unknown => {
    requests += 1;
    const { pathname } = new URL(request.url ?? '/', 'http://x');
    if (pathname === '/api/openapi.json') {
      if (schema === null) return failure(response, 404, 'none');
      return answer(response, 200, documentOf(schema, options.reads ?? false));
    }
    if (pathname === '/api/v1/units')
      return answer(response, 200, { ok: true, data: { items: units, nextCursor: null } });
    if (pathname === '/api/v1/leads' && request.method === 'POST')
      return create(response, bytes, request.headers['content-type']);
    if (pathname === '/api/v1/leads' && options.reads)
      return answer(response, 200, { ok: true, data: { items: [...leads.values()], nextCursor: null } });
    const one = leads.get(pathname.split('/').at(-1) ?? '');
    if (options.reads && one) return answer(response, 200, { ok: true, data: one });
    return failure(response, 404, 'not found');
  };
  const { url, close } = await serve((request, response) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= (options.closesAt ?? Infinity) || response.headersSent) return;
      response.writeHead(413, { 'content-type': 'application/json', connection: 'close' });
      response.end('{"ok":false,"error":{"message":"too large"}}', () =>
        options.resets === true ? request.socket.resetAndDestroy() : request.socket.destroy(),
      );
    });
    request.on('end', () => {
      if (response.headersSent) return;
      try {
        handle(request, response, Buffer.concat(chunks));
      } catch {
        // Its own validator overflows on deep nesting; a real service would refuse it as well.
        failure(response, options.refusal ?? 422, 'too deep');
      }
    });
  });
  return closing({ baseUrl: url, requests: () => requests, close });
}

function bundled(schema: JsonSchema): JsonSchema {
  return JSON.parse(
    JSON.stringify({ ...(schema as object), $defs: components.schemas }).replaceAll(
      '#/components/schemas/',
      '#/$defs/',
    ),
  ) as JsonSchema;
}

/** Ids of the requirements on leads. */
export const leadIds: readonly string[] = Object.values(leads).map(({ id }) => id);

/** What a run over a tiny service came to. */
export interface Ran {
  readonly results: ReadonlyMap<string, RequirementResult>;
  readonly requests: number;
}

/** Runs checks on leads against a service, through a run of their own. */
export async function runLeads(
  baseUrl: string,
  ids: readonly string[] = leadIds,
  options: RunOptions = {},
): Promise<Ran> {
  const target = readTarget({ BASE_URL: baseUrl, API_KEY: 'key-for-everything', TENANT: 'north' });
  await using run = closing(openRun(target, { seed: 1, depth: 'gate', patience: 0.1, ...options }));
  const results = new Map<string, RequirementResult>();
  let requests = 0;
  for (const id of ids) {
    const requirement = Object.values(leads).find((one) => one.id === id);
    if (requirement === undefined) throw new Error(`unknown id ${id}`);
    const result = await execute(requirement, run);
    results.set(id, result);
    requests += result.requests;
  }
  return { results, requests };
}
