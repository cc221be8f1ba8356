import { expect, test } from '@playwright/test';
import { createContract } from '../contract.js';
import { answer, edits, keep, plainDocument, put, refTo, responses, set } from '../test-kit.js';

const draft07 = 'http://json-schema.org/draft-07/schema#';

/** What it says of an answer with this body where this schema is declared for it. */
function judge(schema: unknown, json: unknown, edit = keep): readonly string[] {
  return answer(edits(set(`${responses} 200 content application/json schema`, schema), edit), {
    json,
  }).schemaErrors.map(({ text }) => text);
}

const table: readonly (readonly [string, unknown, readonly unknown[], readonly unknown[]])[] = [
  [
    'unevaluatedProperties',
    { type: 'object', allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
    [{ a: 1 }, {}],
    [{ b: 1 }],
  ],
  ['cents', { type: 'number', multipleOf: 0.01 }, [0.07, 1.1, 19.99, 4.35, 1234567.89, 32_000.01], [0.005, 1.234]],
  ['a date', { type: 'string', format: 'date' }, ['2024-02-29'], ['2023-02-29', 'yesterday', '2024-13-01']],
  [
    'an instant',
    { type: 'string', format: 'date-time' },
    ['2024-02-29T23:59:60Z', '2024-02-29t12:00:00.123+05:30', '2024-02-29 12:00:00Z'],
    ['yesterday', '1700000000', '2024-02-30T00:00:00Z'],
  ],
  [
    'a UUID',
    { type: 'string', format: 'uuid' },
    ['0B0C8A34-6F0C-4F43-9D3A-3F1F6A1F9B52', 'urn:uuid:0b0c8a34-6f0c-4f43-9d3a-3f1f6a1f9b52'],
    ['unit-1'],
  ],
  ['an address', { type: 'string', format: 'email' }, ['a@b', 'ä+x@exämple.com'], ['a b', 'a']],
  ['a format of theirs', { type: 'string', format: 'vin' }, ['anything'], []],
  ['a format beside another type', { type: ['string', 'null'], format: 'uuid' }, [null], ['x']],
  ['a pattern', { type: 'string', pattern: '^\\p{Lu}[\\w\\-]+$' }, [], []],
  [
    'const and enum hold what looks like keywords',
    { enum: [{ $ref: 'x', $id: 'y' }, 1] },
    [{ $ref: 'x', $id: 'y' }, 1],
    [{}, 2],
  ],
  [
    'prefixItems',
    { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'number' } },
    [['a', 1]],
    [[1], ['a', 'b']],
  ],
  [
    'siblings beside $ref',
    { ...refTo('Unit'), required: ['price'] },
    [{ id: 'a', status: 'b', price: 1 }],
    [{ id: 'a', status: 'b' }, { price: 1 }],
  ],
  [
    'a property named default',
    { type: 'object', properties: { default: refTo('Unit') } },
    [{ default: { id: 'a', status: 'b' } }],
    [{ default: {} }],
  ],
  [
    'a property named $ref',
    { type: 'object', properties: { $ref: { type: 'string' } } },
    [{ $ref: 'a' }],
    [{ $ref: 1 }],
  ],
  ['nullable, which 3.1 does not know', { type: 'string', nullable: true }, ['a'], [null, 1]],
  ['an empty enum', { properties: { a: { enum: [] } } }, [{}], [{ a: 1 }]],
  ['an empty enum beside not', { not: { type: 'string' }, enum: [] }, [], [1, 'a']],
  ['a pattern of another language', { type: 'string', pattern: '(?i)^[a-z0-9-]+$' }, ['A b', ''], [1]],
  ['a pattern that reads otherwise', { type: 'string', pattern: '\\A[[:alpha:]]+\\z' }, ['abc'], [1]],
  [
    'patterns for names, of which one is of another language',
    { patternProperties: { '(?i)^x-': { type: 'string' }, '^n': { type: 'number' } }, additionalProperties: false },
    [{ 'X-a': 1, n: 1 }],
    [{ n: 'a' }],
  ],
  ['nullable: false beside null', { type: ['string', 'null'], nullable: false }, ['a', null], [1]],
  ['nullable without a type', { nullable: true, minLength: 2 }, ['ab', 1], ['a']],
  [
    'a discriminator',
    {
      oneOf: [refTo('Unit')],
      discriminator: { propertyName: 'kind', mapping: { a: '#/components/schemas/Nope' } },
    },
    [{ id: 'a', status: 'b' }],
    [{}],
  ],
  [
    'a foreign dialect, not at all',
    { $schema: draft07, type: 'array', items: [{ type: 'string' }], additionalItems: false },
    [['a'], [1], {}],
    [],
  ],
  [
    'a dialect that nobody knows, not at all',
    {
      type: 'object',
      properties: { a: { $schema: 'https://schemas.example.com/dialect', type: 'money', items: [1] } },
    },
    [{ a: 1 }],
    [1],
  ],
  ['true and false', { type: 'object', properties: { a: true, b: false } }, [{ a: 1 }], [{ b: 1 }]],
  [
    'two heavy patterns',
    { type: 'object', properties: { a: { pattern: '^(c+)+$' }, b: { pattern: '^(d+)+$' } } },
    [{ a: 'cc', b: 'dd' }],
    [{ a: 'dd' }, { b: 'cc' }],
  ],
];

