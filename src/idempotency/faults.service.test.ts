import { expect, test } from '@playwright/test';
import { certifyIdempotency } from './certify.test-kit.js';
import type { Fault, LeadServiceOptions } from './lead-service-options.test-kit.js';
import { startLeadService } from './lead-service.test-kit.js';
import type { Verdict } from '../requirement/types.js';

test.describe.configure({ mode: 'parallel' });

/** How many seeds each fault and variant is tried with; more by IDEMPOTENCY_SEEDS. */
const seeds = Number(process.env['IDEMPOTENCY_SEEDS'] ?? 1);

const found: readonly [Fault, Partial<Record<`IDEM-0${number}`, Verdict>>, Partial<LeadServiceOptions>?][] = [
  ['first-eight', { 'IDEM-05': 'fail' }],
  ['all-but-last', { 'IDEM-05': 'fail' }, { shows: 'nothing' }],
  ['last-twelve', { 'IDEM-02': 'fail' }],
  ['last-twelve', { 'IDEM-02': 'fail' }, { dedup: true, conflict: 409 }],
  ['fresh-id', { 'IDEM-01': 'fail', 'IDEM-03': 'fail', 'IDEM-07': 'fail' }],
  ['new-body', { 'IDEM-04': 'fail', 'IDEM-07': 'fail' }],
  ['fresh-time', { 'IDEM-01': 'warn', 'IDEM-03': 'pass', 'IDEM-07': 'pass' }],
  ['race', { 'IDEM-03': 'fail', 'IDEM-01': 'pass' }],
  ['race', { 'IDEM-03': 'fail' }, { shows: 'nothing' }],
  ['late-save', { 'IDEM-03': 'fail' }],
  ['race-500', { 'IDEM-03': 'fail' }],
  ['cross-tenant', { 'IDEM-06': 'fail', 'IDEM-01': 'pass' }],
  ['cross-tenant', { 'IDEM-06': 'fail' }, { shows: 'id', list: 'none' }],
  ['tenant-blocks', { 'IDEM-06': 'fail' }, { list: 'none' }],
  ['cross-tenant-same-body', { 'IDEM-06': 'fail' }],
  ['cross-tenant-same-body', { 'IDEM-06': 'fail' }, { list: 'none' }],
  ['cross-route', { 'IDEM-07': 'fail', 'IDEM-06': 'pass' }],
  ['cross-route', { 'IDEM-07': 'fail' }, { shows: 'id' }],
  ['poison', { 'IDEM-07': 'fail', 'IDEM-01': 'pass' }],
  ['poison', { 'IDEM-07': 'fail' }, { shows: 'id' }],
  ['poison-first', { 'IDEM-07': 'fail' }, { list: 'none' }],
  ['conflict-creates', { 'IDEM-04': 'fail', 'IDEM-01': 'pass' }],
  ['conflict-updates', { 'IDEM-04': 'fail' }, { conflict: 'first' }],
  ['forgets', { 'IDEM-01': 'fail', 'IDEM-02': 'fail' }],
  ['forgets', { 'IDEM-01': 'fail' }, { shows: 'echo' }],
  ['replay-stored', { 'IDEM-01': 'fail', 'IDEM-02': 'fail', 'IDEM-03': 'fail', 'IDEM-07': 'fail' }, { replayed: 409 }],
  ['conflict-creates', { 'IDEM-04': 'fail' }, { replayed: 422 }],
  ['race', { 'IDEM-03': 'fail' }, { replayed: 409 }],
  ['last-twelve', { 'IDEM-02': 'fail' }, { replayed: 400 }],
];

for (const [fault, expected, options] of found) {
  test(`found: ${fault}${options === undefined ? '' : ` where ${JSON.stringify(options)}`}`, async () => {
    test.setTimeout(30_000 * seeds);
    const missed: string[] = [];
    for (let seed = 1; seed <= seeds; seed += 1) {
      await using service = await startLeadService({ ...options, faults: [fault] });
      const { results } = await certifyIdempotency(service.baseUrl, { seed, only: Object.keys(expected) });
      for (const [id, verdict] of Object.entries(expected)) {
        const seen = results.get(id);
        if (seen?.verdict !== verdict)
          missed.push(`seed ${seed}: ${id} ${seen?.verdict ?? 'nothing'} (${seen?.reason ?? ''})`);
      }
    }
    expect(missed.slice(0, 5), `${missed.length} missed`).toHaveLength(seeds >= 20 ? Math.min(missed.length, 1) : 0);
  });
}

