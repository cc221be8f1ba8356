import { expect, test } from '@playwright/test';
import { bundleDocument } from './bundle-document.js';
import { generateClient } from '../client/generate-client.js';
import { createContract } from '../contract.js';
import { lintDocument } from '../lint/lint-document.js';
import { at } from '../schema/pointer.js';
import { references } from './references.js';
import { plainDocument, put } from '../test-kit.js';

const own = 'http://127.0.0.1:4000/api/openapi.json';
const unit = '#/components/schemas/Unit';
const deals = 'paths /deals get responses 200 content application/json schema';
const unread = () => Promise.resolve(undefined);
const url = 'https://a.example/api/openapi.json';
const schema = (ref: string) => ({
  paths: { '/x': { get: { responses: { '200': { content: { 'application/json': { schema: { $ref: ref } } } } } } } },
});

test('files of the same origin are copied in, also where they refer to each other and to themselves', async () => {
  const files: Record<string, unknown> = {
    'https://a.example/api/schemas/unit.json': {
      $id: 'https://a.example/api/schemas/unit.json',
      properties: {
        next: { $ref: '#' },
        price: { $ref: 'money.json#/$defs/Money' },
        error: { $ref: '../openapi.json#/components/schemas/Error' },
      },
    },
    'https://a.example/api/schemas/money.json': { $defs: { Money: { type: 'integer' } } },
    'https://a.example/paths.json': { x: { get: { responses: { default: { $ref: 'api/answers.json#/Refused' } } } } },
    'https://a.example/api/answers.json': { Refused: { description: 'Refused.' } },
  };
  const document = { ...schema('schemas/unit.json'), components: { schemas: { Error: {} } } };
  Object.assign(document.paths, { '/y': { $ref: '/paths.json#/x' } });
  const before = structuredClone(document);
  const bundle = await bundleDocument(document, url, (at) => Promise.resolve(files[at]));
  expect(references(bundle).map(({ state }) => state)).toEqual(['resolved', 'resolved']);
  expect(bundle.paths).toMatchObject({ '/y': { get: { responses: { default: { description: 'Refused.' } } } } });
  const pointer = '/paths/~1x/get/responses/200/content/application~1json/schema';
  expect(at(bundle, pointer)).toEqual({
    properties: {
      next: { $ref: `#${pointer}` },
      price: { type: 'integer' },
      error: { $ref: '#/components/schemas/Error' },
    },
  });
  expect(document).toEqual(before);
});

for (const ref of [
  'https://b.example/unit.json',
  'file:///etc/passwd',
  '//b.example/x.json',
  'http://a.example/x.json',
])
  test(`nothing is read for ${ref}`, async () => {
    const fetched: string[] = [];
    const bundle = await bundleDocument(schema(ref), url, (at) => Promise.resolve(void fetched.push(at)));
    expect(fetched).toEqual([]);
    expect(references(bundle)[0]?.state).toBe('external');
  });

test('references without an end are given up', async () => {
  let fetchCount = 0;
  const read = (at: string) => {
    fetchCount += 1;
    return Promise.resolve({ properties: { a: { $ref: `${at}x` } } });
  };
  await bundleDocument(schema('s'), url, read);
  expect(fetchCount).toBe(50);
  await bundleDocument({ paths: { '/x': { $ref: 'p' } } }, url, () =>
    Promise.resolve({ get: { callbacks: { a: { b: { $ref: 'p' } } } } }),
  );
});

test('a schema counts beside the reference that it has to a file, and nothing else changes', async () => {
  const kept = {
    servers: [{ url: '/api/v1' }],
    'x-sample': { $ref: 'sample.json' },
    components: { examples: { a: { value: { $ref: 'b.json' } } } },
  };
  const document = { ...kept, openapi: '3.1.9', ...schema('unit.json') };
  Object.assign(at(document, '/paths/~1x/get/responses/200/content/application~1json/schema') as object, {
    properties: { extra: { type: 'string' } },
    unevaluatedProperties: false,
  });
  const read: string[] = [];
  const bundle = await bundleDocument(document, url, (file) => {
    read.push(file);
    return Promise.resolve({ type: 'object', properties: { id: { type: 'string' } } });
  });
  expect(read).toEqual(['https://a.example/api/unit.json']);
  expect(bundle).toMatchObject({ ...kept, openapi: '3.1.9' });
  const errors = (json: unknown) =>
    createContract(bundle).validateResponse({
      method: 'GET',
      path: '/api/v1/x',
      status: 200,
      contentType: 'application/json',
      headers: [],
      json,
    }).schemaErrors;
  expect(errors({ id: 'a', extra: 'b' })).toEqual([]);
  expect(errors({ id: 1 })).not.toEqual([]);
  expect(errors({ extra: 1 })).not.toEqual([]);
  expect(errors({ other: 1 })).not.toEqual([]);
});

