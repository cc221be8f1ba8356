import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { serve } from '../../loopback.test-kit.js';
import { openingTexts } from '../../reports/judged.js';
import { sampleResult } from '../../reports/test-kit.js';
import { generateClient, generatorRemedy, missingGenerator } from './generate-client.js';
import { lintDocument } from '../lint/lint-document.js';
import { plainDocument, put, refTo } from '../test-kit.js';

const leadBody = 'paths /leads post requestBody content application/json';
const schemas = 'components schemas';

/** A document with one more schema, Pet, whose discriminator maps to what is given. */
function discriminated(mapping: Record<string, unknown>): ReturnType<typeof plainDocument> {
  const document = plainDocument();
  const animal = { type: 'object', required: ['kind'], properties: { kind: { type: 'string' } } };
  put(document, `${schemas} Cat`, animal);
  put(document, `${schemas} Dog`, animal);
  put(document, `${schemas} Pet`, {
    oneOf: ['Cat', 'Dog'].map((name) => ({ $ref: `#/components/schemas/${name}` })),
    discriminator: { propertyName: 'kind', mapping },
  });
  return document;
}

test('nothing that a document names outside itself is fetched or read to generate a client', async () => {
  const requested: string[] = [];
  await using server = await serve((request, response) => {
    requested.push(request.url ?? '');
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"type":"object"}');
  });
  const file = join(tmpdir(), `outside-${process.pid}.json`);
  // Were it read, it could not be parsed.
  writeFileSync(file, '{ "type": ');
  try {
    const url = `${server.url}/outside.json`;
    for (const place of [url, file, `file://${file}`, `#x/../../../../../../../../..${file}`, `.${file}`]) {
      const document = discriminated({ c: '#/components/schemas/Cat', d: place, externalValue: place, $ref: place });
      put(document, `${leadBody} examples`, { two: { externalValue: place } });
      put(document, 'components examples One', { externalValue: place, summary: 'One.' });
      put(document, `${schemas} Unit default`, { externalValue: place, $ref: place });
      put(document, 'x-note', { externalValue: place, discriminator: { propertyName: 'a', mapping: { a: place } } });
      expect(await generateClient(document), place).toEqual({ ok: true });
      expect(await lintDocument(document), place).toEqual([]);
    }
    expect(requested).toEqual([]);
  } finally {
    rmSync(file);
  }
});

test('an extension beside the responses of an operation is no response', async () => {
  const document = discriminated({ c: 'Cat' });
  put(document, 'paths /api/v1/units get responses x-note', 'n');
  expect(await generateClient(document)).toEqual({ ok: true });
});

test('a discriminator may map to the bare name of a schema, and not to one that is not there', async () => {
  expect(await generateClient(discriminated({ c: 'Cat', d: '#/components/schemas/Dog' }))).toEqual({ ok: true });
  const nowhere = discriminated({ c: '#/components/schemas/Nope' });
  expect(await generateClient(nowhere)).toMatchObject({ ok: false, judged: true });
});

const listed = 'paths /units get responses 200 content application/json schema';

for (const [name, pointer] of [
  ['of an answer', '/paths/~1units/get/responses/200/content/application~1json/schema'],
  ['inside an answer', '/paths/~1units/get/responses/200/content/application~1json/schema/properties/data'],
  ['of a webhook', '/webhooks/unit.sold/post/requestBody/content/application~1json/schema'],
  ['of a parameter', '/paths/~1units/get/parameters/0/schema'],
  ['of a named answer', '/components/responses/Failure/content/application~1json/schema'],
  ['of an optional property', '/components/schemas/Deep/properties/optional/properties/inner'],
  ['of elements', '/components/schemas/Deep/properties/list/items'],
  ['in a composition', '/components/schemas/Deep/allOf/0'],
  ['among definitions', '/components/schemas/Deep/$defs/a~1b'],
  ['that refers to itself', '/components/schemas/Deep/$defs/tree'],
  ['true', '/components/schemas/Deep/properties/list/additionalProperties'],
] as const) {
  test(`a schema may refer to a schema ${name}`, async () => {
    const document = plainDocument();
    const tree = {
      type: 'object',
      properties: { kids: { type: 'array', items: { $ref: '#/components/schemas/Deep/$defs/tree' } } },
    };
    put(document, `${schemas} Hoisted1`, { type: 'string' });
    put(document, `${schemas} Deep`, {
      allOf: [{ type: 'object', properties: { a: refTo('Unit') } }],
      properties: {
        optional: { type: 'object', properties: { inner: { type: 'string' } } },
        list: { type: 'array', items: { type: 'object', required: ['b'] }, additionalProperties: true },
      },
      $defs: { 'a/b': { type: 'number' }, tree },
    });
    put(document, `${schemas} Uses`, { type: 'object', properties: { one: { $ref: `#${encodeURI(pointer)}` } } });
    put(document, `${listed} properties data properties also`, { $ref: `#${pointer.replace('$', '%24')}` });
    const before = JSON.stringify(document);
    expect(await generateClient(document)).toEqual({ ok: true });
    expect(JSON.stringify(document)).toBe(before);
  });
}

