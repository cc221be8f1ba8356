import { defineRequirement, judgeLimits, triedLimits, whyLeftOut } from '../src/suite.js';

export const LIMIT_03 = defineRequirement({
  id: 'LIMIT-03',
  level: 'MUST',
  source: '§8',
  title: 'requests beyond the sustained limit (per second) are refused',
  slow: true,
  optional: 'no plan that was tried has a sustained limit',
  body: async ({ check }) => {
    const { plans, leftOut } = await triedLimits(check);
    if (plans.every(({ subject }) => subject.limits.length < 2))
      return check.notApplicable(
        ...whyLeftOut('no plan with a sustained limit beside its burst limit was tried', leftOut),
      );
    await judgeLimits(check, 'LIMIT-03');
  },
});
