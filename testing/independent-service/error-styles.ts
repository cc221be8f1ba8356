import { integer, listOf, objectOf, text, type FieldProblem, type JsonObject } from './json.js';

const usual = {
  missing_key: 401,
  invalid_key: 401,
  forbidden: 403,
  tenant: 403,
  not_found: 404,
  bad_request: 400,
  invalid_fields: 422,
  conflict: 409,
  in_progress: 409,
  too_large: 413,
  unsupported: 415,
  method: 405,
  rate: 429,
};

export type ErrorCode = keyof typeof usual;

export type ErrorStyle = {
  readonly status: Readonly<Record<ErrorCode, number>>;
  readonly body: (code: ErrorCode, status: number, message: string, fields: readonly FieldProblem[]) => JsonObject;
  readonly schema: JsonObject;
};

export const codeAndMessage: ErrorStyle = {
  status: usual,
  body: (code, _status, message, fields) => ({
    code: code.toUpperCase(),
    message,
    ...(fields.length > 0 ? { details: fields.map((f) => ({ field: f.field, reason: f.reason })) } : {}),
  }),
  schema: objectOf({ code: text, message: text, 'details?': listOf(objectOf({ field: text, reason: text })) }),
};

export const numericCodes: ErrorStyle = {
  status: { ...usual, invalid_fields: 400, invalid_key: 403, tenant: 404, in_progress: 425, conflict: 422 },
  body: (code, status, message) => ({ code: status * 100 + code.length, reason: message }),
  schema: { ...objectOf({ code: integer, reason: text }), additionalProperties: false },
};

export const problemStyle: ErrorStyle = {
  status: { ...usual, forbidden: 401, tenant: 401, bad_request: 422 },
  body: (code, status, message, fields) => ({
    type: `https://errors.example.test/${code}`,
    title: code.replaceAll('_', ' '),
    status,
    detail: message,
    instance: null,
    ...(fields.length > 0 ? { invalidParams: fields.map((f) => ({ name: f.field, reason: f.reason })) } : {}),
  }),
  schema: objectOf({
    type: { type: 'string', format: 'uri' },
    title: text,
    status: { type: 'integer', minimum: 400, maximum: 599 },
    'detail?': text,
    instance: { type: ['string', 'null'] },
    'invalidParams?': listOf({ type: 'object', additionalProperties: text }),
  }),
};

export const messageOnly: ErrorStyle = {
  status: { ...usual, missing_key: 400, invalid_key: 401, invalid_fields: 400, unsupported: 400, too_large: 400 },
  body: (_code, _status, message) => ({ message }),
  schema: objectOf({ message: { type: 'string', minLength: 1 } }),
};

export const listed: ErrorStyle = {
  status: { ...usual, forbidden: 404, tenant: 404, invalid_fields: 409 },
  body: (code, _status, message, fields) => ({
    name: code,
    problems: [
      ...fields.map((f) => ({ path: ['body', f.field], text: f.reason })),
      ...(fields.length > 0 ? [] : [{ path: [], text: message }]),
    ],
  }),
  schema: objectOf({
    name: text,
    problems: { ...listOf(objectOf({ path: listOf({ type: ['string', 'integer'] }), text })), minItems: 1 },
  }),
};

/** As Laravel, Rails and Django REST name what is wrong: by field, each with a list of sentences. */
export const byField: ErrorStyle = {
  status: { ...usual, tenant: 404, in_progress: 423 },
  body: (_code, status, message, fields) => ({
    message,
    statusCode: status,
    ...(fields.length > 0 ? { errors: Object.fromEntries(fields.map((f) => [f.field, [f.reason]])) } : {}),
  }),
  schema: objectOf({
    message: text,
    statusCode: integer,
    'errors?': { type: 'object', additionalProperties: { ...listOf(text), minItems: 1 } },
  }),
};
