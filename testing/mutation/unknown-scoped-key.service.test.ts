import { expect, test } from '@playwright/test';
import { judgeService } from './judge-service.js';
import { startReferenceService, withSettings } from './reference-service.js';

async function judged(settings: Record<string, string>, options = {}): Promise<string> {
  const service = withSettings(await startReferenceService(options), settings);
  const { results } = await judgeService(service, { seed: 1, depth: 'gate', sections: ['AUTH'], only: ['AUTH-02'] });
  return results.map(({ verdict, reason }) => `${verdict}: ${reason}`).join();
}

test('a scoped key that the service does not know blocks AUTH-02 and names its setting', async () => {
  expect(await judged({ API_KEY_READ_INVENTORY: 'key-of-nobody' })).toMatch(
    /^blocked: the service does not know API_KEY_READ_INVENTORY: it answers "401 key_unknown"/,
  );
});

test('a key that is known passes or fails AUTH-02, whatever a missing scope answers', async () => {
  const variant = { 'scope-status': '401' };
  expect(await judged({}, { variant })).toMatch(/^pass/);
  expect(await judged({}, { variant, faults: ['read-inventory-refused'] })).toMatch(/^fail/);
});
