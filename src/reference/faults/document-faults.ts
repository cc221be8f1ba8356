import type { Answer, Document, Exchange, FaultHooks } from '../instance.js';
import { ApiFailure, methodNotAllowed, notFound } from '../api-failure.js';
import { plannedTemplates } from '../routes/planned-paths.js';
import { records, refuses, type Json } from './change.js';
import { fault, faultsOf, type Fault } from './fault.js';
import { record as event } from './webhook-faults.js';
const units = '/api/v1/units';

const isDocument = ({ path }: Exchange): boolean => /^\/api\/openapi[^/]*\.json$/.test(path);
/** Serves the document otherwise. */
const served = (change: (answer: Answer, text: string) => void): FaultHooks => ({
  answer: (answer, exchange, failure) => {
    if (failure === null && isDocument(exchange)) change(answer, String(answer.body));
  },
});
const written = (change: (document: Document) => unknown): FaultHooks => ({
  document: (document) => {
    change(document);
  },
});
const operationAt = (document: Document, path: string, method = 'get'): Json => document.paths[path]?.[method] ?? {};
const demo = (document: Document): Json => operationAt(document, '/api/demo/units');
const responsesOf = (operation: Json): Record<string, Json> => operation['responses'] as Record<string, Json>;
const production = ({ paths }: Document): Json[] =>
  Object.entries(paths).flatMap(([path, item]) => (path.startsWith('/api/v1/') ? Object.values(item) : []));
const without = (path: string, method: string): FaultHooks => written(({ paths }) => delete paths[path]?.[method]);
const withoutPath = (path: string): FaultHooks => written(({ paths }) => delete paths[path]);
/** Leaves these methods of a path. */
const withOnly = (path: string, ...kept: readonly string[]): FaultHooks =>
  written(({ paths }) => {
    paths[path] = Object.fromEntries(Object.entries(paths[path] ?? {}).filter(([method]) => kept.includes(method)));
  });
const component = (name: string, schema: Json): FaultHooks =>
  written(({ components }) => ((components['schemas'] ??= {})[name] = schema));
/** A component that is declared, but in the way of nothing else. */
const spare = (text: Json): FaultHooks => component('Remark', { type: 'object', properties: { text } });
const schemas = ({ components }: Document): Record<string, Json> => components['schemas'] as Record<string, Json>;
const notStock = (schema: Json): void => {
  const properties = schema['properties'] as Json | undefined;
  if (properties?.['stockNumber'] === undefined) return;
  delete properties['stockNumber'];
  schema['required'] = (schema['required'] as string[]).filter((name) => name !== 'stockNumber');
};

/** Changes the fields of a new lead. */
const inputs = (change: (fields: Record<string, Json>) => Json): FaultHooks => ({
  inputSchema: (schema, name) => {
    if (name === 'LeadCreate')
      Object.assign(schema['properties'] as Json, change(schema['properties'] as Record<string, Json>));
  },
});
/** Adds a component. */
const more =
  (kind: string, two: Json) =>
  ({ components }: Document): unknown =>
    (components[kind] = { ...components[kind], Two: two });
const link = (next: Json): ((document: Document) => unknown) => more('links', next);

