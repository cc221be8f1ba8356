import { expect, test } from '@playwright/test';
import type { Verdict } from '../../src/requirement/types.js';
import { allCases } from './cases.js';
import { keyOf } from './judge-service.js';
import type { CaseOutcome } from './outcome.js';
import { pairwiseVariants } from './variants.js';
import { differencesFrom, readTable, tableOf } from './verdict-table.js';

/** The outcome of a fault of UNIT-03 that came to these verdicts. */
function outcome(verdicts: Record<string, Verdict>, changes: Partial<CaseOutcome> = {}): CaseOutcome {
  return {
    ...{ kind: 'fault', name: 'filter-ignored', requirement: 'UNIT-03', warns: false },
    ...{ alternatives: [], missed: null, reasons: {}, levels: {}, codes: {}, isReached: true, requests: 0, seconds: 0 },
    verdicts,
    ...changes,
  };
}

test('the table keeps what did not pass, in one order, and no limit but the one of the fault', () => {
  const limit = { name: 'too-much', requirement: 'LIMIT-02' } as const;
  const table = tableOf([
    outcome({ 'UNIT-10': 'fail', 'UNIT-03': 'fail', 'UNIT-04': 'pass', 'LIMIT-01': 'blocked', 'AUTH-04': 'blocked' }),
    outcome({ 'LIMIT-01': 'blocked', 'LIMIT-02': 'fail' }, limit),
    outcome({ 'LIMIT-01': 'fail', 'LIMIT-02': 'pass' }, { ...limit, name: 'either', alternatives: ['LIMIT-01'] }),
  ]);
  expect(table).toEqual({
    'fault:filter-ignored': { blocked: ['AUTH-04'], fail: ['UNIT-03', 'UNIT-10'] },
    'fault:too-much': { fail: ['LIMIT-02'] },
    'fault:either': {},
  });
});

test('an outcome is compared verdict by verdict', () => {
  const table = tableOf([outcome({ 'UNIT-03': 'fail', 'UNIT-04': 'warn', 'UNIT-05': 'fail' })]);
  expect(differencesFrom(table, outcome({ 'UNIT-03': 'fail', 'UNIT-04': 'warn', 'UNIT-05': 'fail' }))).toEqual([]);
  expect(
    differencesFrom(table, outcome({ 'UNIT-03': 'pass', 'UNIT-04': 'fail', 'UNIT-05': 'fail', 'UNIT-06': 'blocked' })),
  ).toEqual(['UNIT-03 was fail, is pass', 'UNIT-04 was warn, is fail', 'UNIT-06 was pass, is blocked']);
  expect(differencesFrom(table, outcome({}, { name: 'another' }))).toEqual(['not in the table of verdicts']);
  expect(differencesFrom(null, outcome({ 'UNIT-03': 'pass' }))).toEqual([]);
});

test('what chance decides is named, and not compared', () => {
  const before = { 'fault:filter-ignored': { fail: ['UNIT-03'], varies: ['UNIT-04'] } };
  const now = outcome({ 'UNIT-03': 'fail', 'UNIT-04': 'warn' });
  expect(differencesFrom(before, now)).toEqual([]);
  expect(tableOf([now], before)).toEqual(before);
});

test('a fault is reported by one of the codes of the table, or for another reason', () => {
  const by = (...codes: readonly string[]): CaseOutcome =>
    outcome({ 'UNIT-03': 'fail', 'UNIT-04': 'fail' }, { codes: { 'UNIT-03': codes, 'UNIT-04': ['too-many'] } });
  const table = tableOf([by('not-filtered')]);
  expect(table).toEqual({ 'fault:filter-ignored': { fail: ['UNIT-03', 'UNIT-04'], by: ['not-filtered'] } });
  expect(differencesFrom(table, by('lost', 'not-filtered'))).toEqual([]);
  expect(differencesFrom(table, by('lost'))).toEqual(['reported by lost, not by not-filtered']);
  expect(tableOf([by('lost', 'not-filtered')], table)['fault:filter-ignored']?.['by']).toEqual([
    'lost',
    'not-filtered',
  ]);
  expect(tableOf([by('lost')], table)['fault:filter-ignored']?.['by']).toEqual(['lost']);
});

test('the committed table has each case of the proof, and no other', () => {
  const keys = allCases(pairwiseVariants()).map(keyOf);
  expect(Object.keys(readTable() ?? {}).toSorted()).toEqual(keys.toSorted());
});
