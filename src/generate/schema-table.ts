import type { JsonSchema } from './schema.js';

/** Definitions that the schemas of the table refer to. */
export const tableRoot = {
  components: {
    schemas: {
      Id: { type: 'string', format: 'uuid' },
      Node: {
        type: 'object',
        required: ['v'],
        properties: {
          v: { type: 'integer' },
          next: { $ref: '#/components/schemas/Node' },
          kids: { type: 'array', items: { $ref: '#/components/schemas/Node' } },
        },
      },
      Base: { type: 'object', required: ['id'], properties: { id: { $ref: '#/components/schemas/Id' } } },
      'odd/name~1': { type: 'string', minLength: 2, maxLength: 4 },
      Cat: {
        type: 'object',
        required: ['kind'],
        properties: { kind: { const: 'cat' }, lives: { type: 'integer', minimum: 0, maximum: 9 } },
      },
      Dog: { type: 'object', required: ['kind'], properties: { kind: { const: 'dog' }, good: { type: 'boolean' } } },
    },
  },
};

const ref = (name: string): { $ref: string } => ({ $ref: `#/components/schemas/${name}` });

/** Schemas such as OpenAPI 3.1 documents hold, by what they show. */
export const schemaTable: Readonly<Record<string, JsonSchema>> = {
  anything: true,
  'empty schema': {},
  null: { type: 'null' },
  boolean: { type: 'boolean' },
  integer: { type: 'integer' },
  number: { type: 'number' },
  string: { type: 'string' },
  array: { type: 'array' },
  object: { type: 'object' },
  'list of types': { type: ['string', 'null'] },
  'list of three types': { type: ['integer', 'boolean', 'array'] },
  enum: { enum: ['a', 1, null, { x: 1 }] },
  'typed enum': { type: 'string', enum: ['website', 'phone', 'walk-in'] },
  'enum beside the type': { type: 'string', enum: ['a', 1] },
  const: { const: { a: [1, 2] } },
  'const beside enum': { enum: [1, 2, 3], const: 2 },
  minLength: { type: 'string', minLength: 3 },
  maxLength: { type: 'string', maxLength: 5 },
  'fixed length': { type: 'string', minLength: 4, maxLength: 4 },
  'empty string only': { type: 'string', maxLength: 0 },
  'long string': { type: 'string', minLength: 300, maxLength: 400 },
  'phone pattern': { type: 'string', pattern: '^\\+[1-9]\\d{6,14}$' },
  'pattern without anchors': { type: 'string', pattern: '[a-z]{2}\\d' },
  'pattern of Unicode': { type: 'string', pattern: '^\\p{Lu}\\p{Ll}+$' },
  'pattern with length': { type: 'string', pattern: '^[A-Z0-9]+$', minLength: 17, maxLength: 17 },
  'pattern with look-ahead': { type: 'string', pattern: '^(?=.*\\d)[a-z0-9]{4,8}$' },
  'pattern with alternatives': { type: 'string', pattern: '^(foo|bar)-\\d{3}$' },
  'name pattern': { type: 'string', pattern: "^[\\p{L} .'-]+$", minLength: 2, maxLength: 80 },
  'non-blank': { type: 'string', pattern: '\\S', maxLength: 60 },
  uuid: { type: 'string', format: 'uuid' },
  'date-time': { type: 'string', format: 'date-time' },
  date: { type: 'string', format: 'date' },
  time: { type: 'string', format: 'time' },
  email: { type: 'string', format: 'email', maxLength: 254 },
  uri: { type: 'string', format: 'uri' },
  hostname: { type: 'string', format: 'hostname' },
  ipv4: { type: 'string', format: 'ipv4' },
  ipv6: { type: 'string', format: 'ipv6' },
  'bounded integer': { type: 'integer', minimum: 1, maximum: 100 },
  'exclusive bounds': { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
  'one integer': { type: 'integer', minimum: 7, maximum: 7 },
  'negative numbers': { type: 'number', maximum: -1.5 },
  'multiple of five': { type: 'integer', multipleOf: 5, minimum: 12, maximum: 40 },
  cents: { type: 'number', multipleOf: 0.01, minimum: 0, maximum: 9999.99 },
  'half steps': { type: 'number', multipleOf: 0.5 },
  'array of strings': { type: 'array', items: { type: 'string', maxLength: 3 }, minItems: 1, maxItems: 3 },
  'unique items': { type: 'array', items: { enum: [1, 2, 3] }, uniqueItems: true, minItems: 2 },
  tuple: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false, minItems: 2 },
  contains: { type: 'array', items: { type: 'integer' }, contains: { minimum: 10 }, minContains: 1, maxItems: 5 },
  'object with required': {
    type: 'object',
    required: ['a'],
    properties: { a: { type: 'string' }, b: { type: 'integer' } },
  },
  'closed object': {
    type: 'object',
    required: ['a'],
    properties: { a: { type: 'string' } },
    additionalProperties: false,
  },
  'required but not described': { type: 'object', required: ['a', 'b'] },
  'typed additional properties': { type: 'object', additionalProperties: { type: 'integer' }, minProperties: 1 },
  'pattern properties': {
    type: 'object',
    patternProperties: { '^x-': { type: 'string' } },
    additionalProperties: false,
    minProperties: 1,
  },
  'property names': { type: 'object', propertyNames: { pattern: '^[a-z]{1,5}$' }, minProperties: 2, maxProperties: 4 },
  'counted properties': {
    type: 'object',
    properties: { a: { type: 'integer' }, b: { type: 'integer' }, c: { type: 'integer' } },
    minProperties: 2,
    maxProperties: 2,
  },
  'dependent required': {
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'string' } },
    dependentRequired: { a: ['b'] },
  },
  'dependent schemas': {
    type: 'object',
    properties: { card: { type: 'string' } },
    dependentSchemas: { card: { required: ['address'], properties: { address: { type: 'string' } } } },
  },
  anyOf: { anyOf: [{ type: 'string', maxLength: 3 }, { type: 'integer' }] },
  oneOf: { oneOf: [{ type: 'integer', minimum: 10 }, { type: 'string' }] },
  'overlapping oneOf': {
    oneOf: [
      { type: 'integer', multipleOf: 3 },
      { type: 'integer', multipleOf: 5 },
    ],
  },
  'nullable by anyOf': { anyOf: [{ type: 'string', minLength: 1 }, { type: 'null' }] },
  allOf: {
    allOf: [
      { type: 'object', required: ['a'], properties: { a: { type: 'string' } } },
      { required: ['b'], properties: { b: { type: 'integer' } } },
    ],
  },
  'allOf of bounds': { allOf: [{ type: 'integer', minimum: 3 }, { maximum: 5 }] },
  not: { type: 'string', not: { const: '' }, maxLength: 5 },
  'not a type': { not: { type: 'object' } },
  conditional: {
    type: 'object',
    required: ['k'],
    properties: { k: { enum: ['a', 'b'] } },
    if: { properties: { k: { const: 'a' } } },
    then: { required: ['x'], properties: { x: { type: 'integer' } } },
  },
  'contact by phone or e-mail': {
    type: 'object',
    properties: { phone: { type: 'string' }, email: { type: 'string', format: 'email' } },
    anyOf: [{ required: ['phone'] }, { required: ['email'] }],
  },
  reference: ref('Id'),
  'reference with siblings': { ...ref('odd~1name~01'), maxLength: 3 },
  'reference with a description': {
    type: 'object',
    required: ['id'],
    properties: { id: { ...ref('Id'), description: 'the id' } },
  },
  cycle: ref('Node'),
  'extension of a base': {
    allOf: [ref('Base'), { properties: { extra: { type: 'string' } }, required: ['extra'] }],
    unevaluatedProperties: false,
  },
  discriminated: { oneOf: [ref('Cat'), ref('Dog')], discriminator: { propertyName: 'kind' } },
  'deep nesting': {
    type: 'object',
    required: ['a'],
    properties: {
      a: {
        type: 'object',
        required: ['b'],
        properties: {
          b: {
            type: 'array',
            minItems: 1,
            items: { type: 'object', required: ['c'], properties: { c: { type: 'string', minLength: 2 } } },
          },
        },
      },
    },
  },
  'a lead': {
    type: 'object',
    required: ['name', 'phone', 'vehicleId'],
    properties: {
      name: { type: 'string', minLength: 1, maxLength: 120 },
      phone: { type: 'string', pattern: '^\\+[1-9]\\d{1,14}$' },
      vehicleId: { type: 'string' },
      source: { type: ['string', 'null'], enum: ['web', 'phone', null] },
    },
    additionalProperties: false,
  },
};
