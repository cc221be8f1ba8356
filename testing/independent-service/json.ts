import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** JSON values, the schemas that describe them, and what is wrong with one. */
export type JsonObject = { [key: string]: Json };
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export type FieldProblem = { readonly field: string; readonly reason: string };

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The members of an object; none of anything else. */
export const membersOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

/** A string member, or an empty text. */
export const textOf = (object: JsonObject, name: string): string => {
  const value = Object.hasOwn(object, name) ? object[name] : '';
  return typeof value === 'string' ? value : '';
};

/** JSON text with sorted keys; only used on values of bounded depth. */
export const canonical = (value: Json): string => {
  if (Array.isArray(value)) return `[${value.map((v: Json) => canonical(v)).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).toSorted();
  return `{${members.map((k) => `${JSON.stringify(k)}:${canonical(value[k] ?? null)}`).join(',')}}`;
};

/** The deepest nesting of a JSON text, counted without recursion. */
export const depthOf = (raw: string): number => {
  let depth = 0;
  let deepest = 0;
  for (const [token] of raw.matchAll(/"(?:[^"\\]|\\.)*"|[[{\]}]/gs)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
};

export const text: JsonObject = { type: 'string' };
export const integer: JsonObject = { type: 'integer' };

/** A schema of objects: each member is required unless its name ends in a question mark. */
export const objectOf = (members: JsonObject): JsonObject => ({
  type: 'object',
  required: Object.keys(members).filter((name) => !name.endsWith('?')),
  properties: Object.fromEntries(Object.entries(members).map(([name, one]) => [name.replace(/\?$/, ''), one])),
});

export const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

export const listOf = (items: JsonObject): JsonObject => ({ type: 'array', items });

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
const validators = new WeakMap<JsonObject, ValidateFunction>();

/** What a request body has that its schema forbids; `schemas` are those that it refers to. */
export const problemsOf = (schema: JsonObject, value: Json, schemas: JsonObject): FieldProblem[] => {
  const validate = validators.get(schema) ?? ajv.compile({ ...schema, components: { schemas } });
  validators.set(schema, validate);
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, params, message = '' }) => {
    const { missingProperty, additionalProperty } = params as Record<string, string | undefined>;
    return { field: missingProperty ?? additionalProperty ?? (instancePath.slice(1) || 'body'), reason: message };
  });
};
