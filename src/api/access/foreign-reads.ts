import { type Exchange, percentEncode } from '../../http/index.js';
import { type Check, describe } from '../../run/index.js';
import { otherForms } from '../../settings/index.js';
import {
  asObject,
  byIds,
  idOf,
  isSuccess,
  itemsIn,
  pageAfter,
  pageWithNext,
  paths,
  quote,
  recordIn,
  recordsIn,
  sameJson,
  walk,
} from '../../service/index.js';
import { isForeignRecord, isUnguessable } from './foreign-record.js';
import { judgeForeignHead } from '../head-access.js';
import { headersFor, type TenantView } from './tenant-view.js';

/** Every record with an id that an answer shows, by its id. */
const shownIn = (exchange: Exchange): Map<string, unknown> => byIds(recordsIn(exchange));

/** Whether one of the values of a record is the id of a unit. */
function namesUnit(record: unknown, units: ReadonlyMap<string, unknown>): boolean {
  return Object.values(asObject(record) ?? {}).some((value) => typeof value === 'string' && units.has(value));
}

/**
 * The id of a record that both lists show with equal content, where the lists differ and the id is unguessable; else null. A short id
 * counts only if few records are shared: tenants with the same seed data share most of them. Equal lists tell nothing of such tenants, but
 * of tenants that have no unit in common: there, a record that names a unit counts.
 */
function sharedRecord(one: Exchange, two: Exchange, side: TenantView, foreign: TenantView): string | null {
  const [mine, theirs] = [itemsIn(one) ?? [], itemsIn(two) ?? []];
  const byId = new Map(theirs.map((record) => [idOf(record), record]));
  const shared = mine.filter((record) => byId.has(idOf(record)) && sameJson(record, byId.get(idOf(record)))).map(idOf);
  const unguessable = shared.filter((id) => id !== null && isUnguessable(id));
  const few = shared.length * 4 <= Math.min(mine.length, theirs.length);
  const telling = few ? shared.filter((id) => id !== null && id.length >= 8) : [];
  if (shared.length < Math.max(mine.length, theirs.length)) return unguessable[0] ?? telling[0] ?? null;
  const areApart = side.complete && foreign.complete && ![...side.units.keys()].some((id) => foreign.units.has(id));
  const names = (record: unknown): boolean => namesUnit(record, side.units) || namesUnit(record, foreign.units);
  return areApart ? idOf(mine.find(names)) : null;
}

/**
 * The other tenant's units, without those that this tenant may also have: tenants with the same seed data may share units that a list does
 * not show.
 */
function tellingUnits(foreign: TenantView, side: TenantView): ReadonlyMap<string, unknown> {
  const alike = [...side.units].some(([id, record]) => sameJson(record, foreign.units.get(id)));
  return alike && !side.complete ? new Map() : foreign.units;
}

