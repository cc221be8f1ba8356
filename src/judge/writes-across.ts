import { type Exchange, percentEncode } from '../http/index.js';
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
    await judgeCreation(check, 'lead', side, foreign, foreign);
    written.push(await judgeCreation(check, 'lead', side, foreign, side));
  };
  const both = async (victimOf: typeof unitVictim): Promise<boolean> => {
    const tried = await judgeVictim(check, victimOf, mine, other);
    return tried === 'taken' ? (await judgeVictim(check, victimOf, other, mine)) !== 'none' : tried !== 'none';
  };
  const rows = [
    ...(listsLeads ? [() => leads(mine, other), () => leads(other, mine)] : []),
    async () => written.push(await both(unitVictim)),
    () => both(leadVictim),
    () => judgeCreation(check, 'unit', mine, other, other),
    () => judgeForeignUnitInLead(check, mine, other),
    () => judgeForeignUnitInLead(check, other, mine),
    ...(hasKey && listsLeads ? [() => judgeCreation(check, 'lead', leadKey, other, other)] : []),
  ];
  await check.each(check.target.readOnly ? [] : rows, (row) => row());
  return written.includes(true);
}

/**
 * What `side` creates is no record of the other tenant, whichever tenant it names: no list of leads shows it there, nor a read of its id. Whether it
 * was made and could be looked for.
 */
async function judgeCreation(
  check: Check,
  kind: 'lead' | 'unit',
  side: TenantView,
  foreign: TenantView,
  named: TenantView,
): Promise<boolean> {
  const { contract } = await check.contract();
  const creation = kind === 'unit' ? await unitCreation(check) : null;
  if ((kind === 'unit' && creation === null) || (named === foreign && foreign.tenant === null)) return false;
  const asking = { as: side.key, tenant: named.tenant };
  const sent =
    creation === null ? await plainLead(check, named === side ? { as: side.key } : {}) : asObject(creation.body(check));
  const made = await (creation === null
    ? postLead(check, sent, asking)
    : creation.attempt(check, { ...asking, json: sent }));
  const id = isSuccess(made) ? idIn(made) : null;
  // A lead that was refused may have been stored all the same.
  if (!isSuccess(made) && (creation !== null || named === side || !isRefusal(made))) return false;
  const isMade = (record: Json | null): boolean => isSame(record, { kind, id, sent, views: [side, foreign] });
  const path = kind === 'unit' ? paths.unit(id ?? '') : `${paths.leads}/${percentEncode(id ?? '')}`;
  const single = (as: KeyName, tenant: string | null): Promise<Exchange> => check.send({ as, tenant, path });
  const isRead = id !== null && (kind === 'unit' || (named === side && contract.operation('GET', path) !== null));
  const shows = (one: Exchange): boolean =>
    [...(itemsIn(one) ?? []), recordIn(one)].some((record) => isMade(asObject(record)));
  const look = async () => {
    const theirs = kind === 'lead' ? [...(await leadsOf(check, foreign))] : [];
    const headers = kind === 'lead' ? headersFor(foreign, side) : [foreign.tenant];
    for (const tenant of isRead ? headers : []) theirs.push(await single(foreign.key, tenant));
    const isOwn = kind === 'unit' && isRead && !theirs.some(shows) && shows(await single(side.key, side.tenant));
    return { theirs, leak: theirs.find(shows), isOwn };
  };
  // A unit may be shown a moment after it was made.
  const { theirs, leak, isOwn } = await settled(
    check,
    look,
    (one) => kind === 'lead' || one.isOwn || one.leak !== undefined,
  );
  if (leak !== undefined)
    check.fail({
      expected: `${side.key} never to write another tenant's ${kind}s, and ${foreign.key} not to see those of another`,
      actual: `${describe(made)}, and ${describe(leak)} shows the ${kind} ${quote(id ?? sent?.['name'])} to ${foreign.key}`,
      exchanges: [made, leak],
    });
  if (kind === 'unit' && id !== null && (isOwn || leak !== undefined))
    await removeUnit(check, id, askingOf(isOwn ? side : foreign));
  return theirs[0] === undefined || itemsIn(theirs[0]) !== null;
}

/** What was sent to create a record, and the id that it was given. */
interface Made {
  readonly kind: 'lead' | 'unit';
  readonly id: string | null;
  readonly sent: Json | null;
  readonly views: readonly TenantView[];
}

/**
 * Whether a record is the one that was made. Tenants may number their records alike: a guessable id says nothing without a text that was sent and
 * that no unit had, or the phone of a lead; the name of a lead is nobody else's.
 */
function isSame(record: Json | null, { kind, id, sent, views }: Made): boolean {
  const hasId = record !== null && id !== null && recordId(record) === id;
  if (kind === 'lead')
    return record?.['name'] === sent?.['name'] || (hasId && (isUnguessable(id) || record['phone'] === sent?.['phone']));
  const isNew = (name: string, text: string): boolean =>
    views.every(({ units }) => [...units.values()].every((unit) => asObject(unit)?.[name] !== text));
  const isTelling = ([name, value]: [string, unknown]): boolean =>
    typeof value === 'string' && value.length >= 8 && record?.[name] === value && isNew(name, value);
  if (!hasId || views.some(({ units }) => units.has(id))) return false;
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
