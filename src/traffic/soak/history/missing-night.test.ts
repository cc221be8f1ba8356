import { expect, test } from '@playwright/test';
import { missingNight } from './missing-night.js';
import { soakRun } from './soak-run.test-kit.js';

/** Soak runs that began at these hours, and whether the last one finds that a night is missing. */
function isMissing(...hours: number[]): boolean {
  const runs = hours.map((hour) => ({
    ...soakRun(1, 10, 5),
    started: new Date(Date.UTC(2026, 0, 1, hour)).toISOString(),
  }));
  const current = runs.at(-1);
  return current !== undefined && missingNight(current, runs.slice(0, -1)) !== null;
}

test('a night is missing where the gap is half as long again as usual, and at least 36 h', () => {
  expect(isMissing(0, 24, 48, 72)).toBe(false);
  expect(isMissing(0, 24, 48, 84)).toBe(false);
  expect(isMissing(0, 24, 48, 85)).toBe(true);
  expect(isMissing(0, 24, 48, 96)).toBe(true);
  // Every week.
  expect(isMissing(0, 168, 336, 504)).toBe(false);
  expect(isMissing(0, 168, 336, 672)).toBe(true);
  // Several soaks of one afternoon are no period, and two show none.
  expect(isMissing(0, 1, 2, 26)).toBe(false);
  expect(isMissing(0, 24, 300)).toBe(false);
});

test('a pause at each weekend is no missing night; one gap hides no other', () => {
  const weekdays = [0, 24, 48, 72, 96, 168, 192, 216, 240, 264, 336];
  expect(isMissing(...weekdays, 360, 384, 408, 432, 504)).toBe(false);
  expect(isMissing(0, 24, 72, 96, 144)).toBe(true);
});

test('only soaks under the same conditions count', () => {
  const at = (day: number, conditions: string) => ({ ...soakRun(day, 10, 5), conditions });
  const earlier = [at(1, 'a'), at(2, 'a'), at(3, 'a'), at(4, 'b'), at(5, 'b')];
  expect(missingNight(at(6, 'a'), earlier)).toBe(
    'the last soak under these conditions began 72.0 h before this one, where 24.0 h are usual',
  );
  expect(missingNight(at(6, 'b'), earlier)).toBe(null);
});
