import type { Answer, Document, Exchange, FaultHooks, Json } from '../instance.js';
import { methodNotAllowed, notFound } from '../api-failure.js';
import { plannedTemplates } from '../routes/absent.js';
import { declares, failing, leadInputs, records, refuses } from './change.js';
import { fault, type Fault } from './fault.js';
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
/** Adds components. */
const adds = (kind: string, more: Json): FaultHooks =>
  written(({ components }) => Object.assign((components[kind] ??= {}), more));
/** A component that is declared, but in the way of nothing else. */
const spare = (text: Json): FaultHooks => adds('schemas', { Remark: { type: 'object', properties: { text } } });
const notStock = (schema: Json): void => {
  const properties = schema['properties'] as Json | undefined;
  if (properties?.['stockNumber'] === undefined) return;
  delete properties['stockNumber'];
  schema['required'] = (schema['required'] as string[]).filter((name) => name !== 'stockNumber');
};

/** Faults of the served OpenAPI document. */
// prettier-ignore
export const documentFaults: readonly Fault[] = [
  fault('document-missing', 'DOC-01', 'the document answers 404', refuses('', notFound, isDocument)),
  fault('document-in-array', 'DOC-01', 'the document comes wrapped in an array', served((answer, text) => (answer.body = `[${text}]`))),
  fault('document-as-page', 'DOC-01', 'the document address answers 200 with an HTML page', served((answer) => {
    answer.type = 'text/html; charset=utf-8';
    answer.body = '<!doctype html><title>API</title><p>The description has moved.';
  })),
  fault('document-cut-short', 'DOC-01', 'the last 40 characters of the document are missing', served((answer, text) => (answer.body = text.slice(0, -40)))),
  fault('document-with-mark', 'DOC-01', 'a byte order mark stands before the document (warned of)', served((answer, text) => (answer.body = `\ufeff${text}`)), { warns: true }),
  fault('document-as-part', 'DOC-01', 'the whole document answers 206', served((answer) => (answer.status = 206))),
  fault('document-says-3-0', 'DOC-02', 'the document says openapi 3.0.3', written((document) => (document.openapi = '3.0.3'))),
  fault('document-says-3-2', 'DOC-02', 'the document is of OpenAPI 3.2, with a QUERY operation', written((document) => {
    document.openapi = '3.2.0';
    (document.paths['/api/v1/units'] as Json)['query'] = { responses: { 200: { description: 'Units.' } } };
  })),
  fault('document-without-title', 'DOC-02', 'info has no title', written(({ info }) => delete info['title'])),
  fault('document-parameter-without-place', 'DOC-02', 'a query parameter has no "in"', written((document) => delete (demo(document)['parameters'] as [Json])[0]['in'])),
  fault('document-status-misspelt', 'DOC-02', 'a response is declared under the status 4O4, with a letter',
    written((document) => (responsesOf(demo(document))['4O4'] = { description: 'Not there.' }))),
  fault('document-licence-two-ways', 'DOC-02', 'the licence has an identifier and a URL',
    written(({ info }) => (info['license'] = { name: 'MIT', identifier: 'MIT', url: 'https://example.com/license' }))),
  fault('document-link-two-ways', 'DOC-02', 'a link names its operation in two ways', adds('links', { Two: { operationId: 'demoUnits', operationRef: '#/paths/~1api~1demo~1units/get' } })),
  fault('document-link-to-no-id', 'DOC-02', 'a link names an operationId that no operation has', adds('links', { Two: { operationId: 'nobody' } })),
  fault('document-link-nowhere', 'DOC-02', 'a link refers to an operation that is not there', adds('links', { Two: { operationRef: '#/paths/~1api~1demo~1units/put' } })),
  fault('document-example-two-ways', 'DOC-02', 'an example has a value and an external one',
    adds('examples', { two: { value: 1, externalValue: 'https://example.com/1.json' } })),
  fault('document-server-default-unlisted', 'DOC-02', 'a server variable has a default that its enum lacks',
    written((document) => (document.servers as Json[]).push({ url: 'https://{host}.example.com', variables: { host: { default: 'live', enum: ['test'] } } }))),
  fault('document-discriminator-is-text', 'DOC-02', 'a discriminator is a text', adds('schemas', { Kind: { oneOf: [{ type: 'string' }], discriminator: 'kind' } })),
  fault('document-parameter-two-ways', 'DOC-02', 'a parameter has a schema and a content',
    adds('parameters', { Two: { name: 'two', in: 'query', schema: {}, content: { 'text/plain': {} } } })),
  fault('document-parameter-of-two-types', 'DOC-02', 'a parameter has content of two types',
    adds('parameters', { Two: { name: 'two', in: 'query', content: { 'text/plain': {}, 'text/csv': {} } } })),
  fault('document-header-two-ways', 'DOC-02', 'a header has an example and examples', adds('headers', { Two: { schema: {}, example: 1, examples: { a: { value: 1 } } } })),
  fault('document-body-without-content', 'DOC-02', 'a request body has no content', adds('requestBodies', { Two: { description: 'Nothing.' } })),
  fault('document-parameter-twice', 'DOC-02', 'an operation has a parameter twice',
    written((document) => (demo(document)['parameters'] as Json[]).push(...[1, 2].map(() => ({ name: 'twice', in: 'query', schema: {} }))))),
  fault('document-parameter-of-no-path', 'DOC-02', 'an operation has a parameter that its path lacks',
    written((document) => (demo(document)['parameters'] as Json[]).push({ name: 'id', in: 'path', required: true, schema: {} }))),
  fault('document-reference-of-another-kind', 'DOC-02', 'a parameter is a reference to a schema',
    written((document) => (demo(document)['parameters'] as Json[]).push({ $ref: '#/components/schemas/Unit' }))),
  fault('document-path-twice', 'DOC-02', 'two paths differ in the name of a parameter alone',
    written(({ paths }) => (paths[`${units}/{unit}`] = { get: { responses: { 200: { description: 'One.' } }, parameters: [{ name: 'unit', in: 'path', required: true, schema: {} }] } }))),
  fault('document-tag-twice', 'DOC-02', 'a tag is declared twice', written((document) => (document['tags'] as Json[]).push({ name: 'units' }))),
  fault('document-response-without-description', 'DOC-02', 'a response has no description', written((document) => delete responsesOf(demo(document))['4XX']?.['description'])),
  fault('document-dangling-reference', 'DOC-03', 'a schema refers to a component that is not there', spare({ $ref: '#/components/schemas/Missing' })),
  fault('document-external-reference', 'DOC-03', 'a schema refers to a document on another host', spare({ $ref: 'https://schemas.example.invalid/remark.json' })),
  fault('document-file-reference', 'DOC-03', 'a schema refers to a file beside the document', spare({ $ref: './remark.json#/text' })),
  fault('document-schema-file-missing', 'DOC-03', 'the file of the lead schema beside the document answers 404',
    refuses('', notFound, ({ path }) => path.startsWith('/api/schemas/Lead.')), { needs: { 'document-refs': 'files' } }),
  fault('document-without-unit-list', 'DOC-04', 'GET units is not described', without(units, 'get')),
  fault('document-without-second-unit-operation', 'DOC-04', 'only one operation on units is described', withOnly(units, 'get')),
  fault('document-without-unit', 'DOC-04', 'no operation on a single unit is described', withoutPath(`${units}/{id}`)),
  fault('document-without-lead-create', 'DOC-04', 'POST leads is not described', without('/api/v1/leads', 'post')),
  fault('document-without-second-lead-operation', 'DOC-04', 'only one operation on leads is described', withOnly('/api/v1/leads', 'post'), { needs: { 'lead-item': 'none' } }),
  fault('document-without-deals', 'DOC-04', 'no operation on deals is described', withoutPath('/api/v1/deals')),
  fault('document-without-demo', 'DOC-04', 'the demo list is not described', withoutPath('/api/demo/units')),
  fault('document-doubles-prefix', 'DOC-04', 'server and paths both begin with /api/v1, so that a generated client calls what is not there',
    written((document) => { document.servers = [{ url: '/api/v1' }]; })),
  fault('document-misspells-type', 'DOC-05', 'a property is of the type "strng"', spare({ type: 'strng' })),
  fault('document-length-as-text', 'DOC-05', 'a minLength is given as text', spare({ type: 'string', minLength: '5' })),
  fault('document-minimum-as-boolean', 'DOC-05', 'exclusiveMinimum is true, as in OpenAPI 3.0', spare({ type: 'number', minimum: 0, exclusiveMinimum: true })),
  fault('document-required-as-text', 'DOC-05', 'required is a string', spare({ type: 'object', required: 'text' })),
  fault('document-pattern-of-another-language', 'DOC-05', 'a pattern is no regular expression of ECMA-262 (warned of)',
    spare({ type: 'string', pattern: '(?<=[' }), { warns: true }),
  fault('document-declares-nullable', 'DOC-05', 'a schema is nullable, which OpenAPI 3.1 does not know (warned of)', spare({ type: 'string', nullable: true }), { warns: true }),
  fault('document-schema-is-text', 'DOC-05', 'a schema is a text', adds('schemas', { Remark: 'string' })),
  fault('document-schemas-in-a-circle', 'DOC-05', 'two component schemas are nothing but references to each other',
    adds('schemas', { Note: { $ref: '#/components/schemas/Remark' }, Remark: { $ref: '#/components/schemas/Note' } })),
  fault('document-ids-shared', 'DOC-05', 'two component schemas have one $id, so that no schema compiles',
    adds('schemas', { Note: { $id: 'urn:note' }, Remark: { $id: 'urn:note', type: 'string' } })),
  fault('document-of-another-dialect', 'DOC-05', 'a schema names a dialect that nobody knows (warned of)',
    adds('schemas', { Remark: { $schema: 'https://schemas.example.com/dialect', type: 'string' } }), { warns: true }),
  fault('declares-null-as-in-3-0', 'ENV-04', 'a trim, null for some units, is declared nullable, which OpenAPI 3.1 does not know',
    declares('Unit', ({ properties }) => { properties['trim'] = { type: 'string', nullable: true }; })),
  fault('document-schema-is-itself', 'DOC-06', 'a component schema is nothing but a reference to itself, so that its type never resolves',
    adds('schemas', { Remark: { $ref: '#/components/schemas/Remark' } })),
  fault('document-declares-planned', 'DOC-07', 'a planned path is declared like a live one', written((document) => {
    const deals = structuredClone(operationAt(document, '/api/v1/deals'));
    document.paths[`/api/v1${plannedTemplates[1]}`] = { get: { ...deals, operationId: 'listCalls', summary: 'List calls.' } };
  })),
  fault('document-without-security', 'DOC-08', 'no bearer security is declared', written((document) => { for (const one of production(document)) delete one['security']; })),
  fault('document-demo-secured', 'DOC-08', 'the demo operation is declared to need a key', written((document) => (demo(document)['security'] = [{ apiKey: [] }]))),
  fault('document-without-envelope', 'DOC-08', 'response schemas show what data holds, and not the envelope', written((document) => {
    for (const response of production(document).flatMap((one) => Object.values(responsesOf(one))))
      response['content'] = { 'application/json': { schema: { type: 'object', properties: { id: {}, items: {}, nextCursor: {} } } } };
  })),
  fault('declared-delete-not-served', 'DOC-09', 'DELETE on a unit is declared and answers 405', refuses('deleteUnit', methodNotAllowed)),
  fault('declared-unit-patch-not-served', 'DOC-09', 'PATCH on a unit is declared and answers 501', refuses('updateUnit', failing(501, 'not_implemented'))),
  fault('declared-list-not-served', 'DOC-09', 'a list of the service’s own is declared and answers 404', written((document) => {
    const { '200': answer = {} } = responsesOf(operationAt(document, '/api/v1/deals'));
    const get = { operationId: 'listReservations', summary: 'List reservations.', responses: { '200': answer } };
    document.paths['/api/v1/reservations'] = { get };
  })),
  fault('declared-photos-not-served', 'DOC-09', 'a list below a single unit is declared and answers 404', written((document) => {
    const { '200': answer = {} } = responsesOf(operationAt(document, '/api/v1/deals'));
    const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }];
    const get = { operationId: 'listPhotos', summary: 'List the photos of a unit.', parameters, responses: { '200': answer } };
    document.paths[`${units}/{id}/photos`] = { get };
  })),
  fault('declared-lead-read-not-served', 'DOC-09', 'GET on a single lead is declared and answers 405', refuses('getLead', methodNotAllowed)),
  fault('contract-loses-operation', 'DOC-10', 'DELETE on a unit, which the pinned document promises, is gone', without(`${units}/{id}`, 'delete'), { setting: 'CONTRACT' }),
  fault('contract-loses-field', 'DOC-10', 'units no longer show their stock number', {
    ...written((document) => Object.values(document.components['schemas'] ?? {}).forEach(notStock)),
    ...records(/Units?$/, () => ({ stockNumber: undefined })),
    ...event('unit.', () => ({ stockNumber: undefined })),
  }, { setting: 'CONTRACT' }),
  fault('contract-narrows-input', 'DOC-10', 'a lead name may hold 60 characters only', leadInputs(({ name }) => ({ name: { ...name, maxLength: 60 } })), { setting: 'CONTRACT' }),
  fault('contract-deal-fields-optional', 'DOC-10', 'deals may lack all but their id and total',
    declares('Deal', (deal) => { deal.required = ['id', 'totalGross']; }), { setting: 'CONTRACT' }),
  fault('contract-term-as-text', 'DOC-10', 'the term of a deal may be a text',
    declares('Deal', ({ properties }) => { properties['termMonths'] = { type: ['integer', 'string'] }; }), { setting: 'CONTRACT' }),
  fault('contract-source-gone', 'DOC-10', 'a source of leads is no longer taken',
    leadInputs(({ source }) => ({ source: { ...source, enum: (source?.['enum'] as string[]).slice(1) } })), { setting: 'CONTRACT' }),
  fault('contract-closes-input', 'DOC-10', 'a new lead may have no fields but those described',
    { inputSchema: (schema, name) => name === 'LeadCreate' ? { ...schema, additionalProperties: false } : schema }, { setting: 'CONTRACT' }),
  fault('contract-phone-longer', 'DOC-10', 'phones need seven digits', leadInputs(({ phone }) => ({ phone: { ...phone, pattern: '^\\+[1-9]\\d{6,14}$' } })), { setting: 'CONTRACT' }),
  fault('contract-new-required-input', 'DOC-10', 'a unit can no longer be created without a trim',
    { inputSchema: (schema, name) => name === 'UnitCreate' ? { ...schema, required: [...(schema['required'] as string[]), 'trim'] } : schema }, { setting: 'CONTRACT' }),
];
