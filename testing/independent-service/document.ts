import { isObject } from './body-reader.js';
import type { Broken } from './breaches/breaches.js';
import { dealSchema } from './deals-routes.js';
import { hoist, inline, lookUp } from './document-style.js';
import { leadDataSchema, leadRecordSchema } from './lead-shapes.js';
import { listOf, objectOf, text } from './schemas.js';
import type { ErrorCode, Flavour, Json, JsonObject } from './types.js';
import { bulkLimit } from './units/units-routes.js';
import { hookSchema, kinds, signatureHeader } from './webhooks.js';

const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

const pathPrefix = (flavour: Flavour): string =>
  flavour.doc.servers === 'none' || flavour.doc.servers === 'slash' || flavour.doc.servers === 'absolute'
    ? '/api/v1'
    : '';

const serversOf = (flavour: Flavour, origin: string): Json[] | null => {
  const { basePath } = flavour;
  switch (flavour.doc.servers) {
    case 'none':
      return null;
    case 'slash':
      return [{ url: basePath === '' ? '/' : basePath }];
    case 'absolute':
      return [{ url: `${origin}${basePath}`, description: 'this installation' }];
    case 'api-v1':
      return [{ url: `${basePath}/api/v1` }];
    case 'relative':
      return [{ url: 'v1', description: 'relative to this document' }];
    case 'variables':
      return [
        {
          url: 'http://{host}:{port}/{base}/{version}',
          variables: {
            host: { default: new URL(origin).hostname },
            port: { default: new URL(origin).port },
            base: { default: `${basePath}/api`.slice(1) },
            version: { default: 'v1', enum: ['v1'] },
          },
        },
      ];
  }
};

const inputSchema = (flavour: Flavour, partial: boolean, withId: boolean): JsonObject => {
  const { units, leadRules } = flavour;
  const properties: JsonObject = withId ? { id: text } : {};
  for (const [name, type] of Object.entries(units.input))
    properties[name] =
      name === 'status'
        ? { type: 'string', enum: [...units.statuses] }
        : type === 'string'
          ? { type, minLength: 1, maxLength: 300 }
          : { type };
  return {
    type: 'object',
    properties,
    ...(!partial && units.inputRequired.length > 0 ? { required: [...units.inputRequired] } : {}),
    ...(leadRules.extra === 'refuse' ? { additionalProperties: false } : {}),
  };
};

const leadInput = (flavour: Flavour, partial: boolean): JsonObject => {
  const { leadRules } = flavour;
  const phone: JsonObject =
    leadRules.phone === 'strict'
      ? { type: 'string', pattern: '^\\+[1-9][0-9]{6,14}$' }
      : leadRules.phone === 'plus'
        ? { type: 'string', pattern: '^\\+[0-9 ().-]{5,25}$' }
        : { type: 'string', maxLength: 200 };
  return {
    type: 'object',
    properties: {
      name: {
        type: 'string',
        maxLength: leadRules.nameMax,
        ...(leadRules.required.includes('name') ? { minLength: 1, pattern: '\\S' } : {}),
      },
      phone,
      vehicleId: { type: 'string', maxLength: 500 },
      source:
        leadRules.sources.length > 0
          ? { type: 'string', enum: [...leadRules.sources] }
          : { type: 'string', maxLength: 200 },
    },
    ...(!partial && leadRules.required.length > 0 ? { required: [...leadRules.required] } : {}),
    ...(leadRules.extra === 'refuse' ? { additionalProperties: false } : {}),
  };
};

