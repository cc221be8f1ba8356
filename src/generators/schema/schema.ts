/** A JSON Schema of draft 2020-12, as OpenAPI 3.1 embeds it. */
export type JsonSchema = boolean | SchemaObject;

/** The object form of a schema; keywords are read defensively because the service under test writes them. */
export type SchemaObject = Readonly<Record<string, unknown>>;

/** The schema asks for something that the generator cannot honour; the message says what and where. */
export class GenerationError extends Error {
  override readonly name = 'GenerationError';
}

/** Whether the value is a plain JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether the value can stand where a schema is expected. */
export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isRecord(value);
}

/** The value as a list of schemas; anything else is an empty list. */
export function schemaList(value: unknown): readonly JsonSchema[] {
  return Array.isArray(value) ? value.filter(isSchema) : [];
}

/** The value's entries that are schemas; anything else is an empty list. */
export function schemaEntries(value: unknown): readonly (readonly [string, JsonSchema])[] {
  if (!isRecord(value)) return [];
  return Object.entries(value).filter((entry): entry is [string, JsonSchema] => isSchema(entry[1]));
}

/** The value as a list of strings; anything else is dropped. */
export function stringList(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

/** A copy of the document with the place at the pointer replaced; `undefined` removes it. */
export function replaceAt(document: unknown, tokens: readonly string[], value: unknown): unknown {
  const [token, ...rest] = tokens;
  if (token === undefined) return value;
  if (Array.isArray(document))
    return document
      .map((item: unknown, at) => (at === Number(token) ? replaceAt(item, rest, value) : item))
      .filter((item, at) => at !== Number(token) || item !== undefined);
  const entries = isRecord(document) ? Object.entries(document) : [];
  const own = entries.find(([name]) => name === token);
  const next = replaceAt(own?.[1], rest, value);
  return Object.fromEntries(
    (own === undefined ? [...entries, [token, next] as const] : entries)
      .map(([name, old]) => [name, name === token ? next : old] as const)
      .filter(([, item]) => item !== undefined),
  );
}

/** The value as a JSON client would deliver it: serialised and parsed again. */
export function afterSerialisation(value: unknown): unknown {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
}

/** Decimal places of a number as JSON writes it. */
export function decimals(value: number): number {
  const [mantissa = '', exponent] = String(value).split('e');
  return Math.max(0, (mantissa.split('.')[1]?.length ?? 0) - Number(exponent ?? 0));
}
