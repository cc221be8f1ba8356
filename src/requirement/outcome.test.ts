import { expect, test } from '@playwright/test';
import type { Verdict } from './types.js';
import { countsOf, exitStatus, outcomeOf } from './outcome.js';
import { sampleReport, sampleResult } from '../reports/test-kit.js';

const cases: readonly (readonly [readonly Verdict[], string, number])[] = [
  [['pass'], 'conformant', 0],
  [['pass', 'warn', 'not-applicable'], 'conformant', 0],
  [['warn'], 'conformant', 0],
  [['pass', 'blocked'], 'incomplete', 3],
  [['pass', 'error'], 'incomplete', 4],
  [['blocked', 'error'], 'incomplete', 4],
  [['pass', 'fail'], 'nonconformant', 1],
  [['error', 'blocked', 'fail'], 'nonconformant', 1],
  [['not-applicable'], 'incomplete', 3],
  [[], 'incomplete', 2],
];

for (const [verdicts, outcome, status] of cases) {
  test(`${verdicts.join(' + ') || 'no verdict'} is ${outcome}, exit ${status}`, () => {
    for (const order of [verdicts, [...verdicts].reverse()]) {
      const results = order.map((verdict, index) => sampleResult(`UNIT-0${index + 1}`, verdict));
      expect(outcomeOf(results)).toBe(outcome);
      expect(exitStatus(sampleReport(results))).toBe(status);
    }
  });
}

test('counts name every verdict, also those that did not occur', () => {
  const results = [sampleResult('UNIT-01', 'pass'), sampleResult('UNIT-02', 'pass'), sampleResult('UNIT-03', 'fail')];
  expect(countsOf(results)).toEqual({
    pass: 2,
    fail: 1,
    warn: 0,
    'not-applicable': 0,
    blocked: 0,
    error: 0,
    waived: 0,
  });
});