const post = 'paths /leads post';
for (const [name, pointer, place, wrap = (reference: object): unknown => reference] of [
  [
    'a parameter',
    '/paths/~1units/get/parameters/1',
    `${post} parameters`,
    (reference: object) => [reference, { $ref: '#/paths/~1demo~1units/get/parameters/0' }],
  ],
  ['an answer', '/paths/~1units/get/responses/200', `${post} responses 404`],
  ['a request body', '/paths/~1units/post/requestBody', `${post} requestBody`],
  [
    'a header',
    '/paths/~1units/get/responses/200/headers/RateLimit-Limit',
    `${post} responses 201 headers`,
    (reference: object) => ({ 'RateLimit-Limit': reference }),
  ],
  ['a callback', '/paths/~1units/post/callbacks/done', `${post} callbacks too`],
  ['a path', '/paths/~1demo~1units', 'paths /again'],
] as const)
  test(`${name} may be a reference to another's`, async () => {
    const document = plainDocument();
    const done = { '{$request.body#/url}': { post: { responses: { '200': { description: 'Done.' } } } } };
    put(document, 'paths /units post callbacks', { done });
    put(document, 'paths /demo/units get parameters', [refTo('Page', 'parameters')]);
    put(document, 'components parameters Page', { name: 'page', in: 'query', schema: { type: 'integer' } });
    put(document, place, wrap({ $ref: `#${pointer}` }));
    expect(await generateClient(document)).toEqual({ ok: true });
  });

for (const [name, schema] of [
  ['a list of itself', { type: 'array', items: refTo('Odd') }],
  ['true in allOf', { allOf: [true, refTo('Unit')] }],
  ['false in oneOf', { oneOf: [false, refTo('Unit')], discriminator: { propertyName: 'status' } }],
] as const) {
  test(`a client can be generated from a schema that is, or holds, ${name}`, async () => {
    const document = plainDocument();
    put(document, `${schemas} Odd`, schema);
    put(document, `${leadBody} schema`, refTo('Odd'));
    expect(await generateClient(document)).toEqual({ ok: true });
    expect(await lintDocument(document)).toEqual([]);
  });
}

test('a client whose types lead nowhere does not type-check, though they can be written', async () => {
  const document = plainDocument();
  const requestBody = { content: { 'application/json': { schema: { type: 'object' } } } };
  put(document, 'components callbacks', {
    Done: { url: { post: { requestBody, responses: { '200': { description: 'Taken.' } } } } },
  });
  put(document, 'paths /leads post requestBody', {
    $ref: '#/components/callbacks/Done/url/post/requestBody',
  });
  expect(await generateClient(document)).toMatchObject({
    ok: false,
    judged: true,
    problem: expect.stringContaining('does not type-check'),
  });
});

for (const pointer of ['/components/schemas/Odd', '/components/schemas/Odd/properties/a']) {
  test(`no client is generated from a schema that is nothing but itself, at ${pointer}`, async () => {
    const document = plainDocument();
    const $ref = `#${pointer}`;
    put(document, `${schemas} Odd`, pointer.endsWith('a') ? { type: 'object', properties: { a: { $ref } } } : { $ref });
    expect(await generateClient(document)).toMatchObject({ ok: false, judged: true });
  });
}

test('a missing generator is named with the command that installs it', () => {
  expect(missingGenerator()).toBeNull();
  const reason = missingGenerator((name) => {
    if (name.startsWith('openapi')) throw new Error(`Cannot find module '${name}'`);
    return name;
  });
  expect(reason).toMatch(/DOC-06.* need openapi-typescript, not installed here/);
  expect(
    openingTexts([sampleResult('DOC-06', 'not-applicable', { reason: reason ?? '', remedy: generatorRemedy })], []),
  ).toEqual(['1 more: npm install openapi-typescript@7 typescript@5 (DOC-06)']);
});
