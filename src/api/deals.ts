import type { Exchange } from '../http/exchange.js';
import type { Check } from '../run/check.js';
import { dataOf } from './envelope.js';
import { asArray, asObject } from './json.js';
import { paths } from './paths.js';
import { cursorParameter, nextCursor } from './units.js';

/** Deals on one page, wherever in `data` they stand: the first array of objects, or `data` itself where it is one deal. */
export function dealsIn(data: Record<string, unknown> | null): readonly unknown[] {
  if (data === null) return [];
  for (const name of ['items', 'deals', 'results', 'records']) {
    const found = asArray(data[name]);
    if (found !== null) return found;
  }
  const lists = Object.values(data)
    .map(asArray)
    .filter((list) => list !== null);
  const records = lists.find((list) => list.some((one) => asObject(one) !== null)) ?? lists[0];
  if (records) return records;
  const one = asObject(data['deal']) ?? ('id' in data || 'totalGross' in data ? data : null);
  return one === null ? [] : [one];
}

/** Every page of deals, read once in a run. */
export function dealPages(check: Check): Promise<{ exchange: Exchange; deals: readonly unknown[] }[]> {
  return check.once('deals', async () => {
    const pages: { exchange: Exchange; deals: readonly unknown[] }[] = [];
    const seen = new Set<string>();
    let query: [string, string][] = [];
    while (pages.length < 40) {
      const exchange = await check.send({ path: paths.deals, query });
      const data = dataOf(exchange);
      pages.push({ exchange, deals: dealsIn(data) });
      const next = nextCursor(data);
      if (next === null || seen.has(next)) break;
      seen.add(next);
      const { contract } = await check.contract();
      const name = contract.cursorParameter('GET', paths.deals) ?? (await cursorParameter(check));
      if (name === null) break;
      query = [[name, next]];
    }
    return pages;
  });
}
