import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange } from '../http/exchange.js';
import type { Check } from '../run/check.js';
import { dataOf, isRefusal } from './envelope.js';
import { paths } from './paths.js';
import { idOf, recordIn, walk } from './units.js';
import type { Walk } from './units.js';

/** How soon a write is seen by reads is left open: so many milliseconds are waited, one after another, before something counts as missing. */
const patience = [0, 300, 700, 2000, 3000, 4000];

/** How long that is in all. */
export const patienceSeconds = patience.reduce((sum, ms) => sum + ms, 0) / 1000;

/** Reads a unit that was just created, again while nothing is there. */
export async function readNewUnit(
  check: Check,
  id: string,
): Promise<Exchange & { response: NonNullable<Exchange['response']> }> {
  const path = paths.unit(id);
  for (const waitMs of patience.slice(0, -1)) {
    if (waitMs > 0) await sleep(waitMs);
    const exchange = await check.ask({ path });
    if (recordIn(dataOf(exchange), id) !== null || !isRefusal(exchange)) return exchange;
  }
  await sleep(patience.at(-1));
  return check.ask({ path });
}

/** The walk that shows a unit which was just created, or the last of those that do not. */
export async function listWithNewUnit(
  check: Check,
  id: string,
): Promise<{ readonly found: boolean; readonly last: Walk }> {
  for (let round = 0; ; round += 1) {
    const waitMs = patience[round] ?? 0;
    if (waitMs > 0) await sleep(waitMs);
    const last = await walk(check, { limit: 50, maxPages: 40 });
    const found = last.items.some((item) => idOf(item) === id);
    if (found || !last.complete || round === patience.length - 1) return { found, last };
  }
}
