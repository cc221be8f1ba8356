import { expect, test } from '@playwright/test';
import { lintDocument } from './lint-document.js';
import { generateClient } from '../client/generate-client.js';
import { at } from '../schema/pointer.js';
import { edits, plainDocument, put, refTo, set, type Edit } from '../test-kit.js';

const schemaAt = (name: string): string => `components schemas ${name}`;
const odd = (schema: unknown): Edit => set(schemaAt('Odd'), schema);
const ok = { description: 'Done.' };

/** What only draft-07 and 2019-09 allow. */
const older = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'array',
  items: [{ type: 'string' }, refTo('Unit')],
  additionalItems: false,
  definitions: { a: { dependencies: { b: ['c'] } } },
};

const clean: Record<string, Edit> = {
  'as it is': () => undefined,
  'siblings beside $ref': set(schemaAt('Car'), {
    $ref: '#/components/schemas/Unit',
    description: 'A car.',
    required: ['id'],
    unevaluatedProperties: true,
  }),
  'schemas that refer to themselves': set(schemaAt('Tree'), {
    type: 'object',
    properties: { kids: { type: 'array', items: refTo('Tree') } },
  }),
  'two schemas that refer to each other': (d) => {
    put(d, schemaAt('A'), { type: 'object', properties: { b: refTo('B') } });
    put(d, schemaAt('B'), { type: 'object', properties: { a: refTo('A') } });
  },
  'an $id that is an anchor, as draft-07 has it': (d) => {
    const $schema = 'http://json-schema.org/draft-07/schema#';
    put(d, schemaAt('Named'), { $schema, $id: '#named', type: 'string' });
    put(d, schemaAt('Uses'), { $schema, type: 'object', properties: { one: { $ref: '#named' } } });
  },
  'an $anchor': (d) => {
    put(d, schemaAt('Named'), { $anchor: 'named', type: 'string' });
    put(d, schemaAt('Uses'), { type: 'object', properties: { one: { $ref: '#named' } } });
  },
  'an $id': (d) => {
    put(d, schemaAt('Named'), {
      $id: 'https://schemas.example.com/named',
      type: 'object',
      properties: { inner: { $ref: '#/$defs/inner' } },
      $defs: { inner: { type: 'string' } },
    });
    put(d, schemaAt('Uses'), { type: 'object', properties: { one: { $ref: 'https://schemas.example.com/named' } } });
  },
  'a schema that names its dialect': (d) => {
    put(d, schemaAt('Dialect'), { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'string' });
    put(d, schemaAt('OpenApiDialect'), { $schema: 'https://spec.openapis.org/oas/3.1/dialect/base', type: 'string' });
  },
  'a schema of an older dialect': (d) => {
    put(d, schemaAt('Old'), older);
    put(d, schemaAt('Older'), { ...older, $schema: 'https://json-schema.org/draft/2019-09/schema' });
    put(d, schemaAt('Bundle'), { $defs: { old: { $id: 'https://schemas.example.com/old', ...older } } });
    put(d, schemaAt('Uses'), { type: 'array', items: refTo('Old') });
  },
  'a schema of a dialect that nobody knows': odd({
    $schema: 'https://schemas.example.com/dialect',
    type: 'money',
    pattern: '(?x)[',
  }),
  'an older dialect of the document': (d) => {
    put(d, 'jsonSchemaDialect', 'http://json-schema.org/draft-07/schema#');
    const { $schema, ...plain } = older;
    put(d, schemaAt('Old'), { ...plain, title: $schema });
    put(d, schemaAt('New'), {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      prefixItems: [{ type: 'string' }],
    });
  },
  'the dialect of the document': set('jsonSchemaDialect', 'https://spec.openapis.org/oas/3.1/dialect/base'),
  'full paths and no servers': (d) => {
    delete d['servers'];
    d.paths = Object.fromEntries(
      Object.entries(d.paths).map(([path, item]) => [
        path === '/demo/units' ? '/api/demo/units' : `/api/v1${path}`,
        item,
      ]),
    );
  },
  'an absolute server with variables': set('servers', [
    {
      url: 'https://{tenant}.example.com/{base}/v1',
      variables: { tenant: { default: 'demo' }, base: { default: 'api', enum: ['api'] } },
    },
  ]),
  'the other address form': set('servers', [{ url: 'https://api.example.com/v1/' }]),
  'a path item by $ref': (d) => {
    put(d, 'components pathItems Deals', d.paths['/deals']);
    put(d, 'paths /deals', refTo('Deals', 'pathItems'));
  },
  callbacks: set('paths /leads post callbacks', {
    scored: { '{$request.body#/callbackUrl}': { post: { responses: { '200': ok } } } },
  }),
  'a summary and a description beside $ref': (d) => {
    const said = { summary: 'In short.', description: 'At length.' };
    const done = { '{$request.body#/url}': { post: { responses: { '200': ok } } } };
    put(d, 'components parameters Page', { name: 'page', in: 'query', schema: { type: 'integer' } });
    put(d, 'components callbacks Done', done);
    put(d, 'components requestBodies Lead', d.paths['/leads']?.['post']?.['requestBody' as never]);
    put(d, 'components securitySchemes again', { ...refTo('bearer', 'securitySchemes'), ...said });
    put(d, 'components pathItems Deals', d.paths['/deals']);
    put(d, 'paths /deals get parameters', [{ ...refTo('Page', 'parameters'), ...said }]);
    put(d, 'paths /deals get responses 404', { ...refTo('Failure', 'responses'), ...said });
    put(d, 'paths /leads post requestBody', { ...refTo('Lead', 'requestBodies'), ...said });
    put(d, 'paths /leads post callbacks', { done: { ...refTo('Done', 'callbacks'), ...said } });
    put(d, 'paths /deals', { ...refTo('Deals', 'pathItems'), ...said });
    put(d, schemaAt('Car'), { ...refTo('Unit'), description: 'A car.' });
  },
  'a scheme in capitals': set('components securitySchemes bearer', {
    type: 'http',
    scheme: 'Bearer',
    bearerFormat: 'opaque',
  }),
  'ranges of statuses': set('paths /deals get responses 4XX', refTo('Failure', 'responses')),
  'example data that looks like references': (d) => {
    put(d, 'paths /leads post requestBody content application/json examples', {
      one: { value: { $ref: '#/nowhere', name: 'A' } },
    });
    put(d, schemaAt('Unit examples'), [{ $ref: 'https://elsewhere.example.com/x.json', $id: 'x' }, { $id: 'x' }]);
    put(d, schemaAt('Unit x-note'), { $ref: './x.yaml' });
  },
  'an example by reference': (d) => {
    put(d, 'components examples One', { value: { name: 'A' } });
    put(d, 'paths /leads post requestBody content application/json examples', {
      one: refTo('One', 'examples'),
    });
  },
  'properties with the names of keywords': odd({
    type: 'object',
    properties: Object.fromEntries(
      ['$ref', 'default', 'example', 'nullable', 'properties', 'items', 'pattern', 'type', '$id', 'enum', 'x-y'].map(
        (name) => [name, { type: 'string' }],
      ),
    ),
  }),
  'a nullable left over beside a type list': odd({ type: ['string', 'null'], nullable: false }),
  'names that need escaping': odd({
    type: 'object',
    properties: {
      'a/b~c %d é {x}': {
        type: 'object',
        properties: { e: { $ref: '#/components/schemas/Odd/properties/a~1b~0c%20%25d%20%C3%A9%20%7Bx%7D' } },
      },
    },
  }),
  'a pattern that only reads without the u flag': odd({ type: 'string', pattern: '^[\\w\\-]+$' }),
  'every composition': odd({
    oneOf: [refTo('Unit'), { type: 'null' }],
    discriminator: { propertyName: 'status', mapping: { a: '#/components/schemas/Unit' } },
    if: { type: 'object' },
    then: true,
    else: false,
    dependentSchemas: { a: { type: 'object' } },
    prefixItems: [true],
    propertyNames: { pattern: 'a' },
    contentMediaType: 'text/plain',
  }),
  'planned paths marked': set('paths /calls', { get: { summary: 'Planned — Q3 2026', responses: { '200': ok } } }),
  'planned paths that say 404': set('paths /reports/funnel', { get: { responses: { '404': ok } } }),
  'a webhook and a path that share a path item': (d) => {
    put(d, 'components pathItems Told', { post: { operationId: 'told', responses: { '200': ok } } });
    put(d, 'webhooks unit.sold', refTo('Told', 'pathItems'));
    put(d, 'webhooks unit.aged', refTo('Told', 'pathItems'));
  },
  'links to operations, wherever they stand': (d) => {
    put(d, 'webhooks unit.sold post operationId', 'unitSold');
    put(d, 'paths /leads post callbacks', {
      scored: { '{$request.body#/url}': { post: { operationId: 'scored', responses: { '200': ok } } } },
    });
    put(d, 'components links Told', { operationId: 'unitSold', parameters: { operationId: 'none' } });
    put(d, 'paths /leads post responses 201 links', {
      unit: { operationId: 'getUnit', parameters: { id: '$request.body#/vehicleId' } },
      scored: { operationId: 'scored' },
      told: refTo('Told', 'links'),
    });
  },
  'example and examples in one schema, or a property of that name': (d) => {
    put(d, schemaAt('Unit example'), {});
    put(d, schemaAt('Unit examples'), [{}]);
    put(d, schemaAt('Odd properties'), { content: { type: 'object', example: 1, examples: [1] } });
    put(d, 'paths /deals get responses 200 content application/json example', {
      content: { a: { example: 1, examples: {} } },
    });
  },
  'tags, each once': set('tags', [{ name: 'units' }, { name: 'leads' }]),
  'extensions everywhere': (d) => {
    put(d, 'paths x-internal', { get: { operationId: 'listUnits' } });
    put(d, 'x-data', { $ref: 'file:///etc/passwd' });
  },
};

