import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { generateClient } from './generate-client.js';
import { lintDocument } from './lint-document.js';
import { plainDocument, put } from './test-kit.js';

const leadBody = ['paths', '/leads', 'post', 'requestBody', 'content', 'application/json'];
const schemas = ['components', 'schemas'];

/** A document with one more schema, Pet, whose discriminator maps to what is given. */
function discriminated(mapping: Record<string, unknown>): ReturnType<typeof plainDocument> {
  const document = plainDocument();
  const animal = { type: 'object', required: ['kind'], properties: { kind: { type: 'string' } } };
  put(document, [...schemas, 'Cat'], animal);
  put(document, [...schemas, 'Dog'], animal);
  put(document, [...schemas, 'Pet'], {
    oneOf: ['Cat', 'Dog'].map((name) => ({ $ref: `#/components/schemas/${name}` })),
    discriminator: { propertyName: 'kind', mapping },
  });
  return document;
}

test('nothing that a document names outside itself is fetched or read to generate a client', async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"type":"object"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const file = join(tmpdir(), `outside-${process.pid}.json`);
  // Were it read, it could not be parsed.
  writeFileSync(file, '{ "type": ');
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/outside.json`;
    for (const place of [url, file, `file://${file}`, `#x/../../../../../../../../..${file}`, `.${file}`]) {
      const document = discriminated({ c: '#/components/schemas/Cat', d: place, externalValue: place, $ref: place });
      put(document, [...leadBody, 'examples'], { two: { externalValue: place } });
      put(document, ['components', 'examples', 'One'], { externalValue: place, summary: 'One.' });
      put(document, [...schemas, 'Unit', 'default'], { externalValue: place, $ref: place });
      put(document, ['x-note'], { externalValue: place, discriminator: { propertyName: 'a', mapping: { a: place } } });
      expect(await generateClient(document), place).toEqual({ ok: true });
      expect(await lintDocument(document), place).toEqual([]);
    }
    expect(asked).toEqual([]);
  } finally {
    rmSync(file);
    server.close();
  }
});

test('a discriminator may map to the bare name of a schema', async () => {
  expect(await generateClient(discriminated({ c: 'Cat', d: '#/components/schemas/Dog' }))).toEqual({ ok: true });
});

test('a discriminator that maps to a schema that is not there has no client', async () => {
  expect(await generateClient(discriminated({ c: '#/components/schemas/Nope' }))).toMatchObject({
    ok: false,
    judged: true,
  });
});
