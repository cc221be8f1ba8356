import type { Exchange } from '../../http/index.js';
import type { Check } from '../../run/index.js';
import {
  asArray,
  asObject,
  idOf,
  isFromCache,
  isRefusal,
  isSuccess,
  paths,
  patienceSeconds,
  quote,
  recordIn,
  settled,
  walk,
  type Walk,
} from '../../service/index.js';
import { onlyAvailable } from './status-filter.js';
import { unitsIfReadable } from './known-units.js';
import { inputSchemas } from './unit-patch.js';

/** Reads a unit that was just created, again while nothing is there. */
export function readNewUnit(
  check: Check,
  id: string,
): Promise<Exchange & { response: NonNullable<Exchange['response']> }> {
  return settled(
    check,
    () => check.ask({ path: paths.unit(id) }),
    (exchange) => recordIn(exchange, id) !== null || !isRefusal(exchange),
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

const listsUnit =
  (id: string) =>
  ({ items }: Walk): boolean =>
    items.some((item) => idOf(item) === id);
const readFiltered = (check: Check): Promise<Walk> => walk(check, { query: onlyAvailable, limit: 50, maxPages: 40 });
const statusOf = async (check: Check, id: string): Promise<unknown> =>
  recordIn(await check.send({ path: paths.unit(id) }), id)?.['status'];

/** A unit that says it is available, and that the list shows, is in the list filtered by that, too. `since`: what made it available. */
export async function judgeInFilter(check: Check, id: string, since: string): Promise<void> {
  if ((await statusOf(check, id)) !== 'available') return;
  const last = await settled(
    check,
    () => readFiltered(check),
    (one) => listsUnit(id)(one) || !one.complete,
  );
  if (listsUnit(id)(last) || !last.complete || isFromCache(last)) return;
  if (!(await listWithNewUnit(check, id)).found || (await statusOf(check, id)) !== 'available') return;
  check.fail({
    expected: `the unit ${quote(id)}, which is available, in the list filtered by status=available, at the latest ${patienceSeconds} s after ${since}`,
    actual: `${last.items.length} units, without it`,
    exchanges: last.pages.map((page) => page.exchange),
  });
}

/** A unit whose status a change has made another leaves the list filtered by status=available, and is back in it once it is available again. */
export async function judgeStatusChange(check: Check, id: string): Promise<void> {
  const path = paths.unit(id);
  for (const status of await otherStatuses(check, path)) {
    if ((await statusOf(check, id)) !== 'available') return;
    const changed = await check.send({ method: 'PATCH', path, json: { status } });
    if (!isSuccess(changed)) continue;
    const shown = await settled(
      check,
      () => statusOf(check, id),
      (one) => one !== 'available',
    );
    // Which changes of a status are carried out is the service's own to say.
    if (typeof shown !== 'string' || shown === 'available') return;
    const last = await settled(
      check,
      () => readFiltered(check),
      (one) => !listsUnit(id)(one),
    );
    // A filter that lists others of another status, too, leaves out nothing: that is judged where units are listed.
    const isFilter = last.items.every((item) => idOf(item) === id || asObject(item)?.['status'] === 'available');
    if (listsUnit(id)(last) && isFilter && !isFromCache(last) && (await statusOf(check, id)) === shown)
      check.fail({
        expected: `the unit ${quote(id)}, whose status is ${quote(shown)}, to leave the list filtered by status=available, at the latest ${patienceSeconds} s after it was changed`,
        actual: `${last.items.length} units, with it`,
        exchanges: [changed, ...last.pages.map((page) => page.exchange)],
      });
    const back = await check.send({ method: 'PATCH', path, json: { status: 'available' } });
    if (isSuccess(back)) await judgeInFilter(check, id, 'its status was changed back');
    return;
  }
}

/** Statuses other than `available` that the declared PATCH lists or that units show: those that are likely to be given up again first. */
async function otherStatuses(check: Check, path: string): Promise<readonly string[]> {
  const { contract } = await check.contract();
  const schema = (await inputSchemas(check, 'PATCH', path)).get('status');
  if (schema === undefined) return [];
  const shown = (await unitsIfReadable(check)).map((unit) => asObject(unit)?.['status']);
  const isLast = (status: string): number => Number(/sold|delivered|delet|archiv|remov/i.test(status));
  return [...new Set(asArray(schema?.['enum']) ?? shown)]
    .filter((one): one is string => typeof one === 'string' && one !== 'available')
    .filter((status) => contract.validateRequest('PATCH', path, { status }).length === 0)
    .toSorted((a, b) => isLast(a) - isLast(b))
    .slice(0, 2);
}
