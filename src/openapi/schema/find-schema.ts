import { follow, type Located, partsOf } from './resolve.js';
import { child } from './pointer.js';
import { asObject } from '../values.js';

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
  const inner = name === '*' ? here.node['items'] : asObject(here.node['properties'])?.[name];
  const place = name === '*' ? child(here.pointer, 'items') : child(child(here.pointer, 'properties'), name);
  const below = inner === undefined || inner === null ? [] : [{ schema: inner, pointer: place, path: rest }];
  const joined = ['allOf', 'oneOf', 'anyOf'].flatMap((word) => partsOf(here, word).map((part) => ({ ...part, path })));
  for (const one of [...below, ...joined]) {
    const found = findSchema(document, one.schema, one.pointer, one.path, depth + 1, budget);
    if (found !== null) return found;
  }
  return null;
}
