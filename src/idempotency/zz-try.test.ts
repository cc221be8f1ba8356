import { test } from '@playwright/test';
import { certifyIdempotency, startLeadService } from './test-kit.js';
test('try', async () => {
  test.setTimeout(120000);
  const service = await startLeadService(JSON.parse(process.env['DIALS'] ?? '{}'));
  const at = Date.now();
  const out = await certifyIdempotency(service.baseUrl, { seed: Number(process.env['S'] ?? 1), depth: (process.env['DEPTH'] ?? 'gate') as 'gate' });
  for (const r of out.results.values()) console.log(r.id, r.verdict, r.requests, r.reason.slice(0, 400), r.findings[0]?.replay);
  for (const o of out.observations) console.log('  ', o.id, o.question, o.observed);
  console.log(out.requests, 'requests', Date.now() - at, 'ms', service.made());
  await service.close();
});
