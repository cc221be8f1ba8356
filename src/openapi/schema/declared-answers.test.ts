import { expect, test } from '@playwright/test';
import { createContract } from '../contract.js';
import { answer, edits, keep, limits, refTo, responses, set, usual } from '../test-kit.js';

const fine = { statusDeclared: true, contentTypeDeclared: true, schemaErrors: [], headerErrors: [] };

test('content types are compared without their parameters, and by ranges', () => {
  for (const contentType of ['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])
    expect(answer(keep, { contentType })).toMatchObject(fine);
  for (const contentType of ['text/html', 'application/problem+json', '', null])
    expect(answer(keep, { contentType })).toMatchObject({ ...fine, contentTypeDeclared: false });
  const schema = { type: 'object', required: ['ok'] };
  for (const declared of ['application/*', '*/*', 'application/json; charset=utf-8', 'Application/Json']) {
    const edit = set(`${responses} 200 content`, { [declared]: { schema } });
    expect(answer(edit, { json: { ok: true } }), declared).toMatchObject(fine);
    expect(answer(edit, { json: {} }).schemaErrors, declared).toHaveLength(1);
  }
});

test('the most exact declaration of a status is the one in force', () => {
  const body = (required: string): unknown => ({
    description: 'x',
    content: { 'application/json': { schema: { required: [required] } } },
  });
  const edit = set(responses, { '404': body('exact'), '4XX': body('range'), default: body('any') });
  for (const [status, name] of [
    [404, 'exact'],
    [400, 'range'],
    [500, 'any'],
    [200, 'any'],
  ] as const) {
    expect(answer(edit, { status, json: { [name]: 1 } })).toMatchObject(fine);
    expect(answer(edit, { status, json: {} }).schemaErrors[0]?.text).toContain(name);
  }
});

test('a default answer is judged by the schema that it refers to', () => {
  const inline = set(`${responses} default`, {
    description: 'x',
    content: {
      'application/json': {
        schema: { type: 'object', properties: { error: refTo('Unit') } },
      },
    },
  });
  expect(answer(inline, { status: 400, json: { error: { id: 'a', status: 'b' } } })).toMatchObject(fine);
  expect(answer(inline, { status: 400, json: { error: {} } }).schemaErrors).not.toEqual([]);
});

test('undeclared statuses are reported, undeclared operations and empty declarations are not judged', () => {
  const only = set(responses, { '200': { description: 'x' } });
  expect(answer(only, { status: 404 })).toMatchObject({ ...fine, statusDeclared: false });
  expect(answer(only, { contentType: 'text/html', json: undefined, headers: [] })).toMatchObject(fine);
  expect(answer(keep, { method: 'DELETE' })).toMatchObject(fine);
  expect(answer(keep, { path: '/api/v1/elsewhere', status: 500, json: 1 })).toMatchObject(fine);
  expect(answer(keep, { json: undefined })).toMatchObject(fine);
  for (const document of [
    null,
    {},
    { paths: null },
    { paths: { '/api/v1/deals': null } },
    { paths: { '/api/v1/deals': { get: {} } } },
  ]) {
    const found = createContract(document).validateResponse({ ...usual, contentType: null, headers: [], json: {} });
    expect([...found.schemaErrors, ...found.headerErrors]).toEqual([]);
  }
});

const headerTable: readonly (readonly [string, unknown, readonly string[], readonly string[]])[] = [
  ['a whole number', { schema: { type: 'integer', minimum: 1 } }, ['1', '600'], ['0', 'many', '1.5', '']],
  ['a number by $ref', { schema: refTo('Count') }, ['1'], ['many']],
  [
    'a number or null, written as anyOf',
    { schema: { anyOf: [{ type: 'integer' }, { type: 'null' }] } },
    ['600'],
    ['many'],
  ],
  ['a number through allOf', { schema: { allOf: [refTo('Count')] } }, ['600'], ['many']],
  ['numbers without a type', { schema: { enum: [100, 600] } }, ['600'], ['7']],
  ['a text of digits', { schema: { type: 'string', pattern: '^\\d+$' } }, ['600'], ['a']],
  ['a flag', { schema: { type: 'boolean' } }, ['true'], ['1']],
  ['a list', { schema: { type: 'array', items: { type: 'integer' } } }, ['1, 2', '1'], ['a, b']],
  ['a header by $ref', refTo('Count', 'headers'), ['1'], ['many']],
  ['anything', {}, ['1', ''], []],
];

for (const [name, declared, good, bad] of headerTable) {
  test(`a declared header is read as ${name}`, () => {
    const edit = edits(
      set(`${responses} 200 headers`, { 'X-Count': declared }),
      set('components schemas Count', { type: 'integer' }),
      set('components headers Count', { schema: { type: 'integer' } }),
    );
    for (const value of good) expect(answer(edit, { headers: [['x-count', value]] }).headerErrors, value).toEqual([]);
    for (const value of bad)
      expect(answer(edit, { headers: [['x-count', value]] }).headerErrors, value).toHaveLength(1);
    expect(answer(edit, { headers: [] }).headerErrors).toEqual([]);
  });
}

test('a missing header counts where it is required, and for the limit headers of a success', () => {
  const required = set(`${responses} 200 headers`, { 'X-A': { required: true, schema: {} }, 'X-B': { schema: {} } });
  expect(answer(required, { headers: [] }).headerErrors).toEqual(['the declared header X-A is missing']);
  expect(answer(keep, { headers: limits.slice(1) }).headerErrors).toHaveLength(1);
});
