import { setTimeout as sleep } from 'node:timers/promises';
import { type Exchange, percentEncode } from '../../http/index.js';
import { type Check, describe } from '../../run/index.js';
import type { KeyName } from '../../settings/index.js';
import {
  asArray,
  asObject,
  dataOf,
  differences,
  idIn,
  idOf,
  isRefusal,
  isSuccess,
  paths,
  quote,
  recordIn,
  sameJson,
  settled,
  walk,
} from '../../service/index.js';
import { isForeignRecord, isUnguessable } from './foreign-record.js';
import { judgeForeignLeadChange } from '../leads/lead-change.js';
import { postLead } from '../leads/leads.js';
import { plainLead } from '../leads/lead-factory.js';
import { createUnit, removeUnit, unitCreation } from '../units/unit-creation.js';
import { visiblePatch } from '../units/unit-patch.js';
import { headersFor, type TenantView } from './tenant-view.js';

/** The first pages of a tenant's leads, as its key sees them. */
function leadsOf(check: Check, { key, tenant }: TenantView): ReturnType<typeof walk> {
  return walk(check, { as: key, tenant, path: paths.leads, limit: 50, maxPages: 10 });
}

/** Tries to write a lead into the other tenant by naming it. */
export async function leadUnderForeign(check: Check, key: KeyName, foreign: TenantView): Promise<void> {
  if (foreign.tenant === null) return;
  const lead = await plainLead(check);
  const exchange = await postLead(check, lead, { as: key, tenant: foreign.tenant });
  const id = isSuccess(exchange) ? idIn(exchange) : null;
  // One that was refused may have been stored all the same.
  if (!isSuccess(exchange) && !isRefusal(exchange)) return;
  const seen = await leadsOf(check, foreign);
  const shown = seen.items.some(
    (item) =>
      asObject(item)?.['name'] === lead.name ||
      (id !== null && idOf(item) === id && (isUnguessable(id) || asObject(item)?.['phone'] === lead.phone)),
  );
  if (!shown) return;
  check.fail({
    expected: `${key} never to write another tenant's leads`,
    actual: `${describe(exchange)}, and the lead ${quote(id ?? lead.name)} is in the other tenant's list`,
    exchanges: [exchange, ...seen.pages.slice(-1).map((page) => page.exchange)],
  });
}

/** Tries to create a unit in the other tenant by naming it. */
export async function unitUnderForeign(check: Check, side: TenantView, foreign: TenantView): Promise<void> {
  const creation = await unitCreation(check);
  if (creation === null || foreign.tenant === null) return;
  const made = await creation.attempt(check, { as: side.key, tenant: foreign.tenant });
  const id = isSuccess(made) ? idIn(made) : null;
  if (id === null) return;
  const path = paths.unit(id);
  const written = recordIn(made, id);
  // Tenants may number their units alike: what either list has shown before is not what was just made.
  const isNewTo = (one: TenantView): boolean => !one.units.has(id) && (one.complete || isUnguessable(id));
  const shows = (one: TenantView, exchange: Exchange): boolean => {
    const shown = recordIn(exchange, id);
    if (!isNewTo(one) || shown === null) return false;
    // Somebody else may have made one of that number meanwhile, alike in what most units are alike in.
    return isUnguessable(id) || (showsSame(written, shown) && (one === side || hasText(written, shown)));
  };
  // A unit may be shown a moment after it was made.
  for (const waitMs of [0, 1_100]) {
    if (waitMs > 0) await sleep(waitMs);
    const theirs = await check.send({ as: foreign.key, tenant: foreign.tenant, path });
    if (shows(foreign, theirs)) {
      check.fail({
        expected: `${side.key} never to write another tenant's units`,
        actual: `${describe(made)}, and the unit ${quote(id)} is shown to the other tenant`,
        exchanges: [made, theirs],
      });
      return removeUnit(check, id, { as: foreign.key, tenant: foreign.tenant });
    }
    const own = { as: side.key, tenant: side.tenant };
    if (shows(side, await check.send({ ...own, path }))) return removeUnit(check, id, own);
  }
}

