import type { Exchange } from '../../http/exchange.js';
import type { Check } from '../../run/check.js';
import { dataOf, isRefusal } from '../envelope.js';
import { paths } from '../paths.js';
import { settled } from '../settled.js';
import { walk, idOf, type Walk } from './units.js';
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
