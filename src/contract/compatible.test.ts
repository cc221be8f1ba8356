import { expect, test } from '@playwright/test';
import { compatible } from './compatible.js';
import { plainDocument, put } from './test-kit.js';

type Document = ReturnType<typeof plainDocument>;
type Edit = (document: Document) => void;

const schema = (name: string, ...rest: string[]): string[] => ['components', 'schemas', name, ...rest];
const lead = (...rest: string[]): string[] => schema('NewLead', ...rest);
const unit = (...rest: string[]): string[] => schema('Unit', ...rest);
const ok = { description: 'Done.' };

/** What pinned and served get in common before the served one is changed. */
const base: Edit = (d) => {
  put(d, lead('properties', 'stage'), { enum: ['new', 'old'] });
  put(d, lead('properties', 'count'), { type: 'integer', minimum: 1, maximum: 9 });
  put(d, lead('properties', 'maybe'), { anyOf: [{ type: 'string' }, { type: 'null' }] });
  put(d, lead('properties', 'any'), { description: 'Anything.' });
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
