import type { Exchange } from '../http/exchange.js';
// Not the list of ./event-kinds.js, which the tests are to hold against another.
import { eventKinds } from '../reference/webhooks/kinds.js';
import { sampleExchange } from '../reports/test-kit.js';
import { createContract, type Answer, type AnswerVerdict } from './contract.js';

type Json = Record<string, unknown>;

const asJson = (schema: unknown): Json => ({ content: { 'application/json': { schema } } });

const envelope = (data: unknown): Json => ({
  type: 'object',
  required: ['ok', 'data'],
  properties: { ok: { const: true }, data },
});

const limitHeaders = Object.fromEntries(
  ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'].map((name) => [name, { schema: { type: 'integer' } }]),
);

const answers = (data: unknown, status = '200'): Json => ({
  [status]: { description: 'Done.', headers: limitHeaders, ...asJson(envelope(data)) },
  '429': { $ref: '#/components/responses/Failure' },
  default: { $ref: '#/components/responses/Failure' },
});

/** A reference to a schema, or another component, of the document. */
export const refTo = (name: string, kind = 'schemas'): Json => ({ $ref: `#/components/${kind}/${name}` });

/** A document of the whole live API with nothing wrong and nothing to advise, new in every call. */
export function plainDocument(): Json & { paths: Record<string, Json>; components: Record<string, Json> } {
  const list = {
    type: 'object',
    required: ['items'],
    properties: { items: { type: 'array', items: refTo('Unit') }, nextCursor: { type: ['string', 'null'] } },
  };
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  const key = { name: 'Idempotency-Key', in: 'header', schema: { type: 'string', format: 'uuid' } };
  const query = (name: string): Json => ({
    name,
    in: 'query',
    schema: { type: name === 'limit' ? 'integer' : 'string' },
  });
  return structuredClone({
    openapi: '3.1.0',
    info: { title: 'Dealership', version: '1' },
    servers: [{ url: '/api/v1' }],
    security: [{ bearer: [] }],
    paths: {
      '/units': {
        get: {
          operationId: 'listUnits',
          parameters: [query('status'), query('limit'), query('cursor')],
          responses: answers(list),
        },
        post: {
          operationId: 'createUnit',
          parameters: [key],
          requestBody: { required: true, ...asJson(refTo('NewUnit')) },
          responses: answers(refTo('Unit'), '201'),
        },
      },
      '/units/{id}': { parameters: [id], get: { operationId: 'getUnit', responses: answers(refTo('Unit')) } },
      '/leads': {
        get: { operationId: 'listLeads', responses: answers({ type: 'object' }) },
        post: {
          operationId: 'createLead',
          parameters: [key],
          requestBody: { required: true, ...asJson(refTo('NewLead')) },
          responses: answers({ type: 'object' }, '201'),
        },
      },
      '/deals': { get: { operationId: 'listDeals', responses: answers({ type: 'object' }) } },
      '/demo/units': {
        servers: [{ url: '/api' }],
        get: {
          operationId: 'demoUnits',
          security: [],
          responses: { '200': { description: 'Units.', ...asJson({ type: 'array', items: refTo('Unit') }) } },
        },
      },
    },
    webhooks: Object.fromEntries(
      eventKinds.map((kind) => [
        kind,
        { post: { requestBody: asJson({ type: 'object' }), responses: { '200': { description: 'Taken.' } } } },
      ]),
    ),
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      responses: { Failure: { description: 'A failure.', ...asJson(refTo('Failure')) } },
      schemas: {
        Unit: {
          type: 'object',
          required: ['id', 'status'],
          properties: {
            id: { type: 'string' },
            status: { type: 'string' },
            price: { type: 'number', multipleOf: 0.01 },
          },
        },
        NewUnit: {
          type: 'object',
          required: ['vin'],
          properties: {
            vin: { type: 'string', pattern: '^[A-HJ-NPR-Z0-9]{17}$' },
            status: { type: 'string', enum: ['available', 'sold'] },
          },
        },
        NewLead: {
          type: 'object',
          required: ['name', 'phone', 'vehicleId'],
          properties: {
            name: { type: 'string' },
            phone: { type: 'string' },
            vehicleId: { type: 'string' },
            source: { type: 'string' },
          },
        },
        Failure: {
          type: 'object',
          required: ['ok', 'error'],
          properties: { ok: { const: false }, error: { type: 'object' } },
        },
      },
    },
  });
}

/** A change to a document. */
export type Edit = (document: ReturnType<typeof plainDocument>) => void;

/** Sets what stands at a path of keys with blanks between them, making objects on the way; without a value it takes that away. */
export function put(document: Json, path: string, value?: unknown): void {
  const keys = path.split(' ');
  const last = keys.pop() ?? '';
  let node = document;
  for (const key of keys) node = (node[key] ??= {}) as Json;
  if (value === undefined) Reflect.deleteProperty(node, last);
  else node[last] = value;
}

/** The change that puts a value at a path. */
export const set =
  (path: string, value?: unknown): Edit =>
  (document) =>
    put(document, path, structuredClone(value));

/** Where a schema of the document stands. */
export const schemaAt = (name: string): string => `components schemas ${name}`;
/** The change that adds a schema to the document. */
export const odd = (schema: unknown): Edit => set(schemaAt('Odd'), schema);
export const ok = { description: 'Done.' };

/** Several changes, one after another. */
export const edits =
  (...all: readonly Edit[]): Edit =>
  (document) => {
    for (const edit of all) edit(document);
  };

/** An exchange with an answer as a production operation gives it. */
export function answered(
  status: number,
  body: unknown,
  options: { readonly type?: string | null; readonly method?: string; readonly bytes?: Buffer } = {},
): Exchange {
  const bytes = options.bytes ?? Buffer.from(typeof body === 'string' ? body : (JSON.stringify(body) ?? ''));
  const type = options.type === undefined ? 'application/json' : options.type;
  return sampleExchange(
    1,
    { method: options.method ?? 'GET', url: 'http://127.0.0.1/api/v1/units' },
    { status, headers: type === null ? [] : [['content-type', type]], body: bytes },
  );
}

/** The limit headers of an answer. */
export const limits = ['limit', 'remaining', 'reset'].map((name) => [`ratelimit-${name}`, '5'] as const);
/** A good answer to a request for the deals. */
export const usual: Answer = {
  method: 'GET',
  path: '/api/v1/deals',
  status: 200,
  contentType: 'application/json',
  headers: limits,
  json: { ok: true, data: {} },
};

/** What the contract of a document with this change says of the usual answer with these changes. */
export function answer(edit: Edit, changes: Partial<Answer>): AnswerVerdict {
  const document = plainDocument();
  edit(document);
  return createContract(document).validateResponse({ ...usual, ...changes });
}

export const keep: Edit = () => undefined;
export const responses = 'paths /deals get responses';
