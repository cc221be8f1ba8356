import {
  beyondPlan,
  blockWhereWeak,
  describeScope,
  nameOf,
  reportHeaders,
  triedLimits,
} from '../src/traffic/report-limits.js';
import { requirement, test } from '../src/suite.js';

test(
  'every accepted and every refused answer carries the three RateLimit headers, well-formed',
  requirement('LIMIT-06', 'MUST', '§8, draft-ietf-httpapi-ratelimit-headers', { slow: true }),
  async ({ check }) => {
    const found = await reportHeaders(check, 'LIMIT-06');
    const owed = found.plans.some(({ subject }) => subject.keyName !== null);
    const sent = found.verdicts.some(({ trace }) =>
      trace.conducted.records.some(({ limit, remaining, reset }) => (limit ?? remaining ?? reset) !== undefined),
    );
    if (!owed && !sent)
      return check.notApplicable(
        `no answer carried the headers, and no key of a plan was tried: ${found.leftOut.map(({ plan, why }) => `${why} for ${plan}`).join('; ')}`,
      );
    blockWhereWeak(check, found);
  },
);

test(
  'which readings of the numbers explain what was seen',
  requirement('LIMIT-09', 'OBSERVE', '§8', { slow: true }),
  async ({ check }) => {
    const found = await triedLimits(check);
    for (const verdict of found.verdicts) {
      const admitted = verdict.readings.filter((reading) => reading.admitted);
      const names = [...new Set(admitted.map((reading) => reading.name))].join(', ');
      check.observe(`Which readings explain the ${nameOf(verdict)}?`, names === '' ? 'none' : names);
      for (const [how, why] of beyondPlan(verdict)) check.observe(`Why was the ${nameOf(verdict)} driven ${how}?`, why);
      const scope = describeScope(verdict);
      if (scope !== null) check.observe(`Does the ${nameOf(verdict)} count by key or by tenant?`, scope);
      if (admitted.length > 0 && verdict.refusals.length > 0) {
        const counted = admitted.every((reading) => reading.needsRefusalsCounted);
        check.observe(
          `Do refused requests count against the ${nameOf(verdict)}?`,
          counted ? 'yes' : 'nothing seen needs it',
        );
      }
    }
    for (const { plan, why } of found.leftOut)
      check.observe(`Which readings explain the ${plan} limit?`, `not tried: ${why}`);
  },
);

test(
  'a 429 says when to come back, and the headers agree with each other',
  requirement('LIMIT-10', 'SHOULD', 'RFC 6585 §4, draft-ietf-httpapi-ratelimit-headers', { slow: true }),
  async ({ check }) => {
    const found = await reportHeaders(check, 'LIMIT-10');
    blockWhereWeak(check, found);
    if (found.verdicts.every((verdict) => verdict.refusals.length === 0) && check.breaches.length === 0)
      return check.blocked('nothing was refused (see LIMIT-02)');
  },
);
