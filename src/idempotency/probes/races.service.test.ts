import { expect, test } from '@playwright/test';
import { Check } from '../../run/check.js';
import { openRun } from '../../run/open-run.js';
import { readTarget } from '../../settings/read-target.js';
import { freshBody } from '../lead-body.js';
import { RequestLog } from '../request-log.js';
import { openConnections } from '../connections.js';
import { volley } from './races.js';
import { startLeadService } from '../lead-service.test-kit.js';
import { closing } from '../../loopback.test-kit.js';

test('a volley is on its way before any of it is answered, on connections that are open', async () => {
  // Were one request kept back until another is answered, or sent on its connection, none would ever be.
  await using service = await startLeadService({ together: 6 });
  await using run = closing(
    openRun(readTarget({ BASE_URL: service.baseUrl, API_KEY: 'key-of-tenant-a' }), { patience: 0.1 }),
  );
  const check = new Check(
    { id: 'IDEM-03', section: 'IDEM', level: 'MUST', source: '', title: '', writes: true, slow: false },
    run,
  );
  const log = new RequestLog(check, { shows: 'id', echoes: true });
  // With a vehicle given, as the trial of how many leads a vehicle takes sends creates one by one, which this service never answers.
  const body = await freshBody(check, 'raced lead', {}, 'u1');
  await openConnections(check, 6);
  const opened = service.connections();
  for (let round = 0; round < 5; round += 1) await volley(log, check.fresh('raced key'), body, [0, 0, 0, 0, 0, 0]);
  const late = service.connections() - opened;
  expect(late).toBe(0);
  expect(log.entries).toHaveLength(30);
  expect(log.anomaly()).toBeNull();
});