/** Whether two answers show one record: at least two fields besides the id are in both, and none differs. */
function showsSame(one: Record<string, unknown> | null, two: Record<string, unknown> | null): boolean {
  const both = Object.keys(one ?? {}).filter((name) => name !== 'id' && one?.[name] != null && two?.[name] != null);
  return both.length >= 2 && both.every((name) => sameJson(one?.[name], two?.[name]));
}

/** Whether both hold a text under one name that is no word of many. */
function hasText(one: Record<string, unknown> | null, two: Record<string, unknown>): boolean {
  return Object.entries(one ?? {}).some(
    ([name, value]) => name !== 'id' && typeof value === 'string' && value.length >= 8 && value === two[name],
  );
}

/** Whether an answer contains a text of another tenant's unit that no unit of this tenant has. */
export function showsForeignUnit(
  shown: unknown,
  theirs: unknown,
  own: ReadonlyMap<string, unknown>,
  depth = 0,
): boolean {
  const [object, foreign] = [asObject(shown), asObject(theirs)];
  const inner = object === null ? (asArray(shown) ?? []) : Object.values(object);
  const telling = Object.entries(object ?? {}).some(
    ([name, value]) =>
      name !== 'id' &&
      typeof value === 'string' &&
      value.length >= 8 &&
      foreign?.[name] === value &&
      [...own.values()].every((record) => asObject(record)?.[name] !== value),
  );
  return telling || (depth < 6 && inner.some((one) => showsForeignUnit(one, theirs, own, depth + 1)));
}

/** A lead for another tenant's unit, where it is taken, shows nothing of that unit but the id that was sent. */
export async function foreignUnitInLead(check: Check, side: TenantView, foreign: TenantView): Promise<void> {
  const id = [...foreign.units.keys()].find((one) => !side.units.has(one));
  if (id === undefined || !(side.complete || isUnguessable(id))) return;
  const caller = { as: side.key, tenant: side.tenant };
  const made = await postLead(check, { ...(await plainLead(check, caller)), vehicleId: id }, caller);
  const lead = isSuccess(made) ? idIn(made) : null;
  const { contract } = await check.contract();
  const single = `${paths.leads}/${percentEncode(lead ?? '')}`;
  const answers = [made];
  if (lead !== null && contract.operation('GET', single) !== null)
    answers.push(await check.send({ ...caller, path: single }));
  if (lead !== null && contract.operation('GET', paths.leads) !== null)
    answers.push(...(await leadsOf(check, side)).pages.map((page) => page.exchange));
  const leak = answers.find((exchange) => showsForeignUnit(dataOf(exchange), foreign.units.get(id), side.units));
  if (leak === undefined) return;
  check.fail({
    expected: `${side.key} never to see another tenant's data`,
    actual: `${describe(leak)} shows the unit ${quote(id)} of the other tenant in a lead for it`,
    exchanges: [made, leak],
  });
}

/** Makes leads with one key and looks for them with the other; whether one could be made and looked for. */
export async function leadAcross(check: Check, side: TenantView, foreign: TenantView): Promise<boolean> {
  const { contract } = await check.contract();
  if (contract.operation('GET', paths.leads) === null) return false;
  await leadUnderForeign(check, side.key, foreign);
  const own = await plainLead(check, { as: side.key });
  const made = await postLead(check, own, { as: side.key, tenant: side.tenant });
  const id = idIn(made);
  if (!isSuccess(made)) return false;
  const seen = await leadsOf(check, foreign);
  if (seen.items.some((item) => asObject(item)?.['name'] === own.name)) {
    check.fail({
      expected: `${foreign.key} not to see another tenant's leads`,
      actual: `its list shows the lead named ${quote(own.name)}`,
      exchanges: [made, ...seen.pages.map((page) => page.exchange)],
    });
  }
  if (id !== null && contract.operation('GET', `${paths.leads}/${id}`) !== null) {
    for (const tenant of headersFor(foreign, side)) {
      const one = await check.send({ as: foreign.key, tenant, path: `${paths.leads}/${percentEncode(id)}` });
      if (recordIn(one, id)?.['name'] !== own.name) continue;
      check.fail({
        expected: `${foreign.key} not to see another tenant's lead by its id`,
        actual: describe(one),
        exchanges: [made, one],
      });
      break;
    }
  }
  return seen.pages[0]?.items !== null;
}

