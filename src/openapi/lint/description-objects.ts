import { methods } from '../operations.js';
import { child } from '../schema/pointer.js';
import { nodeKind, type NodeKind } from './node-kind.js';
import { asObject } from '../values.js';

/** The kind of an OpenAPI object, as far as rules need it; names follow the official OpenAPI schema. */
export type ObjectKind =
  | ('parameter' | 'header' | 'media-type' | 'link' | 'operation' | 'path-item' | 'callbacks')
  | ('response' | 'request-body' | 'example' | 'security-scheme' | 'server-variable' | 'other');

/** One object of a description, at the place where it is written. */
export interface DescriptionObject {
  readonly kind: ObjectKind;
  readonly node: Record<string, unknown>;
  readonly pointer: string;
}

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
};

/** The kinds of the members of an object; the members of a map have the kind of its elements. */
function kindIn(holder: ObjectKind, place: NodeKind, name: string): ObjectKind {
  if (place !== 'object') return holder;
  if (holder === 'callbacks') return 'path-item';
  if (holder === 'path-item' && (methods as readonly string[]).includes(name)) return 'operation';
  return membersOf[name] ?? 'other';
}

/** Every object of a description outside its schemas and its example data, each where it is written; references are not followed. */
export function descriptionObjects(document: Record<string, unknown>): DescriptionObject[] {
  const found: DescriptionObject[] = [];
  const walk = (value: unknown, pointer: string, place: NodeKind, kind: ObjectKind): void => {
    if (place === 'data') return;
    if (Array.isArray(value)) {
      value.forEach((one, index) => walk(one, child(pointer, index), place, kind));
      return;
    }
    const node = asObject(value);
    if (node === null) return;
    if (place === 'object') found.push({ kind, node, pointer });
    for (const [name, member] of Object.entries(node)) {
      // The parameters of a link are data of any shape.
      if (place === 'object' && kind === 'link' && name !== 'server') continue;
      if (place === 'object' && (name === 'schema' || name === 'schemas')) continue;
      walk(member, child(pointer, name), nodeKind(place, name, member), kindIn(kind, place, name));
    }
  };
  walk(document, '', 'object', 'other');
  return found;
}
