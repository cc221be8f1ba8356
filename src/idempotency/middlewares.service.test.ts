import { expect, test } from '@playwright/test';
import type { Verdict } from '../requirement/types.js';
import {
  expressIdempotencyService,
  nodeIdempotencyService,
  powertoolsService,
  type MiddlewareService,
} from './middleware-services.test-kit.js';
import { certifyIdempotency } from './certify.test-kit.js';

const musts = ['IDEM-01', 'IDEM-02', 'IDEM-03', 'IDEM-04', 'IDEM-05', 'IDEM-06', 'IDEM-07'];

/** Keeps the library's own warnings out of the output; undone by what it hands back. */
function silence(): () => void {
  const write = process.stderr.write.bind(process.stderr);
  process.stderr.write = () => true;
  return () => {
    process.stderr.write = write;
  };
}

/** The verdicts on the obligations, such as `{ 'IDEM-06': 'fail' }`; what passed is left out. */
async function certify(service: MiddlewareService, only: readonly string[] = musts): Promise<Record<string, Verdict>> {
  const { results } = await certifyIdempotency(service.url, { seed: 5, only });
  await service.close();
  expect(results.size).toBe(only.length);
  return Object.fromEntries(
    [...results.values()].filter((one) => one.verdict !== 'pass').map((one) => [one.id, one.verdict]),
  );
}

async function post(
  service: MiddlewareService,
  tenant: 'a' | 'b',
  key: string,
  body: unknown,
): Promise<{ status: number; id: unknown }> {
  const response = await fetch(`${service.url}/api/v1/leads`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: {
      authorization: `Bearer key-of-tenant-${tenant}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
  });
  const answer = (await response.json()) as { data?: { id?: unknown } };
  return { status: response.status, id: answer.data?.id };
}

const ann = { name: 'Ann', phone: '+14152000001', vehicleId: 'u1' };
const bob = { name: 'Bob', phone: '+14152000002', vehicleId: 'u1' };

test.describe('express-idempotency', () => {
  test('guarded by isHit, it keeps its promises but knows no tenants', async () => {
    const service = await expressIdempotencyService(true);
    const first = await post(service, 'a', 'k1', ann);
    expect(await post(service, 'b', 'k1', bob)).toMatchObject({ status: 417 });
    expect(await post(service, 'b', 'k1', ann)).toEqual(first);
    expect(service.leads).toHaveLength(1);
    expect(await certify(service)).toEqual({ 'IDEM-06': 'fail', 'IDEM-07': 'fail' });
  });

  test('without that guard, each replay makes another lead behind the first answer', async () => {
    const service = await expressIdempotencyService(false);
    const first = await post(service, 'a', 'k1', ann);
    expect(await post(service, 'a', 'k1', ann)).toEqual(first);
    await expect.poll(() => service.leads.length).toBe(2);
    expect(await certify(service, ['IDEM-01', 'IDEM-02', 'IDEM-03', 'IDEM-04'])).toEqual({
      'IDEM-01': 'fail',
      'IDEM-02': 'fail',
      'IDEM-03': 'fail',
      'IDEM-04': 'fail',
    });
  });
});

test.describe('@node-idempotency/core', () => {
  test('out of the box, one tenant blocks and is shown to another', async () => {
    const service = await nodeIdempotencyService(false);
    const first = await post(service, 'a', 'k1', ann);
    expect(await post(service, 'b', 'k1', bob)).toMatchObject({ status: 422 });
    expect(await post(service, 'b', 'k1', ann)).toEqual(first);
    expect(await certify(service)).toEqual({ 'IDEM-06': 'fail', 'IDEM-07': 'fail' });
  });

  test('with the tenant in its cache key, it does all that is asked', async () => {
    expect(await certify(await nodeIdempotencyService(true))).toEqual({});
  });
});

test.describe('@aws-lambda-powertools/idempotency', () => {
  test('keyed by the header alone, it shows one tenant the lead of another', async () => {
    const service = await powertoolsService({ perTenant: false, validatesPayload: false, deadline: true });
    const first = await post(service, 'a', 'k1', ann);
    expect(await post(service, 'b', 'k1', bob)).toEqual(first);
    expect(await certify(service)).toEqual({ 'IDEM-06': 'fail', 'IDEM-07': 'fail' });
  });

  test('keyed by tenant and header, it does all that is asked', async () => {
    expect(
      await certify(await powertoolsService({ perTenant: true, validatesPayload: false, deadline: true })),
    ).toEqual({});
  });

  test('without a deadline it takes a key in progress for abandoned, and lets a race make two leads', async () => {
    const silenced = silence();
    try {
      const service = await powertoolsService({ perTenant: true, validatesPayload: false, deadline: false });
      const both = await Promise.all([post(service, 'a', 'k1', ann), post(service, 'a', 'k1', ann)]);
      expect(both.map((one) => one.status)).toEqual([201, 201]);
      expect(service.leads).toHaveLength(2);
      expect(await certify(service, ['IDEM-01', 'IDEM-03', 'IDEM-05'])).toEqual({ 'IDEM-03': 'fail' });
    } finally {
      silenced();
    }
  });

  test('its cache layer forgets the hash of the payload, so that validated replays are refused', async () => {
    const service = await powertoolsService({ perTenant: true, validatesPayload: true, deadline: true });
    expect(await post(service, 'a', 'k1', ann)).toMatchObject({ status: 201 });
    expect(await post(service, 'a', 'k1', ann)).toMatchObject({ status: 422 });
    expect(await certify(service, ['IDEM-01', 'IDEM-05'])).toEqual({ 'IDEM-01': 'warn' });
  });
});