/** Tries the opposite direction too, where this tenant has its own leads under the ids of those created in the other tenant. */
export async function leadChangesAcross(check: Check, mine: TenantView, other: TenantView): Promise<void> {
  const tryAs = (side: TenantView, foreign: TenantView): Promise<boolean> =>
    judgeForeignLeadChange(
      check,
      headersFor(side, foreign).map((tenant) => ({ as: side.key, tenant })),
      { as: foreign.key, tenant: foreign.tenant },
      foreign.key,
    );
  if (!(await tryAs(mine, other))) await tryAs(other, mine);
}

/** Whether a unit could be made; the other way round where this tenant has one of its own under that unit's number. */
export async function unitsAcross(check: Check, mine: TenantView, other: TenantView): Promise<boolean> {
  const tried = await unitAcross(check, mine, other);
  return tried === 'taken' ? (await unitAcross(check, other, mine)) !== 'none' : tried !== 'none';
}

/**
 * Tries to read, change and delete a unit created for this purpose in the other tenant. Returns `taken` where this tenant has its own unit
 * under that id.
 */
async function unitAcross(check: Check, side: TenantView, foreign: TenantView): Promise<'none' | 'taken' | 'tried'> {
  const creation = await unitCreation(check);
  const { contract } = await check.contract();
  const id = creation === null ? null : await createUnit(check, foreign.key, foreign.tenant);
  if (creation === null || id === null) return 'none';
  const path = paths.unit(id);
  const look = (): Promise<Exchange> => check.send({ as: foreign.key, tenant: foreign.tenant, path });
  const isReadable = contract.operation('GET', path) !== null;
  const before = recordIn(await settled(check, look, (one) => !isReadable || recordIn(one, id) !== null), id);
  if (before === null) {
    const mine = await check.send({ as: side.key, tenant: side.tenant, path });
    if (!side.units.has(id) && isUnguessable(id) && recordIn(mine, id) !== null)
      check.fail({
        expected: `${side.key} never to see another tenant's data`,
        actual: `${describe(mine)} shows the unit ${quote(id)}, made with ${foreign.key}, which does not see it`,
        exchanges: [mine],
      });
    return 'none';
  }
  const free: (string | null)[] = [];
  let isReported = false;
  for (const tenant of headersFor(side, foreign)) {
    const seen = await check.send({ as: side.key, tenant, path });
    const shown = recordIn(seen, id);
    const isTheirs = isForeignRecord(shown, before, side.units);
    // Two tenants may number their units alike, and nobody's own unit is to be changed.
    if (shown === null ? !isSuccess(seen) : isTheirs) free.push(tenant);
    if (!isTheirs || isReported) continue;
    isReported = true;
    check.fail({
      expected: `${side.key} never to see another tenant's data`,
      actual: `${describe(seen)} shows the unit ${quote(id)}, made with ${foreign.key}`,
      exchanges: [seen],
    });
  }
  for (const method of ['PATCH', 'PUT', 'DELETE']) {
    if (contract.operation(method, path) === null) continue;
    for (const tenant of free) {
      const caller = { as: side.key, tenant };
      const visible = method === 'PATCH' ? await visiblePatch(check, id, before) : null;
      const tried =
        method === 'PUT'
          ? await creation.attempt(check, caller, { method, path })
          : await check.send({
              ...caller,
              method,
              path,
              ...(method === 'PATCH' ? { json: visible?.body ?? creation.patch(check) } : {}),
            });
      const after = await settled(check, look, (one) => recordIn(one, id) !== null);
      if (after.response === null) continue;
      const now = recordIn(after, id);
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
        check.fail({
          expected: `${side.key} never to write another tenant's unit`,
          actual: `${describe(tried)}: ${changed}`,
          exchanges: [tried, after],
        });
        return 'tried';
      }
    }
  }
  await removeUnit(check, id, { as: foreign.key, tenant: foreign.tenant });
  return free.length < headersFor(side, foreign).length && !isReported ? 'taken' : 'tried';
}
