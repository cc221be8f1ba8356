import { expect, test } from '@playwright/test';
import { growth } from '../../steps.test-kit.js';
import { compatible } from './compatible.js';
import { plainDocument, put } from '../test-kit.js';

type Document = ReturnType<typeof plainDocument>;
type Edit = (document: Document) => void;

const schema = (name: string, ...rest: string[]): string[] => ['components', 'schemas', name, ...rest];
const lead = (...rest: string[]): string[] => schema('NewLead', ...rest);
const unit = (...rest: string[]): string[] => schema('Unit', ...rest);
const ok = { description: 'Done.' };

/** A branch that its kind tells from others. */
const tagged = (kind: string, field: string): object => ({
  type: 'object',
  required: ['kind', field],
  properties: { kind: { const: kind }, [field]: { type: 'string' } },
});

/** The parameters that a list of units has in the beginning, with another schema of `limit`. */
const limited =
  (limit: unknown): Edit =>
  (d) =>
    put(d, ['paths', '/units', 'get', 'parameters', 1, 'schema'], limit);

/** What pinned and served get in common before the served one is changed. */
const base: Edit = (d) => {
  put(d, lead('properties', 'stage'), { enum: ['new', 'old'] });
  put(d, lead('properties', 'count'), { type: 'integer', minimum: 1, maximum: 9 });
  put(d, lead('properties', 'maybe'), { anyOf: [{ type: 'string' }, { type: 'null' }] });
  put(d, lead('properties', 'any'), { description: 'Anything.' });
  put(d, lead('properties', 'trade'), {
    oneOf: [{ $ref: '#/components/schemas/Sedan' }, { $ref: '#/components/schemas/Boat' }],
  });
  put(d, lead('properties', 'contact'), {
    anyOf: [tagged('call', 'at'), tagged('mail', 'address')],
  });
  put(d, schema('Sedan'), { type: 'object', required: ['doors'], properties: { doors: { type: 'integer' } } });
  put(d, schema('Boat'), { type: 'object', required: ['length'], properties: { length: { type: 'number' } } });
  put(d, ['paths', '/units', 'get', 'parameters', 1, 'schema', 'maximum'], 100);
  put(d, ['paths', '/leads', 'post', 'requestBody', 'content', 'application/x-www-form-urlencoded'], {});
  put(d, ['paths', '/health'], { get: { security: [], responses: { '200': ok } } });
  put(d, unit('properties', 'tags'), {
    type: 'array',
    items: { type: 'object', properties: { tag: { type: 'string' } } },
  });
  put(d, unit('properties', 'self'), { $ref: '#/components/schemas/Unit' });
};

