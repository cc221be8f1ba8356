import type { Broken } from '../breaches/breaches.js';
import { dealSchema } from '../deals-routes.js';
import { leadRecordSchema } from '../lead-shapes.js';
import { listOf, objectOf, ref, text } from '../schemas.js';
import type { Flavour, Json, JsonObject } from '../types.js';
import { hookSchema, kinds, signatureHeader } from '../webhooks.js';
import { damage } from './damage.js';
import { hoist, inline } from './document-style.js';
import { leadId, leadInput, leadPath, leadsPath } from './lead-operations.js';
import { always, bodied, operationParts } from './operation-parts.js';
import { inputSchema, unitPath, unitsPath } from './unit-operations.js';

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

export const buildDocument = (flavour: Flavour, broken: Broken, origin: string): JsonObject => {
  const { doc } = flavour;
  const prefix = pathPrefix(flavour);
  const parts = operationParts(flavour, broken);
  const { content, ok, failures, limitParameter, operation, shared } = parts;

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
  paths[`${prefix}/units`] = unitsPath(flavour, broken, parts);
  if (!broken('doc-no-unit-item')) paths[`${prefix}/units/{id}`] = unitPath(flavour, broken, parts);
  paths[`${prefix}/leads`] = leadsPath(flavour, parts);
  if (flavour.leadItem) paths[`${prefix}/leads/{id}`] = leadPath(flavour, parts);
  paths[`${prefix}/deals`] = deals;
  const unitList = listOf(ref('Unit'));
  const demoSchemas: Record<Flavour['demo']['shape'], JsonObject> = {
    array: unitList,
    items: objectOf({ items: unitList }),
    page: objectOf({ items: unitList, nextCursor: { type: 'null' } }),
  };
  const demo: JsonObject = {
    get: {
      operationId: 'demoUnits',
      security: [],
      parameters: [limitParameter],
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
    openapi: doc.version,
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
