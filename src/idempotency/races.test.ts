import { expect, test } from '@playwright/test';
import { Check } from '../run/check.js';
import { openRun } from '../run/open-run.js';
import { readTarget } from '../target/read-target.js';
import { freshBody } from './lead-body.js';
import { Ledger } from './ledger.js';
import { openConnections } from './connections.js';
import { volley } from './races.js';
import { startLeadService } from './test-kit.js';

test('a volley on warm connections arrives well within a window of five milliseconds', async () => {
  const service = await startLeadService({ delayMs: 3 });
  const run = openRun(readTarget({ BASE_URL: service.baseUrl, API_KEY: 'key-of-tenant-a' }));
  const check = new Check(
    { id: 'IDEM-03', section: 'IDEM', level: 'MUST', source: '', title: '', writes: true, slow: false },
    run,
  );
  const ledger = new Ledger(check, { shows: 'id', echoes: true });
  await openConnections(check, 6);
  const spreads: number[] = [];
  for (let round = 0; round < 15; round += 1) {
    const key = check.fresh('raced key');
    await volley(ledger, key, await freshBody(check, `raced lead ${round}`), [0, 0, 0, 0, 0, 0]);
    const at = service.arrivals.filter((one) => one.key === key).map((one) => one.atMs);
    spreads.push(Math.max(...at) - Math.min(...at));
  }
  await run.close();
  await service.close();
  expect(spreads.sort((a, b) => a - b)[7]).toBeLessThan(4);
  expect(ledger.entries).toHaveLength(90);
  expect(ledger.trouble()).toBeNull();
});
