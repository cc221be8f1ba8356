import { follow, type Located } from './resolve.js';
import { child } from './pointer.js';
import { asList } from '../values.js';

/**
 * Finds the schema of a property of what a media type declares, through references and compositions; `*` means the elements of an array. Null
 * if none is declared.
 */
export function findBelow(document: unknown, media: Located | null, path: readonly string[]): string | null {
  return media === null ? null : findSchema(document, media.node['schema'], child(media.pointer, 'schema'), path);
}

/** The same below a schema. */
export function findSchema(
  document: unknown,
  schema: unknown,
  pointer: string,
  path: readonly string[],
  depth = 0,
  budget = { left: 5000 },
): string | null {
  const here = follow(document, schema, pointer);
  budget.left -= 1;
  if (here === null || depth > 24 || budget.left < 0) return null;
  const [name, ...rest] = path;
  if (name === undefined) return here.pointer;
  const inner =
    name === '*' ? here.node['items'] : (here.node['properties'] as Record<string, unknown> | undefined)?.[name];
  if (inner !== undefined && inner !== null) {
    const place = name === '*' ? child(here.pointer, 'items') : child(child(here.pointer, 'properties'), name);
    const found = findSchema(document, inner, place, rest, depth + 1, budget);
    if (found !== null) return found;
  }
  for (const keyword of ['allOf', 'oneOf', 'anyOf']) {
    for (const [index, part] of asList(here.node[keyword]).entries()) {
      const found = findSchema(document, part, child(child(here.pointer, keyword), index), path, depth + 1, budget);
      if (found !== null) return found;
    }
  }
  return null;
}
