import type { Check } from '../../run/index.js';
import { asObject, idOf, type Page, paths, walk } from '../../service/index.js';

/** Every page of deals, of the service's own size, read once in a run. */
export function dealPages(check: Check): Promise<readonly Page[]> {
  return check.once('deals', async () => (await walk(check, { path: paths.deals, maxPages: 40 })).pages);
}

/** Fewest different records under one id that are no versions of one deal. */
const fewestDifferent = 5;

/** Ids under which these records are several different deals. */
export function idsOfSeveral(deals: readonly unknown[]): readonly string[] {
  const known = new Map<string, Set<string>>();
  for (const deal of deals) {
    const id = idOf(deal);
    if (id !== null) known.set(id, (known.get(id) ?? new Set()).add(JSON.stringify(deal)));
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
