import {
  blockWhereWeak,
  defineRequirement,
  hasLimitHeaders,
  judgePlanHeaders,
  reportHeaders,
  sawNothing,
  tryOtherOperations,
} from '../src/suite.js';

export const LIMIT_05 = defineRequirement({
  id: 'LIMIT-05',
  level: 'MUST',
  source: 'RFC 6585 §4, RFC 9110 §10.2.3',
  title: 'a 429 may not be cached, and after its Retry-After requests are accepted again',
  slow: true,
  body: async ({ check }) => {
    const found = await reportHeaders(check, 'LIMIT-05');
    blockWhereWeak(check, found);
    if (sawNothing(found, 'LIMIT-05')) return check.blocked('nothing was refused (see LIMIT-02)');
  },
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
  body: async ({ check }) => {
    const found = await reportHeaders(check, 'LIMIT-07');
    const judged = found.verdicts.filter((verdict) =>
      verdict.trace.conducted.records.some((record) => record.limit !== undefined && record.reset !== undefined),
    );
    blockWhereWeak(check, found);
    if (judged.length === 0) return check.blocked('no answer carried the headers (see LIMIT-06)');
  },
  invariants: [hasLimitHeaders('LIMIT-07')],
});