const additions: Record<string, Edit> = {
  nothing: () => undefined,
  'a new operation': (d) => put(d, ['paths', '/units/{id}', 'delete'], { responses: { '204': ok } }),
  'a new field in answers': (d) => put(d, unit('properties', 'colour'), { type: 'string' }),
  'a field that is always there now': (d) => put(d, unit('required'), ['id', 'status', 'price']),
  'a new optional field in requests': (d) => put(d, lead('properties', 'note'), { type: 'string' }),
  'a new optional parameter': (d) =>
    put(d, ['paths', '/deals', 'get', 'parameters'], [{ name: 'limit', in: 'query', schema: { type: 'integer' } }]),
  'a field that is optional now': (d) => put(d, lead('required'), ['name', 'phone']),
  'a wider type of input': (d) =>
    put(d, lead('properties', 'count'), { type: ['number', 'null'], minimum: 0, maximum: 10 }),
  'a narrower type of output': (d) => put(d, unit('properties', 'price'), { type: 'integer' }),
  'one more value to send': (d) => put(d, lead('properties', 'stage'), { enum: ['new', 'old', 'lost'] }),
  'any value to send': (d) => put(d, lead('properties', 'stage'), { type: 'string' }),
  'a const that became a list': (d) => put(d, lead('properties', 'stage'), { enum: ['old', 'new'] }),
  'other words': (d) => put(d, unit('description'), 'A car.'),
  'the schema by another way': (d) => {
    put(d, schema('Car'), { allOf: [{ $ref: '#/components/schemas/Unit' }] });
    put(
      d,
      [
        'paths',
        '/units/{id}',
        'get',
        'responses',
        '200',
        'content',
        'application/json',
        'schema',
        'properties',
        'data',
      ],
      { $ref: '#/components/schemas/Car' },
    );
  },
  'full paths': (d) => {
    delete d['servers'];
    d.paths = Object.fromEntries(
      Object.entries(d.paths).map(([path, item]) => [path === '/demo/units' ? '/api/demo/units' : `/v1${path}`, item]),
    );
  },
  'another name of the path parameter': (d) => {
    d.paths['/units/{unitId}'] = d.paths['/units/{id}'] ?? {};
    put(d, ['paths', '/units/{unitId}', 'parameters', 0, 'name'], 'unitId');
    delete d.paths['/units/{id}'];
  },
  'a larger page': limited({ type: 'integer', maximum: 200 }),
  'a number that is read as a text': limited({ type: 'string', maxLength: 9 }),
  'several values of a parameter': limited({ type: 'array', items: { type: 'integer', maximum: 100 } }),
  'null beside a number, which no address can hold': limited({
    anyOf: [{ type: 'integer', maximum: 100 }, { type: 'null' }],
  }),
  'a header parameter that says nothing': (d) =>
    put(
      d,
      ['paths', '/deals', 'get', 'parameters'],
      [{ name: 'Authorization', in: 'header', required: true, schema: { type: 'string' } }],
    ),
  'any media type': (d) =>
    put(d, ['paths', '/leads', 'post', 'requestBody', 'content'], {
      '*/*': { schema: { $ref: '#/components/schemas/NewLead' } },
    }),
  'a media type by another spelling': (d) =>
    put(d, ['paths', '/leads', 'post', 'requestBody', 'content'], {
      'application/json; charset=utf-8': { schema: { $ref: '#/components/schemas/NewLead' } },
      'application/x-www-form-urlencoded': {},
    }),
  'one more branch, and others by new names': (d) => {
    put(d, schema('Vessel'), (d.components['schemas'] as Record<string, unknown>)['Boat']);
    put(d, lead('properties', 'trade'), {
      oneOf: [{ type: 'string' }, { $ref: '#/components/schemas/Vessel' }, { $ref: '#/components/schemas/Sedan' }],
    });
  },
  'all branches in one': (d) => {
    put(d, lead('properties', 'contact'), {
      type: 'object',
      properties: { kind: { enum: ['call', 'mail', 'visit'] }, at: { type: 'string' } },
    });
    put(d, schema('Any'), { type: 'object' });
    put(d, lead('properties', 'trade'), { $ref: '#/components/schemas/Any' });
  },
  'a webhook by another spelling': (d) => {
    const webhooks = d['webhooks'] as Record<string, unknown>;
    put(d, ['webhooks', 'unitSold'], webhooks['unit.sold']);
    delete webhooks['unit.sold'];
  },
  'credentials that may be left out': (d) => put(d, ['paths', '/health', 'get', 'security'], [{ bearer: [] }, {}]),
  'no need of credentials': (d) => put(d, ['paths', '/deals', 'get', 'security'], []),
  'one more answer': (d) => put(d, ['paths', '/deals', 'get', 'responses', '404'], ok),
};

for (const [name, edit] of Object.entries(additions)) {
  test(`compatible: ${name}`, () => {
    const [pinned, served] = [plainDocument(), plainDocument()];
    base(pinned);
    base(served);
    edit(served);
    expect(compatible(pinned, served)).toEqual([]);
  });
}

