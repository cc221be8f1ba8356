import type { Check } from '../../run/index.js';
import { asObject, idOf, listing, paths } from '../../service/index.js';

/** Every page of deals, of the service's own size. */
export const allDeals = { path: paths.deals, maxPages: 40 } as const;

/** Ids of deals that can be read by themselves, first those whose total the list shows; none where the document declares no such operation. */
export async function dealIds(check: Check, count: number): Promise<readonly string[]> {
  const { contract } = await check.contract();
  const shows = (deal: unknown): boolean => asObject(deal)?.['totalGross'] !== undefined;
  const { items } = await listing(check, allDeals);
  const ids = [...items.filter(shows), ...items.filter((deal) => !shows(deal))].map((deal) => idOf(deal) ?? '');
  return ids.filter((id) => id !== '' && contract.operation('GET', paths.deal(id)) !== null).slice(0, count);
}
