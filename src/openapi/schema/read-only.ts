import { referredBy } from './resolve.js';
import { asList, asObject, objectsIn } from '../values.js';

const joined = ['allOf', 'anyOf', 'oneOf'] as const;

/** The keywords that limit a property to one direction (JSON Schema Validation §9.4). */
export type Mark = 'readOnly' | 'writeOnly';

/** Whether a schema, or one that it refers to, carries a mark. */
export function isMarked(document: unknown, raw: unknown, mark: Mark, hops = 0): boolean {
  const node = asObject(raw);
  if (node === null || hops > 8) return false;
  return node[mark] === true || isMarked(document, referredBy(document, node), mark, hops + 1);
}

/**
 * Names of the properties that belong into answers only (`readOnly`), which a request need not and should not
 * carry even where the schema requires them: those of the schema itself and of all that it joins.
 */
export function readOnlyNames(document: unknown, schema: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  const seen = new Set<unknown>();
  const waiting: unknown[] = [schema];
  while (waiting.length > 0) {
    const node = asObject(waiting.pop());
    if (node === null || seen.has(node)) continue;
    seen.add(node);
    for (const [name, property] of objectsIn(node['properties']))
      if (isMarked(document, property, 'readOnly')) names.add(name);
    waiting.push(referredBy(document, node), ...joined.flatMap((name) => asList(node[name])));
  }
  return names;
}