const removals: Record<string, Edit> = {
  'an operation': (d) => {
    delete d.paths['/deals'];
  },
  'a method': (d) => {
    delete d.paths['/units']?.['post'];
  },
  'a parameter': (d) =>
    put(
      d,
      ['paths', '/units', 'get', 'parameters'],
      [
        { name: 'limit', in: 'query', schema: {} },
        { name: 'status', in: 'query', schema: {} },
      ],
    ),
  'the freedom to leave a parameter out': (d) =>
    put(d, ['paths', '/deals', 'get', 'parameters'], [{ name: 'from', in: 'query', required: true, schema: {} }]),
  'a field of answers': (d) => {
    delete (d.components['schemas'] as Record<string, { properties: Record<string, unknown> }>)['Unit']?.properties[
      'price'
    ];
  },
  'a field deep in answers': (d) => put(d, unit('properties', 'tags', 'items'), { type: 'object' }),
  'the promise of a field': (d) => put(d, unit('required'), ['id']),
  'a type of answers': (d) => put(d, unit('properties', 'id'), { type: 'integer' }),
  'the promise that a field is not null': (d) => put(d, unit('properties', 'id'), { type: ['string', 'null'] }),
  'a type of input': (d) => put(d, lead('properties', 'name'), { type: 'object' }),
  'null as input': (d) => put(d, lead('properties', 'maybe'), { type: 'string' }),
  'any type of input': (d) => put(d, lead('properties', 'any'), { type: 'string' }),
  'a value to send': (d) => put(d, lead('properties', 'stage'), { enum: ['new'] }),
  'all values but one': (d) => put(d, lead('properties', 'stage'), { const: 'new' }),
  'all values not listed': (d) => put(d, lead('properties', 'source'), { type: 'string', enum: ['web'] }),
  'the freedom to leave a field out': (d) => put(d, lead('required'), ['name', 'phone', 'vehicleId', 'source']),
  'short texts': (d) => put(d, lead('properties', 'name'), { type: 'string', minLength: 2 }),
  'long texts': (d) => put(d, lead('properties', 'name'), { type: 'string', maxLength: 20 }),
  'small numbers': (d) => put(d, lead('properties', 'count', 'minimum'), 2),
  'large numbers': (d) => put(d, lead('properties', 'count', 'maximum'), 8),
  'texts of other patterns': (d) => put(d, lead('properties', 'phone'), { type: 'string', pattern: '^\\+' }),
  'further fields': (d) => put(d, lead('additionalProperties'), false),
  'the answer itself': (d) => {
    (d.paths['/deals']?.['get'] as Record<string, unknown>)['responses'] = { '204': ok };
  },
  'the body of an answer': (d) => put(d, ['paths', '/deals', 'get', 'responses', '200'], ok),
  'the body of a request': (d) => {
    delete (d.paths['/leads']?.['post'] as Record<string, unknown>)['requestBody'];
  },
  'a larger page': limited({ type: 'integer', maximum: 50 }),
  'texts as a parameter': (d) =>
    put(d, ['paths', '/units', 'get', 'parameters', 0, 'schema'], { type: 'string', enum: ['available'] }),
  'keys that are long': (d) =>
    put(
      d,
      ['paths', '/leads', 'post', 'parameters'],
      [{ name: 'idempotency-key', in: 'header', schema: { type: 'string', maxLength: 36 } }],
    ),
  'ids of another form': (d) =>
    put(d, ['paths', '/units/{id}', 'parameters', 0, 'schema'], { type: 'string', pattern: '^u' }),
  'a media type': (d) =>
    put(d, ['paths', '/leads', 'post', 'requestBody', 'content'], {
      'application/json': { schema: { $ref: '#/components/schemas/NewLead' } },
    }),
  'JSON for a change of it': (d) =>
    put(d, ['paths', '/leads', 'post', 'requestBody', 'content'], {
      'application/merge-patch+json': { schema: { $ref: '#/components/schemas/NewLead' } },
      'application/x-www-form-urlencoded': {},
    }),
  'a branch that is referred to': (d) =>
    put(d, lead('properties', 'trade', 'oneOf'), [{ $ref: '#/components/schemas/Sedan' }]),
  'a branch of its kind': (d) => put(d, lead('properties', 'contact', 'anyOf'), [tagged('mail', 'address')]),
  'a branch, another in its place': (d) =>
    put(d, lead('properties', 'contact', 'anyOf'), [tagged('mail', 'address'), tagged('visit', 'at')]),
  'a webhook': (d) => {
    delete (d['webhooks'] as Record<string, unknown>)['unit.sold'];
  },
  'the freedom from credentials': (d) => put(d, ['paths', '/health', 'get', 'security'], [{ bearer: [] }]),
  'the freedom from credentials of the demo': (d) => {
    delete (d.paths['/demo/units']?.['get'] as Record<string, unknown>)['security'];
  },
  'a request without a body': (d) =>
    put(d, ['paths', '/deals', 'get', 'requestBody'], {
      required: true,
      content: { 'application/json': { schema: { type: 'object' } } },
    }),
};

for (const [name, edit] of Object.entries(removals)) {
  test(`taken away: ${name}`, () => {
    const [pinned, served] = [plainDocument(), plainDocument()];
    base(pinned);
    base(served);
    edit(served);
    const found = compatible(pinned, served);
    expect(found.map((one) => `${one.expected} / ${one.actual}`)).toHaveLength(1);
  });
}

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
