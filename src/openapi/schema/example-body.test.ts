import { expect, test } from '@playwright/test';
import { createContract, type Contract } from '../contract.js';
import { plainDocument, put, refTo } from '../test-kit.js';

const vin = { type: 'string', pattern: '^[A-HJ-NPR-Z0-9]{17}$' };
const like = [
  {
    id: 'u1',
    status: 'available',
    make: 'Ford',
    model: 'F-150',
    year: 2024,
    price: 32_000.5,
    vin: '1FTFW1ET5DFC10312',
    stockNumber: 'STK-1001',
    mileage: 12,
    dealer: { name: 'Main' },
  },
];

const text = { type: 'string' };

/** A schema of an object that has all of these properties. */
const having = (properties: Readonly<Record<string, unknown>>): object => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

const table: Record<string, unknown> = {
  'nothing asked for': { type: 'object' },
  'a VIN': having({ vin }),
  'a length': having({ vin: { type: 'string', minLength: 17, maxLength: 17 } }),
  choices: having({ status: { enum: ['draft', 'available'] }, fuel: { type: ['string', 'null'], enum: [null] } }),
  'whole numbers': having({
    year: { type: 'integer', minimum: 1981, maximum: 2030 },
    a: { type: 'integer', maximum: -5 },
    b: { type: 'integer', exclusiveMinimum: 5, multipleOf: 5 },
    c: { type: 'integer', exclusiveMaximum: 0 },
  }),
  fractions: having({
    a: { type: 'number', maximum: 0.3 },
    b: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 0.4 },
    c: { type: 'number', multipleOf: 0.01, minimum: 0.07 },
    d: { type: 'number', minimum: 0 },
  }),
  'nested objects': having({
    dealer: having({ name: text, geo: having({ lat: { type: 'number', minimum: -90, maximum: 90 } }) }),
  }),
  alternatives: {
    oneOf: [
      { ...having({ a: text }), additionalProperties: false },
      { type: 'object', required: ['b'] },
    ],
  },
  'an alternative that cannot be': { anyOf: [having({ a: false }), having({ b: { type: 'boolean' } })] },
  compositions: { allOf: [refTo('NewUnit'), having({ make: text })] },
  'closed compositions': {
    type: 'object',
    allOf: [{ properties: { a: text }, required: ['a'] }],
    unevaluatedProperties: false,
  },
  lists: having({
    tags: { type: 'array', minItems: 2, uniqueItems: true, items: text },
    pairs: { type: 'array', items: { type: 'number' }, minItems: 1 },
  }),
  formats: having(
    Object.fromEntries(['date', 'date-time', 'uri', 'uuid', 'email'].map((format) => [format, { ...text, format }])),
  ),
  'required names alone': { type: 'object', required: ['vin', 'make'] },
  'names of keywords': {
    ...having({ default: text, properties: text }),
    required: ['default', 'properties', 'constructor'],
  },
  'known values out of bounds': {
    ...having({ price: { type: 'number', maximum: 100 }, year: { type: 'integer' } }),
    required: ['price'],
  },
  'a recursion': { ...having({ a: text, kids: { type: 'array', items: refTo('NewUnit') } }), required: ['a'] },
  'money as text': having({ price: { type: 'string', pattern: '^\\d+\\.\\d{2}$' } }),
  'a stock number': having({ stockNumber: { type: 'string', pattern: '^STK-\\d{6}$' } }),
  'a phone number': having({ phone: { type: 'string', pattern: '^\\+[1-9]\\d{6,14}$' } }),
};

function contractFor(schema: unknown): Contract {
  const document = plainDocument();
  put(document, 'paths /units post requestBody content application/json schema', schema);
  return createContract(document);
}

for (const [name, schema] of Object.entries(table)) {
  test(`a body is made that its own declaration allows: ${name}`, () => {
    const contract = contractFor(schema);
    for (const known of [[], like]) {
      const body = contract.exampleBody('POST', '/api/v1/units', { unique: 'one', like: known });
      expect(body).toBeInstanceOf(Object);
      expect(contract.validateRequest('POST', '/api/v1/units', body)).toEqual([]);
    }
  });
}

test('bodies differ where records have to, and differ from invalid ones', () => {
  const contract = contractFor({
    type: 'object',
    required: ['vin', 'phoneNumber'],
    properties: { vin, phoneNumber: { type: 'string' } },
    example: { vin: '1FTFW1ET5DFC10312', phoneNumber: '+14155550100' },
  });
  const made = ['one', 'two'].map(
    (unique) => contract.exampleBody('POST', '/api/v1/units', { unique, like: [] }) as Record<string, string>,
  );
  expect(made[0]?.['vin']).not.toBe(made[1]?.['vin']);
  expect(made[0]?.['phoneNumber']).toBe('+14155550100');
  expect(contract.validateRequest('POST', '/api/v1/units', { vin: 'short' })).not.toEqual([]);
});

test('what belongs into answers only is not sent, required or not', () => {
  const stamped = {
    type: 'object',
    required: ['createdAt'],
    properties: { createdAt: refTo('S') },
  };
  const contract = contractFor({
    allOf: [stamped],
    type: 'object',
    required: ['id', 'status'],
    properties: { id: { type: 'string', readOnly: true }, status: { type: 'string' } },
  });
  put(contract.document ?? {}, 'components schemas S', { type: 'string', readOnly: true });
  const body = contract.exampleBody('POST', '/api/v1/units', { unique: 'one', like });
  expect(body).toEqual({ status: expect.any(String) as unknown });
});

test('what may be null has a value, wherever null stands among the alternatives', () => {
  const nullable = (...parts: readonly object[]): object => ({ oneOf: parts });
  const contract = contractFor({
    type: 'object',
    required: ['trim', 'model'],
    properties: {
      trim: nullable({ type: 'null' }, { type: 'string' }),
      model: nullable({ type: 'string' }, { type: 'null' }),
    },
  });
  expect(contract.exampleBody('POST', '/api/v1/units', { unique: 'one', like: [] })).toEqual({
    trim: expect.any(String) as unknown,
    model: expect.any(String) as unknown,
  });
});

test('where no body can be valid there is none', () => {
  for (const schema of [
    false,
    { type: 'object', required: ['a'], properties: { a: false } },
    { type: 'object', minProperties: 5 },
    { not: {} },
  ]) {
    expect(contractFor(schema).exampleBody('POST', '/api/v1/units', { unique: 'x', like })).toBeUndefined();
  }
});
