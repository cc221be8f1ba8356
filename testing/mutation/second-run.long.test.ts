import { expect, test } from '@playwright/test';
import { judgeService } from './judge-service.js';
import { startReferenceService } from './reference-service.js';

// Most leads of the first run are still there, and a run has the phones of its seed.
for (const variant of [
  { 'lead-texts': 'masked' },
  { 'content-duplicates': 'phone-refused', 'vehicle-leads': 'one-open' },
])
  test(`a second run with the same seed has nothing red, with ${Object.values(variant).join(', ')}`, async () => {
    const service = await startReferenceService({
      variant,
      limits: { independent: [{ count: 100_000, seconds: 60 }] },
    });
    const options = { seed: 5, depth: 'gate', sections: ['LEAD', 'IDEM', 'AUTH'] } as const;
    await judgeService({ ...service, close: () => Promise.resolve() }, options);
    const { results } = await judgeService(service, options);
    expect(results.filter((one) => one.verdict === 'fail' || one.verdict === 'error')).toEqual([]);
    expect(results.filter((one) => one.verdict === 'pass').length).toBeGreaterThan(12);
  });
