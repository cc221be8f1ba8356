import type { Exchange } from '../../http/exchange.js';
import type { Pairs } from '../../openapi/parameter-style.js';
import type { Check } from '../../run/check.js';
import { dataOf } from '../../service/envelope.js';
import { asArray, asObject } from '../../service/json.js';
import { paths } from '../../service/paths.js';
import { cursorQuery, idOf, nextCursor } from '../../service/list.js';

/** Whether an element of a list with this name is a deal, where no list has the expected name: a response may contain other lists. */
function isDeal(one: unknown, list: string): boolean {
  const record = asObject(one);
  return record !== null && (/deal/i.test(list) || 'totalGross' in record || typeof record['id'] === 'string');
}

/** Deals on one page, wherever in `data` they stand: the first array of deals, or `data` itself where it is one. */
export function dealsIn(data: Record<string, unknown> | null): readonly unknown[] {
  if (data === null) return [];
  for (const name of ['items', 'deals', 'results', 'records']) {
    const found = asArray(data[name]);
    if (found !== null) return found;
  }
  const records = Object.entries(data).find(
    ([name, value]) => asArray(value)?.some((one) => isDeal(one, name)) === true,
  );
  if (records !== undefined) return asArray(records[1]) ?? [];
  const one = asObject(data['deal']) ?? ('id' in data || 'totalGross' in data ? data : null);
  return one === null ? [] : [one];
}

/** A page of deals. */
export interface DealPage {
  readonly exchange: Exchange;
  readonly deals: readonly unknown[];
}

/** Every page of deals, read once in a run. */
export function dealPages(check: Check): Promise<readonly DealPage[]> {
  return check.once('deals', () => readDealPages(check));
}

/** Every page of deals, or the first `most` of them, read anew; of the service's own size or with a `limit`. */
export async function readDealPages(
  check: Check,
  limit: number | null = null,
  most = 40,
): Promise<readonly DealPage[]> {
  const pages: DealPage[] = [];
  const seen = new Set<string>();
  const size: Pairs = limit === null ? [] : [['limit', String(limit)]];
  let query = size;
  while (pages.length < most) {
    const exchange = await check.send({ path: paths.deals, query });
    const data = dataOf(exchange);
    const deals = dealsIn(data);
    pages.push({ exchange, deals });
    const next = nextCursor(data);
    const shown = JSON.stringify([next, deals]);
    if (next === null || seen.has(shown)) break;
    seen.add(shown);
    const { contract } = await check.contract();
    const list = contract.cursorParameter('GET', paths.deals) === null ? paths.units : paths.deals;
    const cursor = await cursorQuery(check, next, list);
    if (cursor === null) break;
    query = [...cursor, ...size];
  }
  return pages;
}

/** Fewest different records under one id that are no versions of one deal. */
const fewestDifferent = 5;

/** Ids under which these pages show several different deals. */
export function idsOfSeveral(pages: readonly DealPage[]): readonly string[] {
  const known = new Map<string, Set<string>>();
  for (const deal of pages.flatMap((page) => page.deals)) {
    const id = asObject(deal)?.['id'];
    if (typeof id === 'string') known.set(id, (known.get(id) ?? new Set()).add(JSON.stringify(deal)));
  }
  return [...known].filter(([, different]) => different.size >= fewestDifferent).map(([id]) => id);
}

/** Reads a few deals by id, first those whose total the list shows; none where the document declares no such operation. */
export async function readDealsById(check: Check, listed: readonly unknown[]): Promise<void> {
  const { contract } = await check.contract();
  const shows = (deal: unknown): boolean => asObject(deal)?.['totalGross'] !== undefined;
  const ids = [...listed.filter(shows), ...listed.filter((deal) => !shows(deal))].map((deal) => idOf(deal) ?? '');
  for (const id of ids.filter((one) => one !== '').slice(0, 5))
    if (contract.operation('GET', paths.deal(id)) !== null) await check.send({ path: paths.deal(id) });
}
