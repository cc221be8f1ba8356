import { expect, test } from '@playwright/test';
import { lintDocument } from './lint-document.js';
import { at } from '../schema/pointer.js';
import { edits, odd, ok, plainDocument, refTo, set, type Edit } from '../test-kit.js';

const deal = 'paths /deals get';
const dealBody = `${deal} responses 200 content application/json schema`;
const leadMedia = 'paths /leads post requestBody content application/json';
const idInPath = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const parameterA = { name: 'a', in: 'query', schema: {} };
const wrongType = { type: 'strng' };
const wrongBody = { content: { 'application/json': { schema: wrongType } } };
const nope = (kind: string): { $ref: string } => ({ $ref: `#/components/${kind}/Nope` });

const broken: readonly (readonly [string, string, Edit])[] = [
  ['DOC-02', 'version 3.0', set('openapi', '3.0.3')],
  ['DOC-02', 'version 2', edits(set('openapi'), set('swagger', '2.0'))],
  ['DOC-02', 'no info', set('info')],
  ['DOC-02', 'no title', set('info', { version: '1' })],
  ['DOC-02', 'an answer without description', set(`${deal} responses 404`, {})],
  ['DOC-02', 'a path without a slash', set('paths things', { get: { responses: { '200': ok } } })],
  ['DOC-02', 'an unknown member of an operation', set(`${deal} querry`, 1)],
  ['DOC-02', 'responses without a response', set(`${deal} responses`, {})],
  ['DOC-02', 'one operationId twice', set(`${deal} operationId`, 'listUnits')],
  ['DOC-02', 'the operationId of a path in a webhook', set('webhooks unit.sold post operationId', 'listUnits')],
  ['DOC-02', 'a path parameter that the template lacks', set(`${deal} parameters`, [idInPath])],
  ['DOC-02', 'a tag twice', set('tags', [{ name: 'units' }, { name: 'leads' }, { name: 'units' }])],
  ['DOC-02', 'a parameter with example and examples', (d) => Object.assign(at(d, '/paths/~1units/get/parameters/1') as object, { example: 5, examples: {} })],
  ['DOC-02', 'a media type with example and examples', edits(set(`${leadMedia} example`, {}), set(`${leadMedia} examples`, { one: { value: {} } }))],
  ['DOC-02', 'a header with example and examples', set('components headers Odd', { schema: { type: 'string' }, example: 'a', examples: {} })],
  ['DOC-02', 'a link to no operation', set('paths /leads post responses 201 links', { unit: { operationId: 'readUnit' } })],
  ['DOC-02', 'an undeclared path parameter', set('paths /units/{id} parameters')],
  ['DOC-02', 'an optional path parameter', set('paths /units/{id} parameters 0 required', false)],
  ['DOC-02', 'an undeclared security scheme', set(`${deal} security`, [{ other: [] }])],
  ['DOC-02', 'a bearerFormat of another scheme', set('components securitySchemes other', { type: 'http', scheme: 'Basic', bearerFormat: 'x' })],
  ['DOC-02', 'a summary that is no text beside $ref', set(`${deal} responses 404`, { ...refTo('Failure', 'responses'), summary: 1 })],
  ['DOC-02', 'another member beside $ref', set(`${deal} responses 404`, { ...refTo('Failure', 'responses'), title: 'x' })],
  ['DOC-02', 'an undeclared security scheme for all', set('security', [{ other: [] }])],
  ['DOC-02', 'two templates of one shape', set('paths /units/{unit}', { get: { parameters: [{ ...idInPath, name: 'unit' }], responses: { '200': ok } } })],
  ['DOC-02', 'a parameter twice', set(`${deal} parameters`, [parameterA, parameterA])],
  ['DOC-02', 'an answer that refers to a schema', set(`${deal} responses 404`, refTo('Unit'))],
  ['DOC-02', 'a request body that refers to a parameter', set('paths /leads post requestBody', { $ref: '#/paths/~1units/get/parameters/0' })],
  ['DOC-03', 'a dangling schema', set(dealBody, nope('schemas'))],
  ['DOC-03', 'a dangling answer', set(`${deal} responses 404`, nope('responses'))],
  ['DOC-03', 'a dangling default answer', set(`${deal} responses default`, nope('responses'))],
  ['DOC-03', 'a dangling schema in a default answer', set(`${deal} responses default`, { ...ok, content: { 'application/json': { schema: nope('schemas') } } })],
  ['DOC-03', 'a dangling parameter', set(`${deal} parameters`, [nope('parameters')])],
  ['DOC-03', 'a dangling header named like an extension', set(`${deal} responses 200 headers x-request-id`, nope('headers'))],
  ['DOC-03', 'a dangling example', set(`${leadMedia} examples`, { one: nope('examples') })],
  ['DOC-03', 'a dangling reference beside an $id', edits(set('components schemas Named', { $id: 'https://schemas.example.com/named', type: 'string' }), set('components schemas Uses', nope('schemas')))],
  ['DOC-03', 'an anchor that is none', odd({ $ref: '#nope' })],
  ['DOC-03', 'an external reference', odd({ $ref: 'https://127.0.0.1:1/x.json#/a' })],
  ['DOC-03', 'a reference to a file', odd({ $ref: 'file:///etc/passwd' })],
  ['DOC-03', 'a relative reference', odd({ $ref: './package.json' })],
  ['DOC-04', 'no list of units', set('paths /units get')],
  ['DOC-04', 'no second operation on units', set('paths /units post')],
  ['DOC-04', 'no single unit', set('paths /units/{id}')],
  ['DOC-04', 'no creation of leads', set('paths /leads post')],
  ['DOC-04', 'no second operation on leads', set('paths /leads get')],
  ['DOC-04', 'no deals', set('paths /deals')],
  ['DOC-04', 'no demo', set('paths /demo/units')],
  ['DOC-04', 'no paths at all', set('paths', {})],
  ['DOC-05', 'a type that is none', odd(wrongType)],
  ['DOC-05', 'minLength as text', odd({ type: 'string', minLength: '5' })],
  ['DOC-05', 'required as text', odd({ type: 'object', required: 'a' })],
  ['DOC-05', 'a boolean exclusiveMinimum', odd({ type: 'number', exclusiveMinimum: true })],
  ['DOC-05', 'a broken pattern', odd({ type: 'string', pattern: '([' })],
  ['DOC-05', 'a broken pattern for names', odd({ type: 'object', patternProperties: { '([': true } })],
  ['DOC-05', 'a broken schema deep inside', odd({ type: 'array', items: { allOf: [{ properties: { default: wrongType } }] } })],
  ['DOC-05', 'a broken schema of a parameter', set(`${deal} parameters`, [{ name: 'a', in: 'query', schema: wrongType }])],
  ['DOC-05', 'a broken schema of a header', set(`${deal} responses 200 headers`, { A: { schema: wrongType } })],
  ['DOC-05', 'a broken schema of a webhook', set('webhooks unit.sold post requestBody content application/json schema', wrongType)],
  ['DOC-05', 'a broken schema of a default answer', set(`${deal} responses default`, { ...ok, ...wrongBody })],
  ['DOC-05', 'a broken schema of a callback', set('paths /leads post callbacks', { a: { '{$url}': { post: { requestBody: wrongBody, responses: { '200': ok } } } } })],
  ['DOC-05', 'elements by place without a dialect that allows it', odd({ items: [{}] })],
  ['DOC-05', 'a broken type under another name of the dialect', odd({ $schema: 'https://spec.openapis.org/oas/3.1/dialect/base', ...wrongType })],
  ['DOC-07', 'a planned path as live', set('paths /calls', { get: { responses: { '200': ok } } })],
  ['DOC-07', 'desking as live', set('paths /deals/{id}/desk', { get: { parameters: [idInPath], responses: { '200': ok, '404': ok } } })],
  ['DOC-07', 'a dispatch as live', set('paths /brand/dispatch', { post: { responses: { '200': ok } } })],
  ['DOC-08', 'an open production operation', set(`${deal} security`, [])],
  ['DOC-08', 'a closed demo', set('paths /demo/units get security')],
  ['DOC-08', 'no idempotency key', set('paths /leads post parameters', [])],
  ['DOC-08', 'no 429', edits(set(`${deal} responses 429`), set(`${deal} responses default`))],
  ['DOC-08', 'no limit headers', set(`${deal} responses 200 headers`, {})],
  ['DOC-08', 'no envelope', set(dealBody, { type: 'object' })],
  ['DOC-08', 'no webhooks', set('webhooks')],
]; // prettier-ignore

for (const [id, name, edit] of broken) {
  test(`${id} tells of ${name}, and no other breach does`, async () => {
    const document = plainDocument();
    edit(document);
    const ids = new Set((await lintDocument(document)).map((one) => one.id));
    expect(ids).toContain(id);
    // Version 3.0 changes what everything else means.
    if (!name.startsWith('version') && name !== 'no paths at all')
      expect([...ids].filter((one) => one === id || one !== 'DOC-08')).toEqual([id]);
    const severities = new Set(
      (await lintDocument(document)).filter((one) => one.id === id).map((one) => one.severity),
    );
    expect([...severities]).toEqual([id === 'DOC-07' || id === 'DOC-08' ? 'warn' : 'fail']);
  });
}
