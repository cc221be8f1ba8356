import { at, child, localPointer } from './pointer.js';
import { asObject } from './values.js';

/** One `$ref` of a document. */
export interface Reference {
  readonly pointer: string;
  readonly ref: string;
  /** `external` leads off the document, `dangling` leads nowhere. */
  readonly state: 'resolved' | 'external' | 'dangling';
}

const dataKeys = new Set(['example', 'examples', 'default', 'const', 'enum', 'value', 'mapping']);
const maps = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'schemas', 'dependentSchemas']);

type Seen = (node: Record<string, unknown>, pointer: string) => void;

/** Visits every object that is part of the description and not of its example data. */
function walk(node: unknown, pointer: string, under: string, seen: Seen): void {
  if (Array.isArray(node)) {
    node.forEach((one, index) => walk(one, child(pointer, index), '', seen));
    return;
  }
  const object = asObject(node);
  if (object === null) return;
  const isMap = maps.has(under);
  if (!isMap) seen(object, pointer);
  for (const [name, value] of Object.entries(object)) {
    // A map named "examples" under components or a media type holds references of its own, which lead to data.
    if (!isMap && (dataKeys.has(name) || name.startsWith('x-'))) continue;
    walk(value, child(pointer, name), isMap ? '' : name, seen);
  }
}

/** Every reference of a document and whether it leads to something inside; nothing is fetched or read. */
export function references(document: Record<string, unknown>): Reference[] {
  const names = new Set<string>();
  const raw: { pointer: string; ref: string }[] = [];
  walk(document, '', '', (node, pointer) => {
    for (const key of ['$anchor', '$dynamicAnchor']) if (typeof node[key] === 'string') names.add(`#${node[key]}`);
    if (typeof node['$id'] === 'string') names.add(node['$id'].replace(/#$/, ''));
    for (const key of ['$ref', '$dynamicRef']) if (typeof node[key] === 'string') raw.push({ pointer: child(pointer, key), ref: node[key] });
  });
  const ids = [...names].filter((name) => !name.startsWith('#'));
  return raw.map(({ pointer, ref }) => {
    const target = localPointer(ref);
    if (names.has(ref)) return { pointer, ref, state: 'resolved' };
    if (target !== null) return { pointer, ref, state: target === '' || at(document, target) !== undefined || ids.length > 0 ? 'resolved' : 'dangling' };
    if (ref.startsWith('#')) return { pointer, ref, state: 'dangling' };
    // A relative reference may name a schema of this document by its $id.
    const bare = ref.split('#')[0] ?? ref;
    return { pointer, ref, state: ids.some((id) => id === bare || id.endsWith(`/${bare.replace(/^\.?\//, '')}`)) ? 'resolved' : 'external' };
  });
}
