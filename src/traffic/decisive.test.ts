import { expect, test } from '@playwright/test';
import { all, fixedAnchored, slidingLog } from '../limiter/simulated-limiters.js';
import { seededRandom } from '../limiter/test-kit.js';
import type { Limit } from '../target/limits.js';
import type { PlanTrace } from './limit-traces.js';
import { judgePlan } from './limit-verdicts.js';
import { simulateDrive } from './simulated-drive.test-kit.js';

const sold: readonly [Limit, Limit] = [
  { count: 120, windowSeconds: 6 },
  { count: 40, windowSeconds: 0.5 },
];

/** A drive whose answers take seconds, and whose requests were due long before they left. */
function stalled(drive: PlanTrace): PlanTrace {
  const records = drive.conducted.records.map((record) => ({ ...record, dueMs: record.sentMs - 2_000 }));
  const steps = drive.conducted.steps.map((one) => ({ ...one, drive: { ...one.drive, ratePerSecond: 1 } }));
  return { ...drive, conducted: { records, steps } };
}

test('a limit a fifth too large is convicted, or the drive that hid it is called too weak', () => {
  const seen = { convicted: 0, weak: 0 };
  for (const which of [0, 1]) {
    for (let round = 0; round < 10; round += 1) {
      const random = seededRandom(round);
      const kept = sold.map((limit, at) => (at === which ? { ...limit, count: limit.count * 1.2 } : limit));
      const decide = all(kept.map(fixedAnchored), false);
      const drive = simulateDrive(sold, 'fixed', { decide, jitterMs: 300 * round, random });
      const { blames, weak } = judgePlan(stalled(drive), 'fixed');
      if (blames.length > 0) seen.convicted += 1;
      else if (weak.beyond !== null) seen.weak += 1;
    }
  }
  expect(seen.convicted + seen.weak).toBe(20);
  expect(seen.convicted).toBeGreaterThan(0);
  expect(seen.weak).toBeGreaterThan(0);
});

test('where all goes as planned, or what came of it is clear, nothing is called weak', () => {
  for (const kind of [fixedAnchored, slidingLog]) {
    const random = seededRandom(1);
    const decide = all(sold.map(kind), false);
    const drive = simulateDrive(sold, 'auto', { decide, jitterMs: 5, random });
    for (const each of [drive, stalled(drive)])
      expect(judgePlan(each, 'auto').weak).toEqual({ within: null, beyond: null });
  }
});
