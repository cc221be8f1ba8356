import { expect, test } from '@playwright/test';
import type { Verdict } from '../requirement/types.js';
import { steadyStatus, steadyTable } from './steady-table.js';
import type { SteadyOutcome } from './steady-table.js';

function outcome(requirement: string | null, verdicts: Readonly<Record<string, Verdict>>): SteadyOutcome {
  return {
    name: requirement === null ? 'a conforming one' : 'a fault',
    requirement,
    collateral: ['LIMIT-08'],
    seconds: 3,
    verdicts: Object.entries(verdicts).map(([id, verdict]) => ({ id, verdict, reason: `why ${id}` })),
  };
}

test('a steady run is green only where all that was asked for was run and judged, and rightly', () => {
  const green = outcome(null, { 'LIMIT-01': 'pass', 'LIMIT-02': 'pass' });
  expect(steadyStatus([green, green], 2)).toBe(0);
  expect(steadyStatus([green], 2)).toBe(3);
  expect(steadyStatus([], 2)).toBe(3);
  expect(steadyStatus([green, outcome(null, { 'LIMIT-01': 'blocked' })], 2)).toBe(3);
  for (const verdict of ['fail', 'warn', 'error'] as const)
    expect(steadyStatus([outcome(null, { 'LIMIT-01': verdict })], 1)).toBe(1);
});

test('a fault has to turn its own requirement red, and nothing that it does not break', () => {
  const judged = (verdicts: Readonly<Record<string, Verdict>>): number =>
    steadyStatus([outcome('LIMIT-02', verdicts)], 1);
  expect(judged({ 'LIMIT-02': 'fail', 'LIMIT-01': 'pass' })).toBe(0);
  expect(judged({ 'LIMIT-02': 'fail', 'LIMIT-08': 'fail', 'LIMIT-01': 'blocked' })).toBe(0);
  expect(judged({ 'LIMIT-02': 'blocked' })).toBe(3);
  expect(judged({ 'LIMIT-02': 'pass' })).toBe(1);
  expect(judged({ 'LIMIT-02': 'not-applicable' })).toBe(1);
  expect(judged({ 'LIMIT-02': 'fail', 'LIMIT-01': 'fail' })).toBe(1);
});

test('the table names what turned red, and what was not run', () => {
  const table = steadyTable([outcome('LIMIT-02', { 'LIMIT-02': 'fail', 'LIMIT-08': 'fail' })], 4);
  expect(table).toContain('| LIMIT-02, LIMIT-08 |');
  expect(table).toContain('1 of 4 runs: 0 judged wrongly, 0 not judged in full; the others were not run');
});
