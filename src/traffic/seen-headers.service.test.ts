import { expect, test } from '@playwright/test';
import { closing, serve } from '../loopback.test-kit.js';
import { openRun } from '../run/open-run.js';
import { execute } from '../run/execute.js';
import { defineRequirement } from '../requirement/requirement.js';
import { readTarget } from '../settings/read-target.js';
import { refusalsHaveEnvelope } from './seen-headers.js';

test('a refusal that a gate meets has the envelope', async () => {
  for (const [body, verdict] of [
    ['{"ok":false,"error":{}}', 'pass'],
    ['{"ok":false}', 'fail'],
    ['slow down', 'fail'],
    ['<h1>429</h1>', 'warn'],
  ] as const) {
    let asked = 0;
    await using service = await serve(({ url }, response) => {
      const json = { 'content-type': 'application/json' };
      if (url?.startsWith('/api/v1/units') !== true)
        return response.writeHead(404, json).end('{"ok":false,"error":{}}');
      if (url.endsWith('?limit=9')) asked += 1;
      const type = body.startsWith('<') ? { 'content-type': 'text/html' } : json;
      if (asked === 1) return response.writeHead(429, { ...type, 'retry-after': '0' }).end(body);
      return response.writeHead(200, json).end('{"ok":true,"data":{"items":[]}}');
    });
    const target = readTarget({ BASE_URL: service.url, API_KEY: 'full-key' }, true);
    await using run = closing(openRun(target, { seed: 1, depth: 'gate' }));
    const requirement = defineRequirement({
      id: 'LIMIT-04',
      level: 'MUST',
      source: '§7',
      title: 'refusals',
      body: async ({ check }) => {
        await check.send({ path: '/api/v1/units', query: [['limit', '9']] });
      },
      invariants: [refusalsHaveEnvelope],
    });
    expect((await execute(requirement, run)).verdict).toBe(verdict);
  }
});
