import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { references } from '../contract/references.js';
import { serve } from '../loopback.test-kit.js';
import { readTarget } from '../target/read-target.js';
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
