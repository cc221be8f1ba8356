import { expect, test } from '@playwright/test';
import { renderJUnit } from '../../reports/junit.js';
import { soakRun } from '../../traffic/soak/history/soak-run.test-kit.js';
import type { SoakComparison } from '../../traffic/soak/history/compare-soak-runs.js';
import type { FailOn } from './load-options.js';
import { failsNight, soakEvents, soakReport, type SoakNight } from './soak-report.js';

const quiet: SoakComparison = {
  verdict: 'cannot tell',
  reason: '+1.0 % in p50',
  compared: true,
  errorsCompared: true,
  moreErrors: null,
};

function night(more: Partial<SoakComparison>, missing: string | null, ...failOn: FailOn[]): SoakNight {
  const run = soakRun(5, 10, 5);
  const thresholds = [
    { text: 'p95<9ms', value: 10, kept: false },
    { text: 'errors<1%', value: 0, kept: true },
    { text: 'p50<1ms', value: null, kept: false },
  ];
  const service = { ...run.service, thresholds };
  return {
    run: { ...run, service },
    comparison: { ...quiet, ...more },
    missing,
    failOn,
    terminated: false,
  };
}

const verdicts = (one: SoakNight): Record<string, string> =>
  Object.fromEntries(soakReport(one, 'http://x').requirements.map(({ id, verdict }) => [id, verdict]));

test('thresholds and comparisons of a soak are cases; a change fails only where --fail-on names it', () => {
  const thresholds = { 'THRESHOLD-01': 'fail', 'THRESHOLD-02': 'pass', 'THRESHOLD-03': 'blocked' };
  const nights = (...three: string[]) => ({
    ...thresholds,
    'NIGHTS-01': three[0],
    'NIGHTS-02': three[1],
    'NIGHTS-03': three[2],
  });
  expect(verdicts(night({}, null))).toEqual(nights('pass', 'pass', 'pass'));
  const worse = { verdict: 'slower', moreErrors: '2 % failed' } as const;
  expect(verdicts(night(worse, '72 h'))).toEqual(nights('warn', 'warn', 'warn'));
  expect(verdicts(night(worse, '72 h', 'slower', 'missing-night'))).toEqual(nights('fail', 'warn', 'fail'));
  expect(verdicts(night({ compared: false, errorsCompared: false }, null))).toEqual(
    nights('not-applicable', 'not-applicable', 'pass'),
  );
  expect(verdicts({ ...night({}, null), terminated: true })).toEqual({
    ...nights('pass', 'pass', 'pass'),
    'THRESHOLD-00': 'blocked',
  });
  const junit = renderJUnit(soakReport(night(worse, null, 'errors'), 'http://x'));
  expect(junit).toMatch(
    /name="NIGHTS-02 no more requests fail than in earlier soaks"[^>]*><failure message="2 % failed"/,
  );
  expect(junit).toMatch(/name="THRESHOLD-01 p95&lt;9ms"[^>]*><failure message="10\.0 ms"/);
});

test('--fail-on names what it is about, and faster never fails', () => {
  const all = ['slower', 'errors', 'missing-night'] as const;
  expect(failsNight(night({ verdict: 'slower' }, null))).toBe(false);
  expect(failsNight(night({ verdict: 'slower' }, null, 'errors', 'missing-night'))).toBe(false);
  expect(failsNight(night({ verdict: 'slower' }, null, 'slower'))).toBe(true);
  expect(failsNight(night({ moreErrors: '2 %' }, null, 'errors'))).toBe(true);
  expect(failsNight(night({}, '72 h', 'missing-night'))).toBe(true);
  expect(failsNight(night({ verdict: 'faster' }, null, ...all))).toBe(false);
});

test('the events of a night are its broken thresholds and its differences', () => {
  expect(soakEvents(night({ verdict: 'faster', reason: '-8.0 %', moreErrors: '2 %' }, '72 h'))).toEqual([
    'p95<9ms: 10.0 ms',
    'p50<1ms: not judged, as nothing was answered',
    'faster: -8.0 %',
    'more errors: 2 %',
    'a night is missing: 72 h',
  ]);
});
