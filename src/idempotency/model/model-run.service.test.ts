import { expect, test } from '@playwright/test';
import { certifyIdempotency } from '../certify.test-kit.js';
import { startLeadService } from '../lead-service.test-kit.js';

test('a failing sequence is shrunk to its shortest, told as a story, and replayed by its path', async () => {
  await using service = await startLeadService({ faults: ['conflict-updates'], conflict: 'first' });
  const first = await certifyIdempotency(service.baseUrl, { seed: 11, only: ['IDEM-07'] });
  const result = first.results.get('IDEM-07');
  expect(result?.verdict).toBe('fail');
  const finding = result?.findings[0];
  expect(finding?.exchanges.length).toBe(2);
  expect(finding?.actual).toMatch(
    /1\. tenant A sends .* under key 1 → a lead .*; 2\. tenant A sends .* under key 1 → a lead/,
  );
  expect(
    first.observations.find((one) => one.question.includes('repeated by hand'))?.observed.match(/curl /g),
  ).toHaveLength(2);
  const path = /--path (\S+)$/.exec(finding?.replay ?? '')?.[1];
  expect(path).toBeDefined();
  const again = await certifyIdempotency(service.baseUrl, { seed: 11, only: ['IDEM-07'], path: path ?? '' });
  expect(again.results.get('IDEM-07')?.verdict).toBe('fail');
  expect(again.results.get('IDEM-07')?.findings[0]?.exchanges).toHaveLength(2);
  expect(again.results.get('IDEM-07')?.requests).toBeLessThan(20);
});

test('shrinking costs at most forty requests more', async () => {
  for (const seed of [1, 2, 3]) {
    await using service = await startLeadService({ faults: ['fresh-id'] });
    const { results } = await certifyIdempotency(service.baseUrl, { seed, only: ['IDEM-07'] });
    expect(results.get('IDEM-07')?.requests).toBeLessThanOrEqual(40 + 40);
  }
});

test('a second tenant that can take no lead says nothing against the first, whose breach is still found', async () => {
  for (const [faults, verdict] of [
    [[], 'pass'],
    [['fresh-id'], 'fail'],
  ] as const) {
    await using service = await startLeadService({ secondTakesLeads: false, faults });
    const { results, observations } = await certifyIdempotency(service.baseUrl, { seed: 1, only: ['IDEM-07'] });
    expect(results.get('IDEM-07')?.verdict).toBe(verdict);
    expect(observations.map(({ observed }) => observed).join()).toMatch(/no: its ordinary lead got .* 422/);
  }
});

test('a phone on a register is no breach where its key then makes the lead of another body, which repeats the answer', async () => {
  const verdicts = new Set<string | undefined>();
  for (let registered = 4; registered <= 20; registered += 1) {
    await using service = await startLeadService({ registered, conflict: 'first' });
    const { results } = await certifyIdempotency(service.baseUrl, { seed: registered, only: ['IDEM-07'] });
    verdicts.add(results.get('IDEM-07')?.verdict);
  }
  expect([...verdicts].filter((verdict) => verdict !== 'pass' && verdict !== 'blocked')).toEqual([]);
  expect(verdicts).toContain('pass');
});
