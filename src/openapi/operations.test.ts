import { expect, test } from '@playwright/test';
import { createContract } from './contract.js';
import { plainDocument, put, refTo } from './test-kit.js';

const ok = { responses: { '200': { description: 'Done.' } } };
const withServers = (servers: unknown, template: string): Record<string, unknown> => ({
  openapi: '3.1.0',
  ...(servers === undefined ? {} : { servers }),
  paths: { [template]: { get: ok } },
});

const places: readonly (readonly [unknown, string, string])[] = [
  [undefined, '/api/v1/units', '/api/v1/units'],
  [undefined, '/v1/units', '/api/v1/units'],
  [[{ url: '/api/v1' }], '/units', '/api/v1/units'],
  [[{ url: '/api/v1/' }], '/units/', '/api/v1/units'],
  [[{ url: 'https://api.example.com/v1' }], '/units', '/api/v1/units'],
  [[{ url: '//api.example.com/v1' }], '/units', '/api/v1/units'],
  [[{ url: '{base_url}/api/v1' }], '/units', '/api/v1/units'],
  [
    [{ url: 'https://{host}/{path}', variables: { host: { default: 'a.example' }, path: { default: 'api/v1' } } }],
    '/units',
    '/api/v1/units',
  ],
  [[{ url: 'https://docs.example.com' }, { url: 'https://a.example/dealers/api' }], '/v1/units', '/api/v1/units'],
  [[{ url: 'https://a.example' }, { url: 'https://a.example/api/v1' }], '/units', '/api/v1/units'],
  [[{ url: '/api' }], '/demo/units', '/api/demo/units'],
  [[{ url: '/' }], '/api/demo/units', '/api/demo/units'],
];

for (const [servers, template, path] of places) {
  test(`${template} under ${JSON.stringify(servers ?? null)} is found at ${path}`, () => {
    const { operation } = createContract(withServers(servers, template));
    expect(operation('get', path)?.template).toBe(template);
    expect(operation('POST', path)).toBeNull();
    expect(operation('GET', `${path}/x/y`)).toBeNull();
    if (path.startsWith('/api/v1'))
      expect(operation('GET', `${path.slice('/api'.length)}?limit=5`)?.template).toBe(template);
  });
}

for (const [schema, path] of [
  [{ enum: ['1'] }, '/api/v1/units'],
  [{ type: 'integer', const: 1 }, '/api/v1/units'],
  [refTo('Version'), '/api/v1/units'],
  [{ enum: ['2', '1'] }, '/api/v1/units'],
  [{ enum: ['2', '3'] }, null],
  [{ type: 'string' }, null],
] as const) {
  test(`a version parameter of ${JSON.stringify(schema)} leads to ${path ?? 'no live path'}`, () => {
    const { operation } = createContract({
      components: { schemas: { Version: { const: '1' } } },
      paths: {
        '/api/v{version}/units': {
          parameters: [{ name: 'version', in: 'path', required: true, schema }],
          get: ok,
        },
      },
    });
    expect(operation('GET', '/api/v1/units')?.fullTemplate ?? null).toBe(path ?? '/api/v{version}/units');
    expect(operation('GET', '/api/v1/units')?.role).toBe(path === null ? 'other' : 'units');
  });
}

test('a literal path comes before one with a parameter, and ids may hold anything', () => {
  const { operation } = createContract({
    paths: { '/api/v1/units/{id}': { get: ok }, '/api/v1/units/stats': { get: ok } },
  });
  expect(operation('GET', '/api/v1/units/stats')?.template).toBe('/api/v1/units/stats');
  for (const id of ['a', 'v1', 'a%2Fb', '{id}', 'stats2'])
    expect(operation('GET', `/api/v1/units/${id}`)?.template).toBe('/api/v1/units/{id}');
  expect(operation('GET', '/api/v1/units/')).toBeNull();
});

test('parameters and bodies are found at every level and through references', () => {
  const document = plainDocument();
  put(document, 'components parameters Page', { name: 'after', in: 'query', schema: { type: 'string' } });
  put(document, 'components requestBodies Lead', {
    content: { 'application/json': { schema: refTo('NewLead') } },
  });
  put(document, 'paths /leads parameters', [refTo('Page', 'parameters')]);
  put(document, 'paths /leads post requestBody', refTo('Lead', 'requestBodies'));
  put(document, 'components pathItems Leads', document.paths['/leads']);
  document.paths['/leads'] = refTo('Leads', 'pathItems');
  const contract = createContract(document);
  const post = contract.operation('POST', '/api/v1/leads');
  expect(post?.parameters.map((one) => one.name)).toEqual(['after', 'Idempotency-Key']);
  expect(contract.validateRequest('POST', '/api/v1/leads', { name: 'a', phone: 'b', vehicleId: 'c' })).toEqual([]);
  expect(contract.validateRequest('POST', '/api/v1/leads', { name: 'a' })).not.toEqual([]);
  expect(contract.cursorParameter('GET', '/api/v1/leads')).toBe('after');
});

test('the cursor parameter is found by its name, then by its description', () => {
  const find = (...parameters: unknown[]): string | null =>
    createContract({ paths: { '/api/v1/units': { get: { ...ok, parameters } } } }).cursorParameter(
      'GET',
      '/api/v1/units',
    );
  const query = (name: string, description?: string): unknown => ({
    name,
    in: 'query',
    ...(description === undefined ? {} : { description }),
  });
  for (const name of [
    'cursor',
    'nextCursor',
    'page_cursor',
    'after',
    'pageToken',
    'next_page_token',
    'starting_after',
    'token',
  ])
    expect(find(query('limit'), query('status'), query(name)), name).toBe(name);
  expect(find(query('after'), query('cursor'))).toBe('cursor');
  expect(find(query('offset'), query('bookmark', 'The cursor of the page before.'))).toBe('bookmark');
  expect(find(query('limit', 'How many records after the cursor.'))).toBeNull();
  expect(find(query('make'), { name: 'cursor', in: 'header' })).toBeNull();
});
