import { expect, test } from '@playwright/test';
import { renderJUnit } from '../../reports/junit.js';
import { soakRun } from '../../traffic/soak/soak-run.test-kit.js';
import type { SoakComparison } from '../../traffic/soak/history.js';
import type { FailOn } from '../command-table.js';
import { soakReport, type SoakNight } from './soak-report.js';

const quiet: SoakComparison = {
  verdict: 'not slower',
  reason: 'p50 1.0 ms, usually 1.0 ms',
  moreErrors: null,
  nights: [{ name: 'errors', value: 0, usual: 0, spread: 0, isAbove: false, isRise: false }],
};

function night(more: Partial<SoakComparison>, ...failOn: FailOn[]): SoakNight {
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
    failOn,
    terminated: false,
  };
}

const verdicts = (one: SoakNight): Record<string, string> =>
  Object.fromEntries(soakReport(one, 'http://x').requirements.map(({ id, verdict }) => [id, verdict]));

test('thresholds and comparisons of a soak are cases; a change fails only where --fail-on names it', () => {
  const thresholds = { 'THRESHOLD-01': 'fail', 'THRESHOLD-02': 'pass', 'THRESHOLD-03': 'blocked' };
  const nights = (...two: string[]) => ({ ...thresholds, 'NIGHTS-01': two[0], 'NIGHTS-02': two[1] });
  expect(verdicts(night({}))).toEqual(nights('pass', 'pass'));
  const worse = { verdict: 'slower', moreErrors: '2 % failed' } as const;
  expect(verdicts(night(worse))).toEqual(nights('warn', 'warn'));
  expect(verdicts(night(worse, 'slower'))).toEqual(nights('fail', 'warn'));
  expect(verdicts(night({ verdict: 'cannot tell', nights: [] }))).toEqual(nights('not-applicable', 'not-applicable'));
  expect(verdicts({ ...night({}), terminated: true })).toEqual({
    ...nights('pass', 'pass'),
    'THRESHOLD-00': 'blocked',
  });
  const junit = renderJUnit(soakReport(night(worse, 'errors'), 'http://x'));
  expect(junit).toMatch(
    /name="NIGHTS-02 no more requests fail than in earlier soaks"[^>]*><failure message="2 % failed"/,
  );
  expect(junit).toMatch(/name="THRESHOLD-01 p95&lt;9ms"[^>]*><failure message="10\.0 ms"/);
});
