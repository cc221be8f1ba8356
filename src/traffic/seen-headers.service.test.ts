import { expect, test } from '@playwright/test';
import { closing, serve } from '../loopback.test-kit.js';
import { openRun } from '../run/open-run.js';
import { execute } from '../run/execute.js';
import { defineRequirement } from '../requirement/requirement.js';
import { readTarget } from '../settings/read-target.js';
import { describePartition, refusalsHaveEnvelope } from './seen-headers.js';

/** What is said of a service whose answers to two keys of one tenant name these partition keys. */
async function partitionOf(first: string, second: string): Promise<string> {
  await using service = await serve((request, response) => {
    const named = request.headers.authorization === 'Bearer full-key' ? first : second;
    response
      .writeHead(200, { 'content-type': 'application/json', 'ratelimit-policy': `"plan";q=600;w=60${named}` })
      .end('{"ok":true,"data":{"items":[]}}');
  });
  const settings = { BASE_URL: service.url, API_KEY: 'full-key', API_KEY_READ_INVENTORY: 'reading-key' };
  await using run = closing(openRun(readTarget(settings, true), { seed: 1, depth: 'gate' }));
  let said = '';
  const body = defineRequirement({
    id: 'LIMIT-09',
    level: 'OBSERVE',
    source: '§8',
    title: 'partitions',
    body: async ({ check }) => {
      await check.send({ path: '/api/v1/units' });
      await check.send({ path: '/api/v1/units', as: 'API_KEY_READ_INVENTORY' });
      said = await describePartition(check);
    },
  });
  await execute(body, run);
  return said;
}

test('a partition key tells whether two keys of one tenant share a limit, and is not shown itself', async () => {
  const [one, other] = [';pk=:dGVuYW50:', ';pk=:a2V5:'];
  expect(await partitionOf(one, one)).toBe(
    'by tenant: answers to API_KEY and API_KEY_READ_INVENTORY name one partition key (pk)',
  );
  expect(await partitionOf(one, other)).toBe(
    'by key: answers to API_KEY and API_KEY_READ_INVENTORY name partition keys (pk) of their own',
  );
  expect(await partitionOf(one, '')).toContain('only one key of the tenant was used');
  expect(await partitionOf('', '')).toContain('not asked');
});

test('a refusal that a gate meets has the envelope', async () => {
  for (const [body, verdict] of [
    ['{"ok":false,"error":{}}', 'pass'],
    ['{"ok":false}', 'fail'],
    ['slow down', 'fail'],
  ] as const) {
    let asked = 0;
    await using service = await serve(({ url }, response) => {
      const json = { 'content-type': 'application/json' };
      if (url?.startsWith('/api/v1/units') !== true)
        return response.writeHead(404, json).end('{"ok":false,"error":{}}');
      if (url.endsWith('?limit=9')) asked += 1;
      if (asked === 1) return response.writeHead(429, { ...json, 'retry-after': '0' }).end(body);
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
