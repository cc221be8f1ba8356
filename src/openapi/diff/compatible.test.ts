import { expect, test } from '@playwright/test';
import { growth } from '../../steps.test-kit.js';
import { compatible } from './compatible.js';
import { at } from '../schema/pointer.js';
import { edits, plainDocument, put, refTo, set, type Edit } from '../test-kit.js';

const schema = (name: string): string => `components schemas ${name}`;
const lead = (rest: string): string => schema(`NewLead ${rest}`);
const unit = (rest: string): string => schema(`Unit ${rest}`);
const ok = { description: 'Done.' };

/** A branch that its kind tells from others. */
const tagged = (kind: string, field: string): object => ({
  type: 'object',
  required: ['kind', field],
  properties: { kind: { const: kind }, [field]: { type: 'string' } },
});

/** The parameters that a list of units has in the beginning, with another schema of `limit`. */
const limited = (limit: unknown): Edit => set('paths /units get parameters 1 schema', limit);

/** What pinned and served get in common before the served one is changed. */
const base = edits(
  set(lead('properties stage'), { enum: ['new', 'old'] }),
  set(lead('properties count'), { type: 'integer', minimum: 1, maximum: 9 }),
  set(lead('properties maybe'), { anyOf: [{ enum: ['a', 'b'] }, { type: 'null' }] }),
  set(lead('properties short'), { anyOf: [{ type: 'string', minLength: 1, maxLength: 9 }, { type: 'null' }] }),
  set(lead('properties any'), { description: 'Anything.' }),
  set(lead('properties trade'), {
    oneOf: [refTo('Sedan'), refTo('Boat')],
  }),
  set(lead('properties contact'), {
    anyOf: [tagged('call', 'at'), tagged('mail', 'address')],
  }),
  set(schema('Sedan'), { type: 'object', required: ['doors'], properties: { doors: { type: 'integer' } } }),
  set(schema('Boat'), { type: 'object', required: ['length'], properties: { length: { type: 'number' } } }),
  set('paths /units get parameters 1 schema maximum', 100),
  set('paths /leads post requestBody content application/x-www-form-urlencoded', {}),
  set('paths /health', { get: { security: [], responses: { '200': ok } } }),
  set(unit('properties tags'), {
    type: 'array',
    items: { type: 'object', properties: { tag: { type: 'string' } } },
  }),
  set(unit('properties self'), refTo('Unit')),
);

const additions: Record<string, Edit> = {
  nothing: () => undefined,
  'a new operation': set('paths /units/{id} delete', { responses: { '204': ok } }),
  'a new field in answers': set(unit('properties colour'), { type: 'string' }),
  'a field that is always there now': set(unit('required'), ['id', 'status', 'price']),
  'a new optional field in requests': set(lead('properties note'), { type: 'string' }),
  'a new optional parameter': set('paths /deals get parameters', [
    { name: 'limit', in: 'query', schema: { type: 'integer' } },
  ]),
  'a field that is optional now': set(lead('required'), ['name', 'phone']),
  'a wider type of input': set(lead('properties count'), { type: ['number', 'null'], minimum: 0, maximum: 10 }),
  'null by another way': edits(
    set(lead('properties maybe'), { type: ['string', 'null'], enum: ['a', 'b', null] }),
    set(lead('properties short'), { type: ['string', 'null'], minLength: 1, maxLength: 9 }),
  ),
  'a narrower type of output': set(unit('properties price'), { type: 'integer' }),
  'one more value to send': set(lead('properties stage'), { enum: ['new', 'old', 'lost'] }),
  'any value to send': set(lead('properties stage'), { type: 'string' }),
  'a const that became a list': set(lead('properties stage'), { enum: ['old', 'new'] }),
  'other words': set(unit('description'), 'A car.'),
  'the schema by another way': edits(
    set(schema('Car'), { allOf: [refTo('Unit')] }),
    set('paths /units/{id} get responses 200 content application/json schema properties data', refTo('Car')),
  ),
  'full paths': (d) => {
    delete d['servers'];
    d.paths = Object.fromEntries(
      Object.entries(d.paths).map(([path, item]) => [path === '/demo/units' ? '/api/demo/units' : `/v1${path}`, item]),
    );
  },
  'another name of the path parameter': (d) => {
    d.paths['/units/{unitId}'] = d.paths['/units/{id}'] ?? {};
    put(d, 'paths /units/{unitId} parameters 0 name', 'unitId');
    delete d.paths['/units/{id}'];
  },
  'a larger page': limited({ type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: 200 }),
  'a number that is read as a text': limited({ type: 'string', maxLength: 9 }),
  'several values of a parameter': limited({ type: 'array', items: { type: 'integer', maximum: 100 } }),
  'null beside a number, which no address can hold': limited({
    anyOf: [{ type: 'integer', maximum: 100 }, { type: 'null' }],
  }),
  'a header parameter that says nothing': set('paths /deals get parameters', [
    { name: 'Authorization', in: 'header', required: true, schema: { type: 'string' } },
  ]),
  'any media type': set('paths /leads post requestBody content', {
    '*/*': { schema: refTo('NewLead') },
  }),
  'a media type by another spelling': set('paths /leads post requestBody content', {
    'application/json; charset=utf-8': { schema: refTo('NewLead') },
    'application/x-www-form-urlencoded': {},
  }),
  'one more branch, and others by new names': (d) => {
    put(d, schema('Vessel'), d.components['schemas']?.['Boat']);
    put(d, lead('properties trade oneOf'), [{ type: 'string' }, refTo('Vessel'), refTo('Sedan')]);
  },
  'all branches in one': edits(
    set(lead('properties contact properties'), { kind: { enum: ['call', 'mail', 'visit'] }, at: { type: 'string' } }),
    set(lead('properties contact type'), 'object'),
    set(lead('properties contact anyOf')),
    set(schema('Any'), { type: 'object' }),
    set(lead('properties trade'), refTo('Any')),
  ),
  'a webhook by another spelling': (d) => {
    put(d, 'webhooks unitSold', at(d, '/webhooks/unit.sold'));
    put(d, 'webhooks unit.sold');
  },
  'credentials that may be left out': set('paths /health get security', [{ bearer: [] }, {}]),
  'no need of credentials': set('paths /deals get security', []),
  'one more answer': set('paths /deals get responses 404', ok),
};

