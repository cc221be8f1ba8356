import {
  beyondPlan,
  blockWhereWeak,
  describeLowered,
  describeScope,
  nameOf,
  reportHeaders,
  triedLimits,
} from '../src/traffic/report-limits.js';
import { modelLabels } from '../src/limiter/reading.js';
import { isSuccess } from '../src/api/envelope.js';
import { plainLead, postLead } from '../src/api/leads.js';
import { paths } from '../src/api/paths.js';
import { header } from '../src/http/exchange.js';
import type { Exchange } from '../src/http/exchange.js';
import { describe, requirement, test } from '../src/suite.js';
import type { Check } from '../src/suite.js';

test(
  'every accepted and every refused answer carries the three RateLimit headers, well-formed',
  requirement('LIMIT-06', 'MUST', '§8, draft-ietf-httpapi-ratelimit-headers-06 §3.1, §3.3, §3.4', { slow: true }),
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
    if (check.target.keys.API_KEY !== undefined && check.breaches.length === 0) await judgeOtherOperations(check);
    blockWhereWeak(check, found);
  },
);

/** The limits are driven on the unit list alone: where that carries the headers, so do other operations. The key is one that no drive has used up. */
async function judgeOtherOperations(check: Check): Promise<void> {
  const lacking = (exchange: Exchange): string[] =>
    ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'].filter(
      (name) => header(exchange, name.toLowerCase()) === undefined,
    );
  const list = await check.send({ path: paths.units, query: [['limit', '1']] });
  if (lacking(list).length > 0) return;
  const others = [await check.send({ path: paths.deals })];
  if (!check.target.readOnly) {
    // Which lead comes next depends on the leads that the drives sent, which are not made again offline.
    const key = check.fresh('idempotency key');
    const lead = await check.recorded('lead for LIMIT-06', () => plainLead(check));
    others.push(await postLead(check, lead, { key }));
  }
  for (const exchange of others.filter(isSuccess).filter((one) => lacking(one).length > 0))
    check.breach({
      expected: 'the three RateLimit headers on every accepted response',
      actual: `${describe(exchange)} without ${lacking(exchange).join(', ')}`,
      exchanges: [list, exchange],
    });
}

test(
  'which ways to count the limits are consistent with what was seen',
  requirement('LIMIT-09', 'OBSERVE', '§8', { slow: true }),
  async ({ check }) => {
    const found = await triedLimits(check);
    for (const verdict of found.verdicts) {
      const admitted = verdict.readings.filter((reading) => reading.admitted);
      const names = [...new Set(admitted.map((reading) => modelLabels[reading.name]))].join(', ');
      check.observe(`Which ways to count are consistent with the ${nameOf(verdict)}?`, names === '' ? 'none' : names);
      for (const [how, why] of beyondPlan(verdict)) check.observe(`Why was the ${nameOf(verdict)} ${how}?`, why);
      const { operations = [] } = verdict.trace;
      if (operations.length > 0)
        check.observe(`Which operations were the ${nameOf(verdict)} tried with?`, operations.join(', '));
      const lowered = describeLowered(verdict);
      if (lowered !== null) check.observe(`Is RateLimit-Remaining of the ${nameOf(verdict)} lowered?`, lowered);
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
      check.observe(`Which ways to count are consistent with the ${plan} limit?`, `not tried: ${why}`);
  },
);

test(
  'a 429 says when to come back, and the headers agree with each other',
  requirement('LIMIT-10', 'SHOULD', 'RFC 6585 §4, draft-ietf-httpapi-ratelimit-headers-06 §3.4, §4', { slow: true }),
  async ({ check }) => {
    const found = await reportHeaders(check, 'LIMIT-10');
    blockWhereWeak(check, found);
    if (found.verdicts.every((verdict) => verdict.refusals.length === 0) && check.breaches.length === 0)
      return check.blocked('nothing was refused (see LIMIT-02)');
  },
);
