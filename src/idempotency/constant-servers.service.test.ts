import { expect, test } from '@playwright/test';
import { listen, smallDocument, smallUnits } from './middleware.test-kit.js';
import { certifyIdempotency } from './certify.test-kit.js';

/** Units are listed; every create is answered alike. */
function constant(
  status: number,
  body: unknown,
  document: unknown = { openapi: '3.1.0', info: { title: 'none', version: '1' }, paths: {} },
): ReturnType<typeof listen> {
  return listen((request, response) => {
    request.resume();
    const get = request.method === 'GET';
    const known =
      request.url?.startsWith('/api/openapi') === true
        ? document
        : request.url?.startsWith('/api/v1/units') === true
          ? { ok: true, data: smallUnits }
          : body;
    response
      .writeHead(get ? 200 : status, {
        'content-type': 'application/json',
        ...(status === 429 ? { 'retry-after': '0' } : {}),
      })
      .end(JSON.stringify(get ? known : body));
  });
}

const refused = { ok: false, error: { code: 'no' } };

for (const [name, start] of Object.entries({
  'always an empty success': () => constant(200, { ok: true, data: {} }),
  'always an empty success, and an empty list': () => constant(200, { ok: true, data: { items: [] } }, smallDocument),
  'always one and the same lead': () => constant(201, { ok: true, data: { id: 'lead_1' } }),
  'always one and the same lead, with data': () =>
    constant(201, { ok: true, data: { id: 'lead_1', name: 'Ann', phone: '+14155550100' } }),
  'always 400': () => constant(400, refused),
  'always 409': () => constant(409, refused),
  'always 500': () => constant(500, refused),
  'always 429': () => constant(429, refused),
})) {
  test(`a server that answers creates with ${name} passes no MUST`, async () => {
    await using service = await start();
    const { results } = await certifyIdempotency(service.baseUrl, { seed: 1 });
    const passed = [...results.values()]
      .filter((one) => one.level === 'MUST' && !['blocked', 'fail', 'not-applicable'].includes(one.verdict))
      .map((one) => `${one.id} ${one.verdict}`);
    expect(passed).toEqual([]);
    // Where neither answers nor a list show a lead, no effect of a key can be seen.
    const verdict = name.includes('same lead') ? 'fail' : name.includes('empty success') ? 'not-applicable' : 'blocked';
    expect(results.get('IDEM-05')?.verdict).toBe(verdict);
  });
}
