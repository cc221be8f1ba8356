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

/** A schema of objects: each member is required unless it is named optional. */
export const objectOf = (properties: JsonObject, optional: readonly string[] = []): JsonObject => ({
  type: 'object',
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
});

export const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

export const listOf = (items: JsonObject): JsonObject => ({ type: 'array', items });

/** What a request body has that its schema forbids; `named` are the schemas that it refers to. Only the keywords that the bodies use. */
export const problemsOf = (
  schema: JsonObject,
  value: Json,
  named: Readonly<Record<string, JsonObject>>,
  field = 'body',
): FieldProblem[] => {
  const { $ref, type } = schema;
  if (typeof $ref === 'string')
    return problemsOf(named[$ref.slice('#/components/schemas/'.length)] ?? {}, value, named, field);
  const wrong = (reason: string): FieldProblem[] => [{ field, reason }];
  const isOutside = (size: number, least: Json | undefined, most: Json | undefined): boolean =>
    size < Number(least ?? 0) || size > Number(most ?? Infinity);
  if (Array.isArray(schema['enum'])) return schema['enum'].includes(value) ? [] : wrong('not an allowed value');
  if (type === 'string') {
    if (typeof value !== 'string') return wrong('must be a string');
    if (isOutside(Array.from(value).length, schema['minLength'], schema['maxLength']))
      return wrong('too short or too long');
    return new RegExp(String(schema['pattern'] ?? ''), 'u').test(value) ? [] : wrong('not in the expected format');
  }
  if (type === 'integer' || type === 'number')
    return typeof value === 'number' && (type === 'number' ? Number.isFinite(value) : Number.isInteger(value))
      ? []
      : wrong(`must be ${type}`);
  if (type === 'array') {
    if (!Array.isArray(value)) return wrong('must be a list');
    if (isOutside(value.length, schema['minItems'], schema['maxItems'])) return wrong('too few or too many');
    return value.flatMap((item: Json) => problemsOf(membersOf(schema['items']), item, named, field));
  }
  if (!isObject(value)) return wrong('must be an object');
  const properties = membersOf(schema['properties']);
  const required = Array.isArray(schema['required']) ? (schema['required'] as string[]) : [];
  return [
    ...required.filter((name) => !Object.hasOwn(value, name)).map((name) => ({ field: name, reason: 'required' })),
    ...Object.entries(value).flatMap(([name, member]) => {
      if (Object.hasOwn(properties, name)) return problemsOf(membersOf(properties[name]), member, named, name);
      return schema['additionalProperties'] === false ? [{ field: name, reason: 'unknown property' }] : [];
    }),
  ];
};
