import { expect, test } from '@playwright/test';
import { createContract } from '../contract.js';
import { generateClient } from '../client/generate-client.js';
import { lintDocument } from '../lint/lint-document.js';
import { withoutOwnAddress } from './own-address.js';
import { references } from './references.js';
import { plainDocument, put } from '../test-kit.js';

const url = 'http://127.0.0.1:4000/api/openapi.json';
const unit = '#/components/schemas/Unit';
const deals = 'paths /deals get responses 200 content application/json schema';

for (const reference of [
  'openapi.json',
  './openapi.json',
  '../api/openapi.json',
  '/api/openapi.json',
  '//127.0.0.1:4000/api/openapi.json',
  url,
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
    const plain = withoutOwnAddress(document, url);
    expect(JSON.stringify(document)).toBe(before);
    expect((await lintDocument(plain)).filter((one) => one.id !== 'DOC-08')).toEqual([]);
    expect(await generateClient(plain)).toEqual({ ok: true });
    const errors = (json: unknown): readonly string[] =>
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

test('references elsewhere, in data, and below another identity stay as they are', () => {
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
  expect(withoutOwnAddress(document, url)).toBe(document);
  expect(references(document).filter((one) => one.state === 'external')).toHaveLength(kept.length + 1);
});

test('a reference to nothing in the document itself leads nowhere', () => {
  const document = plainDocument();
  put(document, 'components schemas Uses', { $ref: `${url}#/components/schemas/Nope` });
  const states = references(withoutOwnAddress(document, url)).map((one) => one.state);
  expect(states.filter((one) => one !== 'resolved')).toEqual(['dangling']);
});
