import type { Broken } from '../breaches/breaches.js';
import { objectOf, ref, text } from '../schemas.js';
import type { ErrorCode, Flavour, JsonObject } from '../types.js';

export const always: readonly ErrorCode[] = [
  'missing_key',
  'invalid_key',
  'forbidden',
  'tenant',
  'bad_request',
  'rate',
];
export const bodied: readonly ErrorCode[] = [...always, 'invalid_fields', 'unsupported', 'too_large'];
export const creating: readonly ErrorCode[] = [...bodied, 'conflict', 'in_progress'];
export const withId: readonly ErrorCode[] = [...always, 'not_found'];

const tenantParameter: JsonObject = { name: 'X-Tenant', in: 'header', required: false, schema: text };

/** What the descriptions of all operations of one document are made of. */
export const operationParts = (flavour: Flavour, broken: Broken) => {
  const { doc } = flavour;
  const content = (schema: JsonObject): JsonObject => ({
    [doc.mediaType]: { schema: doc.loose ? { type: ['object', 'array', 'string'] } : schema },
  });
  const ok = (data: JsonObject, description = 'Success'): JsonObject => ({
    description,
    ...(doc.errors === 'explicit'
      ? {
          headers: {
            'RateLimit-Limit': { schema: text },
            'RateLimit-Remaining': { schema: { type: 'integer', minimum: 0 } },
            'RateLimit-Reset': { schema: { type: 'integer', minimum: 0 } },
          },
        }
      : {}),
    content: content(objectOf({ ok: { const: true }, data })),
  });
  const errorReply = (schema: JsonObject): JsonObject => ({ description: 'Refused', content: content(schema) });
  const failures = (codes: readonly ErrorCode[], schema: JsonObject = ref('Failure')): JsonObject => {
    if (doc.errors === 'none') return {};
    if (doc.errors === 'default') return { default: errorReply(schema) };
    if (doc.errors === '4XX') return { '4XX': errorReply(schema) };
    const all: JsonObject = {};
    for (const code of codes) all[String(flavour.errors.status[code])] = errorReply(schema);
    return all;
  };
  const idempotencyParameter: JsonObject = {
    name: 'Idempotency-Key',
    in: 'header',
    required: flavour.idem.required,
    schema:
      flavour.idem.format === 'uuid'
        ? { type: 'string', format: 'uuid' }
        : { type: 'string', minLength: 1, maxLength: 255 },
  };
  const limitParameter: JsonObject = {
    name: 'limit',
    in: 'query',
    schema: broken('doc-limit-string')
      ? { type: 'boolean' }
      : { type: 'integer', minimum: 1, ...(flavour.limit.above === 'refuse' ? { maximum: flavour.limit.max } : {}) },
  };
  const operation = (
    id: string,
    summary: string,
    parameters: readonly JsonObject[],
    responses: JsonObject,
    body?: JsonObject,
  ): JsonObject => {
    const own = doc.pathLevel ? parameters : [...parameters, tenantParameter];
    return {
      operationId: id,
      summary,
      ...(own.length > 0 ? { parameters: [...own] } : {}),
      ...(body
        ? {
            requestBody: {
              required: true,
              content: { 'application/json': { schema: doc.loose ? { type: 'object' } : body } },
            },
          }
        : {}),
      responses,
    };
  };
  const shared = (...extra: readonly JsonObject[]): JsonObject =>
    doc.pathLevel ? { parameters: [...extra, tenantParameter] } : {};
  const replayed = (status: number, response: JsonObject): JsonObject => ({
    [String(status)]: response,
    ...(flavour.idem.replay === 'ok-status' ? { '200': response } : {}),
  });
  return { content, ok, failures, idempotencyParameter, limitParameter, operation, shared, replayed };
};

export type OperationParts = ReturnType<typeof operationParts>;
