import { expect, test } from '@playwright/test';
import { chooseSet, requirementSets } from '../../src/certification/requirement-sets.js';
import { specificationStatements } from '../../src/requirement/statements.js';
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

test('every section of the specification is stated, and every requirement tests a statement of a section that is its source', () => {
  const stated = specificationStatements();
  const ids = suitePack.requirements.map(({ id }) => id);
  const headings =
    '1|2 Envelope|2 Unit|2 Lead|2 Deal|3|4|4.1|4.2|4.3|4.4|4.5|4.6|4 Planned endpoints|4 Demo endpoint|4 Specification endpoint|5.1|5.2|5.3|5.4|5.5|5.6|5.7|6|7|8|9';
  const sections = [...new Set(stated.map(({ section }) => section))];
  expect(headings.split('|').filter((heading, at) => sections[at]?.startsWith(`§${heading}`) !== true)).toEqual([]);
  expect([...new Set(stated.flatMap((one) => one.ids))].sort()).toEqual([...ids].sort());
  const tests = suitePack.requirements.map(({ id, source }) => {
    const own = new Set(stated.filter((one) => one.ids.includes(id)).map(({ section }) => section.slice(0, 2)));
    const named = source.replace(/(?:RFC|OpenAPI|JSON Schema|draft|OWASP).*$/, '').match(/§\d/g) ?? [];
    return [id, [...new Set(named)].filter((section) => !own.has(section))];
  });
  expect(tests.filter(([, missing]) => missing?.length !== 0)).toEqual([]);
});
