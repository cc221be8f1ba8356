import { type Exchange, percentEncode } from '../http/index.js';
import { type Check, describe } from '../run/index.js';
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
const leadsOf = async (check: Check, { key, tenant }: TenantView): Promise<readonly Exchange[]> =>
  (await walk(check, { as: key, tenant, path: paths.leads, limit: 50, maxPages: 10 })).pages.map(
    ({ exchange }) => exchange,
  );

/** Tries to write one tenant's data with the other's key, in both directions; whether a record could be made in one and looked for in the other. */
export async function judgeWritesAcross(check: Check, mine: TenantView, other: TenantView): Promise<boolean> {
  const { contract } = await check.contract();
  const listsLeads = contract.operation('GET', paths.leads) !== null;
  const hasKey = check.target.keys.API_KEY_WRITE_LEADS !== undefined;
  const leadKey: TenantView = { ...mine, key: 'API_KEY_WRITE_LEADS' };
  const written: boolean[] = [];
  const leads = async (side: TenantView, foreign: TenantView): Promise<void> => {
    await createLead(check, side, foreign, foreign);
    written.push(await createLead(check, side, foreign, side));
  };
  const both = async (victimOf: typeof unitVictim): Promise<boolean> => {
    const tried = await judgeVictim(check, victimOf, mine, other);
    return tried === 'taken' ? (await judgeVictim(check, victimOf, other, mine)) !== 'none' : tried !== 'none';
  };
  const rows = [
    ...(listsLeads ? [() => leads(mine, other), () => leads(other, mine)] : []),
    async () => written.push(await both(unitVictim)),
    () => both(leadVictim),
    () => judgeCreatedUnit(check, mine, other),
    () => judgeForeignUnitInLead(check, mine, other),
    () => judgeForeignUnitInLead(check, other, mine),
    ...(hasKey && listsLeads ? [() => createLead(check, leadKey, other, other)] : []),
  ];
  await check.each(check.target.readOnly ? [] : rows, (row) => row());
  return written.includes(true);
}

/**
 * A lead that `side` creates, naming one of the two tenants, is looked for in the other: what is shown there is judged with all answers of the run
 * (`showsNoForeignLead`). Whether it could be created and looked for.
 */
async function createLead(check: Check, side: TenantView, foreign: TenantView, named: TenantView): Promise<boolean> {
  const { contract } = await check.contract();
  if (named === foreign && foreign.tenant === null) return false;
  const lead = await plainLead(check, named === side ? { as: side.key } : {});
  const created = await postLead(check, lead, { as: side.key, tenant: named.tenant });
  // A lead that was refused in the other tenant may have been stored all the same.
  if (!isSuccess(created) && (named === side || !isRefusal(created))) return false;
  const [list] = await leadsOf(check, foreign);
  const id = isSuccess(created) ? idIn(created) : null;
  const path = `${paths.leads}/${percentEncode(id ?? '')}`;
  if (id !== null && named === side && contract.operation('GET', path) !== null)
    for (const tenant of headersFor(foreign, side)) await check.send({ as: foreign.key, tenant, path });
  return list === undefined || itemsIn(list) !== null;
}

/** A unit that `side` creates, naming the other tenant, is no unit of that one. */
async function judgeCreatedUnit(check: Check, side: TenantView, foreign: TenantView): Promise<void> {
  const creation = foreign.tenant === null ? null : await unitCreation(check);
  if (creation === null) return;
  const sent = asObject(creation.body(check));
  const created = await creation.attempt(check, { as: side.key, tenant: foreign.tenant, json: sent });
  const id = isSuccess(created) ? idIn(created) : null;
  if (id === null) return;
  const shows = (one: Exchange): boolean => isCreated(recordIn(one), id, sent, [side, foreign]);
  const look = async () => {
    const [theirs, own] = await Promise.all(
      [foreign, side].map(({ key, tenant }) => check.send({ as: key, tenant, path: paths.unit(id) })),
    );
    return { theirs, isLeak: theirs !== undefined && shows(theirs), isOwn: own !== undefined && shows(own) };
  };
  // A unit may be shown a moment after it was created.
  const { theirs, isLeak, isOwn } = await settled(check, look, (one) => one.isOwn || one.isLeak);
  if (isLeak && theirs !== undefined)
    check.fail({
      code: 'foreign-write',
      expected: `${side.key} never to write another tenant's units`,
      actual: `${describe(created)}, and ${describe(theirs)} shows the unit ${quote(id)} to ${foreign.key}`,
      exchanges: [created, theirs],
    });
  if (isOwn || isLeak) await removeUnit(check, id, askingOf(isLeak ? foreign : side));
}

