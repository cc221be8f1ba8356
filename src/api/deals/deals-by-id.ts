import type { Exchange } from '../../http/exchange.js';
import type { Check } from '../../run/check.js';
import { dataOf } from '../../service/envelope.js';
import { asObject } from '../../service/json.js';
import { paths } from '../../service/paths.js';
import { idOf } from '../../service/list.js';

/** The deal of this id in an answer, at `data` or one level below, whatever type its id has. */
function dealOf(exchange: Exchange, id: string): Record<string, unknown> | null {
  const data = dataOf(exchange);
  const places = [data, ...Object.values(data ?? {}).map(asObject)];
  return places.find((place) => place !== null && String(place['id']) === id) ?? null;
}

/** Reads a few deals by id, first those whose total the list shows; empty where the document declares no such operation. */
export async function dealsById(
  check: Check,
  listed: readonly unknown[],
): Promise<readonly { readonly exchange: Exchange; readonly deal: Record<string, unknown> }[]> {
  const { contract } = await check.contract();
  const named = listed.filter((deal) => idOf(deal) !== null && idOf(deal) !== '');
  const shows = (deal: unknown): boolean => asObject(deal)?.['totalGross'] !== undefined;
  const ids = [...named.filter(shows), ...named.filter((deal) => !shows(deal))].map((deal) => idOf(deal) ?? '');
  const read: { exchange: Exchange; deal: Record<string, unknown> }[] = [];
  for (const id of ids.slice(0, 5)) {
    if (contract.operation('GET', paths.deal(id)) === null) return [];
    const exchange = await check.send({ path: paths.deal(id) });
    const deal = dealOf(exchange, id);
    if (deal !== null) read.push({ exchange, deal });
  }
  return read;
}