for (const [name, schema, good, bad] of table) {
  test(`bodies are judged by ${name}`, () => {
    for (const value of good) expect(judge(schema, value), JSON.stringify(value)).toEqual([]);
    for (const value of bad) expect(judge(schema, value), JSON.stringify(value)).not.toEqual([]);
  });
}

test('nullable counts in a document of OpenAPI 3.0', () => {
  expect(judge({ type: 'string', nullable: true }, null, set('openapi', '3.0.3'))).toEqual([]);
});

test('schemas are found by $id, $anchor and through cycles', () => {
  const edit = (document: Record<string, unknown>): void => {
    put(document, 'components schemas Id', {
      $id: 'https://schemas.example.com/id',
      type: 'object',
      properties: { a: { $ref: '#/$defs/a' } },
      $defs: { a: { type: 'string' } },
    });
    put(document, 'components schemas Anchor', { $anchor: 'anchor', type: 'number' });
    put(document, 'components schemas Tree', {
      type: 'object',
      required: ['n'],
      properties: { n: { $ref: '#anchor' }, kids: { type: 'array', items: refTo('Tree') } },
    });
    put(document, 'components schemas Unit examples', [
      { $id: 'https://schemas.example.com/id', $anchor: 'anchor', $ref: '#/nope' },
    ]);
  };
  expect(judge({ $ref: 'https://schemas.example.com/id' }, { a: 'x' }, edit)).toEqual([]);
  expect(judge({ $ref: 'https://schemas.example.com/id' }, { a: 1 }, edit)).not.toEqual([]);
  expect(judge(refTo('Tree'), { n: 1, kids: [{ n: 2 }] }, edit)).toEqual([]);
  expect(judge(refTo('Tree'), { n: 1, kids: [{ n: 'x' }] }, edit)).not.toEqual([]);
});

const listed = 'paths /units get responses 200 content application/json schema';

test('nothing is judged by a foreign dialect of the document', () => {
  for (const dialect of [draft07, 'https://schemas.example.com/dialect']) {
    const name = set('jsonSchemaDialect', dialect);
    expect(judge({ type: 'money', items: [1] }, 1, name)).toEqual([]);
    const document = plainDocument();
    name(document);
    put(document, `${listed} properties data properties items items`, { type: 'car' });
    expect(createContract(document).validateUnit(1)).toEqual([]);
  }
});

test('heavy patterns do not hang a judgement, and go on judging what they can', () => {
  for (const pattern of [
    '^(a+)+$',
    '^(?:(?:a+)b?)+$',
    '^(a|a)*$',
    '^([^)]+)+$',
    '^(a?){40}a{40}$',
    '^a*a*a*a*a*a*b$',
  ]) {
    judge(
      { type: 'array', items: { type: 'string', pattern } },
      Array.from({ length: 40 }, (_, index) => `${'a'.repeat(1000 + index)}!`),
    );
  }
  // Starting anew at each of a million characters takes hours.
  for (const pattern of ['a+b', 'a*a*b'])
    judge(
      { type: 'array', items: { type: 'string', pattern } },
      [1, 2, 3, 4, 5].map((n) => 'a'.repeat(1e6 + n)),
    );
  expect(judge({ type: 'string', pattern: '^a+b$' }, `${'a'.repeat(6_000)}c`)).not.toEqual([]);
  expect(judge({ type: 'string', pattern: '^(?:a|b)+$' }, 'abba')).toEqual([]);
  expect(judge({ type: 'string', pattern: '^(?:a|b)+$' }, 'abc')).not.toEqual([]);
});

test('a property that is only ever sent need not come back, and one that only comes back need not be sent', () => {
  const pin = { type: 'object', required: ['pin', 'id'], properties: { pin: { type: 'string', writeOnly: true } } };
  expect(judge(pin, { id: 'a' })).toEqual([]);
  expect(judge(pin, {})).not.toEqual([]);
  expect(judge({ ...pin, properties: { pin: { type: 'string', readOnly: true } } }, { id: 'a' })).not.toEqual([]);
  const document = plainDocument();
  put(document, 'paths /units post requestBody content application/json schema', {
    ...pin,
    properties: { pin: { type: 'string', readOnly: true } },
  });
  const request = (body: unknown): readonly string[] =>
    createContract(document).validateRequest('POST', '/api/v1/units', body);
  expect(request({ id: 'a' })).toEqual([]);
  expect(request({})).not.toEqual([]);
});

test('a dynamic reference to one of several anchors allows anything', () => {
  const page = {
    $id: 'https://schemas.example.com/page',
    type: 'object',
    required: ['items'],
    properties: { items: { type: 'array', items: { $dynamicRef: '#T' } } },
    $defs: { T: { $dynamicAnchor: 'T', not: {} } },
  };
  const units = {
    $id: 'https://schemas.example.com/units',
    $ref: 'https://schemas.example.com/page',
    $defs: { T: { $dynamicAnchor: 'T', type: 'object', required: ['id'] } },
  };
  const edit = edits(set('components schemas Page', page), set('components schemas Units', units));
  const schema = refTo('Units');
  expect(judge(schema, { items: [{ id: 'a' }] }, edit)).toEqual([]);
  expect(judge(schema, { items: {} }, edit)).not.toEqual([]);
});
