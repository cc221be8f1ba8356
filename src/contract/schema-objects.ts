import { child } from './pointer.js';
import { methods } from './operations.js';
import { asList, asObject, objectsIn } from './values.js';

/** One outermost Schema Object of a document. */
export interface SchemaPlace {
  readonly pointer: string;
  readonly schema: unknown;
}

type Visit = (node: Record<string, unknown>, pointer: string) => void;

/** Every outermost Schema Object of a document, wherever OpenAPI 3.1 lets one stand; references are left to where they lead. */
export function schemaObjects(document: Record<string, unknown>): SchemaPlace[] {
  const found: SchemaPlace[] = [];
  const schema = (holder: Record<string, unknown>, pointer: string): void => {
    if (holder['schema'] !== undefined) found.push({ pointer: child(pointer, 'schema'), schema: holder['schema'] });
  };
  const each = (map: unknown, pointer: string, visit: Visit): void => {
    for (const [name, node] of objectsIn(map))
      if (pointer !== '/paths' || !name.startsWith('x-')) visit(node, child(pointer, name));
  };
  const list = (nodes: unknown, pointer: string, visit: Visit): void => {
    for (const [index, raw] of asList(nodes).entries()) {
      const node = asObject(raw);
      if (node !== null) visit(node, child(pointer, index));
    }
  };
  const media: Visit = (node, pointer) => {
    schema(node, pointer);
    each(node['encoding'], child(pointer, 'encoding'), (encoding, at) =>
      each(encoding['headers'], child(at, 'headers'), parameter),
    );
  };
  const content = (node: Record<string, unknown>, pointer: string): void =>
    each(node['content'], child(pointer, 'content'), media);
  const parameter: Visit = (node, pointer) => {
    schema(node, pointer);
    content(node, pointer);
  };
  const response: Visit = (node, pointer) => {
    content(node, pointer);
    each(node['headers'], child(pointer, 'headers'), parameter);
  };
  const operation: Visit = (node, pointer) => {
    list(node['parameters'], child(pointer, 'parameters'), parameter);
    const body = asObject(node['requestBody']);
    if (body !== null) content(body, child(pointer, 'requestBody'));
    each(node['responses'], child(pointer, 'responses'), response);
    each(node['callbacks'], child(pointer, 'callbacks'), (callback, at) => each(callback, at, pathItem));
  };
  const pathItem: Visit = (node, pointer) => {
    list(node['parameters'], child(pointer, 'parameters'), parameter);
    for (const method of methods) {
      const inner = asObject(node[method]);
      if (inner !== null) operation(inner, child(pointer, method));
    }
  };
  each(document['paths'], '/paths', pathItem);
  each(document['webhooks'], '/webhooks', pathItem);
  const components = asObject(document['components']) ?? {};
  for (const [name, value] of Object.entries(asObject(components['schemas']) ?? {})) {
    found.push({ pointer: child('/components/schemas', name), schema: value });
  }
  each(components['parameters'], '/components/parameters', parameter);
  each(components['headers'], '/components/headers', parameter);
  each(components['responses'], '/components/responses', response);
  each(components['requestBodies'], '/components/requestBodies', content);
  each(components['pathItems'], '/components/pathItems', pathItem);
  each(components['callbacks'], '/components/callbacks', (callback, at) => each(callback, at, pathItem));
  return found;
}