for (const [name, edit] of Object.entries(clean)) {
  test(`a sound document stays clean: ${name}`, async () => {
    const document = plainDocument();
    edit(document);
    const before = JSON.stringify(document);
    const foreign = /dialect that nobody|older|draft-07/.test(name);
    const found = (await lintDocument(document)).map((one) => `${one.id} ${one.severity}`);
    expect(found).toEqual(foreign ? ['DOC-05 warn'] : []);
    expect(JSON.stringify(document)).toBe(before);
  });
}

const deal = 'paths /deals get';
const dealBody = `${deal} responses 200 content application/json schema`;
const leadMedia = 'paths /leads post requestBody content application/json';
const idInPath = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const parameterA = { name: 'a', in: 'query', schema: {} };
const wrongType = { type: 'strng' };
const wrongBody = { content: { 'application/json': { schema: wrongType } } };
const nope = (kind: string): { $ref: string } => ({ $ref: `#/components/${kind}/Nope` });

const broken: readonly (readonly [string, string, Edit])[] = [
  ['DOC-02', 'version 3.0', set('openapi', '3.0.3')],
  ['DOC-02', 'version 2', edits(set('openapi'), set('swagger', '2.0'))],
  ['DOC-02', 'no info', set('info')],
  ['DOC-02', 'no title', set('info', { version: '1' })],
  ['DOC-02', 'an answer without description', set(`${deal} responses 404`, {})],
  ['DOC-02', 'a path without a slash', set('paths things', { get: { responses: { '200': ok } } })],
  ['DOC-02', 'an unknown member of an operation', set(`${deal} querry`, 1)],
  ['DOC-02', 'responses without a response', set(`${deal} responses`, {})],
  ['DOC-02', 'one operationId twice', set(`${deal} operationId`, 'listUnits')],
  ['DOC-02', 'the operationId of a path in a webhook', set('webhooks unit.sold post operationId', 'listUnits')],
  ['DOC-02', 'a path parameter that the template lacks', set(`${deal} parameters`, [idInPath])],
  ['DOC-02', 'a tag twice', set('tags', [{ name: 'units' }, { name: 'leads' }, { name: 'units' }])],
  ['DOC-02', 'a parameter with example and examples', (d) => Object.assign(at(d, '/paths/~1units/get/parameters/1') as object, { example: 5, examples: {} })],
  ['DOC-02', 'a media type with example and examples', edits(set(`${leadMedia} example`, {}), set(`${leadMedia} examples`, { one: { value: {} } }))],
  ['DOC-02', 'a header with example and examples', set('components headers Odd', { schema: { type: 'string' }, example: 'a', examples: {} })],
  ['DOC-02', 'a link to no operation', set('paths /leads post responses 201 links', { unit: { operationId: 'readUnit' } })],
  ['DOC-02', 'an undeclared path parameter', set('paths /units/{id} parameters')],
  ['DOC-02', 'an optional path parameter', set('paths /units/{id} parameters 0 required', false)],
  ['DOC-02', 'an undeclared security scheme', set(`${deal} security`, [{ other: [] }])],
  ['DOC-02', 'a bearerFormat of another scheme', set('components securitySchemes other', { type: 'http', scheme: 'Basic', bearerFormat: 'x' })],
  ['DOC-02', 'a summary that is no text beside $ref', set(`${deal} responses 404`, { ...refTo('Failure', 'responses'), summary: 1 })],
  ['DOC-02', 'another member beside $ref', set(`${deal} responses 404`, { ...refTo('Failure', 'responses'), title: 'x' })],
  ['DOC-02', 'an undeclared security scheme for all', set('security', [{ other: [] }])],
  ['DOC-02', 'two templates of one shape', set('paths /units/{unit}', { get: { parameters: [{ ...idInPath, name: 'unit' }], responses: { '200': ok } } })],
  ['DOC-02', 'a parameter twice', set(`${deal} parameters`, [parameterA, parameterA])],
  ['DOC-02', 'an answer that refers to a schema', set(`${deal} responses 404`, refTo('Unit'))],
  ['DOC-02', 'a request body that refers to a parameter', set('paths /leads post requestBody', { $ref: '#/paths/~1units/get/parameters/0' })],
  ['DOC-03', 'a dangling schema', set(dealBody, nope('schemas'))],
  ['DOC-03', 'a dangling answer', set(`${deal} responses 404`, nope('responses'))],
  ['DOC-03', 'a dangling default answer', set(`${deal} responses default`, nope('responses'))],
  ['DOC-03', 'a dangling schema in a default answer', set(`${deal} responses default`, { ...ok, content: { 'application/json': { schema: nope('schemas') } } })],
  ['DOC-03', 'a dangling parameter', set(`${deal} parameters`, [nope('parameters')])],
  ['DOC-03', 'a dangling header named like an extension', set(`${deal} responses 200 headers x-request-id`, nope('headers'))],
  ['DOC-03', 'a dangling example', set(`${leadMedia} examples`, { one: nope('examples') })],
  ['DOC-03', 'a dangling reference beside an $id', edits(set('components schemas Named', { $id: 'https://schemas.example.com/named', type: 'string' }), set('components schemas Uses', nope('schemas')))],
  ['DOC-03', 'an anchor that is none', odd({ $ref: '#nope' })],
  ['DOC-03', 'an external reference', odd({ $ref: 'https://127.0.0.1:1/x.json#/a' })],
  ['DOC-03', 'a reference to a file', odd({ $ref: 'file:///etc/passwd' })],
  ['DOC-03', 'a relative reference', odd({ $ref: './package.json' })],
  ['DOC-04', 'no list of units', set('paths /units get')],
  ['DOC-04', 'no second operation on units', set('paths /units post')],
  ['DOC-04', 'no single unit', set('paths /units/{id}')],
  ['DOC-04', 'no creation of leads', set('paths /leads post')],
  ['DOC-04', 'no second operation on leads', set('paths /leads get')],
  ['DOC-04', 'no deals', set('paths /deals')],
  ['DOC-04', 'no demo', set('paths /demo/units')],
  ['DOC-04', 'no paths at all', set('paths', {})],
  ['DOC-05', 'a type that is none', odd(wrongType)],
  ['DOC-05', 'minLength as text', odd({ type: 'string', minLength: '5' })],
  ['DOC-05', 'required as text', odd({ type: 'object', required: 'a' })],
  ['DOC-05', 'a boolean exclusiveMinimum', odd({ type: 'number', exclusiveMinimum: true })],
  ['DOC-05', 'a broken pattern', odd({ type: 'string', pattern: '([' })],
  ['DOC-05', 'a broken pattern for names', odd({ type: 'object', patternProperties: { '([': true } })],
  ['DOC-05', 'a broken schema deep inside', odd({ type: 'array', items: { allOf: [{ properties: { default: wrongType } }] } })],
  ['DOC-05', 'a broken schema of a parameter', set(`${deal} parameters`, [{ name: 'a', in: 'query', schema: wrongType }])],
  ['DOC-05', 'a broken schema of a header', set(`${deal} responses 200 headers`, { A: { schema: wrongType } })],
  ['DOC-05', 'a broken schema of a webhook', set('webhooks unit.sold post requestBody content application/json schema', wrongType)],
  ['DOC-05', 'a broken schema of a default answer', set(`${deal} responses default`, { ...ok, ...wrongBody })],
  ['DOC-05', 'a broken schema of a callback', set('paths /leads post callbacks', { a: { '{$url}': { post: { requestBody: wrongBody, responses: { '200': ok } } } } })],
  ['DOC-05', 'elements by place without a dialect that allows it', odd({ items: [{}] })],
  ['DOC-05', 'a broken type under another name of the dialect', odd({ $schema: 'https://spec.openapis.org/oas/3.1/dialect/base', ...wrongType })],
  ['DOC-07', 'a planned path as live', set('paths /calls', { get: { responses: { '200': ok } } })],
  ['DOC-07', 'desking as live', set('paths /deals/{id}/desk', { get: { parameters: [idInPath], responses: { '200': ok, '404': ok } } })],
  ['DOC-07', 'a dispatch as live', set('paths /brand/dispatch', { post: { responses: { '200': ok } } })],
  ['DOC-08', 'an open production operation', set(`${deal} security`, [])],
  ['DOC-08', 'a closed demo', set('paths /demo/units get security')],
  ['DOC-08', 'no idempotency key', set('paths /leads post parameters', [])],
  ['DOC-08', 'no 429', edits(set(`${deal} responses 429`), set(`${deal} responses default`))],
  ['DOC-08', 'no limit headers', set(`${deal} responses 200 headers`, {})],
  ['DOC-08', 'no envelope', set(dealBody, { type: 'object' })],
  ['DOC-08', 'no webhooks', set('webhooks')],
]; // prettier-ignore

