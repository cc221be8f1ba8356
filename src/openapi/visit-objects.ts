import { methods } from './operations.js';
import { child } from './schema/pointer.js';
import { asObject } from './values.js';

/** How a value of a document is read: as an object of the description, as a map from names to such objects, or as mere data. */
export type NodeKind = 'object' | 'map' | 'extensible-map' | 'data';

const maps = new Set(
  (
    'properties patternProperties $defs definitions dependentSchemas schemas parameters headers requestBodies ' +
    'securitySchemes links pathItems webhooks content encoding variables callbacks examples'
  ).split(' '),
);
const extensibleMaps = new Set(['paths', 'responses']);
const data = new Set(['example', 'default', 'const', 'enum', 'value', 'mapping']);

/**
 * How a member is read: `default` is data in a schema, an answer among `responses`, and a property among `properties`. An array is read as
 * its elements are.
 */
export function nodeKind(holder: NodeKind, name: string, value: unknown): NodeKind {
  if (holder === 'data') return 'data';
  if (holder === 'map') return 'object';
  if (name.startsWith('x-')) return 'data';
  if (holder === 'extensible-map') return 'object';
  if (data.has(name)) return 'data';
  if (Array.isArray(value)) return name === 'examples' ? 'data' : 'object';
  if (asObject(value) === null) return 'data';
  return extensibleMaps.has(name) ? 'extensible-map' : maps.has(name) ? 'map' : 'object';
}

/** The kind of an OpenAPI object, as far as rules need it; names follow the official OpenAPI schema. */
type ObjectKind =
  | ('parameter' | 'header' | 'media-type' | 'link' | 'operation' | 'path-item' | 'callbacks' | 'schema')
  | ('response' | 'request-body' | 'example' | 'security-scheme' | 'server-variable' | 'other');

const membersOf: Readonly<Record<string, ObjectKind>> = {
  parameters: 'parameter',
  headers: 'header',
  content: 'media-type',
  links: 'link',
  paths: 'path-item',
  webhooks: 'path-item',
  pathItems: 'path-item',
  callbacks: 'callbacks',
  responses: 'response',
  requestBody: 'request-body',
  requestBodies: 'request-body',
  examples: 'example',
  securitySchemes: 'security-scheme',
  variables: 'server-variable',
  schema: 'schema',
  schemas: 'schema',
};

/** The kinds of the members of an object; the members of a map have the kind of its elements. */
function kindIn(holder: ObjectKind, place: NodeKind, name: string): ObjectKind {
  if (place !== 'object' || holder === 'schema') return holder;
  if (holder === 'callbacks') return 'path-item';
  if (holder === 'path-item' && (methods as readonly string[]).includes(name)) return 'operation';
  return membersOf[name] ?? 'other';
}

/** One object of a document, at the place where it is written. */
interface PlacedObject {
  readonly kind: ObjectKind;
  readonly node: Record<string, unknown>;
  readonly pointer: string;
  /** The place of the schema whose `$id` applies there; empty for the document. */
  readonly scope: string;
}

/** Visits every object that is part of the description and not of its example data; below one only where `visit` does not say false. References are not followed. */
export function visitObjects(document: Record<string, unknown>, visit: (object: PlacedObject) => unknown): void {
  const walk = (value: unknown, pointer: string, place: NodeKind, kind: ObjectKind, scope: string): void => {
    if (place === 'data') return;
    if (Array.isArray(value)) value.forEach((one, at) => walk(one, child(pointer, at), place, kind, scope));
    const node = asObject(value);
    if (node === null) return;
    const id = node['$id'];
    const inner = place === 'object' && typeof id === 'string' && !id.startsWith('#') ? pointer : scope;
    if (place === 'object' && visit({ kind, node, pointer, scope: inner }) === false) return;
    for (const [name, member] of Object.entries(node)) {
      // The parameters of a link are data of any shape.
      if (place === 'object' && kind === 'link' && name !== 'server') continue;
      walk(member, child(pointer, name), nodeKind(place, name, member), kindIn(kind, place, name), inner);
    }
  };
  walk(document, '', 'object', 'other', '');
}

/** Every object of a description outside its schemas. */
export function descriptionObjects(document: Record<string, unknown>): PlacedObject[] {
  const found: PlacedObject[] = [];
  visitObjects(document, (one) => one.kind !== 'schema' && found.push(one));
  return found;
}

/** One outermost Schema Object of a document. */
interface SchemaPlace {
  readonly pointer: string;
  readonly schema: unknown;
}

/** Every outermost Schema Object of a document, wherever OpenAPI 3.1 lets one stand; references are left to where they lead. */
export function schemaObjects(document: Record<string, unknown>): SchemaPlace[] {
  const named = Object.entries(asObject(asObject(document['components'])?.['schemas']) ?? {});
  return [
    ...descriptionObjects(document).flatMap(({ kind, node, pointer }) =>
      ['parameter', 'header', 'media-type'].includes(kind) && node['schema'] !== undefined
        ? [{ pointer: child(pointer, 'schema'), schema: node['schema'] }]
        : [],
    ),
    ...named.map(([name, schema]) => ({ pointer: child('/components/schemas', name), schema })),
  ];
}
