import { percentEncode } from '../http/index.js';
import { type Check, describe } from '../run/index.js';
import type { KeyName } from '../settings/index.js';
import {
  asArray,
  asObject,
  dataOf,
  idIn,
  isRefusal,
  isSuccess,
  itemsIn,
  paths,
  quote,
  recordId,
  recordIn,
  settled,
  walk,
} from '../service/index.js';
import {
  headersFor,
  isForeignRecord,
  isUnguessable,
  plainLead,
  postLead,
  removeUnit,
  type TenantView,
  unitCreation,
} from '../api/index.js';
import { type Asking, judgeNoEffect, leadVictim, unitVictim } from './no-effect.js';

type Json = Readonly<Record<string, unknown>>;

const askingOf = ({ key, tenant }: TenantView): Asking => ({ as: key, tenant });

/** The first pages of a tenant's leads, as its key sees them. */
const leadsOf = (check: Check, { key, tenant }: TenantView): ReturnType<typeof walk> =>
  walk(check, { as: key, tenant, path: paths.leads, limit: 50, maxPages: 10 });

/** Tries to write one tenant's data with the other's key, in both directions; whether a record could be made in one and looked for in the other. */
export async function judgeWritesAcross(check: Check, mine: TenantView, other: TenantView): Promise<boolean> {
  const { contract } = await check.contract();
  const listsLeads = contract.operation('GET', paths.leads) !== null;
  const hasKey = check.target.keys.API_KEY_WRITE_LEADS !== undefined;
  const written: boolean[] = [];
  const leads = async (side: TenantView, foreign: TenantView): Promise<void> => {
    if (!listsLeads) return;
    await judgeLead(check, side.key, foreign, foreign, side);
    written.push(await judgeLead(check, side.key, side, foreign, side));
  };
  const leadKey = { ...mine, key: 'API_KEY_WRITE_LEADS' as KeyName };
  const rows = [
    () => leads(mine, other),
    () => leads(other, mine),
    async () => {
      const tried = await judgeUnit(check, mine, other);
      written.push(tried === 'taken' ? (await judgeUnit(check, other, mine)) !== 'none' : tried !== 'none');
    },
    async () => {
      if (!(await judgeLeadChange(check, mine, other))) await judgeLeadChange(check, other, mine);
    },
    () => judgeUnitUnder(check, mine, other),
    () => judgeForeignUnitInLead(check, mine, other),
    () => judgeForeignUnitInLead(check, other, mine),
    ...(hasKey && listsLeads ? [() => judgeLead(check, leadKey.key, other, other, leadKey)] : []),
  ];
  await check.each(check.target.readOnly ? [] : rows, (row) => row());
  return written.includes(true);
}

/** What a key creates is no record of the other tenant, whichever tenant it names: whether it was made and could be looked for. */
async function judgeLead(
  check: Check,
  key: KeyName,
  named: TenantView,
  foreign: TenantView,
  side: TenantView,
): Promise<boolean> {
  if (named === foreign && foreign.tenant === null) return false;
  const { contract } = await check.contract();
  const lead = await plainLead(check, named === side ? { as: key } : {});
  const made = await postLead(check, lead, { as: key, tenant: named.tenant });
  const id = isSuccess(made) ? idIn(made) : null;
  // One that was refused may have been stored all the same.
  if (!isSuccess(made) && (named === side || !isRefusal(made))) return false;
  const isLead = (record: Json | null): boolean =>
    record?.['name'] === lead.name ||
    (id !== null && recordId(record) === id && (isUnguessable(id) || record?.['phone'] === lead.phone));
  const { pages } = await leadsOf(check, foreign);
  const answers = pages.map(({ exchange }) => exchange);
  const path = `${paths.leads}/${percentEncode(id ?? '')}`;
  if (named === side && id !== null && contract.operation('GET', path) !== null)
    for (const tenant of headersFor(foreign, side)) answers.push(await check.send({ as: foreign.key, tenant, path }));
  const leak = answers.find((one) =>
    [...(itemsIn(one) ?? []), recordIn(one)].some((record) => isLead(asObject(record))),
  );
  if (leak !== undefined)
    check.fail({
      expected: `${key} never to write another tenant's leads, and ${foreign.key} not to see those of another`,
      actual: `${describe(made)}, and ${describe(leak)} shows the lead ${quote(lead.name)} to ${foreign.key}`,
      exchanges: [made, leak],
    });
  return pages[0]?.items !== null;
}

