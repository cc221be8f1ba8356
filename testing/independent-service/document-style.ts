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

const mapped = (value: Json | undefined, of: (name: string, member: Json) => Json): JsonObject =>
  Object.fromEntries(Object.entries(membersOf(value)).map(([name, member]) => [name, of(name, member)]));

/** The same document with everything that may be a component made one. */
export const hoist = (document: JsonObject, prefix: string): JsonObject => {
  const groups: Record<string, JsonObject> = { responses: {}, parameters: {}, requestBodies: {}, pathItems: {} };
  const component = (kind: string, preferred: string, value: Json): JsonObject => {
    const group = groups[kind] ?? {};
    const known = Object.keys(group).find((name) => JSON.stringify(group[name]) === JSON.stringify(value));
    const isTaken = known === undefined && Object.hasOwn(group, preferred);
    const name = known ?? (isTaken ? `${preferred}-${Object.keys(group).length}` : preferred);
    group[name] = value;
    return { $ref: `#/components/${kind}/${name}` };
  };
  const parameters = (list: Json): Json[] =>
    (list as Json[]).map((one) => {
      const { in: place, name } = membersOf(one);
      return component('parameters', `${String(place)}.${String(name).replace(/[^A-Za-z0-9]/g, '_')}`, one);
    });
  const operation = (found: Json): Json => {
    const id = String(membersOf(found)['operationId']);
    return mapped(found, (name, member) => {
      if (name === 'parameters') return parameters(member);
      if (name === 'requestBody') return component('requestBodies', `${id}.body`, member);
      if (name !== 'responses') return member;
      return mapped(member, (status, answer) => component('responses', `${id}.${status}`, answer));
    });
  };
  const paths = mapped(document['paths'], (_, item) =>
    mapped(item, (name, member) =>
      name === 'parameters' ? parameters(member) : isObject(member) ? operation(member) : member,
    ),
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