/** Faults of the served OpenAPI document. */
// prettier-ignore
export const documentFaults: readonly Fault[] = [
  fault('document-missing', 'DOC-01', 'the document answers 404', refuses('', notFound, isDocument)),
  ...faultsOf('DOC-01', served)([
    ['document-in-array', 'the document comes wrapped in an array', (answer, text) => (answer.body = `[${text}]`)],
    ['document-as-page', 'the document address answers 200 with an HTML page', (answer) => {
      answer.type = 'text/html; charset=utf-8';
      answer.body = '<!doctype html><title>API</title><p>The description has moved.';
    }],
    ['document-cut-short', 'the last 40 characters of the document are missing', (answer, text) => (answer.body = text.slice(0, -40))],
    ['document-with-mark', 'a byte order mark stands before the document (warned of)', (answer, text) => (answer.body = `\ufeff${text}`), { warns: true }],
    ['document-as-part', 'the whole document answers 206', (answer) => (answer.status = 206)],
  ]),
  ...faultsOf('DOC-02', written)([
    ['document-says-3-0', 'the document says openapi 3.0.3', (document) => (document.openapi = '3.0.3')],
    ['document-says-3-2', 'the document is of OpenAPI 3.2, with a QUERY operation', (document) => {
      document.openapi = '3.2.0';
      (document.paths['/api/v1/units'] as Json)['query'] = { responses: { 200: { description: 'Units.' } } };
    }],
    ['document-without-title', 'info has no title', ({ info }) => delete info['title']],
    ['document-parameter-without-place', 'a query parameter has no "in"', (document) => delete (demo(document)['parameters'] as [Json])[0]['in']],
    ['document-status-misspelt', 'a response is declared under the status 4O4, with a letter', (document) => (responsesOf(demo(document))['4O4'] = { description: 'Not there.' })],
    ['document-licence-two-ways', 'the licence has an identifier and a URL',
      ({ info }) => (info['license'] = { name: 'MIT', identifier: 'MIT', url: 'https://example.com/license' })],
    ['document-link-two-ways', 'a link names its operation in two ways', link({ operationId: 'demoUnits', operationRef: '#/paths/~1api~1demo~1units/get' })],
    ['document-link-to-no-id', 'a link names an operationId that no operation has', link({ operationId: 'nobody' })],
    ['document-link-nowhere', 'a link refers to an operation that is not there', link({ operationRef: '#/paths/~1api~1demo~1units/put' })],
    ['document-example-two-ways', 'an example has a value and an external one',
      ({ components }) => (components['examples'] = { two: { value: 1, externalValue: 'https://example.com/1.json' } })],
    ['document-server-default-unlisted', 'a server variable has a default that its enum lacks',
      (document) => (document.servers as Json[]).push({ url: 'https://{host}.example.com', variables: { host: { default: 'live', enum: ['test'] } } })],
    ['document-discriminator-is-text', 'a discriminator is a text',
      ({ components }) => ((components['schemas'] ??= {})['Kind'] = { oneOf: [{ type: 'string' }], discriminator: 'kind' })],
    ['document-parameter-two-ways', 'a parameter has a schema and a content', more('parameters', { name: 'two', in: 'query', schema: {}, content: { 'text/plain': {} } })],
    ['document-parameter-of-two-types', 'a parameter has content of two types', more('parameters', { name: 'two', in: 'query', content: { 'text/plain': {}, 'text/csv': {} } })],
    ['document-header-two-ways', 'a header has an example and examples', more('headers', { schema: {}, example: 1, examples: { a: { value: 1 } } })],
    ['document-body-without-content', 'a request body has no content', more('requestBodies', { description: 'Nothing.' })],
    ['document-parameter-twice', 'an operation has a parameter twice',
      (document) => (demo(document)['parameters'] as Json[]).push(...[1, 2].map(() => ({ name: 'twice', in: 'query', schema: {} })))],
    ['document-parameter-of-no-path', 'an operation has a parameter that its path lacks',
      (document) => (demo(document)['parameters'] as Json[]).push({ name: 'id', in: 'path', required: true, schema: {} })],
    ['document-reference-of-another-kind', 'a parameter is a reference to a schema',
      (document) => (demo(document)['parameters'] as Json[]).push({ $ref: '#/components/schemas/Unit' })],
    ['document-path-twice', 'two paths differ in the name of a parameter alone',
      ({ paths }) => (paths[`${units}/{unit}`] = { get: { responses: { 200: { description: 'One.' } }, parameters: [{ name: 'unit', in: 'path', required: true, schema: {} }] } })],
    ['document-tag-twice', 'a tag is declared twice', (document) => (document['tags'] as Json[]).push({ name: 'units' })],
    ['document-response-without-description', 'a response has no description', (document) => delete responsesOf(demo(document))['4XX']?.['description']],
  ]),
  ...faultsOf('DOC-03')([
    ['document-dangling-reference', 'a schema refers to a component that is not there', spare({ $ref: '#/components/schemas/Missing' })],
    ['document-external-reference', 'a schema refers to a document on another host', spare({ $ref: 'https://schemas.example.invalid/remark.json' })],
    ['document-file-reference', 'a schema refers to a file beside the document', spare({ $ref: './remark.json#/text' })],
    ['document-schema-file-missing', 'the file of the lead schema beside the document answers 404',
      refuses('', notFound, ({ path }) => path.startsWith('/api/schemas/Lead.')), { needs: { 'document-refs': 'files' } }],
  ]),
  ...faultsOf('DOC-04')([
    ['document-without-unit-list', 'GET units is not described', without(units, 'get')],
    ['document-without-second-unit-operation', 'only one operation on units is described', withOnly(units, 'get')],
    ['document-without-unit', 'no operation on a single unit is described', withoutPath(`${units}/{id}`)],
    ['document-without-lead-create', 'POST leads is not described', without('/api/v1/leads', 'post')],
    ['document-without-second-lead-operation', 'only one operation on leads is described', withOnly('/api/v1/leads', 'post'), { needs: { 'lead-item': 'none' } }],
    ['document-without-deals', 'no operation on deals is described', withoutPath('/api/v1/deals')],
    ['document-without-demo', 'the demo list is not described', withoutPath('/api/demo/units')],
    ['document-doubles-prefix', 'server and paths both begin with /api/v1, so that a generated client calls what is not there',
      written((document) => { document.servers = [{ url: '/api/v1' }]; })],
  ]),
  ...faultsOf('DOC-05', spare)([
    ['document-misspells-type', 'a property is of the type "strng"', { type: 'strng' }],
    ['document-length-as-text', 'a minLength is given as text', { type: 'string', minLength: '5' }],
    ['document-minimum-as-boolean', 'exclusiveMinimum is true, as in OpenAPI 3.0', { type: 'number', minimum: 0, exclusiveMinimum: true }],
    ['document-required-as-text', 'required is a string', { type: 'object', required: 'text' }],
    ['document-pattern-of-another-language', 'a pattern is no regular expression of ECMA-262 (warned of)', { type: 'string', pattern: '(?<=[' }, { warns: true }],
    ['document-declares-nullable', 'a schema is nullable, which OpenAPI 3.1 does not know (warned of)', { type: 'string', nullable: true }, { warns: true }],
  ]),
  ...faultsOf('DOC-05')([
    ['document-schema-is-text', 'a schema is a text', written(({ components }) => (components['schemas'] = { ...components['schemas'], Remark: 'string' as never }))],
    ['document-of-another-dialect', 'a schema names a dialect that nobody knows (warned of)',
      component('Remark', { $schema: 'https://schemas.example.com/dialect', type: 'string' }), { warns: true }],
  ]),
  fault('declares-null-as-in-3-0', 'ENV-04', 'a trim, null for some units, is declared nullable, which OpenAPI 3.1 does not know',
    written((document) => { (schemas(document)['Unit']?.['properties'] as Json)['trim'] = { type: 'string', nullable: true }; })),
  fault('document-schema-is-itself', 'DOC-06', 'a component schema is nothing but a reference to itself, so that its type never resolves',
    component('Remark', { $ref: '#/components/schemas/Remark' })),
  fault('document-declares-planned', 'DOC-07', 'a planned path is declared like a live one',
    written((document) => {
      const deals = structuredClone(operationAt(document, '/api/v1/deals'));
      document.paths[`/api/v1${plannedTemplates[1]}`] = { get: { ...deals, operationId: 'listCalls', summary: 'List calls.' } };
    })),
  ...faultsOf('DOC-08')([
    ['document-without-security', 'no bearer security is declared', written((document) => { for (const one of production(document)) delete one['security']; })],
    ['document-demo-secured', 'the demo operation is declared to need a key', written((document) => (demo(document)['security'] = [{ apiKey: [] }]))],
    ['document-without-envelope', 'response schemas show what data holds, and not the envelope', written((document) => {
      for (const response of production(document).flatMap((one) => Object.values(responsesOf(one))))
        response['content'] = { 'application/json': { schema: { type: 'object', properties: { id: {}, items: {}, nextCursor: {} } } } };
    })],
  ]),
  ...faultsOf('DOC-09')([
    ['declared-delete-not-served', 'DELETE on a unit is declared and answers 405', refuses('deleteUnit', methodNotAllowed)],
    ['declared-unit-patch-not-served', 'PATCH on a unit is declared and answers 501',
      refuses('updateUnit', () => new ApiFailure(501, 'not_implemented', 'Units cannot be changed yet.'))],
    ['declared-list-not-served', 'a list of the service’s own is declared and answers 404', written((document) => {
      const { '200': answer = {} } = responsesOf(operationAt(document, '/api/v1/deals'));
      const get = { operationId: 'listReservations', summary: 'List reservations.', responses: { '200': answer } };
      document.paths['/api/v1/reservations'] = { get };
    })],
    ['declared-photos-not-served', 'a list below a single unit is declared and answers 404', written((document) => {
      const { '200': answer = {} } = responsesOf(operationAt(document, '/api/v1/deals'));
      const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }];
      const get = { operationId: 'listPhotos', summary: 'List the photos of a unit.', parameters, responses: { '200': answer } };
      document.paths[`${units}/{id}/photos`] = { get };
    })],
    ['declared-lead-read-not-served', 'GET on a single lead is declared and answers 405', refuses('getLead', methodNotAllowed)],
  ]),
  ...faultsOf('DOC-10')([
    ['contract-loses-operation', 'DELETE on a unit, which the pinned document promises, is gone', without(`${units}/{id}`, 'delete')],
    ['contract-loses-field', 'units no longer show their stock number', {
      ...written((document) => Object.values(schemas(document)).forEach(notStock)),
      ...records(/Units?$/, () => ({ stockNumber: undefined })),
      ...event('unit.', () => ({ stockNumber: undefined })),
    }],
    ['contract-narrows-input', 'a lead name may hold 60 characters only', inputs(({ name }) => ({ name: { ...name, maxLength: 60 } }))],
    ['contract-deal-fields-optional', 'deals may lack all but their id and total',
      written(({ components }) => Object.assign(components['schemas']?.['Deal'] ?? {}, { required: ['id', 'totalGross'] }))],
    ['contract-term-as-text', 'the term of a deal may be a text',
      written((document) => Object.assign(schemas(document)['Deal']?.['properties'] as Json, { termMonths: { type: ['integer', 'string'] } }))],
    ['contract-source-gone', 'a source of leads is no longer taken', inputs(({ source }) => ({ source: { ...source, enum: (source?.['enum'] as string[]).slice(1) } }))],
    ['contract-phone-longer', 'phones need seven digits', inputs(({ phone }) => ({ phone: { ...phone, pattern: '^\\+[1-9]\\d{6,14}$' } }))],
    ['contract-new-required-input', 'a unit can no longer be created without a trim',
      { inputSchema: (schema, name) => name === 'UnitCreate' ? { ...schema, required: [...(schema['required'] as string[]), 'trim'] } : schema }],
  ], { setting: 'CONTRACT' }),
];
