import { at, child, fragmentOf, localPointer, tokensOf } from './pointer.js';
import { follow } from './resolve.js';
import { schemaObjects } from './schema-objects.js';
import { asList, asObject } from './values.js';

type Kind = 'schemas' | 'parameters';

/** A Reference Object, or a schema with a reference, and the pointer that it leads to. */
interface Link {
  readonly holder: Record<string, unknown>;
  readonly target: string;
}

/** Every object below some values, themselves included. */
function objectsBelow(values: readonly unknown[]): Record<string, unknown>[] {
  const found: Record<string, unknown>[] = [];
  const waiting = [...values];
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (typeof node !== 'object' || node === null) continue;
    const object = asObject(node);
    if (object !== null) found.push(object);
    for (const inner of Object.values(node) as unknown[]) waiting.push(inner);
  }
  return found;
}

function schemaLinks(document: Record<string, unknown>): Link[] {
  return objectsBelow(schemaObjects(document).map(({ schema }) => schema)).flatMap((holder) => {
    const target = typeof holder['$ref'] === 'string' ? localPointer(holder['$ref']) : null;
    return target === null ? [] : [{ holder, target }];
  });
}

function parameterLinks(document: Record<string, unknown>): Link[] {
  return objectsBelow([document]).flatMap((node) =>
    asList(node['parameters']).flatMap((raw) => {
      const holder = asObject(raw);
      const target = typeof holder?.['$ref'] === 'string' ? follow(document, holder, '') : null;
      return holder === null || target === null ? [] : [{ holder, target: target.pointer }];
    }),
  );
}

/** Whether a pointer leads to a component of a kind, and not into one or elsewhere. */
function isNamed(pointer: string, kind: Kind): boolean {
  const tokens = tokensOf(pointer) ?? [];
  return tokens.length === 3 && tokens[0] === 'components' && tokens[1] === kind;
}

/** Lets links lead to components of a kind, and copies there what they led to. */
function hoist(document: Record<string, unknown>, kind: Kind, links: readonly Link[]): void {
  const components = asObject((document['components'] ??= {})) ?? {};
  const named = asObject((components[kind] ??= {})) ?? {};
  const names = new Map<string, string>();
  const refTo = (name: string): string => `#${fragmentOf(child(`/components/${kind}`, name))}`;
  for (const { holder, target } of links) {
    if (isNamed(target, kind)) holder['$ref'] = `#${fragmentOf(target)}`;
    if (target === '' || isNamed(target, kind) || at(document, target) === undefined) continue;
    let name = names.get(target);
    for (let number = names.size + 1; name === undefined; number += 1)
      if (!Object.hasOwn(named, `Hoisted${number}`)) name = `Hoisted${number}`;
    names.set(target, name);
    holder['$ref'] = refTo(name);
  }
  /** A copy of what stands at a pointer; what has a copy of its own is referred to, so that no part is copied twice. */
  const copied = (node: unknown, pointer: string): unknown => {
    const inner = (value: unknown, key: string | number): unknown => {
      const name = names.get(child(pointer, key));
      return name === undefined ? copied(value, child(pointer, key)) : { $ref: refTo(name) };
    };
    if (Array.isArray(node)) return node.map(inner);
    const object = asObject(node);
    if (object === null) return node;
    return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, inner(value, key)]));
  };
  const copies = [...names].map(([target, name]) => [name, copied(at(document, target), target)] as const);
  Object.assign(named, Object.fromEntries(copies));
}

/**
 * Gives every schema that a schema refers to, and every parameter by reference, a name among the components: generators look for types nowhere else.
 * Changes the document, which must be self-contained; what a reference led to also stays where it is.
 */
export function hoistReferred(document: Record<string, unknown>): void {
  hoist(document, 'schemas', schemaLinks(document));
  hoist(document, 'parameters', parameterLinks(document));
}
