import { expect, test } from '@playwright/test';
import { lintDocument } from './lint-document.js';
import { generateClient } from '../client/generate-client.js';
import { odd, ok, plainDocument, put, refTo, schemaAt, set, type Edit } from '../test-kit.js';

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