/**
 * Whether a record is the unit that was created. Tenants may number their units alike: a guessable id says nothing without a text that was sent and
 * that no unit had.
 */
function isCreated(record: Json | null, id: string, sent: Json | null, views: readonly TenantView[]): boolean {
  if (record === null || recordId(record) !== id || views.some(({ units }) => units.has(id))) return false;
  const isNew = (name: string, text: string): boolean =>
    views.every(({ units }) => [...units.values()].every((unit) => asObject(unit)?.[name] !== text));
  const isTelling = ([name, value]: [string, unknown]): boolean =>
    typeof value === 'string' && value.length >= 8 && record[name] === value && isNew(name, value);
  return isUnguessable(id) || Object.entries(sent ?? {}).some(isTelling);
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
  if (lead !== null && contract.operation('GET', paths.leads) !== null) answers.push(...(await leadsOf(check, side)));
  const leak = answers.find((exchange) => showsForeignUnit(dataOf(exchange), foreign.units.get(id), side.units));
  if (leak === undefined) return;
  check.fail({
    code: 'foreign-data',
    expected: `${side.key} never to see another tenant's data`,
    actual: `${describe(leak)} shows the unit ${quote(id)} of the other tenant in a lead for it`,
    exchanges: [made, leak],
  });
}

/**
 * Tries to read and write a record created for this purpose in the other tenant. Returns `taken` where this tenant has its own record under that
 * id, `none` where nothing could be made or seen.
 */
async function judgeVictim(
  check: Check,
  victimOf: typeof unitVictim,
  side: TenantView,
  foreign: TenantView,
): Promise<'none' | 'taken' | 'tried'> {
  const victim = await victimOf(check, askingOf(foreign));
  if (victim === null) return 'none';
  const { id, path } = victim;
  const isReadable = path !== null;
  const { record } = await settled(check, victim.look, (one) => !isReadable || one.record !== null);
  const free: Asking[] = [];
  let isReported = false;
  const callers = headersFor(side, foreign).map((tenant) => ({ as: side.key, tenant }));
  for (const asking of callers) {
    const seen = path === null ? null : await check.send({ ...asking, path });
    const shown = seen === null ? null : recordIn(seen, id);
    const isForeign = (): boolean =>
      record === null ? !side.units.has(id) && isUnguessable(id) : isForeignRecord(shown, record, side.units);
    const isTheirs = shown !== null && (victim.isIt?.(shown) ?? isForeign());
    // Two tenants may number their records alike, and nobody's own record is to be changed.
    if (seen === null ? isUnguessable(id) : shown === null ? !isSuccess(seen) : isTheirs) free.push(asking);
    if (!isTheirs || isReported || seen === null) continue;
    isReported = true;
    check.fail({
      code: 'foreign-record',
      expected: `${side.key} never to see another tenant's data`,
      actual: `${describe(seen)} shows the ${victim.name}, made with ${foreign.key}`,
      exchanges: [seen],
    });
  }
  await judgeNoEffect(check, victim, free, {
    expected: `${side.key} never to write another tenant's data`,
    isTaken: (answer) => isSuccess(answer) && victim.isIt?.(recordIn(answer)) === true,
  });
  await victim.remove();
  if (free.length < callers.length && !isReported) return 'taken';
  return record === null ? 'none' : 'tried';
}
