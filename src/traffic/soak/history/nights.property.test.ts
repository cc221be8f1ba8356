import { expect, test } from '@playwright/test';
import { longProofs, randomFrom } from '../../../../testing/limiter-simulators/test-kit.js';
import { adjusted, certain, compareSoakRuns, type SoakComparison } from './compare-soak-runs.js';
import { errorRise } from './error-rise.js';
import { simulatedNight, simulatedNights, type Scene } from './simulated-night.test-kit.js';

/** The comparisons of three nights that follow ten others, which may have another scene. */
function threeNights(before: Scene, after: Scene, seed: number): SoakComparison[] {
  const random = randomFrom(seed);
  const nights = simulatedNights(10, before, random);
  return [10, 11, 12].map((at) => {
    const tonight = simulatedNight(at, after, random);
    const comparison = compareSoakRuns(tonight, nights, seed);
    nights.push(tonight);
    return comparison;
  });
}

/** How many of these histories have a night that `is` true of, and how many such nights there are. */
function count(histories: number, before: Scene, after: Scene, is: (one: SoakComparison) => boolean) {
  const found = Array.from({ length: histories }, (_, at) => threeNights(before, after, at + 1).filter(is).length);
  return { histories: found.filter((nights) => nights > 0).length, nights: found.reduce((sum, one) => sum + one, 0) };
}

const isAlarm = ({ verdict, moreErrors }: SoakComparison): boolean => verdict !== 'cannot tell' || moreErrors !== null;
const note = (type: string, description: string): void => void test.info().annotations.push({ type, description });

/** Elsewhere, on the machine of the control, and where errors come and go. */
const unchanged: Readonly<Record<string, Scene>> = {
  'a quiet service elsewhere': { share: 0.03, spread: 0.015, unrest: 0.5 },
  'a restless service on this machine': { share: 1 },
  'a service with a few errors': { share: 0.03, errorShare: 0.002 },
  'a service with many errors': { share: 0.4, errorShare: 0.02 },
};

for (const [name, scene] of Object.entries(unchanged)) {
  test(`${name} that does not change raises an alarm in at most one night of fifty`, () => {
    const histories = longProofs ? 200 : 20;
    const { nights } = count(histories, scene, scene, isAlarm);
    note('false alarms', `${nights} of ${3 * histories} nights`);
    expect(nights).toBeLessThanOrEqual(Math.ceil(certain * 3 * histories));
  });
}

test('a service that becomes 10 % slower is reported within three nights in at least 19 of 20 histories', () => {
  const quiet = { share: 0.03, spread: 0.015, unrest: 0.5 };
  const histories = longProofs ? 200 : 6;
  const found = count(histories, quiet, { ...quiet, factor: 1.1 }, ({ verdict }) => verdict === 'slower').histories;
  note('found', `${found} of ${histories}`);
  expect(found).toBeGreaterThanOrEqual(0.95 * histories);
});

test('ten times as many errors are reported within three nights in most histories', () => {
  const usual = { share: 0.03, errorShare: 0.001 };
  const histories = longProofs ? 200 : 10;
  const found = count(histories, usual, { ...usual, errorShare: 0.01 }, ({ moreErrors }) => moreErrors !== null);
  note('found', `${found.histories} of ${histories}`);
  expect(found.histories).toBeGreaterThanOrEqual(0.7 * histories);
});

test('a lasting change is reported by the nights together, and not once the service is as before', () => {
  const random = randomFrom(7);
  const quiet = { share: 0.03, spread: 0.015, unrest: 0.5 };
  const before = simulatedNights(10, quiet, random);
  const slow = simulatedNights(2, { ...quiet, factor: 1.1 }, random);
  const tonight = (factor: number) => simulatedNight(12, { ...quiet, factor }, random);
  expect(compareSoakRuns(tonight(1.1), [...before, ...slow])).toMatchObject({
    verdict: 'slower',
    reason: expect.stringContaining('for 3 nights against 10 earlier runs'),
  });
  expect(compareSoakRuns(tonight(1), [...before, ...slow]).verdict).toBe('cannot tell');
});

test('p values are adjusted for their number, and keep their order', () => {
  expect(adjusted([0.01, 0.04, 0.03, 0.005])).toEqual([0.03, 0.06, 0.06, 0.02]);
  expect(adjusted([0.9, 0.6])).toEqual([1, 1]);
  expect(adjusted([])).toEqual([]);
});

test('errors are compared by night: more than chance among requests, but no more than nights differ', () => {
  const none = Array.from({ length: 6 }, () => ({ due: 4_800, errors: 0 }));
  const wild = [0, 40, 3, 90, 10, 60].map((errors) => ({ due: 4_800, errors }));
  expect(errorRise({ due: 4_800, errors: 100 }, none)).toBeLessThan(0.001);
  expect(errorRise({ due: 4_800, errors: 1 }, none)).toBeGreaterThan(0.05);
  expect(errorRise({ due: 4_800, errors: 100 }, wild)).toBeGreaterThan(0.02);
  expect(errorRise({ due: 4_800, errors: 0 }, wild)).toBe(1);
});