export const buildDocument = (flavour: Flavour, broken: Broken, origin: string): JsonObject => {
  const { doc } = flavour;
  const media = doc.mediaType;
  const prefix = pathPrefix(flavour);

  const content = (schema: JsonObject): JsonObject => ({
    [media]: { schema: doc.loose ? { type: ['object', 'array', 'string'] } : schema },
  });
  const ok = (data: JsonObject, description = 'Success'): JsonObject => ({
    description,
    ...(doc.errors === 'explicit'
      ? {
          headers: {
            'RateLimit-Limit': { schema: text },
            'RateLimit-Remaining': { schema: { type: 'integer', minimum: 0 } },
            'RateLimit-Reset': { schema: { type: 'integer', minimum: 0 } },
          },
        }
      : {}),
    content: content(objectOf({ ok: { const: true }, data })),
  });
  const errorReply = (schema: JsonObject): JsonObject => ({ description: 'Refused', content: content(schema) });
  const failures = (codes: readonly ErrorCode[], schema: JsonObject = ref('Failure')): JsonObject => {
    if (doc.errors === 'none') return {};
    if (doc.errors === 'default') return { default: errorReply(schema) };
    if (doc.errors === '4XX') return { '4XX': errorReply(schema) };
    const all: JsonObject = {};
    for (const code of codes) all[String(flavour.errors.status[code])] = errorReply(schema);
    return all;
  };
  const always: readonly ErrorCode[] = ['missing_key', 'invalid_key', 'forbidden', 'tenant', 'bad_request', 'rate'];
  const bodied: readonly ErrorCode[] = [...always, 'invalid_fields', 'unsupported', 'too_large'];
  const creating: readonly ErrorCode[] = [...bodied, 'conflict', 'in_progress'];

  const tenantParameter: JsonObject = { name: 'X-Tenant', in: 'header', required: false, schema: text };
  const idempotencyParameter: JsonObject = {
    name: 'Idempotency-Key',
    in: 'header',
    required: flavour.idem.required,
    schema:
      flavour.idem.format === 'uuid'
        ? { type: 'string', format: 'uuid' }
        : { type: 'string', minLength: 1, maxLength: 255 },
  };
  const limitParameter = (max: number): JsonObject => ({
    name: 'limit',
    in: 'query',
    schema: broken('doc-limit-string')
      ? { type: 'boolean' }
      : { type: 'integer', minimum: 1, ...(flavour.limit.above === 'refuse' ? { maximum: max } : {}) },
  });
  const operation = (
    id: string,
    summary: string,
    parameters: readonly JsonObject[],
    responses: JsonObject,
    body?: JsonObject,
  ): JsonObject => {
    const own = doc.pathLevel ? parameters : [...parameters, tenantParameter];
    return {
      operationId: id,
      summary,
      ...(own.length > 0 ? { parameters: [...own] } : {}),
      ...(body
        ? {
            requestBody: {
              required: true,
              content: { 'application/json': { schema: doc.loose ? { type: 'object' } : body } },
            },
          }
        : {}),
      responses,
    };
  };
  const shared = (...extra: readonly JsonObject[]): JsonObject =>
    doc.pathLevel ? { parameters: [...extra, tenantParameter] } : {};

  // units
  const { end } = flavour.cursor;
  const cursorSchema: JsonObject = end === 'null' && !broken('doc-nullable-lost') ? { type: ['string', 'null'] } : text;
  const unitList = listOf(ref('Unit'));
  const pageSchema = objectOf({ items: unitList, nextCursor: cursorSchema }, end === 'absent' ? ['nextCursor'] : []);
  const oneWritten: JsonObject =
    flavour.unitsWriteReply === 'id'
      ? objectOf({ id: text })
      : flavour.unitsWriteReply === 'wrapped'
        ? objectOf({ unit: ref('Unit') })
        : ref('Unit');
  const manyWritten =
    flavour.unitsWriteReply === 'id'
      ? objectOf({ ids: listOf(text), count: { type: 'integer' } })
      : objectOf({ units: unitList });
  const bulkBody = (entry: JsonObject): JsonObject => ({
    ...objectOf({ units: { ...listOf(entry), minItems: 1, maxItems: bulkLimit } }),
    ...(flavour.leadRules.extra === 'refuse' ? { additionalProperties: false } : {}),
  });
  const writeStatus = String(flavour.unitsWriteStatus);
  const replayed = (status: number, response: JsonObject): JsonObject => ({
    [String(status)]: response,
    ...(flavour.idem.replay === 'ok-status' ? { '200': response } : {}),
  });
  const units: JsonObject = {
    ...shared(),
    get: operation(
      'listUnits',
      'List units',
      [
        {
          name: 'status',
          in: 'query',
          schema: flavour.unknownStatus === 'refuse' ? { type: 'string', enum: [...flavour.units.statuses] } : text,
        },
        limitParameter(flavour.limit.max),
        { name: flavour.cursor.param, in: 'query', description: 'nextCursor of the page before', schema: text },
      ],
      { '200': ok(pageSchema, 'A page of units'), ...failures(always) },
    ),
  };
  if (flavour.unitsWrite === 'post')
    units['post'] = operation(
      'createUnit',
      'Add a unit',
      [idempotencyParameter],
      { ...replayed(flavour.unitsWriteStatus, ok(oneWritten)), ...failures(creating) },
      ref('UnitInput'),
    );
  if (flavour.unitsWrite === 'post-bulk')
    units['post'] = operation(
      'createUnits',
      'Add units',
      [idempotencyParameter],
      { ...replayed(flavour.unitsWriteStatus, ok(manyWritten)), ...failures(creating) },
      bulkBody(ref('UnitInput')),
    );
  if (flavour.unitsWrite === 'put-bulk')
    units['put'] = operation(
      'putUnits',
      'Add units (without id) or change them (with id)',
      [],
      { [writeStatus]: ok(manyWritten), ...failures([...bodied, 'not_found']) },
      bulkBody(inputSchema(flavour, true, true)),
    );
  if (flavour.unitsWrite === 'patch')
    units['patch'] = operation(
      'changeUnitById',
      'Change a unit named in the body',
      [],
      { [writeStatus]: ok(oneWritten), ...failures([...bodied, 'not_found']) },
      { ...inputSchema(flavour, true, true), required: ['id'] },
    );

  const idParameter: JsonObject = {
    name: 'id',
    in: 'path',
    required: !broken('doc-path-param-optional'),
    schema: text,
  };
  const idList = broken('doc-path-param-undeclared') ? [] : [idParameter];
  const atOperation = doc.pathLevel ? [] : idList;
  const withId: readonly ErrorCode[] = [...always, 'not_found'];
  const unitItem: JsonObject = {
    ...shared(...idList),
    get: operation('getUnit', 'Get a unit', atOperation, { '200': ok(ref('Unit')), ...failures(withId) }),
  };
  for (const method of ['PATCH', 'PUT'] as const)
    if (flavour.unitMethods.includes(method))
      unitItem[method.toLowerCase()] = operation(
        method === 'PATCH' ? 'patchUnit' : 'putUnit',
        'Change a unit',
        atOperation,
        { '200': ok(ref('Unit')), ...failures([...bodied, 'not_found']) },
        method === 'PATCH' ? inputSchema(flavour, true, false) : ref('UnitInput'),
      );
  if (flavour.unitMethods.includes('DELETE'))
    unitItem['delete'] = operation('deleteUnit', 'Delete a unit', atOperation, {
      '200': ok(objectOf({ id: text, deleted: { const: true } })),
      ...failures(withId),
    });

  // leads
  const created = ok(leadDataSchema(flavour), 'Lead created');
  const leads: JsonObject = {
    ...shared(),
    post: operation(
      'createLead',
      'Create a lead',
      [idempotencyParameter],
      { ...replayed(flavour.leadStatus, created), ...failures(creating) },
      ref('LeadInput'),
    ),
  };
  const leadList = listOf(ref('Lead'));
  if (flavour.leadsSecond === 'list')
    leads['get'] = operation(
      'listLeads',
      'List leads, latest first',
      [
        { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1 } },
        { name: 'offset', in: 'query', schema: { type: 'integer', minimum: 0 } },
      ],
      {
        '200': ok(objectOf({ items: leadList, nextOffset: { type: ['integer', 'null'] } })),
        ...failures(always),
      },
    );
  if (flavour.leadsSecond === 'lookup')
    leads['get'] = operation(
      'findLeads',
      'Find leads by telephone',
      [{ name: 'phone', in: 'query', required: true, schema: { type: 'string', minLength: 1 } }],
      { '200': ok(objectOf({ matches: leadList })), ...failures(always) },
    );
  const leadChange = { '200': ok(leadDataSchema(flavour)), ...failures([...bodied, 'not_found']) };
  if (flavour.leadsSecond === 'put') {
    const schema = leadInput(flavour, true);
    const known = asObject(schema['properties']);
    const properties = { id: text, ...known };
    const body = { ...schema, required: ['id'], properties };
    leads['put'] = operation('updateLead', 'Change a lead named in the body', [], leadChange, body);
  }
  if (flavour.leadsSecond === 'patch')
    leads['patch'] = operation(
      'patchLead',
      'Change a lead named in the body',
      [],
      leadChange,
      objectOf({ leadId: text, changes: leadInput(flavour, true) }),
    );
  const leadId: JsonObject = { name: 'id', in: 'path', required: true, schema: text };
  const leadItem: JsonObject = {
    ...shared(leadId),
    get: operation('getLead', 'Get a lead', doc.pathLevel ? [] : [leadId], {
      '200': ok(ref('Lead')),
      ...failures(withId),
    }),
  };

  // deals
  const dealList = listOf(ref('Deal'));
  const dealData =
    flavour.deals.key === 'items'
      ? objectOf({ items: dealList })
      : objectOf({ deals: dealList, total: { type: 'integer' } });
  const deals: JsonObject = {
    ...shared(),
    [flavour.deals.method.toLowerCase()]: operation(
      'deals',
      'Deals',
      [],
      { '200': ok(dealData), ...failures(flavour.deals.method === 'POST' ? bodied : always) },
      flavour.deals.method === 'POST'
        ? { type: 'object', description: 'Search terms; none are evaluated yet.' }
        : undefined,
    ),
  };

  const paths: JsonObject = {};
  paths[`${prefix}/units`] = units;
  if (!broken('doc-no-unit-item')) paths[`${prefix}/units/{id}`] = unitItem;
  paths[`${prefix}/leads`] = leads;
  if (flavour.leadItem) paths[`${prefix}/leads/{id}`] = leadItem;
  paths[`${prefix}/deals`] = deals;
  const demoSchemas: Record<Flavour['demo']['shape'], JsonObject> = {
    array: unitList,
    items: objectOf({ items: unitList }),
    page: objectOf({ items: unitList, nextCursor: { type: 'null' } }),
  };
  const demo: JsonObject = {
    get: {
      operationId: 'demoUnits',
      security: [],
      parameters: [limitParameter(flavour.limit.max)],
      responses: {
        '200': { description: 'Units', content: content(demoSchemas[flavour.demo.shape]) },
        ...failures(['bad_request', 'rate'], flavour.demo.errors === 'bare' ? ref('Problem') : ref('Failure')),
      },
    },
  };
  if (prefix === '') demo['servers'] = [{ url: `${flavour.basePath}/api` }];
  paths[prefix === '' ? '/demo/units' : '/api/demo/units'] = demo;
  if (doc.planned) {
    const planned = (operationId: string): JsonObject => ({
      get: { operationId, summary: 'Planned — Q3 2026', responses: { '404': { description: 'Not live yet' } } },
    });
    paths[`${prefix}/calls`] = planned('plannedCalls');
    paths[`${prefix}/calls/{id}/transcript`] = { parameters: [leadId], ...planned('plannedTranscript') };
    paths[`${prefix}/reports/funnel`] = planned('plannedFunnel');
  }
  if (broken('doc-planned-live'))
    paths[`${prefix}/calls`] = {
      get: { operationId: 'listCalls', summary: 'List calls', responses: { '200': ok({ type: 'object' }) } },
    };

  const schemas: JsonObject = {
    Unit: flavour.units.schema,
    ...flavour.units.parts,
    UnitInput: inputSchema(flavour, false, false),
    Lead: leadRecordSchema(flavour),
    LeadInput: leadInput(flavour, false),
    Deal: dealSchema,
    Problem: flavour.errors.schema,
    Failure: objectOf({ ok: { const: false }, error: ref('Problem') }),
    Event: hookSchema(flavour),
  };
  const servers = serversOf(flavour, origin);
  const result: JsonObject = {
    openapi: broken('doc-version-30') ? '3.0.3' : doc.version,
    info: { title: `${flavour.brand} dealership API`, ...(broken('doc-no-info-version') ? {} : { version: '1.4.0' }) },
    ...(servers ? { servers } : {}),
    security: [{ [broken('doc-security-undefined') ? 'bearerAuth' : 'apiKey']: [] }],
    paths,
    components: { schemas, securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } },
  };
  if (doc.webhooks !== 'none') {
    const hook: JsonObject = {
      post: {
        parameters: [{ name: signatureHeader(flavour), in: 'header', required: true, schema: text }],
        requestBody: { required: true, content: { 'application/json': { schema: ref('Event') } } },
        responses: { '2XX': { description: 'Received' } },
      },
    };
    result['webhooks'] = doc.webhooks === 'single' ? { event: hook } : Object.fromEntries(kinds.map((k) => [k, hook]));
  }
  const styled = doc.refs === 'inline' ? inline(result) : doc.refs === 'heavy' ? hoist(result, prefix) : result;
  return damage(styled, broken, prefix);
};

