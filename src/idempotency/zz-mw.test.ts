import { test } from '@playwright/test';
import { certifyIdempotency } from './test-kit.js';
import { expressIdempotencyService, nodeIdempotencyService, powertoolsService } from './middleware-services.js';
test('mw', async () => {
  test.setTimeout(300000);
  for (const [name, start] of Object.entries({
    'ei guarded': () => expressIdempotencyService(true), 'ei bare': () => expressIdempotencyService(false),
    'ni plain': () => nodeIdempotencyService(false), 'ni tenant': () => nodeIdempotencyService(true),
    'pt default': () => powertoolsService({ perTenant: false, validatesPayload: false, deadline: true }),
    'pt tenant': () => powertoolsService({ perTenant: true, validatesPayload: false, deadline: true }),
    'pt tenant nodeadline': () => powertoolsService({ perTenant: true, validatesPayload: false, deadline: false }),
    'pt tenant validates': () => powertoolsService({ perTenant: true, validatesPayload: true, deadline: true }),
  })) {
    const service = await start();
    const at = Date.now();
    const out = await certifyIdempotency(service.baseUrl, { seed: 1 });
    console.log('==', name, out.requests, Date.now() - at);
    for (const r of out.results.values()) console.log('  ', r.id, r.verdict, r.reason.slice(0, 330));
    await service.close();
  }
});
