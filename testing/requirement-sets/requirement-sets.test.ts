import { expect, test } from '@playwright/test';
import { chooseSet, isReleased, requirementSets, setDigest } from '../../src/certification/requirement-sets.js';
import { fault } from '../../src/reference/faults/fault.js';
import { faults } from '../../src/reference/faults/faults.js';
import { suitePack } from '../../src/suite-pack.js';
import { contentOf } from './meaning.js';

for (const { set, released, requirements } of requirementSets())
  test(`the set ${set} holds what its file says`, () => {
    const how =
      released === 'yes'
        ? 'it is released: give what is new "since" the next set (CONTRIBUTING.md)'
        : `run "npm run requirements ${set}"`;
    expect(contentOf(set), how).toEqual(requirements);
  });

test('a set changes with what a requirement demands, and not with what came since', () => {
  const set = '2026-11';
  const [first, ...others] = suitePack.requirements;
  if (first === undefined) throw new Error('there is no requirement');
  const before = contentOf(set);
  const changed = (entry: object): unknown => contentOf(set, [{ ...first, ...entry }, ...others], faults);
  for (const entry of [{ level: 'SHOULD' }, { title: 'more' }, { source: '§9' }])
    expect(changed(entry)).not.toEqual(before);
  const added = fault('a-new-one', first.id, 'It is new.', {});
  expect(contentOf(set, suitePack.requirements, [...faults, added])).not.toEqual(before);
  expect(contentOf(set, suitePack.requirements, faults.slice(1))).not.toEqual(before);
  const since = { since: '2027-05' };
  const late = fault('a-new-one', first.id, 'It is new.', {}, since);
  expect(contentOf(set, [...suitePack.requirements, { ...first, id: 'NEW-01', ...since }], [...faults, late])).toEqual(
    before,
  );
  expect(contentOf('2027-05', [...suitePack.requirements, { ...first, id: 'NEW-01', ...since }])).toHaveProperty(
    'NEW-01',
  );
});

test('the newest set in force is chosen, and a name that there is not is refused', () => {
  expect(chooseSet(null, new Date('2026-11-30'))).toBe('2026-11');
  expect(chooseSet(null, new Date('2020-01-01'))).toBe('2026-11');
  expect(chooseSet('2026-11')).toBe('2026-11');
  expect(() => chooseSet('2031-01')).toThrow(/--set is "2031-01": expected a requirement set, 2026-11/);
  expect(setDigest('2026-11')).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(setDigest('2026-11')).not.toBe(setDigest('2031-01'));
  expect(isReleased('2031-01')).toBe(false);
});