for (const [id, name, edit] of broken) {
  test(`${id} tells of ${name}, and no other breach does`, async () => {
    const document = plainDocument();
    edit(document);
    const ids = new Set((await lintDocument(document)).map((one) => one.id));
    expect(ids).toContain(id);
    // Version 3.0 changes what everything else means.
    if (!name.startsWith('version') && name !== 'no paths at all')
      expect([...ids].filter((one) => one === id || one !== 'DOC-08')).toEqual([id]);
    const severities = new Set(
      (await lintDocument(document)).filter((one) => one.id === id).map((one) => one.severity),
    );
    expect([...severities]).toEqual([id === 'DOC-07' || id === 'DOC-08' ? 'warn' : 'fail']);
  });
}

// In one test, as loading the compiler takes longer than all of these.
test('a client can be generated from every sound document', async () => {
  for (const name of [
    'an $anchor',
    'a path item by $ref',
    'two schemas that refer to each other',
    'names that need escaping',
    'every composition',
    'an older dialect of the document',
  ]) {
    const document = plainDocument();
    clean[name]?.(document);
    expect(await generateClient(document), name).toEqual({ ok: true });
  }
});

test('no client is generated from a document whose references lead nowhere', async () => {
  const document = plainDocument();
  put(document, schemaAt('Uses'), refTo('Nope'));
  expect(await generateClient(document)).toMatchObject({ ok: false, judged: true });
});