const removals: Record<string, Edit> = {
  'an operation': set('paths /deals'),
  'a method': set('paths /units post'),
  'a parameter': set('paths /units get parameters', [
    { name: 'limit', in: 'query', schema: {} },
    { name: 'status', in: 'query', schema: {} },
  ]),
  'the freedom to leave a parameter out': set('paths /deals get parameters', [
    { name: 'from', in: 'query', required: true, schema: {} },
  ]),
  'a field of answers': set(unit('properties price')),
  'a field deep in answers': set(unit('properties tags items'), { type: 'object' }),
  'the promise of a field': set(unit('required'), ['id']),
  'a type of answers': set(unit('properties id'), { type: 'integer' }),
  'the promise that a field is not null': set(unit('properties id'), { type: ['string', 'null'] }),
  'a type of input': set(lead('properties name'), { type: 'object' }),
  'null as input': set(lead('properties short'), { type: 'string', minLength: 1, maxLength: 9 }),
  'long texts beside null': set(lead('properties short anyOf 0 maxLength'), 8),
  'a value beside null': set(lead('properties maybe anyOf 0 enum'), ['a']),
  'any type of input': set(lead('properties any'), { type: 'string' }),
  'a value to send': set(lead('properties stage'), { enum: ['new'] }),
  'all values but one': set(lead('properties stage'), { const: 'new' }),
  'all values not listed': set(lead('properties source'), { type: 'string', enum: ['web'] }),
  'the freedom to leave a field out': set(lead('required'), ['name', 'phone', 'vehicleId', 'source']),
  'short texts': set(lead('properties name'), { type: 'string', minLength: 2 }),
  'long texts': set(lead('properties name'), { type: 'string', maxLength: 20 }),
  'small numbers': set(lead('properties count minimum'), 2),
  'large numbers': set(lead('properties count maximum'), 8),
  'texts of other patterns': set(lead('properties phone'), { type: 'string', pattern: '^\\+' }),
  'further fields': set(lead('additionalProperties'), false),
  'the answer itself': set('paths /deals get responses', { '204': ok }),
  'the body of an answer': set('paths /deals get responses 200', ok),
  'the body of a request': set('paths /leads post requestBody'),
  'a larger page': limited({ type: 'integer', maximum: 50 }),
  'texts as a parameter': set('paths /units get parameters 0 schema', { type: 'string', enum: ['available'] }),
  'keys that are long': set('paths /leads post parameters', [
    { name: 'idempotency-key', in: 'header', schema: { type: 'string', maxLength: 36 } },
  ]),
  'ids of another form': set('paths /units/{id} parameters 0 schema', { type: 'string', pattern: '^u' }),
  'a media type': set('paths /leads post requestBody content', {
    'application/json': { schema: refTo('NewLead') },
  }),
  'JSON for a change of it': set('paths /leads post requestBody content', {
    'application/merge-patch+json': { schema: refTo('NewLead') },
    'application/x-www-form-urlencoded': {},
  }),
  'a branch that is referred to': set(lead('properties trade oneOf'), [refTo('Sedan')]),
  'a branch of its kind': set(lead('properties contact anyOf'), [tagged('mail', 'address')]),
  'a branch, another in its place': set(lead('properties contact anyOf'), [
    tagged('mail', 'address'),
    tagged('visit', 'at'),
  ]),
  'a webhook': set('webhooks unit.sold'),
  'the freedom from credentials': set('paths /health get security', [{ bearer: [] }]),
  'the freedom from credentials of the demo': set('paths /demo/units get security'),
  'a request without a body': set('paths /deals get requestBody', {
    required: true,
    content: { 'application/json': { schema: { type: 'object' } } },
  }),
};

for (const [what, changes, breaks] of [
  ['compatible', additions, 0],
  ['taken away', removals, 1],
] as const)
  for (const [name, edit] of Object.entries(changes))
    test(`${what}: ${name}`, () => {
      const [pinned, served] = [plainDocument(), plainDocument()];
      base(pinned);
      edits(base, edit)(served);
      expect(compatible(pinned, served)).toHaveLength(breaks);
    });

test('credentials that the pinned document forgot to declare may be declared later', () => {
  const [pinned, served] = [plainDocument(), plainDocument()];
  delete pinned['security'];
  for (const item of Object.values(pinned.paths))
    for (const one of Object.values(item)) delete (one as Record<string, unknown>)['security'];
  expect(compatible(pinned, served)).toEqual([]);
});

test('choices within choices within choices are compared in steps in proportion to their number', async () => {
  expect(await growth('openapi/load/documents', 'choices', 10)).toBeLessThan(6);
});
