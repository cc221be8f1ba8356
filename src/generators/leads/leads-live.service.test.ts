import { expect, test } from '@playwright/test';
import * as specs from '../../../specs/leads.spec.js';
import { certifyReference } from '../../idempotency/certify.test-kit.js';
import type { AnswerChange } from '../../reference/change-answers.js';

test('all requirements on leads stay within their budget together', async () => {
  const only = Object.values(specs).map(({ id }) => id);
  expect((await certifyReference({}, { seed: 1, only })).requests).toBeLessThanOrEqual(300);
  expect((await certifyReference({}, { seed: 1, only, depth: 'certify' })).requests).toBeLessThanOrEqual(1_100);
});

/** Fails for a name that random leads have, and no others. */
const failsOnGeorgian: AnswerChange = (answer, { method, path }) => {
  if (method !== 'POST' || !path.endsWith('/v1/leads') || !/\p{Script=Georgian}/u.test(JSON.stringify(answer.body)))
    return;
  Object.assign(answer, { status: 500, body: { ok: false, error: {} } });
};

test('a fault that only random leads meet is found and replayed by its path', async () => {
  const seeds = [1, 2, 3, 4];
  let found = 0;
  for (const seed of seeds) {
    const run = { seed, only: ['LEAD-03'] };
    const result = (await certifyReference({ change: failsOnGeorgian }, run)).results.get('LEAD-03');
    if (result?.verdict !== 'fail') continue;
    found += 1;
    const path = /--path (\S+)/.exec(result.findings[0]?.replay ?? '')?.[1] ?? '';
    expect(path).toMatch(/^\d+(:\d+)*$/);
    const again = await certifyReference({ change: failsOnGeorgian }, { ...run, path });
    expect(again.results.get('LEAD-03')).toMatchObject({ verdict: 'fail' });
    // Most of them find out how the service takes vehicles, phones and names that another lead has.
    expect(again.requests).toBeLessThanOrEqual(30);
  }
  expect(found).toBeGreaterThanOrEqual(seeds.length - 1);
});

test('the smallest size that a service falls over is reported', async () => {
  const { results } = await certifyReference({ faults: ['crash-on-deep-nesting'] }, { seed: 1, only: ['LEAD-05'] });
  const size = /10000 deep, cut to (\d+)/.exec(JSON.stringify(results.get('LEAD-05')?.findings))?.[1];
  expect(Number(size)).toBeGreaterThanOrEqual(100);
  expect(Number(size)).toBeLessThan(2_000);
});