const conforming: readonly Partial<LeadServiceOptions>[] = [
  {},
  { conflict: 409, created: 200 },
  { conflict: 400, score: 'moves' },
  { conflict: 'first', shows: 'nested' },
  { inProgress: 409, delayMs: 4 },
  { delayMs: 4, list: 'newest' },
  { replayed: 200, created: 202 },
  { replayed: 409 },
  { replayed: 422, conflict: 409, inProgress: 409, delayMs: 4 },
  { replayed: 400, shows: 'id', list: 'none' },
  { dedup: true, conflict: 'first' },
  { burns: true },
  { shows: 'id', list: 'none' },
  { shows: 'echo', list: 'none' },
  { shows: 'nothing' },
  { shows: 'nothing', list: 'late' },
  { shows: 'masked', list: 'none' },
  { list: 'ids', ids: 'counter' },
  { ids: 'counter', list: 'none' },
  { ids: 'key', list: 'none' },
  { ids: 'key', list: 'none', shows: 'id' },
  { ids: 'content', dedup: true, list: 'none' },
];

for (const options of conforming) {
  test(`conforming: ${JSON.stringify(options)}`, async () => {
    test.setTimeout(30_000 * seeds);
    for (let seed = 1; seed <= seeds; seed += 1) {
      await using service = await startLeadService(options);
      const { results, requests } = await certifyIdempotency(service.baseUrl, { seed });
      const failed = [...results.values()]
        .filter((one) => !['pass', 'warn'].includes(one.verdict))
        .map((one) => `${one.id} ${one.verdict}: ${one.reason}`);
      expect(failed).toEqual([]);
      // What warns is a recommendation: equal bodies merged, a replay with another status or none.
      const warned = [...results.values()].filter((one) => one.verdict === 'warn').map((one) => one.id);
      expect(
        warned.filter(
          (id) =>
            !(id === 'IDEM-05' && options.dedup === true) &&
            !(id === 'IDEM-01' && (options.replayed ?? 'same') !== 'same'),
        ),
      ).toEqual([]);
      expect(results.size).toBe(9);
      // A list that lags is read several times.
      expect(requests).toBeLessThanOrEqual(options.list === 'late' ? 800 : 430);
    }
  });
}

test('certify stays within its requests', async () => {
  await using service = await startLeadService({});
  const { results, requests } = await certifyIdempotency(service.baseUrl, { seed: 3, depth: 'certify' });
  expect([...results.values()].filter((one) => one.verdict !== 'pass')).toEqual([]);
  expect(requests).toBeLessThanOrEqual(2_000);
});

test('without a second tenant, isolation names the setting that would enable it', async () => {
  await using service = await startLeadService({});
  const { results } = await certifyIdempotency(service.baseUrl, { seed: 1, only: ['IDEM-06'], otherTenant: false });
  expect(results.get('IDEM-06')?.verdict).toBe('not-applicable');
  expect(results.get('IDEM-06')?.reason).toContain('OTHER_API_KEY');
});

test('where nothing ever shows a lead, idempotency was never offered', async () => {
  await using service = await startLeadService({ shows: 'nothing', list: 'none' });
  const { results } = await certifyIdempotency(service.baseUrl, { seed: 1 });
  expect([...new Set([...results.values()].map((one) => one.verdict))]).toEqual(['not-applicable']);
  expect(results.get('IDEM-01')?.reason).toContain('one lead cannot be distinguished from two');
});

test('where leads stop to be shown by anything, nothing is said to have held', async () => {
  await using service = await startLeadService({ shows: 'nothing', list: 'earliest' });
  const { results } = await certifyIdempotency(service.baseUrl, { seed: 1 });
  const must = [...results.values()].filter((one) => one.level === 'MUST');
  expect(must.map((one) => `${one.id} ${one.verdict}`)).toEqual(must.map((one) => `${one.id} blocked`));
  for (const { reason } of must) expect(reason).toContain('it cannot be observed');
});
