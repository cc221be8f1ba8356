import { type Exchange, header } from '../../http/index.js';
import { type Check, describe } from '../../run/index.js';
import {
  asObject,
  type Difference,
  lastingDifferences,
  listedIn,
  type Pair,
  paths,
  quote,
  recordIn,
  settled,
  walk,
  type Walk,
} from '../../service/index.js';

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
      recordIn({ ...single, response: { ...single.response, json } }, id),
    );
  const last = names.at(-1);
  if (place === null || last === undefined) return false;
  place[last] = one.left;
  return errors() > before;
}

/** Whether a unit that could not be read, yet is still listed, can be read at last: it may be listed a little before. */
async function judgeUnreadUnit(check: Check, id: string, isHasty: boolean): Promise<boolean> {
  const isListed = listedIn(await walk(check, { limit: 50, maxPages: 12 }), id) !== null;
  const read = (): Promise<Exchange> => check.send({ path: paths.unit(id) });
  const isThere = (exchange: Exchange): boolean => recordIn(exchange, id) !== null;
  const again = isListed && !isHasty ? await settled(check, read, isThere) : await read();
  if (!isListed || isThere(again)) return true;
  return check.fail({
    code: 'unit-missing',
    expected: `the unit ${quote(id)}, which the list shows`,
    actual: `${describe(again)}: ${quote(again.response?.json)}`,
    exchanges: [again],
  });
}

/** Each of these units is by itself the unit that the list shows. Returns how many could be read. */
export async function judgeSingleUnits(check: Check, list: Walk, ids: readonly string[]): Promise<number> {
  const { contract } = await check.contract();
  const isDeclared = contract.operation('GET', paths.unit(ids[0] ?? '')) !== null;
  const shown = new Set<string>();
  const unread: boolean[] = [];
  const read = async (again: readonly string[] | null): Promise<ReadonlyMap<string, Pair>> => {
    const found = again === null ? list : await walk(check, { limit: 50, maxPages: 12 });
    const pairs = new Map<string, Pair>();
    await check.each(again ?? ids, async (id) => {
      const exchange = await check.ask({ path: paths.unit(id) });
      if (!isDeclared && [404, 405, 501].includes(exchange.response.status))
        check.notApplicable('the document declares no GET on units/{id}, and the service has none');
      const single = recordIn(exchange, id);
      if (single === null) {
        // After the first breach, do not wait again.
        if (again === null) unread.push(await judgeUnreadUnit(check, id, unread.includes(false)));
        return;
      }
      shown.add(id);
      const listed = listedIn(found, id);
      if (listed !== null) pairs.set(id, [listed, { record: single, exchange }]);
    });
    return pairs;
  };
  for (const one of (await lastingDifferences(check, read)).slice(0, 10)) {
    const isSoft = one.lengthOnly || (await isDeclaredOtherwise(check, one, one.exchanges[1], one.id));
    check[isSoft ? 'warn' : 'fail']({
      code: 'field-differs',
      field: one.pointer,
      expected: `the unit ${quote(one.id)} to show the same ${one.pointer} in the list and by itself`,
      actual: `${quote(one.left)} in the list, ${quote(one.right)} by itself`,
      exchanges: one.exchanges,
    });
  }
  return shown.size;
}
