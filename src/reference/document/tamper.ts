import type { Behaviour } from '../behaviour.js';
import { plannedTemplates } from '../routes/planned-paths.js';
import type { Document } from './document.js';

type Json = Record<string, unknown>;
type FaultName = Parameters<Behaviour['has']>[0];

const production = (document: Document): Json[] =>
  Object.entries(document.paths)
    .filter(([path]) => path.startsWith('/api/v1/'))
    .flatMap(([, item]) => Object.values(item));

function operation(document: Document, path: string, method: string): Json {
  return document.paths[path]?.[method] ?? {};
}

function responseList(document: Document): Json[] {
  return Object.values(document.paths)
    .flatMap((item) => Object.values(item))
    .flatMap((one) => Object.values(one['responses'] as Record<string, Json>));
}

/** A property of what a unit may be changed with: declared, but in the way of nothing else. */
function spare(document: Document, schema: Json): void {
  const schemas = (document.components['schemas'] ??= {});
  schemas['Remark'] = { type: 'object', properties: { text: schema } };
}

function forgetMethods(document: Document, path: string, keep: readonly string[]): void {
  const item = document.paths[path] ?? {};
  for (const method of Object.keys(item)) if (!keep.includes(method)) delete item[method];
  if (Object.keys(item).length === 0) delete document.paths[path];
}

const changes: readonly (readonly [FaultName, (document: Document) => void])[] = [
  [
    'document-says-3-0',
    (document) => {
      document.openapi = '3.0.3';
    },
  ],
  [
    'document-without-title',
    (document) => {
      delete document.info['title'];
    },
  ],
  [
    'document-parameter-without-place',
    (document) => {
      delete ((operation(document, '/api/demo/units', 'get')['parameters'] as Json[])[0] ?? {})['in'];
    },
  ],
  [
    'document-status-misspelt',
    (document) => {
      (operation(document, '/api/demo/units', 'get')['responses'] as Json)['4O4'] = { description: 'Not there.' };
    },
  ],
  [
    'document-response-without-description',
    (document) => {
      delete ((operation(document, '/api/demo/units', 'get')['responses'] as Record<string, Json>)['4XX'] ?? {})[
        'description'
      ];
    },
  ],
  ['document-dangling-reference', (document) => spare(document, { $ref: '#/components/schemas/Missing' })],
  [
    'document-external-reference',
    (document) => spare(document, { $ref: 'https://schemas.example.invalid/remark.json' }),
  ],
  ['document-file-reference', (document) => spare(document, { $ref: './remark.json#/text' })],
  [
    'document-without-unit-list',
    (document) => {
      delete document.paths['/api/v1/units']?.['get'];
    },
  ],
  ['document-without-second-unit-operation', (document) => forgetMethods(document, '/api/v1/units', ['get'])],
  [
    'document-without-unit',
    (document) => {
      delete document.paths['/api/v1/units/{id}'];
    },
  ],
  [
    'document-without-lead-create',
    (document) => {
      delete document.paths['/api/v1/leads']?.['post'];
    },
  ],
  ['document-without-second-lead-operation', (document) => forgetMethods(document, '/api/v1/leads', ['post'])],
  [
    'document-without-deals',
    (document) => {
      delete document.paths['/api/v1/deals'];
    },
  ],
  [
    'document-without-demo',
    (document) => {
      delete document.paths['/api/demo/units'];
    },
  ],
  ['document-misspells-type', (document) => spare(document, { type: 'strng' })],
  ['document-length-as-text', (document) => spare(document, { type: 'string', minLength: '5' })],
  ['document-broken-pattern', (document) => spare(document, { type: 'string', pattern: '^([a-z' })],
  ['document-required-as-text', (document) => spare(document, { type: 'object', required: 'text' })],
  [
    'document-schema-is-itself',
    (document) => {
      (document.components['schemas'] ??= {})['Remark'] = { $ref: '#/components/schemas/Remark' };
    },
  ],
  [
    'document-declares-planned',
    (document) => {
      document.paths[`/api/v1${plannedTemplates[1]}`] = {
        get: {
          ...structuredClone(operation(document, '/api/v1/deals', 'get')),
          operationId: 'listCalls',
          summary: 'List calls.',
        },
      };
    },
  ],
  [
    'declared-list-not-served',
    (document) => {
      const { '200': answer } = operation(document, '/api/v1/deals', 'get')['responses'] as Record<string, Json>;
      document.paths['/api/v1/reservations'] = {
        get: { operationId: 'listReservations', summary: 'List reservations.', responses: { '200': answer ?? {} } },
      };
    },
  ],
  [
    'document-without-security',
    (document) => {
      for (const one of production(document)) delete one['security'];
    },
  ],
  [
    'document-demo-secured',
    (document) => {
      operation(document, '/api/demo/units', 'get')['security'] = [{ apiKey: [] }];
    },
  ],
  [
    'document-without-idempotency-key',
    (document) => {
      for (const one of production(document))
        one['parameters'] = (one['parameters'] as Json[]).filter(
          (parameter) => parameter['name'] !== 'Idempotency-Key',
        );
    },
  ],
  [
    'document-without-429',
    (document) => {
      for (const item of Object.values(document.paths))
        for (const one of Object.values(item)) delete (one['responses'] as Json)['429'];
    },
  ],
  [
    'document-without-limit-headers',
    (document) => {
      for (const one of responseList(document))
        for (const name of ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'])
          delete ((one['headers'] ?? {}) as Json)[name];
    },
  ],
  [
    'document-without-envelope',
    (document) => {
      for (const one of production(document)) {
        for (const response of Object.values(one['responses'] as Record<string, Json>))
          response['content'] = { 'application/json': { schema: { type: 'object' } } };
      }
    },
  ],
  [
    'document-without-webhooks',
    (document) => {
      delete document.webhooks;
    },
  ],
  [
    'contract-loses-operation',
    (document) => {
      delete document.paths['/api/v1/units/{id}']?.['delete'];
    },
  ],
  [
    'contract-loses-field',
    (document) => {
      for (const schema of Object.values(document.components['schemas'] ?? {})) {
        const properties = schema['properties'] as Json | undefined;
        if (properties?.['stockNumber'] === undefined) continue;
        delete properties['stockNumber'];
        schema['required'] = (schema['required'] as string[]).filter((name) => name !== 'stockNumber');
      }
    },
  ],
];

/** Applies the faults of the document; changes the one that it is given. */
export function tamper(document: Document, behaviour: Behaviour): void {
  for (const [id, change] of changes) if (behaviour.has(id)) change(document);
}
