import type { Exchange } from '../../http/exchange.js';
import type { Check } from '../../run/check.js';
import { dataOf, isRefusal } from '../envelope.js';
import { paths } from '../paths.js';
import { quote } from '../json.js';
import { patienceSeconds, settled } from '../settled.js';
import { onlyAvailable } from './status-filter.js';
import { isFromCache, walk, idOf, type Walk } from './units.js';
import { recordIn } from './known-units.js';

/** Reads a unit that was just created, again while nothing is there. */
export function readNewUnit(
  check: Check,
  id: string,
): Promise<Exchange & { response: NonNullable<Exchange['response']> }> {
  return settled(
    check,
    () => check.ask({ path: paths.unit(id) }),
    (exchange) => recordIn(dataOf(exchange), id) !== null || !isRefusal(exchange),
  );
}

/** The walk that shows a unit which was just created, or the last of those that do not. */
export async function listWithNewUnit(
  check: Check,
  id: string,
): Promise<{ readonly found: boolean; readonly last: Walk }> {
  const shows = (one: Walk): boolean => one.items.some((item) => idOf(item) === id);
  const last = await settled(
    check,
    () => walk(check, { limit: 50, maxPages: 40 }),
    (one) => shows(one) || !one.complete,
  );
  return { found: shows(last), last };
}

/** A new unit that says it is available, and that the list shows, is in the list filtered by that, too. */
export async function judgeNewUnitInFilter(check: Check, id: string): Promise<void> {
  const isAvailable = async (): Promise<boolean> =>
    recordIn(dataOf(await check.send({ path: paths.unit(id) })), id)?.['status'] === 'available';
  if (!(await isAvailable())) return;
  const shows = (one: Walk): boolean => one.items.some((item) => idOf(item) === id);
  const read = (): Promise<Walk> => walk(check, { query: onlyAvailable, limit: 50, maxPages: 40 });
  const last = await settled(check, read, (one) => shows(one) || !one.complete);
  if (shows(last) || !last.complete || isFromCache(last)) return;
  if (!(await listWithNewUnit(check, id)).found || !(await isAvailable())) return;
  check.fail({
    expected: `the new unit ${quote(id)}, which is available, in the list filtered by status=available, at the latest ${patienceSeconds} s after it was created`,
    actual: `${last.items.length} units, without it`,
    exchanges: last.pages.map((page) => page.exchange),
  });
}
