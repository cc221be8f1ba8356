import type { Broken } from './breaches.js';
import { dealSchema } from './deals.js';
import type { ErrorCode } from './error-styles.js';
import type { Flavour } from './flavours.js';
import { integer, isObject, listOf, membersOf, objectOf, ref, text, type Json, type JsonObject } from './json.js';
import { leadSchema } from './leads.js';
import { failuresOf, placeOf, type Operation } from './operations.js';
import { limitParameter } from './units.js';
import { hookSchema, kinds, signatureHeader } from './webhooks.js';
import type { World } from './world.js';

/** What a reference within the document points to. */
const lookUp = (root: JsonObject, pointer: string): Json => {
  const names = pointer.slice(2).split('/');
  const named = (name: string): string => name.replaceAll('~1', '/').replaceAll('~0', '~');
  return names.reduce<Json>((at, name) => membersOf(at)[named(name)] ?? null, root);
};

const walk = (root: JsonObject, value: Json): Json => {
  if (Array.isArray(value)) return value.map((item: Json) => walk(root, item));
  if (!isObject(value)) return value;
  const { $ref } = value;
  if (typeof $ref === 'string') return walk(root, lookUp(root, $ref));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, walk(root, member)]));
};

/** The same document without a single $ref. */
const inline = (document: JsonObject): JsonObject => {
  const flat = membersOf(walk(document, document));
  const { schemas: _schemas, ...components } = membersOf(flat['components']);
  return { ...flat, components };
};

const mapped = (value: Json | undefined, of: (name: string, member: Json) => Json): JsonObject =>
  Object.fromEntries(Object.entries(membersOf(value)).map(([name, member]) => [name, of(name, member)]));

