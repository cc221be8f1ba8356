import type { Exchange } from '../http/exchange.js';
import { describe } from '../run/check.js';
import type { Check } from '../run/check.js';
import type { KeyName } from '../target/target.js';
import { dealsIn } from './deals.js';
import { dataOf, isClientError, isSuccess } from './envelope.js';
import { isForeignRecord, isUnguessable } from './foreign-record.js';
import { judgeForeignHead } from './head-access.js';
import { asArray, asObject, differences, quote, sameJson } from './json.js';
import { judgeForeignLeadChange } from './lead-change.js';
import { leadId, plainLead, postLead } from './leads.js';
import { paths } from './paths.js';
import { judgeSharedCache } from './shared-cache.js';
import { createUnit, removeUnit, unitCreation } from './unit-creation.js';
import { visiblePatch } from './unit-patch.js';
import { cursorParameter, idOf, knownUnits, pageWithNext, recordIn, walk } from './units.js';

interface Side {
  readonly key: KeyName;
  readonly tenant: string | null;
  /** The units that its list shows, by their ids. */
  readonly units: ReadonlyMap<string, unknown>;
  /** Whether that is its whole list. */
  readonly complete: boolean;
}

/** Every record with an id that an answer shows, by its id. */
function recordsIn(exchange: Exchange): Map<string, unknown> {
  const data = dataOf(exchange);
  const list = asArray(data?.['items']) ?? dealsIn(data);
  return byIds([...list, data, ...Object.values(data ?? {}).map(asObject)]);
}

function byIds(records: readonly unknown[]): Map<string, unknown> {
  return new Map(records.flatMap((record) => (idOf(record) === null ? [] : [[idOf(record) ?? '', record]])));
}

/**
 * The id of a record that both lists show alike, where the lists differ and the id is none that two services would give by chance; else null.
 * A shorter id counts where it is an exception: tenants seeded alike share most of what they have.
 */
function sharedRecord(one: Exchange, two: Exchange): string | null {
  const recordsOf = (exchange: Exchange): readonly unknown[] =>
    asArray(dataOf(exchange)?.['items']) ?? dealsIn(dataOf(exchange));
  const [mine, theirs] = [recordsOf(one), recordsOf(two)];
  const byId = new Map(theirs.map((record) => [idOf(record), record]));
  const shared = mine.filter((record) => byId.has(idOf(record)) && sameJson(record, byId.get(idOf(record)))).map(idOf);
  const unguessable = shared.filter((id) => id !== null && isUnguessable(id));
  const few = shared.length * 4 <= Math.min(mine.length, theirs.length);
  const telling = few ? shared.filter((id) => id !== null && id.length >= 8) : [];
  return shared.length < Math.max(mine.length, theirs.length) ? (unguessable[0] ?? telling[0] ?? null) : null;
}

/** Tries, in both directions, to read and write one tenant's data with the other's key. */
export async function judgeIsolation(check: Check): Promise<void> {
  const { target } = check;
  const ours = await knownUnits(check);
  const mineList = ours.items.map(idOf).filter((id) => id !== null);
  const theirs = await walk(check, { as: 'OTHER_API_KEY', tenant: target.otherTenant, limit: 50, maxPages: 12 });
  if (theirs.pages[0]?.items === null)
    check.blocked(`the second tenant's units could not be read with OTHER_API_KEY: ${theirs.stopped ?? ''}`);
  const theirList = theirs.items.map(idOf).filter((id) => id !== null);
  // One unit under both keys: only where it is an exception among ids that nobody would give twice; tenants seeded alike share all.
  const byId = new Map(theirs.items.map((item) => [idOf(item), item]));
  const shared = ours.items.filter(
    (item) => (idOf(item)?.length ?? 0) >= 8 && byId.has(idOf(item)) && sameJson(item, byId.get(idOf(item))),
  );
  if (shared.length > 0 && shared.length * 2 < Math.min(mineList.length, theirList.length)) {
    check.breach({
      expected: 'no unit in the lists of two tenants',
      actual: `the unit ${quote(idOf(shared[0]))} stands in both, equal in every field`,
      exchanges: [...ours.pages.slice(-1), ...theirs.pages.slice(-1)].map((page) => page.exchange),
    });
  }
  const mine: Side = { key: 'API_KEY', tenant: target.tenant, units: byIds(ours.items), complete: ours.complete };
  const other: Side = {
    key: 'OTHER_API_KEY',
    tenant: target.otherTenant,
    units: byIds(theirs.items),
    complete: theirs.complete,
  };
  await readAcross(check, mine, other);
  await readAcross(check, other, mine);
  for (const key of ['API_KEY_READ_INVENTORY', 'API_KEY_READ_LEADS', 'API_KEY_READ_DEALS'] as const) {
    if (target.keys[key] !== undefined) await readAcross(check, { ...mine, key }, other);
  }
  await judgeSharedCache(check);
  const apart =
    [...mine.units].some(([id, unit]) => !sameJson(unit, other.units.get(id))) ||
    [...other.units.keys()].some((id) => !mine.units.has(id));
  const written = target.readOnly
    ? []
    : [
        await leadAcross(check, mine, other),
        await leadAcross(check, other, mine),
        await unitsAcross(check, mine, other),
      ];
  if (!target.readOnly) await leadChangesAcross(check, mine, other);
  if (!apart && !written.includes(true) && check.breaches.length === 0)
    check.blocked(
      'both tenants show the same units, and nothing could be made in one to be looked for in the other: nothing tells them apart',
    );
}

