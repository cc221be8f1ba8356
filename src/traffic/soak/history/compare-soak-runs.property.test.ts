import { expect, test } from '@playwright/test';
import { longProofs, randomFrom } from '../../../../testing/limiter-simulators/test-kit.js';
import { certain, compareSoakRuns } from './compare-soak-runs.js';
import type { SoakRun } from './history.js';
import { studentTwoSided } from './ancova.js';
import { simulatedNight, simulatedNights, type Scene } from './simulated-night.test-kit.js';
import { soakRun, withErrors } from './soak-run.test-kit.js';

function verdictCounts(sequences: number, scene: Scene): Record<string, number> {
  const counts: Record<string, number> = { slower: 0, faster: 0, 'cannot tell': 0 };
  for (let seed = 1; seed <= sequences; seed += 1) {
    const random = randomFrom(seed);
    const count = 4 + (seed % 7);
    const current = simulatedNight(count, scene, random);
    const earlier = simulatedNights(count, { share: scene.share }, random);
    const { verdict } = compareSoakRuns(current, earlier, seed);
    counts[verdict] = (counts[verdict] ?? 0) + 1;
  }
  return counts;
}

/** On the machine of the control, elsewhere, and half of it elsewhere. */
const shares = { here: 1, elsewhere: 0.03, 'half elsewhere': 0.4 } as const;

for (const [where, share] of Object.entries(shares)) {
  test(`a service ${where} that did not change is rarely called slower or faster, however the machine's speed changes`, () => {
    test.setTimeout(600_000);
    const sequences = longProofs ? 400 : 50;
    let all = 0;
    for (const machine of [1, 1.7, 0.6]) {
      const { slower = 0, faster = 0 } = verdictCounts(sequences, { share, machine });
      all += slower + faster;
      test.info().annotations.push({
        type: 'false alarms',
        description: `${slower + faster} of ${sequences} on a machine at ${machine} of its pace`,
      });
      // Two standard deviations of chance above the promised rate; below it all together.
      const promised = certain * sequences;
      expect(slower + faster).toBeLessThanOrEqual(Math.ceil(promised + 2 * Math.sqrt(promised)));
    }
    expect(all).toBeLessThanOrEqual(3 * certain * sequences);
  });

  test(`a service ${where} whose latency rises by half is often called slower in the first night, and never faster`, () => {
    test.setTimeout(600_000);
    const sequences = longProofs ? 120 : 8;
    const { slower = 0, faster = 0 } = verdictCounts(sequences, { share, factor: 1.5 });
    test.info().annotations.push({ type: 'reported', description: `${slower} of ${sequences}` });
    expect(faster).toBe(0);
    expect(slower).toBeGreaterThanOrEqual(0.45 * sequences);
  });
}

test('tail probabilities of Student’s t agree with published tables', () => {
  const onePercent = [63.657, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.25];
  onePercent.forEach((t, at) => {
    expect(studentTwoSided(t, at + 1)).toBeCloseTo(0.01, 4);
  });
  expect(studentTwoSided(0, 5)).toBe(1);
});

const before = [soakRun(1, 10, 5), soakRun(2, 10.2, 5), soakRun(3, 9.9, 5.05), soakRun(4, 10.1, 4.95)];

test('slower and faster are reported only where chance, the spread between runs and the machine are ruled out', () => {
  const alone = before.map((one) => ({ ...one, control: null }));
  expect(compareSoakRuns(soakRun(5, 13, 5), before)).toMatchObject({
    verdict: 'slower',
    reason: expect.stringContaining('against 4 earlier runs'),
  });
  expect(compareSoakRuns(soakRun(5, 7, 5), before).verdict).toBe('faster');
  expect(compareSoakRuns(soakRun(5, 10.1, 5), before).verdict).toBe('cannot tell');
  expect(compareSoakRuns(soakRun(5, 30, 15), before).verdict).toBe('cannot tell');
  expect(compareSoakRuns(soakRun(5, 13, null), alone).verdict).toBe('cannot tell');
  expect(compareSoakRuns(soakRun(5, 13, 5), before.slice(0, 2)).reason).toContain('4 are needed');
});

test('soak runs with many errors are not called faster, and later runs are not compared with them', () => {
  const healthy = [1, 2, 3, 4].map((at) => soakRun(at, 10, 5));
  const refusing = (at: number, share: number): SoakRun => {
    const fast = soakRun(at, 0.3, 5);
    return { ...fast, service: withErrors(fast.service, share) };
  };
  expect(compareSoakRuns(refusing(5, 0.96), healthy)).toMatchObject({
    verdict: 'cannot tell',
    reason: expect.stringContaining('96.0 % of the requests failed'),
  });
  const latest = Array.from({ length: 12 }, () => refusing(5, 0.96));
  expect(compareSoakRuns(soakRun(6, 13, 5), [...healthy, ...latest])).toMatchObject({
    verdict: 'slower',
    reason: expect.stringContaining('against 4 earlier runs (12 more left out for their errors)'),
  });
  expect(compareSoakRuns(soakRun(6, 10, 5), latest).reason).toContain('0 comparable earlier runs (12 more left');
  expect(compareSoakRuns({ ...soakRun(6, 13, 5), control: refusing(6, 0.96).service }, healthy)).toMatchObject({
    verdict: 'cannot tell',
    reason: expect.stringContaining('96.0 % of the requests to the reference service failed'),
  });
  const hardly = soakRun(5, 13, 5);
  expect(compareSoakRuns({ ...hardly, service: withErrors(hardly.service, 0.03) }, healthy).verdict).toBe('slower');
});

test('only runs whose control was as long are compared, and a history that starts again says so', () => {
  const longer = before.map((one) => ({ ...one, control: one.service }));
  expect(compareSoakRuns(soakRun(5, 13, 5), longer)).toMatchObject({
    verdict: 'cannot tell',
    reason:
      '0 comparable earlier runs, where 4 are needed; the history starts again, as 4 earlier runs loaded the reference service for another length of time',
  });
});
