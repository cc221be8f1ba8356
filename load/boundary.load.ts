import {
  blockWhereWeak,
  defineRequirement,
  foreignNumber,
  nameOf,
  reportViolations,
  triedLimits,
} from '../src/suite.js';

export const LIMIT_01 = defineRequirement({
  id: 'LIMIT-01',
  level: 'MUST',
  source: '§8',
  title: 'no request within the limits is refused',
  slow: true,
  body: async ({ check }) => {
    await reportViolations(check, 'LIMIT-01', ['alone', 'within']);
  },
});

export const LIMIT_08 = defineRequirement({
  id: 'LIMIT-08',
  level: 'MUST',
  source: '§8',
  title: 'each key has the numbers of its own plan, and demo and sandbox have theirs',
  slow: true,
  body: async ({ check }) => {
    const found = await triedLimits(check);
    for (const verdict of found.verdicts) {
      const [first] = verdict.violations;
      if (first !== undefined)
        check.fail({
          code: 'not-as-applied',
          field: verdict.trace.subject.plan,
          expected: `${nameOf(verdict)} to match the applied limit`,
          actual: first.actual,
        });
      const number = foreignNumber(verdict);
      if (number !== null)
        check.fail({
          code: 'not-as-advertised',
          field: verdict.trace.subject.plan,
          expected: `${nameOf(verdict)} to match the advertised limit`,
          actual: number,
        });
    }
    for (const { plan, why } of found.leftOut) check.observe(`Does the ${plan} limit hold?`, `not tried: ${why}`);
    blockWhereWeak(check, found, ['alone', 'within', 'beyond']);
  },
});