/** Tries to read the other tenant's data. */
export async function readAcross(check: Check, side: TenantView, foreign: TenantView): Promise<void> {
  const foreignUnits = tellingUnits(foreign, side);
  const onlyTheirs = [...foreignUnits.keys()].filter((id) => !side.units.has(id));
  const leaked = (
    exchange: Exchange,
    theirs: ReadonlyMap<string, unknown>,
    own: ReadonlyMap<string, unknown>,
  ): string | undefined =>
    [...shownIn(exchange)].find(([id, record]) => isForeignRecord(record, theirs.get(id), own))?.[0];
  const tell = (exchange: Exchange, id: string, how: string): void => {
    check.fail({
      expected: `${side.key} never to see another tenant's data`,
      actual: `${describe(exchange)} ${how} shows ${quote(id)} of the other tenant`,
      exchanges: [exchange],
    });
  };
  const inventory = side.key !== 'API_KEY_READ_LEADS' && side.key !== 'API_KEY_READ_DEALS';
  if (inventory) {
    // Tenants may be looked up whatever the case of their names, and compared with it.
    for (const tenant of new Set([...headersFor(side, foreign), foreign.tenant?.toUpperCase() ?? null])) {
      const fifty = [['limit', '50'] as const];
      const exchange = await check.send({ as: side.key, tenant, path: paths.units, query: fifty });
      const id = leaked(exchange, foreignUnits, side.units);
      const isTheirs = tenant?.toLowerCase() === foreign.tenant?.toLowerCase();
      const how = tenant !== null && isTheirs ? 'under the other X-Tenant' : 'in its list';
      if (id !== undefined) tell(exchange, id, how);
      const query = [...fifty, ['status', 'available'] as const];
      const filtered = await check.send({ as: side.key, tenant, path: paths.units, query });
      const filteredId = leaked(filtered, foreignUnits, side.units);
      if (filteredId !== undefined) tell(filtered, filteredId, `${how} and with a filter`);
      for (const theirId of [onlyTheirs[0], onlyTheirs.at(-1)]) {
        if (theirId === undefined) continue;
        const single = await check.send({ as: side.key, tenant, path: paths.unit(theirId) });
        if (isForeignRecord(recordIn(single, theirId), foreign.units.get(theirId), side.units))
          tell(single, theirId, 'by its id');
      }
    }
    for (const form of otherForms(check.target))
      for (const tenant of new Set([foreign.tenant, null])) {
        const there = { as: side.key, tenant, form };
        const exchange = await check.send({ ...there, path: paths.units, query: [['limit', '50']] });
        const id = leaked(exchange, foreignUnits, side.units);
        const under = tenant === null ? 'without X-Tenant' : 'under the other X-Tenant';
        if (id !== undefined) tell(exchange, id, `${under} at API_BASE_URL`);
        const [theirId] = onlyTheirs;
        if (theirId === undefined) continue;
        const single = await check.send({ ...there, path: paths.unit(theirId) });
        if (isForeignRecord(recordIn(single, theirId), foreign.units.get(theirId), side.units))
          tell(single, theirId, `by its id ${under} at API_BASE_URL`);
      }
    await judgeForeignHead(check, { as: side.key, tenant: side.tenant }, foreign.tenant, onlyTheirs[0]);
    const theirFirst = await pageWithNext(check, { as: foreign.key, tenant: foreign.tenant }, [5, 10, 50]);
    const caller = { as: side.key, tenant: side.tenant, limit: 50 };
    const theirNext = theirFirst === null ? null : await pageAfter(check, caller, theirFirst.page);
    const id = theirNext === null ? undefined : leaked(theirNext.exchange, foreignUnits, side.units);
    if (theirNext !== null && id !== undefined) tell(theirNext.exchange, id, "with the other tenant's cursor");
  }
  const { contract } = await check.contract();
  for (const path of [paths.deals, paths.leads]) {
    if (path === paths.leads && contract.operation('GET', path) === null) continue;
    if (
      side.key === 'API_KEY_READ_INVENTORY' ||
      (side.key === 'API_KEY_READ_DEALS' && path !== paths.deals) ||
      (side.key === 'API_KEY_READ_LEADS' && path !== paths.leads)
    )
      continue;
    const here = await check.send({ as: side.key, tenant: side.tenant, path });
    // Without its own list, the records of this side are unknown.
    if (!isSuccess(here)) continue;
    const own = shownIn(here);
    const there = await check.send({ as: foreign.key, tenant: foreign.tenant, path });
    const common = sharedRecord(here, there, side, foreign);
    if (common !== null) {
      check.fail({
        expected: `no record in the lists of two tenants (${path})`,
        actual: `${quote(common)} is in both, equal in every field`,
        exchanges: [here, there],
      });
    }
    // Two small tenants may number their records alike: only what differs in content tells.
    const theirs = new Map([...shownIn(there)].filter(([id]) => !own.has(id)));
    if (foreign.tenant === null) continue;
    const exchange = await check.send({ as: side.key, tenant: foreign.tenant, path });
    // Of records that both number alike, what they say tells whose they are.
    const id = leaked(exchange, shownIn(there), own);
    if (id !== undefined) tell(exchange, id, 'under the other X-Tenant');
    // Pages may be larger than those that are known: an id alone says nothing, nor does one text.
    const foreignIn = (other: Exchange): string | undefined =>
      [...shownIn(other)].find(
        ([each, record]) =>
          theirs.has(each) && !own.has(each) && (isUnguessable(each) || sameJson(record, theirs.get(each))),
      )?.[0];
    const areApart = ![...shownIn(there).keys()].some((each) => own.has(each));
    for (const form of otherForms(check.target))
      for (const tenant of areApart ? new Set([foreign.tenant, side.tenant]) : [foreign.tenant]) {
        const other = await check.send({ as: side.key, tenant, path, form });
        const otherId = foreignIn(other);
        const how = tenant === foreign.tenant ? 'under the other X-Tenant' : 'in its list';
        if (otherId !== undefined) tell(other, otherId, `${how} at API_BASE_URL`);
      }
    // A further page may show what is unknown of this side, so only an id that both number, or one that is apart, tells.
    const isForeign = ([each, record]: readonly [string, unknown]): boolean =>
      own.has(each) && isForeignRecord(record, shownIn(there).get(each), own);
    const { pages } = await walk(check, { as: side.key, tenant: side.tenant, path, limit: 2, maxPages: 3 });
    for (const { exchange: page } of pages.slice(1)) {
      const otherId = areApart ? foreignIn(page) : [...shownIn(page)].find(isForeign)?.[0];
      if (otherId !== undefined) tell(page, otherId, 'on a further page of its list');
    }
    const [single] = theirs.keys();
    if (single === undefined || contract.operation('GET', `${path}/${single}`) === null) continue;
    for (const tenant of headersFor(side, foreign)) {
      const one = await check.send({ as: side.key, tenant, path: `${path}/${percentEncode(single)}` });
      if (!isForeignRecord(recordIn(one, single), theirs.get(single), own)) continue;
      tell(one, single, tenant === foreign.tenant ? 'by its id, under the other X-Tenant' : 'by its id');
      break;
    }
  }
}
