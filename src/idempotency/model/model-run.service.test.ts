import { expect, test } from '@playwright/test';
import { certifyReference } from '../certify.test-kit.js';

const only = ['IDEM-07'];

test('a failing sequence is shrunk to its shortest, told as a story, and replayed by its path', async () => {
  const reference = { faults: ['lead-creation-takes-other-body'] };
  const first = await certifyReference(reference, { seed: 11, only });
  const result = first.results.get('IDEM-07');
  expect(result?.verdict).toBe('fail');
  const finding = result?.findings[0];
  expect(finding?.exchanges.length).toBe(2);
  expect(finding?.actual).toMatch(
    /1\. tenant A sends .* under key 1 → lead .*; 2\. tenant A sends .* under key 1 → lead/,
  );
  expect(
    first.observations.find((one) => one.question.includes('repeated by hand'))?.observed.match(/curl /g),
  ).toHaveLength(2);
  const path = /--path (\S+)$/.exec(finding?.replay ?? '')?.[1];
  expect(path).toBeDefined();
  const again = await certifyReference(reference, { seed: 11, only, path: path ?? '' });
  expect(again.results.get('IDEM-07')?.verdict).toBe('fail');
  expect(again.results.get('IDEM-07')?.findings[0]?.exchanges).toHaveLength(2);
});

test('shrinking costs at most forty requests more', async () => {
  const requests = async (faults: readonly string[]): Promise<number> =>
    (await certifyReference({ faults }, { seed: 2, only })).results.get('IDEM-07')?.requests ?? 0;
  expect(await requests(['replay-fresh-id'])).toBeLessThanOrEqual(80);
});
