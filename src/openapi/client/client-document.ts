import { at, child, fragmentOf, localPointer, tokensOf } from '../schema/pointer.js';
import { referenceTargets } from '../load/references.js';
import { follow } from '../schema/resolve.js';
import { schemaObjects } from '../visit-objects.js';
import { asObject } from '../values.js';

/** Keywords that identify a schema other than by its place, and the one for the address of an example's value. */
const dropped = new Set(['$id', '$anchor', '$dynamicAnchor', 'externalValue']);

/** What a Reference Object may say of itself; generators treat it as part of what is referred to, where it may have no place. */
const remarks = new Set(['summary', 'description']);

const compositions = new Set(['allOf', 'anyOf', 'oneOf']);

/**
 * A copy of a document for client generators. Generators follow everything that looks like a reference, so each reference becomes a pointer
 * into the copy, and example data, extensions and discriminators contain none that leads outside. They read types from the components only,
 * so every referenced schema and parameter gets a name there. They expect objects in compositions, so `true` and `false` are written as
 * objects.
 */
export function clientDocument(document: Record<string, unknown>): Record<string, unknown> {
  const targets = referenceTargets(document);
  const schemaRoots = new Set(schemaObjects(document).map(({ schema }) => schema));
  const parameters = new Set<unknown>();
  const components = asObject(document['components']) ?? {};
  const names = new Map<string, { readonly kind: 'schemas' | 'parameters'; readonly name: string }>();

  /** The pointer by which a generator finds what a reference leads to. */
  const placeFor = (target: string, kind: 'schemas' | 'parameters' | null): string => {
    const tokens = tokensOf(target) ?? [];
    const isNamed = tokens.length === 3 && tokens[0] === 'components' && tokens[1] === kind;
    if (kind === null || isNamed || target === '') return target;
    let name = names.get(target)?.name;
    for (let number = names.size + 1; name === undefined; number += 1)
      if (!Object.hasOwn(asObject(components[kind]) ?? {}, `Hoisted${number}`)) name = `Hoisted${number}`;
    names.set(target, { kind, name });
    return child(`/components/${kind}`, name);
  };

  const mapping = (value: unknown, named: unknown): [string, unknown][] => {
    if (typeof named !== 'string') return [[String(value), named]];
    const schema = child('/components/schemas', named);
    const pointer = at(document, schema) === undefined ? localPointer(named) : schema;
    return pointer === null ? [] : [[String(value), `#${fragmentOf(pointer)}`]];
  };

  const copy = (node: unknown, below: boolean, holder = ''): unknown => {
    if (Array.isArray(node)) return node.map((one) => copy(one, below));
    const object = asObject(node);
    if (object === null) return node;
    const inSchema = below || schemaRoots.has(node);
    const target = targets.get(node)?.['$ref'];
    const result: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(object)) {
      const isText = typeof value === 'string';
      // Generators read every member of the responses of an operation as a response.
      if (holder === 'responses' && !inSchema && name.startsWith('x-')) continue;
      if (isText && (dropped.has(name) || (name === '$ref' && target === undefined))) continue;
      if (isText && remarks.has(name) && target !== undefined) continue;
      if (name === 'parameters' && Array.isArray(value)) for (const one of value) parameters.add(one);
      let inner = copy(value, inSchema, name);
      if (isText && name === '$ref' && target !== undefined) {
        const isParameter = parameters.has(node);
        const end = isParameter ? (follow(document, node, '')?.pointer ?? target) : target;
        inner = `#${fragmentOf(placeFor(end, inSchema ? 'schemas' : isParameter ? 'parameters' : null))}`;
      }
      if (inSchema && compositions.has(name) && Array.isArray(inner))
        inner = inner.map((one: unknown) => (one === true ? {} : one === false ? { not: {} } : one));
      const mapped = name === 'discriminator' ? asObject(asObject(value)?.['mapping']) : null;
      if (mapped !== null)
        inner = {
          ...asObject(inner),
          mapping: Object.fromEntries(Object.entries(mapped).flatMap(([key, one]) => mapping(key, one))),
        };
      Object.defineProperty(result, name, { value: inner, enumerable: true, configurable: true, writable: true });
    }
    return result;
  };

  const whole = copy(document, false) as Record<string, unknown>;
  // An extension in the map of paths is not a path, though generators read it as one.
  const paths = asObject(whole['paths']);
  for (const name of Object.keys(paths ?? {})) if (name.startsWith('x-')) delete paths?.[name];
  // Copies may hold references that need further copies.
  for (const [target, { kind, name }] of names) {
    const all = asObject((whole['components'] ??= {})) ?? {};
    const named = asObject((all[kind] ??= {})) ?? {};
    named[name] = copy(at(document, target), kind === 'schemas');
  }
  return whole;
}
