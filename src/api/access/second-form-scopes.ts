import { describe } from '../../run/check.js';
import type { Check } from '../../run/check.js';
import { dealsIn } from '../deals/deals.js';
import { dataOf, isSuccess } from '../envelope.js';
import { scopedKeys } from './scopes.js';

const lists = { inventory: '/v1/units', deals: '/v1/deals', leads: '/v1/leads' } as const;

/** Scopes hold at API_BASE_URL, too; the lists of what a key is not for are tried with it, where that form is configured. */
export async function judgeSecondFormScopes(check: Check): Promise<void> {
  const base = check.target.apiBaseUrl;
  if (base === null) return;
  for (const { name, scope } of scopedKeys(check.target)) {
    for (const [resource, path] of Object.entries(lists)) {
      // Whether writing implies reading is left open.
      if (scope.endsWith(`:${resource}`)) continue;
      const exchange = await check.send({ as: name, base, path });
      if (!isSuccess(exchange) || dealsIn(dataOf(exchange)).length === 0) continue;
      check.fail({
        expected: `a ${scope} key not to be shown ${path} at API_BASE_URL`,
        actual: describe(exchange),
        exchanges: [exchange],
      });
    }
  }
}
