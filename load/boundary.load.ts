import { defineRequirement, judgeLimits, triedLimits } from '../src/suite.js';

export const LIMIT_01 = defineRequirement({
  id: 'LIMIT-01',
  level: 'MUST',
  source: '§8',
  title: 'no request within the limits is refused',
  slow: true,
  body: ({ check }) => judgeLimits(check, 'LIMIT-01'),
});

export const LIMIT_08 = defineRequirement({
  id: 'LIMIT-08',
  level: 'MUST',
  source: '§8',
  title: 'each key has the numbers of its own plan, and demo and sandbox have theirs',
  slow: true,
  body: async ({ check }) => {
    const { leftOut } = await triedLimits(check);
    for (const { plan, why } of leftOut) check.observe(`Does the ${plan} limit hold?`, `not tried: ${why}`);
    await judgeLimits(check, 'LIMIT-08');
  },
});
