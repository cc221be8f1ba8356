import { asObject } from '../values.js';

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