/** Tenant headers worth trying with a key: its own, none, the other's. */
function headersFor(side: Side, foreign: Side): (string | null)[] {
  return [...new Set([side.tenant, null, foreign.tenant])];
}

/** The other tenant's units, unless this one may have the same: what its list does not show is unknown where tenants are seeded alike. */
function tellingUnits(foreign: Side, side: Side): ReadonlyMap<string, unknown> {
  const alike = [...side.units].some(([id, record]) => sameJson(record, foreign.units.get(id)));
  return alike && !side.complete ? new Map() : foreign.units;
}

async function readAcross(check: Check, side: Side, foreign: Side): Promise<void> {
  const foreignUnits = tellingUnits(foreign, side);
  const onlyTheirs = [...foreignUnits.keys()].filter((id) => !side.units.has(id));
  const leaked = (
    exchange: Exchange,
    theirs: ReadonlyMap<string, unknown>,
    own: ReadonlyMap<string, unknown>,
  ): string | undefined =>
    [...recordsIn(exchange)].find(([id, record]) => isForeignRecord(record, theirs.get(id), own))?.[0];
  const tell = (exchange: Exchange, id: string, how: string): void => {
    check.breach({
      expected: `${side.key} never to see what is another tenant's`,
      actual: `${describe(exchange)} ${how} shows ${quote(id)} of the other tenant`,
      exchanges: [exchange],
    });
  };
  const inventory = side.key !== 'API_KEY_READ_LEADS' && side.key !== 'API_KEY_READ_DEALS';
  if (inventory) {
    for (const tenant of headersFor(side, foreign)) {
      const exchange = await check.send({ as: side.key, tenant, path: paths.units, query: [['limit', '50']] });
      const id = leaked(exchange, foreignUnits, side.units);
      if (id !== undefined) tell(exchange, id, tenant === foreign.tenant ? 'under the other X-Tenant' : 'in its list');
      for (const theirId of [onlyTheirs[0], onlyTheirs.at(-1)]) {
        if (theirId === undefined) continue;
        const single = await check.send({ as: side.key, tenant, path: paths.unit(theirId) });
        if (isForeignRecord(recordIn(dataOf(single), theirId), foreign.units.get(theirId), side.units))
          tell(single, theirId, 'by its id');
      }
    }
    for (const tenant of check.target.apiBaseUrl === null ? [] : new Set([foreign.tenant, null])) {
      const exchange = await check.send({
        as: side.key,
        tenant,
        base: check.target.apiBaseUrl ?? '',
        path: '/v1/units',
        query: [['limit', '50']],
      });
      const id = leaked(exchange, foreignUnits, side.units);
      const under = tenant === null ? 'without X-Tenant' : 'under the other X-Tenant';
      if (id !== undefined) tell(exchange, id, `${under} in the second address form`);
      const [theirId] = onlyTheirs;
      if (theirId === undefined) continue;
      const path = paths.unit(theirId).replace(/^\/api/, '');
      const single = await check.send({ as: side.key, tenant, base: check.target.apiBaseUrl ?? '', path });
      if (isForeignRecord(recordIn(dataOf(single), theirId), foreign.units.get(theirId), side.units))
        tell(single, theirId, `by its id ${under} in the second address form`);
    }
    await judgeForeignHead(check, { as: side.key, tenant: side.tenant }, foreign.tenant, onlyTheirs[0]);
    const theirFirst = await pageWithNext(check, { as: foreign.key, tenant: foreign.tenant }, [5, 10, 50]);
    const name = await cursorParameter(check);
    if (theirFirst !== null && name !== null) {
      const exchange = await check.send({
        as: side.key,
        tenant: side.tenant,
        path: paths.units,
        query: [
          ['limit', '50'],
          [name, theirFirst.next],
        ],
      });
      const id = leaked(exchange, foreignUnits, side.units);
      if (id !== undefined) tell(exchange, id, "with the other tenant's cursor");
    }
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
    // What this side has of its own is not known where its own list is not shown.
    if (!isSuccess(here)) continue;
    const own = recordsIn(here);
    const there = await check.send({ as: foreign.key, tenant: foreign.tenant, path });
    const common = sharedRecord(here, there);
    if (common !== null) {
      check.breach({
        expected: `no record in the lists of two tenants (${path})`,
        actual: `${quote(common)} stands in both, equal in every field`,
        exchanges: [here, there],
      });
    }
    // Two small tenants may number their records alike: only what differs in content tells.
    const theirs = new Map([...recordsIn(there)].filter(([id]) => !own.has(id)));
    if (foreign.tenant === null) continue;
    const exchange = await check.send({ as: side.key, tenant: foreign.tenant, path });
    const id = leaked(exchange, theirs, own);
    if (id !== undefined) tell(exchange, id, 'under the other X-Tenant');
    const { apiBaseUrl } = check.target;
    if (apiBaseUrl !== null) {
      const second = { base: apiBaseUrl, path: path.replace(/^\/api/, '') };
      const other = await check.send({ as: side.key, tenant: foreign.tenant, ...second });
      const otherId = leaked(other, theirs, own);
      if (otherId !== undefined) tell(other, otherId, 'under the other X-Tenant in the second address form');
    }
    const [single] = theirs.keys();
    if (single !== undefined && contract.operation('GET', `${path}/${single}`) !== null) {
      const one = await check.send({
        as: side.key,
        tenant: side.tenant,
        path: `${path}/${encodeURIComponent(single)}`,
      });
      if (isForeignRecord(recordIn(dataOf(one), single), theirs.get(single), own)) tell(one, single, 'by its id');
    }
  }
}

