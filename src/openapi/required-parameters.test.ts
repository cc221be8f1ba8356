import { expect, test } from '@playwright/test';
import { createContract } from './contract.js';
import type { Pairs } from './parameter-style.js';

/** The queries (or headers) for one required parameter of the deals list, by its declaration. */
function sent(parameter: Record<string, unknown>, method = 'get'): readonly Pairs[] | undefined {
  const contract = createContract({
    openapi: '3.1.0',
    paths: { '/api/v1/deals': { [method]: { parameters: [{ in: 'query', required: true, ...parameter }] } } },
  });
  const operation = contract.operation(method, '/api/v1/deals');
  if (operation === null) throw new Error('there is no such operation');
  const records = new Map([
    ['unit', [{ id: 'u-1', year: 2021, vin: '1FTFW1ET5DFC10312' }]],
    ['deal', [{ id: 'd-1' }]],
  ]);
  return contract.requiredParameters(operation, { records, today: '2026-03-01', unique: 'abc' })[0]?.values;
}

const values = (parameter: Record<string, unknown>, method?: string): readonly string[] | undefined =>
  sent(parameter, method)?.map((pairs) => pairs.map(([, value]) => value).join());

test('a declared value comes before one that was seen, and that before one that was made', () => {
  expect(values({ name: 'year', example: 1999, schema: { type: 'integer' } })).toEqual([
    '1999',
    '2021',
    '2026',
    '2025',
    '1',
  ]);
  expect(values({ name: 'view', schema: { type: 'string', enum: ['a', 'b'], default: 'b' } })?.slice(0, 2)).toEqual([
    'b',
    'a',
  ]);
  expect(values({ name: 'vin', schema: { type: 'string' } })?.[0]).toBe('1FTFW1ET5DFC10312');
  expect(values({ name: 'unitId', schema: { type: 'string' } })?.[0]).toBe('u-1');
  expect(values({ name: 'id', schema: { type: 'string' } })?.[0]).toBe('d-1');
});

test('a date is far back for a beginning and ahead for an end', () => {
  expect(values({ name: 'from', schema: { type: 'string', format: 'date' } })?.slice(0, 2)).toEqual([
    '2000-01-01',
    '2026-01-30',
  ]);
  expect(values({ name: 'to', schema: { type: 'string', format: 'date-time' } })?.[0]).toBe('2026-03-02T00:00:00Z');
});

test('what the schema forbids is not sent, and a list is sent as one of its members', () => {
  expect(values({ name: 'year', schema: { type: 'integer', minimum: 2022, maximum: 2025 } })).toEqual(['2025', '2022']);
  expect(values({ name: 'kinds', schema: { type: 'array', items: { enum: ['x'] } } })).toEqual(['x']);
});

test('optional parameters, headers of the settings and the key of a create are left to others', () => {
  expect(values({ name: 'year', required: false })).toBeUndefined();
  expect(values({ in: 'header', name: 'X-Tenant', schema: { type: 'string' } })).toBeUndefined();
  expect(values({ in: 'header', name: 'Idempotency-Key', schema: { type: 'string' } }, 'post')).toBeUndefined();
  expect(values({ in: 'header', name: 'X-Version', schema: { const: '2' } })).toEqual(['2']);
});

test('a parameter is sent as its style, explode and content say, and an object only where one of them does', () => {
  const schema = {
    type: 'object',
    properties: { make: { const: 'a' }, year: { const: 1 } },
    required: ['make', 'year'],
  };
  const filter = (more: object): readonly Pairs[] | undefined => sent({ name: 'filter', schema, ...more });
  expect(filter({ style: 'deepObject', explode: true })).toEqual([
    [
      ['filter[make]', 'a'],
      ['filter[year]', '1'],
    ],
  ]);
  expect(filter({ style: 'form' })).toEqual([
    [
      ['make', 'a'],
      ['year', '1'],
    ],
  ]);
  expect(filter({ style: 'form', explode: false })).toEqual([[['filter', 'make,a,year,1']]]);
  expect(filter({ style: 'pipeDelimited', explode: false })).toEqual([[['filter', 'make|a|year|1']]]);
  const content = { 'application/json': { schema } };
  expect(filter({ schema: undefined, content })).toEqual([[['filter', '{"make":"a","year":1}']]]);
  expect(filter({ in: 'header', style: 'simple', explode: true })).toEqual([[['filter', 'make=a,year=1']]]);
  expect(filter({})).toEqual([]);
  const kinds = {
    name: 'kinds',
    content: { 'application/json': { schema: { type: 'array', items: { enum: ['x'] } } } },
  };
  expect(sent(kinds)).toEqual([[['kinds', '["x"]']]]);
});
