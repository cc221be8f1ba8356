import { follow, type Located, partsOf, referredBy } from './resolve.js';
import { child, localPointer } from './pointer.js';
import { asObject, objectsIn } from '../values.js';

/** A schema, what it refers to, and what these keywords join to it, however deep: each once, itself first. */
export function joinedSchemas(
  document: unknown,
  schema: unknown,
  pointer: string,
  keywords: readonly string[] = ['allOf', 'oneOf', 'anyOf'],
): readonly Located[] {
  const found = new Map<unknown, Located>();
  const visit = (raw: unknown, at: string, depth: number): void => {
    const node = asObject(raw);
    if (node === null || depth > 24 || found.size >= 500 || found.has(node)) return;
    const here = { node, pointer: at };
    found.set(node, here);
    const target = referredBy(document, node);
    if (target !== undefined) visit(target, localPointer(String(node['$ref'])) ?? '', depth + 1);
    for (const word of keywords) for (const part of partsOf(here, word)) visit(part.schema, part.pointer, depth + 1);
  };
  visit(schema, pointer, 0);
  return [...found.values()];
}

/**
 * Finds the schema of a property below another, through references and compositions; `*` means the elements of an array. Null if none is
 * declared.
 */
export function findSchema(
  document: unknown,
  schema: unknown,
  pointer: string,
  [name, ...rest]: readonly string[],
): string | null {
  if (name === undefined) return follow(document, schema, pointer)?.pointer ?? null;
  for (const { node, pointer: at } of joinedSchemas(document, schema, pointer)) {
    const inner = name === '*' ? node['items'] : asObject(node['properties'])?.[name];
    const place = name === '*' ? child(at, 'items') : child(child(at, 'properties'), name);
    const found = inner === undefined ? null : findSchema(document, inner, place, rest);
    if (found !== null) return found;
  }
  return null;
}

/** The same below what a media type declares. */
export function findBelow(document: unknown, media: Located | null, path: readonly string[]): string | null {
  return media === null ? null : findSchema(document, media.node['schema'], child(media.pointer, 'schema'), path);
}

/** The keywords that limit a property to one direction (JSON Schema Validation §9.4). */
export type Mark = 'readOnly' | 'writeOnly';

/** Whether a schema, or one that it refers to, carries a mark. */
export function isMarked(document: unknown, schema: unknown, mark: Mark): boolean {
  return joinedSchemas(document, schema, '', []).some(({ node }) => node[mark] === true);
}

/**
 * Names of the properties that belong into answers only (`readOnly`), which a request need not and should not
 * carry even where the schema requires them: those of the schema itself and of all that it joins.
 */
export function readOnlyNames(document: unknown, schema: unknown): ReadonlySet<string> {
  const properties = joinedSchemas(document, schema, '').flatMap(({ node }) => objectsIn(node['properties']));
  return new Set(properties.flatMap(([name, property]) => (isMarked(document, property, 'readOnly') ? name : [])));
}
