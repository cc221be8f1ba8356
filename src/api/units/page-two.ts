import { describe, type Check } from '../../run/check.js';
import type { RequestOptions } from '../../run/request-options.js';
import type { Exchange } from '../../http/exchange.js';
import type { KeyName } from '../../settings/target.js';
import { dealsIn } from '../deals/deals.js';
import { dataOf, isRefusal, isSuccess, mayMean } from '../../service/envelope.js';
import type { Resource } from '../operations.js';
import { paths } from '../../service/paths.js';
import type { Refused } from '../access/refused-writes.js';
import { grants, scopedKeys } from '../access/scopes.js';
import { cursorParameter, cursorQuery, nextCursor } from '../../service/list.js';

const lists: readonly { readonly path: string; readonly resource: Resource }[] = [
  { path: paths.units, resource: 'inventory' },
  { path: paths.deals, resource: 'deals' },
  { path: paths.leads, resource: 'leads' },
];

/** The first pages of a list as a key sees them: the first one, and the one that its cursor leads to. */
interface Leaf {
  readonly first: Exchange;
  /** null where the first page leads nowhere. */
  readonly second: Exchange | null;
  /** Asks for the second page as somebody else. */
  again(as: NonNullable<RequestOptions['as']> | null): Promise<Exchange>;
}

/** Reads two pages of ten (a limit that every service accepts) with a key; null where the cursor parameter is unknown. */
async function leafThrough(check: Check, path: string, key: KeyName): Promise<Leaf | null> {
  if ((await cursorParameter(check, path)) === null) return null;
  const limit = ['limit', '10'] as const;
  const first = await check.send({ path, as: key, query: path === paths.units ? [limit] : [] });
  const next = isSuccess(first) ? nextCursor(dataOf(first)) : null;
  const cursor = next === null ? null : await cursorQuery(check, next, path);
  const again: Leaf['again'] = async (as) => {
    const query = cursor ?? [];
    const exchange = await check.send({ path, as, query: [...(path === paths.units ? [limit] : []), ...query] });
    // A service may encode the limit in the cursor, and refuse a limit beside it.
    const alone = path === paths.units && mayMean(exchange, 400, 422);
    return alone ? check.send({ path, as, query }) : exchange;
  };
  return { first, second: cursor === null ? null : await again(key), again };
}

function shows(exchange: Exchange): boolean {
  return isSuccess(exchange) && dealsIn(dataOf(exchange)).length > 0;
}

/** A cursor is not a credential: a caller whose list request is refused must be refused its second page. */
export async function judgeRefusedPages(check: Check, callers: readonly Refused[]): Promise<void> {
  if (callers.length === 0) return;
  const leaf = await leafThrough(check, paths.units, 'API_KEY');
  if (leaf === null || leaf.second === null || !shows(leaf.second)) return;
  for (const { label, as } of callers) {
    const exchange = await leaf.again(as);
    if (!shows(exchange)) continue;
    check.fail({
      expected: `the second page of units to be refused for ${label}`,
      actual: `${describe(exchange)}, with the cursor of the first`,
      exchanges: [leaf.first, exchange],
    });
  }
}

/** A scope that grants a list grants its second page: what the full-access key is shown there, a key with the scope is shown, too. */
export async function judgeGrantedPages(check: Check): Promise<void> {
  for (const { path, resource } of lists) {
    const reader = scopedKeys(check.target).find(({ scope }) => grants(scope, { resource, writes: false }));
    if (reader === undefined) continue;
    const refused = async (): Promise<Leaf | null> => {
      const leaf = await leafThrough(check, path, reader.name);
      return leaf !== null && leaf.second !== null && isRefusal(leaf.second) ? leaf : null;
    };
    if ((await refused()) === null) continue;
    // Its own list may have moved on meanwhile.
    const full = await leafThrough(check, path, 'API_KEY');
    const leaf = await refused();
    if (leaf === null || full === null || full.second === null || !shows(full.second) || leaf.second === null) continue;
    check.fail({
      expected: `a ${reader.scope} key to be shown the second page of ${path}`,
      actual: `${describe(leaf.second)}, where API_KEY is shown it`,
      exchanges: [full.second, leaf.first, leaf.second],
    });
  }
}
