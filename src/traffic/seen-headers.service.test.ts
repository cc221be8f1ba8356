import { expect, test } from '@playwright/test';
import { closing, serve } from '../loopback.test-kit.js';
import { openRun } from '../run/open-run.js';
import { execute } from '../run/execute.js';
import { defineRequirement } from '../requirement/requirement.js';
import { readTarget } from '../settings/read-target.js';
import { describePartition } from './seen-headers.js';

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
