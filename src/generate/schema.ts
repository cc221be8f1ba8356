/** A JSON Schema of draft 2020-12, as OpenAPI 3.1 embeds it. */
export type JsonSchema = boolean | SchemaObject;

/** The object form of a schema; keywords are read defensively because strangers write them. */
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

/** One reference token of a JSON Pointer, escaped (RFC 6901 §3). */
export function escapeToken(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The tokens of a JSON Pointer such as `/a/b~1c`; percent-encoding of the fragment form is undone. */
export function pointerTokens(pointer: string): readonly string[] {
  if (pointer === '' || pointer === '#') return [];
  const text = pointer.startsWith('#') ? decodeFragment(pointer.slice(1)) : pointer;
  return text
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function decodeFragment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What a pointer leads to in a document, or undefined. */
export function atPointer(document: unknown, tokens: readonly string[]): unknown {
  let here = document;
  for (const token of tokens) {
    if (Array.isArray(here)) here = here[Number(token)];
    else if (isRecord(here) && Object.hasOwn(here, token)) here = here[token];
    else return undefined;
  }
  return here;
}

/** A copy of the document with the place at the pointer replaced; `undefined` removes it. */
export function replaceAt(document: unknown, tokens: readonly string[], value: unknown): unknown {
  const [token, ...rest] = tokens;
  if (token === undefined) return value;
  if (Array.isArray(document)) {
    const index = Number(token);
    const next = replaceAt(document[index], rest, value);
    if (next === undefined) return document.filter((_, position) => position !== index);
    return document.map((item: unknown, position) => (position === index ? next : item));
  }
  const entries = isRecord(document) ? Object.entries(document) : [];
  const next = replaceAt(
    isRecord(document) && Object.hasOwn(document, token) ? document[token] : undefined,
    rest,
    value,
  );
  const known = entries.some(([name]) => name === token);
  const replaced: [string, unknown][] = entries.map(([name, old]) => [name, name === token ? next : old]);
  if (!known) replaced.push([token, next]);
  return Object.fromEntries(replaced.filter(([, item]) => item !== undefined));
}

/** The value as a JSON client would deliver it: serialised and parsed again. */
export function afterSerialisation(value: unknown): unknown {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
}