/** Makes leads with one key and looks for them with the other; whether one could be made and looked for. */
async function leadAcross(check: Check, side: Side, foreign: Side): Promise<boolean> {
  const { contract } = await check.contract();
  if (contract.operation('GET', paths.leads) === null) return false;
  const lead = await plainLead(check);
  if (foreign.tenant !== null) {
    const exchange = await postLead(check, lead, { as: side.key, tenant: foreign.tenant });
    const id = isSuccess(exchange) ? leadId(exchange) : null;
    // One that was refused may have been stored all the same.
    if (isSuccess(exchange) || isClientError(exchange)) {
      const seen = await walk(check, {
        as: foreign.key,
        tenant: foreign.tenant,
        path: paths.leads,
        limit: 50,
        maxPages: 10,
      });
      if (
        seen.items.some(
          (item) =>
            asObject(item)?.['name'] === lead.name ||
            (id !== null && idOf(item) === id && (isUnguessable(id) || asObject(item)?.['phone'] === lead.phone)),
        )
      ) {
        check.breach({
          expected: `${side.key} never to write another tenant's leads`,
          actual: `${describe(exchange)}, and the lead ${quote(id ?? lead.name)} stands in the other tenant's list`,
          exchanges: [exchange, ...seen.pages.slice(-1).map((page) => page.exchange)],
        });
      }
    }
  }
  const own = await plainLead(check, { as: side.key });
  const made = await postLead(check, own, { as: side.key, tenant: side.tenant });
  const id = leadId(made);
  if (!isSuccess(made)) return false;
  const seen = await walk(check, {
    as: foreign.key,
    tenant: foreign.tenant,
    path: paths.leads,
    limit: 50,
    maxPages: 10,
  });
  if (seen.items.some((item) => asObject(item)?.['name'] === own.name)) {
    check.breach({
      expected: `${foreign.key} not to see another tenant's leads`,
      actual: `its list shows the lead named ${quote(own.name)}`,
      exchanges: [made, ...seen.pages.map((page) => page.exchange)],
    });
  }
  if (id !== null && contract.operation('GET', `${paths.leads}/${id}`) !== null) {
    const one = await check.send({
      as: foreign.key,
      tenant: foreign.tenant,
      path: `${paths.leads}/${encodeURIComponent(id)}`,
    });
    if (recordIn(dataOf(one), id)?.['name'] === own.name) {
      check.breach({
        expected: `${foreign.key} not to see another tenant's lead by its id`,
        actual: describe(one),
        exchanges: [made, one],
      });
    }
  }
  return seen.pages[0]?.items !== null;
}