/** Tries to create a unit in the other tenant by naming it. */
async function judgeUnitUnder(check: Check, side: TenantView, foreign: TenantView): Promise<void> {
  const creation = await unitCreation(check);
  if (creation === null || foreign.tenant === null) return;
  const json = creation.body(check);
  const made = await creation.attempt(check, { as: side.key, tenant: foreign.tenant, json });
  const id = isSuccess(made) ? idIn(made) : null;
  if (id === null) return;
  const look = async (one: TenantView) => {
    const exchange = await check.send({ ...askingOf(one), path: paths.unit(id) });
    return { one, exchange, isShown: isUnit(recordIn(exchange, id), asObject(json), id, [side, foreign]) };
  };
  // A unit may be shown a moment after it was made.
  const readings = await settled(
    check,
    async () => [await look(foreign), await look(side)],
    (both) => both.some(({ isShown }) => isShown),
  );
  const [theirs] = readings;
  if (theirs?.isShown === true)
    check.fail({
      expected: `${side.key} never to write another tenant's units`,
      actual: `${describe(made)}, and the unit ${quote(id)} is shown to the other tenant`,
      exchanges: [made, theirs.exchange],
    });
  const owner = readings.find(({ isShown }) => isShown)?.one;
  if (owner !== undefined) await removeUnit(check, id, askingOf(owner));
}

/**
 * Whether a record is the unit that was made. Tenants may number their units alike: what a list has shown before is not what was just made, and a
 * guessable id says nothing without a text that was sent and that no unit had.
 */
function isUnit(record: Json | null, sent: Json | null, id: string, views: readonly TenantView[]): boolean {
  if (record === null || views.some(({ units }) => units.has(id))) return false;
  const isNew = (name: string, text: string): boolean =>
    views.every(({ units }) => [...units.values()].every((unit) => asObject(unit)?.[name] !== text));
  return (
    isUnguessable(id) ||
    Object.entries(sent ?? {}).some(
      ([name, value]) => typeof value === 'string' && value.length >= 8 && record[name] === value && isNew(name, value),
    )
  );
}

/** Whether an answer contains a text of another tenant's unit that no unit of this tenant has. */
function showsForeignUnit(shown: unknown, theirs: unknown, own: ReadonlyMap<string, unknown>, depth = 0): boolean {
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
async function judgeForeignUnitInLead(check: Check, side: TenantView, foreign: TenantView): Promise<void> {
  const id = [...foreign.units.keys()].find((one) => !side.units.has(one));
  if (id === undefined || !(side.complete || isUnguessable(id))) return;
  const { contract } = await check.contract();
  const caller = { as: side.key, tenant: side.tenant };
  const made = await postLead(check, { ...(await plainLead(check, caller)), vehicleId: id }, caller);
  const lead = isSuccess(made) ? idIn(made) : null;
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

/** Tries to change the other tenant's lead, one made for the purpose; false where a caller has a lead of its own under its number. */
async function judgeLeadChange(check: Check, side: TenantView, foreign: TenantView): Promise<boolean> {
  const victim = await leadVictim(check, askingOf(foreign));
  if (victim === null) return true;
  const free: Asking[] = [];
  const callers = headersFor(side, foreign).map((tenant) => ({ as: side.key, tenant }));
  // Two tenants may number their leads alike, and nobody's own lead is to be changed.
  for (const caller of callers) if (!(await victim.isTakenFor(caller))) free.push(caller);
  const sent = victim.phone;
  await judgeNoEffect(check, victim, free, {
    expected: `a lead made with ${foreign.key} never to be changed with another tenant's key`,
    isTaken: (answer) => isSuccess(answer) && recordIn(answer)?.['phone'] === sent,
  });
  return free.length === callers.length;
}

/**
 * Tries to read, change and delete a unit created for this purpose in the other tenant. Returns `taken` where this tenant has its own unit
 * under that id.
 */
async function judgeUnit(check: Check, side: TenantView, foreign: TenantView): Promise<'none' | 'taken' | 'tried'> {
  const { contract } = await check.contract();
  const victim = await unitVictim(check, askingOf(foreign));
  if (victim === null) return 'none';
  const { id } = victim;
  const path = paths.unit(id);
  const isReadable = contract.operation('GET', path) !== null;
  const { record } = await settled(check, victim.look, (one) => !isReadable || one.record !== null);
  const free: Asking[] = [];
  let isReported = false;
  const callers = headersFor(side, foreign).map((tenant) => ({ as: side.key, tenant }));
  for (const asking of callers) {
    const seen = await check.send({ ...asking, path });
    const shown = recordIn(seen, id);
    const isTheirs =
      record === null
        ? shown !== null && !side.units.has(id) && isUnguessable(id)
        : isForeignRecord(shown, record, side.units);
    // Two tenants may number their units alike, and nobody's own unit is to be changed.
    if (shown === null ? !isSuccess(seen) : isTheirs) free.push(asking);
    if (!isTheirs || isReported) continue;
    isReported = true;
    check.fail({
      expected: `${side.key} never to see another tenant's data`,
      actual: `${describe(seen)} shows the unit ${quote(id)}, made with ${foreign.key}`,
      exchanges: [seen],
    });
  }
  if (record === null) return 'none';
  const expected = `${side.key} never to write another tenant's unit`;
  await judgeNoEffect(check, victim, free, { expected, isTaken: () => false });
  await removeUnit(check, id, askingOf(foreign));
  return free.length < callers.length && !isReported ? 'taken' : 'tried';
}
