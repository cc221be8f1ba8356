import { defineRequirement, hasLimitHeaders, judgeLimits, judgePlanHeaders, tryOtherOperations } from '../src/suite.js';

export const LIMIT_05 = defineRequirement({
  id: 'LIMIT-05',
  level: 'MUST',
  source: 'RFC 6585 §4, RFC 9110 §10.2.3',
  title: 'a 429 may not be cached, and after its Retry-After requests are accepted again',
  slow: true,
  body: ({ check }) => judgeLimits(check, 'LIMIT-05'),
});

export const LIMIT_07 = defineRequirement({
  id: 'LIMIT-07',
  level: 'MUST',
  source: '§8, draft-ietf-httpapi-ratelimit-headers-06 §3.1, §3.3, §3.4, §4',
  title: 'RateLimit-Limit, -Remaining and -Reset are true',
  slow: true,
  gateBody: async ({ check }) => {
    await tryOtherOperations(check);
    await judgePlanHeaders(check);
  },
  body: ({ check }) => judgeLimits(check, 'LIMIT-07'),
  invariants: [hasLimitHeaders('LIMIT-07')],
});
