import { expect, test } from '@playwright/test';
import { bundleFiles } from './bundle-files.js';
import { references } from './references.js';

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
  const bundle = await bundleFiles(document, url, (at) => Promise.resolve(files[at]));
  expect(references(bundle).map(({ state }) => state)).toEqual(['resolved', 'resolved', 'resolved', 'resolved']);
  expect(bundle).toMatchObject({
    paths: { '/y': { get: { responses: { default: { description: 'Refused.' } } } } },
    components: {
      schemas: { unit: { properties: { next: { $ref: '#/components/schemas/unit' } } }, Money: { type: 'integer' } },
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
    const bundle = await bundleFiles(schema(ref), url, (at) => Promise.resolve(void fetched.push(at)));
    expect(fetched).toEqual([]);
    expect(references(bundle)[0]?.state).toBe('external');
  });

test('references without an end are given up', async () => {
  let fetchCount = 0;
  const read = (at: string) => {
    fetchCount += 1;
    return Promise.resolve({ properties: { a: { $ref: `${at}x` } } });
  };
  await bundleFiles(schema('s'), url, read);
  expect(fetchCount).toBe(20);
  await bundleFiles({ paths: { '/x': { $ref: 'p' } } }, url, () =>
    Promise.resolve({ get: { callbacks: { a: { b: { $ref: 'p' } } } } }),
  );
});
