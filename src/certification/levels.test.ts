import { expect, test } from '@playwright/test';
import { corePasses, sampleResult } from '../reports/test-kit.js';
import { readPack } from '../requirement/read-pack.js';
import { levelNames, levelsOf } from './levels.js';

const catalogue = [{ id: 'DOC-10', optional: 'no contract is pinned' }];

const coreOf = (more: readonly ReturnType<typeof sampleResult>[]): string =>
  levelsOf({ requirements: [...corePasses, ...more] }, catalogue)[0]?.standing ?? '';

test('a level needs everything in it: nothing failed, blocked or left out', () => {
  expect(coreOf([])).toBe('granted');
  for (const verdict of ['fail', 'blocked', 'error', 'not-applicable'] as const)
    expect(coreOf([sampleResult('AUTH-04', verdict)])).toBe('withheld');
  expect(
    coreOf([
      sampleResult('LEAD-06', 'warn', { level: 'SHOULD' }),
      sampleResult('DOC-10', 'not-applicable'),
      sampleResult('LEAD-08', 'not-applicable', { level: 'OBSERVE' }),
    ]),
  ).toBe('granted');
  // What a later set demands is not owed yet.
  expect(coreOf([{ ...sampleResult('AUTH-09', 'not-applicable'), upcoming: '2027-05' }])).toBe('granted');
  expect(levelsOf({ requirements: corePasses.slice(1) }, catalogue)[0]).toMatchObject({
    standing: 'withheld',
    why: 'DOC was not run',
  });
  const limits = levelsOf({ requirements: [...corePasses, sampleResult('LIMIT-01', 'pass')] }, catalogue, [
    'independent',
  ]);
  expect(limits.filter((one) => one.standing === 'granted').map((one) => one.name)).toEqual([
    'Core',
    'Limits: independent',
  ]);
});

test('a pack may not take the name of a level of the suite', () => {
  const pack = (level: string): object => ({ name: 'a', sections: [{ id: 'A', title: 'A', level }], requirements: [] });
  expect(readPack(pack('Region North')).sections[0]?.level).toBe('Region North');
  for (const name of [...levelNames, 'core', 'Limits'])
    expect(() => readPack(pack(name)), name).toThrow(/level of the section A/);
});
