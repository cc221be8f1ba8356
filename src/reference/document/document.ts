import type { Behaviour, Document, Json } from '../instance.js';
import { describedOperations, limitParameter, neededParameters, type Described } from './operations.js';
import { dealSchema, errorSchema, leadSchema, unitSchema, webhooks } from './record-schemas.js';
import { demoResponses, failures, headerComponents, successes } from './responses.js';
import { object, ref, text } from './schema.js';

/** A unit of a list that leaves fields out. */
function summarySchema(): Json {
  const full = unitSchema();
  const properties = { ...(full['properties'] as Json) };
  for (const name of ['features', 'trim', 'createdAt']) delete properties[name];
  return { ...full, properties };
}

function operationObject(operation: Described, behaviour: Behaviour): Json {
  const body = operation.body;
  const tenant = ref('Tenant', 'parameters');
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: `Needs the scope ${operation.scope}.`,
    tags: [operation.path.split('/')[1] ?? ''],
    security: [{ apiKey: [] }],
    parameters: [...operation.parameters, ...neededParameters(operation.id, behaviour), tenant],
    ...(body ? { requestBody: { required: true, content: { 'application/json': { schema: ref(body.name) } } } } : {}),
    responses: { ...successes(operation, behaviour), ...failures(operation, behaviour) },
  };
}

function components(operations: readonly Described[], behaviour: Behaviour): Document['components'] {
  const inputs = operations.flatMap(({ body }) => (body ? [[body.name, body.schema]] : []));
  const summary = behaviour.option('list-fields') === 'fewer' ? { UnitSummary: summarySchema() } : {};
  return {
    schemas: {
      Unit: unitSchema(),
      ...summary,
      Lead: leadSchema(behaviour),
      Deal: dealSchema(),
      Error: errorSchema(behaviour),
      Failure: object({ ok: { const: false }, error: ref('Error') }),
      ...(Object.fromEntries(inputs) as Record<string, Json>),
    },
    parameters: {
      Tenant: {
        name: 'X-Tenant',
        in: 'header',
        description: 'Slug of the tenant that the key belongs to.',
        required: behaviour.option('tenant-header') !== 'optional',
        schema: text,
      },
    },
    headers: headerComponents(behaviour),
    securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'A key that the operator gave out.' } },
  };
}

function demoOperation(behaviour: Behaviour): Json {
  const listed = ref(behaviour.option('list-fields') === 'fewer' ? 'UnitSummary' : 'Unit');
  const limit = { ...limitParameter(behaviour), schema: { type: 'integer', minimum: 1 } };
  return {
    operationId: 'demoUnits',
    summary: 'List units without a key.',
    tags: ['demo'],
    security: [],
    parameters: [limit],
    responses: demoResponses(listed, behaviour),
  };
}

/** Adds what OpenAPI 3.1 allows and few documents hold. */
function addSeldomDetails({ info, paths, components: { schemas = {} } }: Document): void {
  info['license'] = { name: 'Proprietary' };
  const create = paths['/api/v1/leads']?.['post'] ?? {};
  const responses = create['responses'] as Record<string, Json>;
  const [known = '201'] = Object.keys(responses);
  const done = { post: { responses: { '200': { description: 'Taken.' } } } };
  create['callbacks'] = { scored: { 'x-owner': 'sales', '{$request.body#/callbackUrl}': done } };
  const server = { url: 'https://backup.example.com' };
  responses[known] = {
    ...responses[known],
    links: { units: { operationId: 'listUnits', parameters: { limit: 10 }, server } },
  };
  for (const parameter of create['parameters'] as Json[]) if ('$ref' in parameter) parameter['x-owner'] = 'sales';
  for (const properties of [schemas['LeadCreate'], schemas['Unit']].map(
    (schema) => schema?.['properties'] as Json | undefined,
  ))
    for (const name of ['name', 'stockNumber'])
      if (properties?.[name]) properties[name] = { ...(properties[name] as Json), pattern: '(?s)^.*\\z' };
  schemas['Feature'] = { type: 'string', enum: [] };
}

/** The OpenAPI description of an instance, with everything by reference and full paths. */
export function buildDocument(behaviour: Behaviour): Document {
  const operations = describedOperations(behaviour);
  const paths: Document['paths'] = {};
  for (const operation of operations) {
    const path = (paths[`/api/v1${operation.path}`] ??= {});
    path[operation.method] = operationObject(operation, behaviour);
  }
  paths['/api/demo/units'] = { get: demoOperation(behaviour) };
  const document: Document = {
    openapi: '3.1.0',
    info: { title: 'Dealership platform', version: '1.4.0', description: 'Units, leads and deals of a dealership.' },
    servers: [{ url: '/' }],
    tags: ['units', 'leads', 'deals', 'demo'].map((name) => ({ name })),
    paths,
    ...(behaviour.option('document-webhooks') === 'declared' ? { webhooks: webhooks(behaviour) } : {}),
    components: structuredClone(components(operations, behaviour)),
  };
  if (behaviour.option('document-details') === 'seldom') addSeldomDetails(document);
  return document;
}
