import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { references } from '../openapi/load/references.js';
import { closing, serve } from '../loopback.test-kit.js';
import { readTarget } from '../settings/read-target.js';
import { openRun } from './open-run.js';

test('references to the address that a document is served at lead inside it, also in what is pinned', async () => {
  const schemas = { A: { type: 'string' }, B: { $ref: 'openapi.json#/components/schemas/A' } };
  const text = JSON.stringify({ openapi: '3.1.0', paths: {}, components: { schemas } });
  const service = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  });
  const pinned = join(tmpdir(), `pinned-${process.pid}.json`);
  writeFileSync(pinned, text);
  const run = openRun(readTarget({ BASE_URL: service.url, API_KEY: 'key-for-this-test', CONTRACT: pinned }));
  try {
    const loaded = await run.contract();
    for (const document of [loaded.served, loaded.pinned])
      expect(references(document ?? {})).toMatchObject([{ ref: '#/components/schemas/A', state: 'resolved' }]);
  } finally {
    await run.close();
    await service.close();
    rmSync(pinned);
  }
});

test('a redirect within the origin is followed, and a YAML file that the document refers to is read', async () => {
  const schemas = { A: { $ref: 'a.yaml' } };
  await using other = await serve((_request, response) => void response.writeHead(200).end('{}'));
  for (const [location, resolved] of [
    ['/described/openapi', true],
    [`${other.url}/openapi.json`, false],
    ['/api/openapi.json', false],
  ] as const) {
    const requested: string[] = [];
    await using service = await serve((request, response) => {
      requested.push(request.url ?? '');
      if (request.url === '/api/openapi.json') response.writeHead(302, { location }).end();
      else if (request.url === '/described/openapi')
        response.end(JSON.stringify({ openapi: '3.1.0', paths: {}, components: { schemas } }));
      else if (request.url === '/described/a.yaml') response.end('type: string\nexamples: [one, two]\n');
      else response.writeHead(404).end();
    });
    await using run = closing(openRun(readTarget({ BASE_URL: service.url, API_KEY: 'key-for-this-test' })));
    const { served } = await run.contract();
    if (resolved) expect(JSON.stringify(served)).toContain('"examples":["one","two"]');
    else expect(served).toBeNull();
    expect(requested.length).toBeLessThanOrEqual(6);
  }
});
