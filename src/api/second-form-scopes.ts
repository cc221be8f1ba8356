import { describe } from '../run/check.js';
import type { Check } from '../run/check.js';
import { dealsIn } from './deals.js';
import { dataOf, isSuccess } from './envelope.js';
import { scopedKeys } from './scopes.js';

/** Scopes hold under the second address form, too; one list is tried with each key, where that form is configured. */
export async function judgeSecondFormScopes(check: Check): Promise<void> {
  const base = check.target.apiBaseUrl;
  if (base === null) return;
  for (const { name, scope } of scopedKeys(check.target)) {
    // Whether writing implies reading is left open.
    const path = scope.endsWith(':inventory') ? '/v1/deals' : '/v1/units';
    const exchange = await check.send({ as: name, base, path });
    if (!isSuccess(exchange) || dealsIn(dataOf(exchange)).length === 0) continue;
    check.breach({
      expected: `a ${scope} key not to be shown ${path} under the second address form`,
      actual: describe(exchange),
      exchanges: [exchange],
    });
  }
}
