import { expect, test } from '@playwright/test';
import { lintDocument } from './lint-document.js';
import { edits, odd, ok, plainDocument, set, type Edit } from '../test-kit.js';

const deal = 'paths /deals get';
const dealBody = `${deal} responses 200 content application/json schema`;
const leadMedia = 'paths /leads post requestBody content application/json';
const idInPath = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const wrongType = { type: 'strng' };
const nope = (kind: string): { $ref: string } => ({ $ref: `#/components/${kind}/Nope` });

const broken: readonly (readonly [string, string, Edit])[] = [
  ['DOC-03', 'a dangling default answer', set(`${deal} responses default`, nope('responses'))],
  ['DOC-03', 'a dangling schema in a default answer', set(`${deal} responses default`, { ...ok, content: { 'application/json': { schema: nope('schemas') } } })],
  ['DOC-03', 'a dangling parameter', set(`${deal} parameters`, [nope('parameters')])],
  ['DOC-03', 'a dangling header named like an extension', set(`${deal} responses 200 headers x-request-id`, nope('headers'))],
  ['DOC-03', 'a dangling example', set(`${leadMedia} examples`, { one: nope('examples') })],
  ['DOC-03', 'a dangling reference beside an $id', edits(set('components schemas Named', { $id: 'https://schemas.example.com/named', type: 'string' }), set('components schemas Uses', nope('schemas')))],
  ['DOC-03', 'an anchor that is none', odd({ $ref: '#nope' })],
  ['DOC-03', 'a relative reference', odd({ $ref: './package.json' })],
  ['DOC-04', 'no paths at all', set('paths', {})],
  ['DOC-05', 'a broken type under another name of the dialect', odd({ $schema: 'https://spec.openapis.org/oas/3.1/dialect/base', ...wrongType })],
  ['DOC-07', 'desking as live', set('paths /deals/{id}/desk', { get: { parameters: [idInPath], responses: { '200': ok, '404': ok } } })],
  ['DOC-07', 'a dispatch as live', set('paths /brand/dispatch', { post: { responses: { '200': ok } } })],
  ['DOC-08', 'an open production operation', set(`${deal} security`, [])],
  ['DOC-08', 'an open list of units', set('paths /units get security', [])],
  ['DOC-08', 'a production operation with another scheme', edits(set('components securitySchemes basic', { type: 'http', scheme: 'basic' }), set(`${deal} security`, [{ basic: [] }]))],
  ['DOC-08', 'a list where an envelope is sent', set(dealBody, { type: 'array' })],
  ['DOC-08', 'records without an envelope', set(dealBody, { type: 'object', properties: { items: {} } })],
]; // prettier-ignore

for (const [id, name, edit] of broken) {
  test(`${id} tells of ${name}, and no other breach does`, async () => {
    const document = plainDocument();
    edit(document);
    const ids = new Set((await lintDocument(document)).map((one) => one.id));
    expect(ids).toContain(id);
    if (name !== 'no paths at all') expect([...ids].filter((one) => one === id || one !== 'DOC-08')).toEqual([id]);
    const severities = new Set(
      (await lintDocument(document)).filter((one) => one.id === id).map((one) => one.severity),
    );
    expect([...severities]).toEqual([id === 'DOC-07' || id === 'DOC-08' ? 'warn' : 'fail']);
  });
}

const silent: readonly (readonly [string, Edit])[] = [
  ['bearer security', edits(set('security'), set('components securitySchemes'))],
  ['the header Idempotency-Key', set('paths /leads post parameters', [])],
  ['the answer 429', edits(set(`${deal} responses 429`), set(`${deal} responses default`))],
  ['the three RateLimit headers', set(`${deal} responses 200 headers`, {})],
  ['the envelope {ok, data}', set(dealBody, { type: 'object' })],
  ['webhooks', set('webhooks')],
];

for (const [what, edit] of silent)
  test(`DOC-08 notes that a document does not declare ${what}`, async () => {
    const document = plainDocument();
    edit(document);
    expect(await lintDocument(document)).toMatchObject([{ id: 'DOC-08', severity: 'note', expected: what }]);
  });