/** The same document with everything that may be a component made one. */
const hoist = (document: JsonObject, prefix: string): JsonObject => {
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

const tenantParameter: JsonObject = { name: 'X-Tenant', in: 'header', required: false, schema: text };

const serversOf = ({ addresses: { base }, doc }: Flavour, origin: string): Json[] | null => {
  const { hostname, port } = new URL(origin);
  const variables = {
    host: { default: hostname },
    port: { default: port },
    base: { default: `${base}/api`.slice(1) },
    version: { default: 'v1', enum: ['v1'] },
  };
  const servers: Record<Flavour['doc']['servers'], Json[] | null> = {
    none: null,
    slash: [{ url: base === '' ? '/' : base }],
    absolute: [{ url: `${origin}${base}`, description: 'this installation' }],
    'api-v1': [{ url: `${base}/api/v1` }],
    relative: [{ url: 'v1', description: 'relative to this document' }],
    variables: [{ url: 'http://{host}:{port}/{base}/{version}', variables }],
  };
  return servers[doc.servers];
};

/** How answers are described. */
const answersOf = ({ doc, errors }: Flavour) => {
  const content = (schema: JsonObject): JsonObject => ({
    [doc.mediaType]: { schema: doc.loose ? { type: ['object', 'array', 'string'] } : schema },
  });
  const count = { schema: { ...integer, minimum: 0 } };
  const headers = { 'RateLimit-Limit': { schema: text }, 'RateLimit-Remaining': count, 'RateLimit-Reset': count };
  const success = (data: JsonObject): JsonObject => ({
    description: 'Success',
    ...(doc.errors === 'explicit' ? { headers } : {}),
    content: content(objectOf({ ok: { const: true }, data })),
  });
  const failures = (codes: readonly ErrorCode[], schema: JsonObject = ref('Failure')): JsonObject => {
    const statuses = codes.map((code) => String(errors.style.status[code]));
    const keys = { none: [], default: ['default'], '4XX': ['4XX'], explicit: statuses }[doc.errors];
    return Object.fromEntries(keys.map((key) => [key, { description: 'Refused', content: content(schema) }]));
  };
  return { content, success, failures };
};

/** How an operation is described; `own` are the parameters that its path does not declare. */
const describe = (flavour: Flavour, operation: Operation, own: readonly JsonObject[]): JsonObject => {
  const { doc, idem } = flavour;
  const { success, failures } = answersOf(flavour);
  const { id, parameters = [], body, creates, status = 200, data } = operation;
  const form = idem.format === 'uuid' ? { format: 'uuid' } : { minLength: 1, maxLength: 255 };
  const schema = { type: 'string', ...form };
  const key: JsonObject = { name: 'Idempotency-Key', in: 'header', required: idem.required, schema };
  const all = [...own, ...parameters, ...(creates ? [key] : [])];
  const isReplayedAsOk = creates !== undefined && idem.replay === 'ok-status';
  const sent = { 'application/json': { schema: doc.loose || !body ? { type: 'object' } : body } };
  return {
    operationId: id,
    ...(all.length > 0 ? { parameters: all } : {}),
    ...(body ? { requestBody: { required: true, content: sent } } : {}),
    responses: {
      [String(status)]: success(data),
      ...(isReplayedAsOk ? { '200': success(data) } : {}),
      ...failures(failuresOf(operation)),
    },
  };
};

const describeDemo = (flavour: Flavour, broken: Broken): JsonObject => {
  const { content, failures } = answersOf(flavour);
  const items = listOf(ref('Unit'));
  const shapes = { array: items, items: objectOf({ items }), page: objectOf({ items, nextCursor: { type: 'null' } }) };
  return {
    operationId: 'demoUnits',
    security: [],
    parameters: [limitParameter(flavour, broken)],
    responses: {
      '200': { description: 'Units', content: content(shapes[flavour.demo.shape]) },
      ...failures(['bad_request', 'rate'], flavour.demo.errors === 'bare' ? ref('Problem') : ref('Failure')),
    },
  };
};

/** The paths, with the version in them unless the servers have it. */
const pathsOf = ({ flavour, broken }: World, operations: readonly Operation[], prefix: string): JsonObject => {
  const { doc, addresses } = flavour;
  const idParameter = { name: 'id', in: 'path', required: !broken('doc-path-param-optional'), schema: text };
  const paths: JsonObject = {};
  for (const operation of operations) {
    const { path, method } = placeOf(operation);
    const hasId = path.endsWith('{id}') && !broken('doc-path-param-undeclared');
    const shared = [...(hasId ? [idParameter] : []), tenantParameter];
    const described = describe(flavour, operation, doc.pathLevel ? [] : shared);
    paths[`${prefix}${path}`] = {
      ...(doc.pathLevel ? { parameters: shared } : {}),
      ...membersOf(paths[`${prefix}${path}`]),
      [method.toLowerCase()]: described,
    };
  }
  const demo = { get: describeDemo(flavour, broken) };
  if (prefix === '') paths['/demo/units'] = { ...demo, servers: [{ url: `${addresses.base}/api` }] };
  else paths['/api/demo/units'] = demo;
  const planned = (operationId: string): JsonObject => ({
    get: { operationId, summary: 'Planned — Q3 2026', responses: { '404': { description: 'Not live yet' } } },
  });
  if (doc.planned) {
    paths[`${prefix}/calls`] = planned('plannedCalls');
    paths[`${prefix}/calls/{id}/transcript`] = { parameters: [idParameter], ...planned('plannedTranscript') };
    paths[`${prefix}/reports/funnel`] = planned('plannedFunnel');
  }
  return paths;
};

/** Breaches of the document that are made in the finished text. */
const damage = (document: JsonObject, broken: Broken, prefix: string): void => {
  const at = (...names: readonly string[]): JsonObject =>
    names.reduce<JsonObject>((found, name) => membersOf(found[name]), membersOf(document['paths']));
  const deals = Object.values(at(`${prefix}/deals`)).find(isObject) ?? {};
  if (broken('doc-dangling-ref')) membersOf(deals['responses'])['200'] = { $ref: '#/components/responses/DealPage' };
  if (broken('doc-duplicate-operation-id')) deals['operationId'] = at(`${prefix}/units`, 'get')['operationId'] ?? null;
};

export const buildDocument = (world: World, operations: readonly Operation[], origin: string): JsonObject => {
  const { flavour, broken, inputs } = world;
  const { doc, brand, units, errors } = flavour;
  const prefix = ['none', 'slash', 'absolute'].includes(doc.servers) ? '/api/v1' : '';
  const schemas: JsonObject = {
    Unit: units.profile.schema,
    ...units.profile.parts,
    ...inputs,
    Lead: leadSchema(flavour),
    Deal: dealSchema,
    Problem: errors.style.schema,
    Failure: objectOf({ ok: { const: false }, error: ref('Problem') }),
    Event: hookSchema(flavour),
  };
  const servers = serversOf(flavour, origin);
  const signature = { name: signatureHeader(flavour), in: 'header', required: true, schema: text };
  const requestBody = { required: true, content: { 'application/json': { schema: ref('Event') } } };
  const hook = { post: { parameters: [signature], requestBody, responses: { '2XX': { description: 'Received' } } } };
  const hooks = { none: [], single: ['event'], 'per-kind': kinds }[doc.webhooks];
  const whole: JsonObject = {
    openapi: doc.version,
    info: { title: `${brand} dealership API`, version: '1.4.0' },
    ...(servers ? { servers } : {}),
    security: [{ [broken('doc-security-undefined') ? 'bearerAuth' : 'apiKey']: [] }],
    paths: pathsOf(world, operations, prefix),
    components: { schemas, securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } },
    ...(hooks.length > 0 ? { webhooks: Object.fromEntries(hooks.map((name) => [name, hook])) } : {}),
  };
  const styled = { inline, heavy: hoist, components: (found: JsonObject) => found }[doc.refs](whole, prefix);
  // One object may stand in several places: a copy is damaged in one only.
  const document = JSON.parse(JSON.stringify(styled)) as JsonObject;
  damage(document, broken, prefix);
  return document;
};
