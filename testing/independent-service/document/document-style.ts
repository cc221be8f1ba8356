import { isObject, membersOf } from '../body-reader.js';
import type { Json, JsonObject } from '../types.js';

/** What a reference within the document points to. */
export const lookUp = (root: JsonObject, pointer: string): Json => {
  let at: Json = root;
  for (const part of pointer.slice(2).split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    at = isObject(at) ? (at[name] ?? null) : null;
  }
  return at;
};

/** The same document without a single $ref. */
export const inline = (document: JsonObject): JsonObject => {
  const walk = (value: Json): Json => {
    if (Array.isArray(value)) return value.map((v: Json) => walk(v));
    if (!isObject(value)) return value;
    const pointer = value['$ref'];
    if (typeof pointer === 'string') return walk(lookUp(document, pointer));
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, walk(v)]));
  };
  const flat = walk(document);
  if (!isObject(flat)) return document;
  const components = flat['components'];
  if (isObject(components)) {
    const { schemas: _schemas, ...others } = components;
    flat['components'] = others;
  }
  return flat;
};

/** The same document with everything that may be a component made one. */
export const hoist = (document: JsonObject, prefix: string): JsonObject => {
  const responses: JsonObject = {};
  const parameters: JsonObject = {};
  const requestBodies: JsonObject = {};
  const pathItems: JsonObject = {};
  const known = new Map<string, string>();
  const name = (group: JsonObject, kind: string, preferred: string, value: Json): JsonObject => {
    const print = `${kind}:${JSON.stringify(value)}`;
    const found = known.get(print);
    if (found !== undefined) return { $ref: found };
    let free = preferred;
    for (let i = 2; Object.hasOwn(group, free); i += 1) free = `${preferred}-${i}`;
    group[free] = value;
    const pointer = `#/components/${kind}/${free}`;
    known.set(print, pointer);
    return { $ref: pointer };
  };
  const hoistParameters = (list: Json | undefined): Json[] =>
    Array.isArray(list)
      ? list.map((p: Json) =>
          isObject(p)
            ? name(parameters, 'parameters', `${String(p['in'])}.${String(p['name']).replace(/[^A-Za-z0-9]/g, '_')}`, p)
            : p,
        )
      : [];
  const paths: JsonObject = {};
  for (const [path, item] of Object.entries(membersOf(document['paths']))) {
    if (!isObject(item)) continue;
    const made: JsonObject = {};
    for (const [key, value] of Object.entries(item)) {
      if (key === 'parameters') made[key] = hoistParameters(value);
      else if (isObject(value)) {
        const operation: JsonObject = { ...value };
        const id = String(value['operationId']);
        if (value['parameters'] !== undefined) operation['parameters'] = hoistParameters(value['parameters']);
        if (value['requestBody'] !== undefined)
          operation['requestBody'] = name(requestBodies, 'requestBodies', `${id}.body`, value['requestBody']);
        const answers: JsonObject = {};
        for (const [status, response] of Object.entries(membersOf(value['responses'])))
          answers[status] = name(responses, 'responses', `${id}.${status}`, response);
        operation['responses'] = answers;
        made[key] = operation;
      } else made[key] = value;
    }
    paths[path] = made;
  }
  // the single unit is reached through a path-item component, one response through an escaped pointer
  const itemPath = `${prefix}/units/{id}`;
  const item = paths[itemPath];
  if (item !== undefined) {
    pathItems['UnitById'] = item;
    paths[itemPath] = { $ref: '#/components/pathItems/UnitById' };
  }
  const deals = paths[`${prefix}/deals`];
  const operation = isObject(deals) ? deals['get'] : undefined;
  if (isObject(operation) && isObject(operation['responses']))
    for (const status of Object.keys(operation['responses']))
      if (status !== '200')
        operation['responses'][status] = {
          $ref: `#/paths/${`${prefix}/units`.replaceAll('~', '~0').replaceAll('/', '~1')}/get/responses/${status}`,
        };
  const components = membersOf(document['components']);
  return {
    ...document,
    jsonSchemaDialect: 'https://spec.openapis.org/oas/3.1/dialect/base',
    paths,
    components: { ...components, responses, parameters, requestBodies, pathItems },
  };
};
