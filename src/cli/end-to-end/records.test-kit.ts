import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { serveBodies } from '../../loopback.test-kit.js';

type Kind = 'leads' | 'units';
type Json = Readonly<Record<string, unknown>>;

export interface RecordsOptions {
  readonly ids: 'uuids' | 'numbers';
  /** Kinds that the document declares a DELETE for. */
  readonly deletes: readonly Kind[];
  /** What is there besides. */
  readonly left?: Readonly<Record<Kind, readonly Json[]>>;
  /** How DELETE is answered; 429 for two of three. */
  readonly answersDelete?: 200 | 403 | 429 | 'never';
}

/** Leads that were there before, some of which look like the suite's own. */
const foreignLeads: readonly Json[] = [
  { name: 'Conformance Officer', phone: '+12015550123', vehicleId: 'any' },
  { name: 'Conformance Test Drive', phone: '+12015550124', vehicleId: 'any' },
  { name: 'Ana Example', phone: '+12015550125', vehicleId: 'any', note: 'Conformance Test Abdeghiklmnop' },
];

function documentOf(deletes: readonly Kind[]): Json {
  const text = { type: 'string' };
  const ok = { responses: { 200: { description: 'ok' } } };
  const id = { in: 'path', name: 'id', required: true, schema: text };
  const body = (...names: string[]): Json => ({
    requestBody: {
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: names,
            properties: Object.fromEntries(names.map((name) => [name, text])),
          },
        },
      },
    },
    responses: { 201: { description: 'made' } },
  });
  const key = { in: 'header', name: 'Idempotency-Key', schema: text };
  const single = (kind: Kind): Json => ({
    parameters: [id],
    get: ok,
    ...(deletes.includes(kind) ? { delete: ok } : {}),
  });
  return {
    openapi: '3.1.0',
    info: { title: 'records', version: '1' },
    paths: {
      '/api/v1/leads': { get: ok, post: { parameters: [key], ...body('name', 'phone', 'vehicleId') } },
      '/api/v1/leads/{id}': single('leads'),
      '/api/v1/units': { get: ok, post: { parameters: [key], ...body('vin', 'make') } },
      '/api/v1/units/{id}': single('units'),
    },
  };
}

/** Starts a service of units and leads that remembers them all, with a few of them, on a free loopback port. */
export async function startRecords({ ids, deletes: deletable, answersDelete = 200, left }: RecordsOptions) {
  const stores = { leads: new Map<string, Json>(), units: new Map<string, Json>() };
  const answered = new Map<string, Json>();
  const gone: string[] = [];
  let [last, deletes] = [0, 0];
  const add = (kind: Kind, fields: Json): Json => {
    const id = ids === 'uuids' ? randomUUID() : String((last += 1));
    const record = { ...fields, id, tenant: fields['tenant'] ?? 'full' };
    stores[kind].set(id, record);
    return record;
  };
  for (const lead of [...foreignLeads, ...(left?.leads ?? [])]) add('leads', lead);
  for (const unit of left?.units ?? []) add('units', unit);
  for (const tenant of ['full', 'other'])
    for (let at = 0; at < 6; at += 1)
      add('units', { vin: `1HGCM82633A00435${String(at)}`, make: 'Honda', status: 'available', tenant });
  /** The status and the data of an answer; null for none. */
  const answer = (request: IncomingMessage, body: Buffer): readonly [number, unknown] | null => {
    const { pathname } = new URL(request.url ?? '/', 'http://x');
    const tenant = /^Bearer (full|other)$/.exec(request.headers.authorization ?? '')?.[1];
    const place = /^\/api\/v1\/(leads|units)(?:\/([^/]+))?$/.exec(pathname);
    if (place === null) return [404, null];
    if (tenant === undefined) return [401, null];
    const kind = place[1] as Kind;
    const id = place[2];
    const own = (record: Json | undefined): boolean => record?.['tenant'] === tenant;
    if (id === undefined && request.method === 'GET')
      return [200, { items: [...stores[kind].values()].filter(own), nextCursor: null }];
    if (id === undefined) return request.method === 'POST' ? create(kind, tenant, request, body) : [405, null];
    if (request.method === 'DELETE') {
      deletes += 1;
      if (answersDelete === 'never') return null;
      if (answersDelete === 403 || (answersDelete === 429 && deletes % 3 !== 0)) return [answersDelete, null];
    }
    const record = stores[kind].get(id);
    if (record === undefined || !own(record)) return [404, null];
    if (request.method === 'DELETE' && stores[kind].delete(id)) gone.push(`${kind} ${id}`);
    return [['GET', 'DELETE'].includes(request.method ?? '') ? 200 : 405, record];
  };
  const create = (kind: Kind, tenant: string, request: IncomingMessage, body: Buffer): readonly [number, unknown] => {
    // Bodies so deep that they cannot be shown again.
    if (body.length > 5_000) return [413, null];
    let fields: Json | null = null;
    try {
      fields = JSON.parse(body.toString()) as Json;
    } catch {
      return [400, null];
    }
    const names = kind === 'leads' ? ['name', 'phone', 'vehicleId'] : ['vin', 'make'];
    if (names.some((name) => typeof fields?.[name] !== 'string')) return [422, null];
    const key = `${tenant} ${kind} ${String(request.headers['idempotency-key'] ?? randomUUID())}`;
    const status = kind === 'units' ? { status: 'available' } : {};
    const known = answered.get(key) ?? add(kind, { ...status, ...fields, tenant });
    answered.set(key, known);
    return [201, known];
  };
  const server = await serveBodies((request, body, response) => {
    if (request.url === '/api/openapi.json') return response.end(JSON.stringify(documentOf(deletable)));
    const answered = answer(request, body);
    if (answered === null) return undefined;
    const [status, data] = answered;
    const error = { code: 'no', message: 'no' };
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(status === 429 ? { 'retry-after': '1' } : {}),
    });
    return response.end(JSON.stringify(status < 300 ? { ok: true, data } : { ok: false, error }));
  });
  return {
    ...server,
    /** How many DELETE requests came. */
    deletes: (): number => deletes,
    /** Kind and id of the records that were deleted, in order. */
    deleted: (): readonly string[] => gone,
    records: (): readonly Json[] => [...stores.leads.values(), ...stores.units.values()],
  };
}

export type Records = Awaited<ReturnType<typeof startRecords>>;
