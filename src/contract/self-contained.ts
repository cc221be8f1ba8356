import { at, fragmentOf } from './pointer.js';
import { localMapping } from './local-mapping.js';
import { references } from './references.js';
import { asObject } from './values.js';

/** What identifies a schema by something other than its place, and where an example's value is to be fetched. */
const dropped = new Set(['$id', '$anchor', '$dynamicAnchor', 'externalValue']);

/** What a Reference Object may say of itself; tools take it for a part of what is referred to, where it may have no place. */
const remarks = new Set(['summary', 'description']);

type Copy = (node: unknown) => unknown;

/** A deep copy in which only the references that are kept can be taken for any: tools follow whatever looks like one, data included. */
function bare(node: unknown, kept: ReadonlyMap<unknown, string>, mapped: Copy): unknown {
  if (Array.isArray(node)) return node.map((one) => bare(one, kept, mapped));
  const object = asObject(node);
  if (object === null) return node;
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(object)) {
    const isText = typeof value === 'string';
    if (isText && (dropped.has(name) || (name === '$ref' && !kept.has(object)))) continue;
    if (isText && remarks.has(name) && kept.has(object)) continue;
    const inner = isText && name === '$ref' ? kept.get(object) : bare(value, kept, mapped);
    const shown = name === 'discriminator' ? mapped(inner) : inner;
    Object.defineProperty(copy, name, { value: shown, enumerable: true, configurable: true, writable: true });
  }
  return copy;
}

/**
 * A deep copy for tools that fetch and read what references name: each reference is a pointer into the copy, whatever it was written as, and
 * remarks beside it are left out; nothing in example data or extensions looks like one; no example and no discriminator names anything outside.
 */
export function selfContained(document: Record<string, unknown>): Record<string, unknown> {
  const kept = new Map<unknown, string>();
  for (const { pointer, target } of references(document)) {
    if (target === null || !pointer.endsWith('/$ref')) continue;
    const holder = at(document, pointer.slice(0, -'/$ref'.length));
    kept.set(holder, `#${fragmentOf(target)}`);
  }
  const copy = bare(document, kept, (discriminator) => localMapping(document, discriminator)) as Record<
    string,
    unknown
  >;
  // What extends the map of paths is no path, though generators take it for one.
  const paths = asObject(copy['paths']);
  for (const name of Object.keys(paths ?? {})) if (name.startsWith('x-')) delete paths?.[name];
  return copy;
}
