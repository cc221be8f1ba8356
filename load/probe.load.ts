import {
  defineRequirement,
  hasLimitHeaders,
  judgeFailureHeaders,
  judgeLimits,
  observeLimits,
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
    await triedLimits(check);
    // The limits are driven on lists alone: the answers of other operations owe the headers as well.
    if (check.target.keys.API_KEY !== undefined) await tryOtherOperations(check);
    await judgeLimits(check, 'LIMIT-06');
  },
  invariants: [hasLimitHeaders('LIMIT-06')],
});

export const LIMIT_09 = defineRequirement({
  id: 'LIMIT-09',
  level: 'OBSERVE',
  source: '§8',
  title: 'which ways to count the limits are consistent with what was seen',
  slow: true,
  body: ({ check }) => observeLimits(check),
});

export const LIMIT_10 = defineRequirement({
  id: 'LIMIT-10',
  level: 'SHOULD',
  source: 'RFC 6585 §4, draft-ietf-httpapi-ratelimit-headers-06 §3.4, §4',
  title: 'a 429 says when to come back, and the headers agree with each other',
  slow: true,
  body: ({ check }) => judgeLimits(check, 'LIMIT-10'),
});
