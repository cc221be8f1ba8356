import { asList, asObject } from '../values.js';
import { at, child, localPointer } from './pointer.js';

/** An object of the document and the pointer where it really stands. */
export interface Located {
  readonly node: Record<string, unknown>;
  readonly pointer: string;
}

/** What the `$ref` of an object leads to inside the document; undefined where it has none, or one that leads elsewhere. */
export function referredBy(document: unknown, node: Record<string, unknown>): unknown {
  const target = typeof node['$ref'] === 'string' ? localPointer(node['$ref']) : null;
  return target === null ? undefined : at(document, target);
}

/** Follows `$ref`s inside the document until a plain object is found; null where there is none, or the references go in a circle. */
export function follow(document: unknown, node: unknown, pointer: string): Located | null {
  let here: Located | null = locate(node, pointer);
  for (let hops = 0; here !== null && hops < 32; hops += 1) {
    const ref = here.node['$ref'];
    if (typeof ref !== 'string') return here;
    const target = localPointer(ref);
    here = target === null ? null : locate(at(document, target), target);
  }
  return null;
}

/** The object that stands below another under these names, references followed; null where there is none. */
export function member(document: unknown, holder: Located | null, ...names: readonly string[]): Located | null {
  let here = holder;
  for (const name of names) here = here && follow(document, here.node[name], child(here.pointer, name));
  return here;
}

/** The members of a list that stands in an object, such as `allOf`, each with its pointer; references are not followed. */
export function partsOf(here: Located | null, name: string): { readonly schema: unknown; readonly pointer: string }[] {
  const list = asList(here?.node[name]);
  return list.map((schema, index) => ({ schema, pointer: child(child(here?.pointer ?? '', name), index) }));
}

/** The names of types that a schema lists. */
export function typesOf(schema: Record<string, unknown> | undefined): string[] {
  return [schema?.['type'], ...asList(schema?.['type'])].filter((type) => typeof type === 'string');
}

/** Whether a schema is nothing but references that lead back to it. */
export function isReferenceCycle(document: unknown, schema: unknown): boolean {
  const seen = new Set<unknown>();
  for (let node = asObject(schema); node !== null && !seen.has(node);) {
    seen.add(node);
    node = asObject(referredBy(document, node));
    if (seen.has(node)) return true;
  }
  return false;
}

function locate(node: unknown, pointer: string): Located | null {
  const object = asObject(node);
  return object === null ? null : { node: object, pointer };
}
