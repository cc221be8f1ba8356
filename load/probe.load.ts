import {
  beyondPlan,
  blockWhereWeak,
  defineRequirement,
  describeLowered,
  describePartition,
  hasLimitHeaders,
  judgeFailureHeaders,
  modelLabels,
  nameOf,
  reportHeaders,
  sawNothing,
  triedLimits,
  tryOtherOperations,
} from '../src/suite.js';

export const LIMIT_06 = defineRequirement({
  id: 'LIMIT-06',
  level: 'MUST',
  source: '§8, draft-ietf-httpapi-ratelimit-headers-06 §3.1, §3.3, §3.4',
  title: 'every accepted and every refused answer carries the three RateLimit headers, well-formed',
  slow: true,
  gateBody: async ({ check }) => {
    await judgeFailureHeaders(check);
    await tryOtherOperations(check);
  },
  body: async ({ check }) => {
    const found = await reportHeaders(check, 'LIMIT-06');
    // The limits are driven on the unit list alone: the answers of other operations owe the headers as well.
    if (check.target.keys.API_KEY !== undefined) await tryOtherOperations(check);
    blockWhereWeak(check, found);
  },
  invariants: [hasLimitHeaders('LIMIT-06')],
});

export const LIMIT_09 = defineRequirement({
  id: 'LIMIT-09',
  level: 'OBSERVE',
  source: '§8',
  title: 'which ways to count the limits are consistent with what was seen',
  slow: true,
  body: async ({ check }) => {
    const found = await triedLimits(check);
    for (const verdict of found.verdicts) {
      const admitted = verdict.models.filter((limiter) => limiter.admitted);
      const names = [...new Set(admitted.map((limiter) => modelLabels[limiter.name]))].join(', ');
      check.observe(`Which ways to count are consistent with the ${nameOf(verdict)}?`, names === '' ? 'none' : names);
      for (const [how, why] of beyondPlan(verdict)) check.observe(`Why was the ${nameOf(verdict)} ${how}?`, why);
      const { operations = [] } = verdict.trace;
      if (operations.length > 0)
        check.observe(`Which operations were the ${nameOf(verdict)} tried with?`, operations.join(', '));
      const lowered = describeLowered(verdict);
      if (lowered !== null) check.observe(`Is RateLimit-Remaining of the ${nameOf(verdict)} lowered?`, lowered);
      if (admitted.length > 0 && verdict.refusals.length > 0) {
        const counted = admitted.every((limiter) => limiter.needsRefusalsCounted);
        check.observe(
          `Do refused requests count against the ${nameOf(verdict)}?`,
          counted ? 'yes' : 'nothing seen needs it',
        );
      }
    }
    check.observe('Do limits count by key or by tenant?', await describePartition(check));
    for (const { plan, why } of found.leftOut)
      check.observe(`Which ways to count are consistent with the ${plan} limit?`, `not tried: ${why}`);
  },
});

export const LIMIT_10 = defineRequirement({
  id: 'LIMIT-10',
  level: 'SHOULD',
  source: 'RFC 6585 §4, draft-ietf-httpapi-ratelimit-headers-06 §3.4, §4',
  title: 'a 429 says when to come back, and the headers agree with each other',
  slow: true,
  body: async ({ check }) => {
    const found = await reportHeaders(check, 'LIMIT-10');
    blockWhereWeak(check, found);
    if (sawNothing(found, 'LIMIT-10')) return check.blocked('nothing was refused (see LIMIT-02)');
  },
});
