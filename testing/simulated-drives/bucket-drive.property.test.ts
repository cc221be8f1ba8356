import { expect, test } from '@playwright/test';
import { all, gcra, tokenBucket } from '../limiter-simulators/simulated-limiters.test-kit.js';
import { atMost, longProofs, randomFrom } from '../limiter-simulators/test-kit.js';
import type { Limit } from '../../src/settings/limits.js';
import { judgePlan } from '../../src/traffic/limit-verdicts.js';
import { simulateDrive } from './simulated-drive.test-kit.js';

const plans: Readonly<Record<string, { sold: readonly Limit[]; capacity: number; perSecond: number }>> = {
  'two numbers': {
    sold: [atMost(600, 60), atMost(100, 1)],
    capacity: 600,
    perSecond: 100,
  },
  'a single number': { sold: [atMost(100, 60)], capacity: 100, perSecond: 100 / 60 },
};

/** The requirements that fail for a bucket with other numbers, where the model is pinned. */
function broken(plan: string, holds: number, flows: number, round: number, charges = false): readonly string[] {
  const jitterMs = longProofs && round % 4 > 1 ? 50 : 5;
  const { sold = [], capacity = 0, perSecond = 0 } = plans[plan] ?? {};
  const random = randomFrom(round);
  const make = round % 2 === 0 ? tokenBucket : gcra;
  const decide = all([(charges ? tokenBucket : make)(holds * capacity, flows * perSecond)], charges);
  const drive = simulateDrive(sold, { decide, jitterMs, random });
  // What came before the run is not known.
  return judgePlan({ ...drive, idleBeforeMs: 500 }, 'bucket').violations.map(({ id }) => id);
}

const rounds = longProofs ? 20 : 2;

for (const plan of Object.keys(plans)) {
  test(`a bucket for ${plan} that holds or refills a tenth more or less is detected`, () => {
    test.setTimeout(300_000);
    // What flows in is what a plan of two sells for good; a number that stands alone says both.
    const flowsBy = plans[plan]?.sold.length === 2 ? 'LIMIT-03' : 'LIMIT-02';
    for (let round = 0; round < rounds; round += 1) {
      for (const share of [0.5, 0.8, 0.9]) {
        expect(broken(plan, share, 1, round), `holds x ${share}, round ${round}`).toEqual(['LIMIT-01']);
        expect(broken(plan, 1, share, round), `flows x ${share}, round ${round}`).toEqual(['LIMIT-01']);
      }
      for (const share of [1.1, 1.2, 2]) {
        expect(broken(plan, share, 1, round), `holds x ${share}, round ${round}`).toEqual(['LIMIT-02']);
        expect(broken(plan, 1, share, round), `flows x ${share}, round ${round}`).toEqual([flowsBy]);
      }
      for (const charges of [false, true]) expect(broken(plan, 1, 1, round, charges), `round ${round}`).toEqual([]);
    }
  });
}