const asObject = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

/** Breaches of the document that are made in the finished text. */
const damage = (document: JsonObject, broken: Broken, prefix: string): JsonObject => {
  const copy = JSON.parse(JSON.stringify(document)) as JsonObject;
  const paths = asObject(copy['paths']);
  const units = asObject(paths[`${prefix}/units`]);
  const leads = asObject(paths[`${prefix}/leads`]);
  const deals = asObject(paths[`${prefix}/deals`]);
  const list = asObject(units['get']);
  const post = asObject(leads['post']);
  const dealOperation = asObject(deals['get'] ?? deals['post']);
  const open = (value: Json | undefined): JsonObject => {
    const node = asObject(value);
    const pointer = node['$ref'];
    return typeof pointer === 'string' ? asObject(lookUp(copy, pointer)) : node;
  };
  if (broken('doc-dangling-ref'))
    asObject(dealOperation['responses'])['200'] = { $ref: '#/components/responses/DealPage' };
  if (broken('doc-dangling-request-ref'))
    post['requestBody'] = {
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/LeadInputs' } } },
    };
  if (broken('doc-no-leads')) delete leads['post'];
  if (broken('doc-duplicate-operation-id')) dealOperation['operationId'] = list['operationId'] ?? null;
  if (broken('doc-response-no-description')) {
    const { description: _gone, ...rest } = open(asObject(dealOperation['responses'])['200']);
    asObject(dealOperation['responses'])['200'] = rest;
  }
  if (broken('doc-type-typo'))
    post['requestBody'] = {
      content: {
        'application/json': {
          schema: { type: 'object', properties: { name: text, phone: text, vehicleId: text, rank: { type: 'int' } } },
        },
      },
    };
  if (broken('doc-media-type')) {
    const response = { ...open(asObject(list['responses'])['200']) };
    const first = Object.values(asObject(response['content']))[0] ?? {};
    response['content'] = { 'application/vnd.units+json': first };
    asObject(list['responses'])['200'] = response;
  }
  return copy;
};
