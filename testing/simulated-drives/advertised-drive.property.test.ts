import { isDeepStrictEqual } from 'node:util';
import { expect, test } from '@playwright/test';
import { atMost, longProofs, randomFrom } from '../limiter-simulators/test-kit.js';
import type { Limit } from '../../src/settings/limits.js';
import { advertisedKinds, advertisingService } from './advertising-service.test-kit.js';
import { reportedOf } from './simulated-drive.test-kit.js';

const both = [atMost(600, 60), atMost(100, 1)] as const;
const single = [atMost(100, 60)] as const;
const stretched = ([first, ...others]: readonly Limit[], factor: number): Limit[] =>
  first === undefined ? [] : [{ ...first, windowSeconds: factor * first.windowSeconds }, ...others];

/** What is sold, the share of its long window that is kept in its place, and what that breaks. */
const windows: readonly (readonly [sold: readonly Limit[], factor: number, ids: readonly string[]])[] = [
  [both, 1, []],
  [single, 1, []],
  [both, 0.5, ['LIMIT-02']],
  [single, 0.5, ['LIMIT-02']],
  [both, 1.5, ['LIMIT-01']],
  [both, 2, ['LIMIT-01']],
  [single, 2, ['LIMIT-01']],
];

test('windows shorter or longer than sold are detected although the service advertises them correctly', () => {
  test.setTimeout(600_000);
  for (const kind of Object.keys(advertisedKinds) as (keyof typeof advertisedKinds)[])
    for (const [sold, factor, ids] of windows) {
      // With windows aligned to the clock, detection depends on their position: one or two of 60 positions hide a window 1.5 times as long.
      const rounds = longProofs ? 10 : kind === 'clock' ? 2 : 1;
      let found = 0;
      for (let round = 0; round < rounds; round += 1) {
        const random = randomFrom(round);
        const service = advertisingService(kind, stretched(sold, factor), random);
        const { ids: reported } = reportedOf(sold, { ...service, jitterMs: 5, random });
        found += Number(isDeepStrictEqual(reported, ids));
        const astray = reported.filter((id) => !ids.includes(id));
        expect.soft(astray, `${kind}, ${sold.length} limits, window x ${factor}, round ${round}`).toEqual([]);
      }
      const least = kind === 'clock' && ids.length > 0 ? 0.9 * rounds : rounds;
      expect.soft(found, `${kind}, ${sold.length} limits, window x ${factor}`).toBeGreaterThanOrEqual(least);
    }
});