/** The other way round where this tenant has leads of its own under the number of each that is made in the other. */
async function leadChangesAcross(check: Check, mine: Side, other: Side): Promise<void> {
  const tryAs = (side: Side, foreign: Side): Promise<boolean> =>
    judgeForeignLeadChange(
      check,
      headersFor(side, foreign).map((tenant) => ({ as: side.key, tenant })),
      { as: foreign.key, tenant: foreign.tenant },
      foreign.key,
    );
  if (!(await tryAs(mine, other))) await tryAs(other, mine);
}

/** Whether a unit could be made; the other way round where this tenant has one of its own under that unit's number. */
async function unitsAcross(check: Check, mine: Side, other: Side): Promise<boolean> {
  const tried = await unitAcross(check, mine, other);
  return tried === 'taken' ? (await unitAcross(check, other, mine)) !== 'none' : tried !== 'none';
}

/** Tries to read, to change and to delete the other tenant's unit, one made for the purpose; `taken` where this one has a unit of its own under its number, whatever else was tried. */
async function unitAcross(check: Check, side: Side, foreign: Side): Promise<'none' | 'taken' | 'tried'> {
  const creation = await unitCreation(check);
  const { contract } = await check.contract();
  const id = creation === null ? null : await createUnit(check, foreign.key, foreign.tenant);
  if (creation === null || id === null) return 'none';
  const path = paths.unit(id);
  const look = (): Promise<Exchange> => check.send({ as: foreign.key, tenant: foreign.tenant, path });
  const before = recordIn(dataOf(await look()), id);
  if (before === null) return 'none';
  const free: (string | null)[] = [];
  let told = false;
  for (const tenant of headersFor(side, foreign)) {
    const seen = await check.send({ as: side.key, tenant, path });
    const shown = recordIn(dataOf(seen), id);
    const isTheirs = isForeignRecord(shown, before, side.units);
    // Two tenants may number their units alike, and nobody's own unit is to be changed.
    if (shown === null ? !isSuccess(seen) : isTheirs) free.push(tenant);
    if (!isTheirs || told) continue;
    told = true;
    check.breach({
      expected: `${side.key} never to see what is another tenant's`,
      actual: `${describe(seen)} shows the unit ${quote(id)}, made with ${foreign.key}`,
      exchanges: [seen],
    });
  }
  for (const method of ['PATCH', 'PUT', 'DELETE']) {
    if (contract.operation(method, path) === null) continue;
    for (const tenant of free) {
      const wish = { as: side.key, tenant };
      const visible = method === 'PATCH' ? await visiblePatch(check, id, before) : null;
      const tried =
        method === 'PUT'
          ? await creation.attempt(check, wish, { method, path })
          : await check.send({
              ...wish,
              method,
              path,
              ...(method === 'PATCH' ? { json: visible?.body ?? creation.patch(check) } : {}),
            });
      const after = await look();
      if (after.response === null) continue;
      const now = recordIn(dataOf(after), id);
      const changed =
        now === null
          ? 'it is gone'
          : isSuccess(tried)
            ? differences(before, now)
                .map((one) => one.pointer)
                .join(', ')
            : // A refusal that was carried out all the same: nobody else knows this unit, let alone this value.
              visible !== null && sameJson(now[visible.field], visible.value)
              ? `refused, yet its ${visible.field} is now ${quote(visible.value)}`
              : '';
      if (changed !== '') {
        check.breach({
          expected: `${side.key} never to write another tenant's unit`,
          actual: `${describe(tried)}: ${changed}`,
          exchanges: [tried, after],
        });
        return 'tried';
      }
    }
  }
  await removeUnit(check, id, { as: foreign.key, tenant: foreign.tenant });
  return free.length < headersFor(side, foreign).length && !told ? 'taken' : 'tried';
}
