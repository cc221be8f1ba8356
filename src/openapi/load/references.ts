import { at, child, localPointer } from '../schema/pointer.js';
import { visitObjects } from '../visit-objects.js';

/** One `$ref` of a document. */
export interface Reference {
  /** The place of the keyword. */
  readonly pointer: string;
  readonly ref: string;
  /** `external` points to another document, `dangling` to nothing. */
  readonly state: 'resolved' | 'external' | 'dangling';
  /** The pointer that it leads to inside the document, or null. */
  readonly target: string | null;
}

/** Every reference of a document and whether it leads to something inside; nothing is fetched or read. */
export function references(document: Record<string, unknown>): Reference[] {
  const anchors = new Map<string, string>();
  const ids = new Map<string, string>();
  const raw: { pointer: string; ref: string; scope: string }[] = [];
  visitObjects(document, ({ node, pointer, scope }) => {
    for (const key of ['$anchor', '$dynamicAnchor']) if (typeof node[key] === 'string') anchors.set(node[key], pointer);
    const id = node['$id'];
    // Up to draft-07 an $id that is a fragment is an anchor.
    if (typeof id === 'string' && id.startsWith('#')) anchors.set(id.slice(1), pointer);
    else if (typeof id === 'string') ids.set(id.replace(/#$/, ''), pointer);
    for (const key of ['$ref', '$dynamicRef'])
      if (typeof node[key] === 'string') raw.push({ pointer: child(pointer, key), ref: node[key], scope });
  });

  /** The schema that a reference without its fragment names by `$id`, also relative to another's. */
  function resource(bare: string): string | undefined {
    const tail = `/${bare.replace(/^\.?\//, '')}`;
    return ids.get(bare) ?? [...ids].find(([id]) => id.endsWith(tail))?.[1];
  }

  /** A fragment below a schema with an identity, or below the document, which is where OpenAPI tools look. */
  function inside(fragment: string, scope: string): string | null {
    const pointer = localPointer(fragment);
    if (pointer === null) return anchors.get(fragment.slice(1)) ?? null;
    return [scope + pointer, pointer].find((one) => at(document, one) !== undefined) ?? null;
  }

  return raw.map(({ pointer, ref, scope }) => {
    const hash = ref.indexOf('#');
    const [bare, fragment] = hash < 0 ? [ref, '#'] : [ref.slice(0, hash), ref.slice(hash)];
    const base = bare === '' ? scope : resource(bare);
    if (base === undefined) return { pointer, ref, state: 'external', target: null };
    const target = inside(fragment, base);
    return { pointer, ref, state: target === null ? 'dangling' : 'resolved', target };
  });
}

const known = new WeakMap<object, Map<unknown, Record<string, string>>>();

/** The places that the references of each object lead to, by their keywords; without what leads off the document or nowhere. */
export function referenceTargets(document: Record<string, unknown>): ReadonlyMap<unknown, Record<string, string>> {
  const targets = known.get(document) ?? new Map<unknown, Record<string, string>>();
  for (const { pointer, target } of known.has(document) ? [] : references(document)) {
    const end = pointer.lastIndexOf('/');
    const holder = at(document, pointer.slice(0, end));
    if (target !== null) targets.set(holder, { ...targets.get(holder), [pointer.slice(end + 1)]: target });
  }
  known.set(document, targets);
  return targets;
}