test('one reference that cannot be read leaves the others', async () => {
  const document = schema('unit.json');
  Object.assign(document.paths, { '/y': { $ref: 'missing.json' }, '/z': { $ref: 'https://b.example/z.json' } });
  const bundle = await bundleDocument(document, url, (file) =>
    Promise.resolve(file.endsWith('unit.json') ? { type: 'object' } : undefined),
  );
  expect(references(bundle).map(({ ref }) => ref)).toEqual(['missing.json', 'https://b.example/z.json']);
});

test('files that say one thing again and again end', async () => {
  test.setTimeout(20_000);
  const next = (file: string) => ({ $ref: `${Number(/\d+/.exec(file)?.[0] ?? 0) + 1}.json`, description: 'again' });
  const document = { ...schema('0.json'), 'x-note': 'kept' };
  const again = await bundleDocument(document, url, (file) =>
    Promise.resolve({ properties: { a: next(file), b: next(file) } }),
  );
  expect(references(again).length).toBeLessThan(200);
  const many = {
    paths: {},
    components: {
      schemas: Object.fromEntries(
        Array.from({ length: 15_000 }, (_, at) => [`S${at}`, { $ref: `many.json#/S${at % 5_000}` }]),
      ),
    },
  };
  const file = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`S${at}`, { type: 'string' }]));
  const bundle = await bundleDocument(many, url, () => Promise.resolve(file));
  expect(references(bundle).filter(({ state }) => state !== 'resolved')).toEqual([]);
});

test('files with more references than are read end', async () => {
  test.setTimeout(20_000);
  const file = (at: string) => {
    const next = Number(/\d+/.exec(at)?.[0] ?? 0) + 1;
    return Object.fromEntries(
      Array.from({ length: 5_000 }, (_, field) => [`S${field}`, { $ref: `${next}.json#/S${field}` }]),
    );
  };
  const document = { paths: {}, components: { schemas: { A: { $ref: '0.json#/S1' } } } };
  const bundle = await bundleDocument(document, url, (at) => Promise.resolve(file(new URL(at).pathname)));
  expect(references(bundle).some(({ state }) => state === 'external')).toBe(true);
});

for (const reference of [
  'openapi.json',
  './openapi.json',
  '../api/openapi.json',
  '/api/openapi.json',
  '//127.0.0.1:4000/api/openapi.json',
  own,
  'HTTP://127.0.0.1:4000/x/../api/openapi.json',
]) {
  test(`a reference to the document itself leads inside, written as ${reference}`, async () => {
    const document = plainDocument();
    put(document, deals, { $ref: `${reference}${unit}` });
    put(document, 'paths /leads get responses 404', {
      $ref: `${reference}#/components/responses/Failure`,
    });
    put(document, 'components schemas Any', {
      oneOf: [{ $ref: `${reference}${unit}` }],
      discriminator: { propertyName: 'status', mapping: { a: `${reference}${unit}`, b: 'Unit' } },
    });
    const before = JSON.stringify(document);
    const plain = await bundleDocument(document, own, unread);
    expect(JSON.stringify(document)).toBe(before);
    expect((await lintDocument(plain)).filter((one) => one.id !== 'DOC-08')).toEqual([]);
    expect(await generateClient(plain)).toEqual({ ok: true });
    const errors = (json: unknown): readonly unknown[] =>
      createContract(plain).validateResponse({
        method: 'GET',
        path: '/api/v1/deals',
        status: 200,
        contentType: 'application/json',
        headers: [],
        json,
      }).schemaErrors;
    expect(errors({ id: 'a', status: 'b' })).toEqual([]);
    expect(errors({})).not.toEqual([]);
  });
}

test('references elsewhere, in data, and below another identity stay as they are', async () => {
  const document = plainDocument();
  const kept = [
    'other.json#/a',
    'http://127.0.0.1:4001/api/openapi.json#/a',
    'openapi.json?v=2#/a',
    'openapi.json/#/a',
  ];
  for (const [index, $ref] of kept.entries()) put(document, `components schemas Kept${index}`, { $ref });
  put(document, 'components schemas Unit default', { $ref: `openapi.json${unit}` });
  put(document, 'components schemas Named', {
    $id: 'https://schemas.example.com/named',
    properties: { a: { $ref: `openapi.json${unit}` } },
  });
  put(document, 'components schemas Uses', { $ref: `${own}#/components/schemas/Nope` });
  expect(await bundleDocument(document, own, unread)).toEqual(document);
});
