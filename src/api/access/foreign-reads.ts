import { type Exchange, percentEncode } from '../../http/index.js';
import { type Check, describe, type RequestOptions } from '../../run/index.js';
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
  recordsIn,
  sameJson,
  walk,
} from '../../service/index.js';
import { isForeignRecord, isUnguessable } from './foreign-record.js';
import { judgeForeignHead } from '../head-access.js';
import type { Resource } from '../operations.js';
import { rightOf, scopeOf } from './scopes.js';
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

/** Whether a record that an answer shows under this id is the other tenant's. */
type IsTheirs = (record: unknown, id: string) => boolean;

/** Tries to read the other tenant's data. */
export async function readAcross(check: Check, side: TenantView, foreign: TenantView): Promise<void> {
  const judge = (exchange: Exchange, isTheirs: IsTheirs, { tenant, form }: Partial<RequestOptions> = {}): void => {
    const id = [...shownIn(exchange)].find(([each, record]) => isTheirs(record, each))?.[0];
    const isNamed = tenant != null && tenant.toLowerCase() === foreign.tenant?.toLowerCase();
    const how = `${isNamed ? ' under the other X-Tenant' : ''}${form === 'second' ? ' at API_BASE_URL' : ''}`;
    if (id !== undefined)
      check.fail({
        code: 'foreign-data',
        expected: `${side.key} never to see another tenant's data`,
        actual: `${describe(exchange)}${how} shows ${quote(id)} of the other tenant`,
        exchanges: [exchange],
      });
  };
  const ask = async (options: RequestOptions, isTheirs: IsTheirs): Promise<void> =>
    judge(await check.send({ as: side.key, tenant: side.tenant, ...options }), isTheirs, options);
  const mayRead = (resource: Resource): boolean =>
    rightOf(scopeOf(side.key), { resource, writes: false }) === 'granted';
  if (mayRead('inventory')) {
    const theirs = tellingUnits(foreign, side);
    const isTheirs: IsTheirs = (record, id) => isForeignRecord(record, theirs.get(id), side.units);
    const ids = [...theirs.keys()].filter((id) => !side.units.has(id));
    const fifty = ['limit', '50'] as const;
    const list = { path: paths.units, query: [fifty] };
    const filtered = { path: paths.units, query: [fifty, ['status', 'available'] as const] };
    const singles = [...new Set([...ids.slice(0, 1), ...ids.slice(-1)])].map((id) => ({ path: paths.unit(id) }));
    // Tenants may be looked up whatever the case of their names, and compared with it.
    for (const tenant of new Set([...headersFor(side, foreign), foreign.tenant?.toUpperCase() ?? null]))
      for (const options of [list, filtered, ...singles]) await ask({ ...options, tenant }, isTheirs);
    for (const form of otherForms(check.target))
      for (const tenant of new Set([foreign.tenant, null]))
        for (const options of [list, ...singles.slice(0, 1)]) await ask({ ...options, tenant, form }, isTheirs);
    await judgeForeignHead(check, { as: side.key, tenant: side.tenant }, foreign.tenant, ids[0]);
    const theirFirst = await pageWithNext(check, { as: foreign.key, tenant: foreign.tenant }, [5, 10, 50]);
    const caller = { as: side.key, tenant: side.tenant, limit: 50 };
    const theirNext = theirFirst === null ? null : await pageAfter(check, caller, theirFirst.page);
    if (theirNext !== null) judge(theirNext.exchange, isTheirs);
  }
  const { contract } = await check.contract();
  for (const resource of ['deals', 'leads'] as const) {
    const path = paths[resource];
    if (!mayRead(resource) || (resource === 'leads' && contract.operation('GET', path) === null)) continue;
    const here = await check.send({ as: side.key, tenant: side.tenant, path });
    // Without its own list, the records of this side are unknown.
    if (!isSuccess(here)) continue;
    const there = await check.send({ as: foreign.key, tenant: foreign.tenant, path });
    const [own, theirs] = [shownIn(here), shownIn(there)];
    const common = sharedRecord(here, there, side, foreign);
    if (common !== null)
      check.fail({
        code: 'shared-record',
        expected: `no record in the lists of two tenants (${path})`,
        actual: `${quote(common)} is in both, equal in every field`,
        exchanges: [here, there],
      });
    if (foreign.tenant === null) continue;
    // Of records that both number alike, what they say tells whose they are.
    const isListed: IsTheirs = (record, id) => isForeignRecord(record, theirs.get(id), own);
    await ask({ path, tenant: foreign.tenant }, isListed);
    // Pages may be larger than those that are known: an id alone says nothing, nor does one text.
    const isApart: IsTheirs = (record, id) =>
      theirs.has(id) && !own.has(id) && (isUnguessable(id) || sameJson(record, theirs.get(id)));
    const areApart = ![...theirs.keys()].some((id) => own.has(id));
    for (const form of otherForms(check.target))
      for (const tenant of areApart ? new Set([foreign.tenant, side.tenant]) : [foreign.tenant])
        await ask({ path, tenant, form }, isApart);
    // A further page may show what is unknown of this side, so only an id that both number, or one that is apart, tells.
    const { pages } = await walk(check, { as: side.key, tenant: side.tenant, path, limit: 2, maxPages: 3 });
    for (const { exchange } of pages.slice(1))
      judge(exchange, areApart ? isApart : (record, id) => own.has(id) && isListed(record, id));
    // Two small tenants may number their records alike: only what differs in content tells.
    const single = [...theirs.keys()].find((id) => !own.has(id));
    if (single === undefined || contract.operation('GET', `${path}/${single}`) === null) continue;
    for (const tenant of headersFor(side, foreign))
      await ask(
        { path: `${path}/${percentEncode(single)}`, tenant },
        (record, id) => id === single && isListed(record, id),
      );
  }
}
