import { expect, test } from '@playwright/test';
import { judgeService } from './judge-service.js';
import { behindLossyNetwork } from './lossy-network.test-kit.js';
import { startReferenceService, withSettings } from './reference-service.js';

async function judged(settings: Record<string, string>, options = {}): Promise<string[]> {
  const service = withSettings(await startReferenceService(options), settings);
  const { results } = await judgeService(service, {
    seed: 1,
    depth: 'gate',
    patience: 0.1,
    sections: ['AUTH'],
    only: ['AUTH-02', 'AUTH-03'],
  });
  return results.map(({ id, verdict, reason }) => `${id} ${verdict}: ${reason}`);
}

test('a scoped key that the service does not know blocks AUTH-02 and AUTH-03 and names its setting', async () => {
  const why = 'blocked: the service does not know API_KEY_READ_INVENTORY: it answers "401 key_unknown"';
  expect(await judged({ API_KEY_READ_INVENTORY: 'key-of-nobody' })).toEqual([
    expect.stringContaining(`AUTH-02 ${why}`),
    expect.stringContaining(`AUTH-03 ${why}`),
  ]);
});

test('a key that is known is judged, whatever a missing scope answers', async () => {
  // A key of calls, which are planned, is refused by every live operation.
  const variant = { 'scope-status': '401', 'error-shape': 'type-title' };
  expect(await judged({}, { variant })).toEqual([
    expect.stringContaining('AUTH-02 pass'),
    expect.stringContaining('AUTH-03 pass'),
  ]);
  expect((await judged({}, { variant, faults: ['read-inventory-unit-list-refused'] }))[0]).toMatch(/^AUTH-02 fail/);
});

test('one lost answer is not held against a key, where reads take turns on two machines and failures are 200', async () => {
  const variant = { 'new-records': 'second-machine', 'failure-status': '200', 'lead-item': 'get' };
  const wasLost: string[] = [];
  for (const nth of [27, 29, 30, 31]) {
    let draws = 0;
    // Two numbers are drawn for each request.
    const random = (): number => ((draws += 1), Math.ceil(draws / 2) === nth ? 0 : 0.9);
    const { service, lost } = await behindLossyNetwork(await startReferenceService({ variant }), 2, random);
    const { results } = await judgeService(service, { seed: 1, depth: 'gate', only: ['AUTH-02'] });
    expect(results.map(({ verdict, reason }) => `${verdict}: ${reason}`)).toEqual([
      expect.stringMatching(/^(pass|blocked)/),
    ]);
    wasLost.push(...lost);
  }
  expect(wasLost).toHaveLength(4);
});
