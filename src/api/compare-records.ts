import type { Exchange } from '../http/exchange.js';
import type { Check } from '../run/check.js';
import { dataOf } from './envelope.js';
import { differences, quote } from './json.js';
import { paths } from './paths.js';
import { idOf, recordIn, walk } from './units.js';

/** Holds the listed record against the one read by id. What somebody else's change could explain is read again, up to twice. */
export async function compareRecords(
  check: Check,
  id: string,
  single: Record<string, unknown>,
  exchange: Exchange,
): Promise<void> {
  let record = single;
  let last = exchange;
  let known = await check.once('units for comparing', () => walk(check, { limit: 50, maxPages: 12 }));
  for (let round = 0; ; round += 1) {
    const page = known.pages.find((one) => one.items?.some((item) => idOf(item) === id));
    const listed = page?.items?.find((item) => idOf(item) === id);
    if (page === undefined || listed === undefined) return;
    const found = differences(listed, record);
    if (found.length === 0) return;
    if (round === 2) {
      for (const one of found.slice(0, 3)) {
        const words = {
          expected: `the unit ${quote(id)} to show the same ${one.pointer} in the list and by itself`,
          actual: `${quote(one.left)} in the list, ${quote(one.right)} by itself`,
          exchanges: [page.exchange, last],
        };
        if (one.lengthOnly) check.caution(words);
        else check.breach(words);
      }
      return;
    }
    // A field that changes from one reading to the next (a view counter, a time stamp of the reading) says nothing.
    known = await walk(check, { limit: 50, maxPages: 12 });
    last = await check.send({ path: paths.unit(id) });
    const again = recordIn(dataOf(last), id);
    if (again === null) return;
    const moving = new Set(differences(record, again).map((one) => one.pointer));
    if (moving.size > 0 && found.every((one) => moving.has(one.pointer))) return;
    record = again;
  }
}
