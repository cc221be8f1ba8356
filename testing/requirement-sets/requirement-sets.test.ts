import { expect, test } from '@playwright/test';
import { chooseSet, requirementSets } from '../../src/certification/requirement-sets.js';
import { suitePack } from '../../src/suite-pack.js';

for (const { set, requirements } of requirementSets())
  test(`the set ${set} holds the requirements of that month or before, and their levels stay`, () => {
    const due = suitePack.requirements.filter(({ since = set }) => since <= set).map(({ id, level }) => [id, level]);
    expect(requirements, 'a new requirement has a "since"').toEqual(Object.fromEntries(due));
  });

test('the newest set in force is chosen, and a name that there is not is refused', () => {
  expect(chooseSet(null, new Date('2026-11-30'))).toBe('2026-11');
  expect(chooseSet(null, new Date('2020-01-01'))).toBe('2026-11');
  expect(chooseSet('2026-11')).toBe('2026-11');
  expect(() => chooseSet('2031-01')).toThrow(/--set names "2031-01", which is no requirement set: expected 2026-11/);
});
