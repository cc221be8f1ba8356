import { isObject, membersOf, type Json, type JsonObject } from './json.js';

/** What a reference within the document points to. */
const lookUp = (root: JsonObject, pointer: string): Json => {
  const names = pointer.slice(2).split('/');
  return names.reduce<Json>(
    (at, name) => membersOf(at)[name.replaceAll('~1', '/').replaceAll('~0', '~')] ?? null,
    root,
  );
};

const walk = (root: JsonObject, value: Json): Json => {
  if (Array.isArray(value)) return value.map((item: Json) => walk(root, item));
  if (!isObject(value)) return value;
  const { $ref } = value;
  if (typeof $ref === 'string') return walk(root, lookUp(root, $ref));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, walk(root, member)]));
};

/** The same document without a single $ref. */
export const inline = (document: JsonObject): JsonObject => {
  const flat = membersOf(walk(document, document));
  const { schemas: _schemas, ...components } = membersOf(flat['components']);
  return { ...flat, components };
};

/** The same document with everything that may be a component made one. */
export const hoist = (document: JsonObject, prefix: string): JsonObject => {
  const groups = { responses: {}, parameters: {}, requestBodies: {}, pathItems: {} } satisfies Record<
    string,
    JsonObject
  >;
  const pointers = new Map<string, string>();
  const component = (kind: keyof typeof groups, preferred: string, value: Json): JsonObject => {
    const print = `${kind}:${JSON.stringify(value)}`;
    let pointer = pointers.get(print);
    if (pointer === undefined) {
      const group: JsonObject = groups[kind];
      let name = preferred;
      for (let i = 2; Object.hasOwn(group, name); i += 1) name = `${preferred}-${i}`;
      group[name] = value;
      pointer = `#/components/${kind}/${name}`;
      pointers.set(print, pointer);
    }
    return { $ref: pointer };
  };
  const parameters = (list: Json | undefined): Json[] =>
    (Array.isArray(list) ? (list as Json[]) : []).map((one) => {
      const { in: place, name } = membersOf(one);
      return component('parameters', `${String(place)}.${String(name).replace(/[^A-Za-z0-9]/g, '_')}`, one);
    });
  const operation = (found: JsonObject): JsonObject => {
    const id = String(found['operationId']);
    const answers = Object.entries(membersOf(found['responses']));
    return {
      ...found,
      ...(found['parameters'] === undefined ? {} : { parameters: parameters(found['parameters']) }),
      ...(found['requestBody'] === undefined
        ? {}
        : { requestBody: component('requestBodies', `${id}.body`, found['requestBody']) }),
      responses: Object.fromEntries(
        answers.map(([status, answer]) => [status, component('responses', `${id}.${status}`, answer)]),
      ),
    };
  };
  const paths: JsonObject = {};
  for (const [path, item] of Object.entries(membersOf(document['paths'])))
    paths[path] = Object.fromEntries(
      Object.entries(membersOf(item)).map(([name, member]) => [
        name,
        name === 'parameters' ? parameters(member) : isObject(member) ? operation(member) : member,
      ]),
    );
  // the single unit is reached through a path-item component, failures of the deals through an escaped pointer
  const unit = paths[`${prefix}/units/{id}`];
  if (unit !== undefined) paths[`${prefix}/units/{id}`] = component('pathItems', 'UnitById', unit);
  const responses = membersOf(membersOf(membersOf(paths[`${prefix}/deals`])['get'])['responses']);
  const units = `${prefix}/units`.replaceAll('/', '~1');
  for (const status of Object.keys(responses))
    if (status !== '200') responses[status] = { $ref: `#/paths/${units}/get/responses/${status}` };
  return {
    ...document,
    jsonSchemaDialect: 'https://spec.openapis.org/oas/3.1/dialect/base',
    paths,
    components: { ...membersOf(document['components']), ...groups },
  };
};
