import { header, type Exchange } from '../http/exchange.js';
import type { Check } from '../run/check.js';
import { dataOf } from '../service/envelope.js';
import { asObject, differences, quote, type Difference } from '../service/json.js';
import { paths } from '../service/paths.js';
import { walk, idOf } from '../service/list.js';
import { recordIn } from './units/known-units.js';

/** Whether the document declares two types of one field, such as a number in the list and an object in the single record. */
async function isDeclaredOtherwise(check: Check, one: Difference, single: Exchange, id: string): Promise<boolean> {
  if ((asObject(one.left) === null) === (asObject(one.right) === null) || single.response === null) return false;
  const { contract } = await check.contract();
  const json = structuredClone(single.response.json);
  const errors = (): number =>
    contract.validateResponse({
      method: 'GET',
      path: paths.unit(id),
      status: single.response?.status ?? 200,
      contentType: header(single, 'content-type') ?? null,
      headers: single.response?.headers ?? [],
      json,
    }).schemaErrors.length;
  const before = errors();
  const names = one.pointer.split('/').slice(1);
  const place = names
    .slice(0, -1)
    .reduce<Record<string, unknown> | null>(
      (inner, name) => asObject(inner?.[name]),
      recordIn(asObject(asObject(json)?.['data']), id),
    );
  const last = names.at(-1);
  if (place === null || last === undefined) return false;
  place[last] = one.left;
  return errors() > before;
}

/**
 * Compares a listed record with the same record read by id. Reads again, up to twice, where a change by another user could explain a
 * difference.
 */
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
        const isSoft = one.lengthOnly || (await isDeclaredOtherwise(check, one, last, id));
        check[isSoft ? 'warn' : 'fail']({
          expected: `the unit ${quote(id)} to show the same ${one.pointer} in the list and by itself`,
          actual: `${quote(one.left)} in the list, ${quote(one.right)} by itself`,
          exchanges: [page.exchange, last],
        });
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
