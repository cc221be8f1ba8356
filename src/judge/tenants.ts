import { decodeJson, type Exchange, percentEncode, succeeded } from '../http/index.js';
import { type Check, describe, type Match, type RequestOptions } from '../run/index.js';
import { type KeyName, otherForms } from '../settings/index.js';
import {
  asObject,
  byIds,
  idIn,
  idOf,
  isRefusal,
  isSuccess,
  itemsIn,
  pageAfter,
  pageWithNext,
  paths,
  quote,
  recordId,
  recordIn,
  recordsIn,
  sameJson,
  settled,
  walk,
  type WalkOptions,
} from '../service/index.js';
import {
  blockRefusedKey,
  headTells,
  isForeignRecord,
  isUnguessable,
  knownUnits,
  ownNames,
  plainLead,
  postLead,
  removeUnit,
  rightOf,
  scopedKeyNames,
  scopeOf,
  unitCreation,
} from '../api/index.js';
import type { Selector } from './invariants.js';
import { leadVictim, unitVictim, withoutEffect } from './no-effect.js';
import { type Answer, answers } from './selectors.js';

type Records = ReadonlyMap<string, unknown>;

/** Records of a kind as a key is shown them plainly, and whether those are all. */
interface Listing {
  readonly records: Records;
  readonly complete: boolean;
  readonly exchanges: readonly Exchange[];
}

/** One tenant, as one key sees it. */
interface Side {
  readonly key: KeyName;
  readonly tenant: string | null;
  readonly units: Listing;
}

const callerOf = ({ key, tenant }: Side) => ({ as: key, tenant });

/** Tenant headers worth trying with a key: its own, none, the other's. */
const headersOf = (side: Side, foreign: Side): Set<string | null> => new Set([side.tenant, null, foreign.tenant]);

function failSeen(check: Check, key: KeyName, exchange: Exchange, what: string, ...others: readonly Exchange[]): void {
  check.fail({
    code: 'foreign-data',
    expected: `${key} never to see another tenant's data`,
    actual: `${describe(exchange)} shows ${what}`,
    exchanges: [...others, exchange],
  });
}

/** Tries, in both directions, to read and to write one tenant's data with the other's key. */
export async function crossTenants(check: Check): Promise<void> {
  const { target } = check;
  await knownUnits(check);
  // Read anew: by now, other checks may have made units whose ids somebody chose.
  const sideOf = async (key: KeyName, tenant: string | null, as: WalkOptions): Promise<Side> => {
    const { items, pages, complete, stopped } = await walk(check, { ...as, limit: 50, maxPages: 12 });
    const exchanges = pages.slice(-1).map(({ exchange }) => exchange);
    if (key === 'OTHER_API_KEY' && pages[0]?.items === null) {
      blockRefusedKey(check, pages[0].exchange);
      check.blocked(`the second tenant's units could not be read with OTHER_API_KEY: ${stopped ?? ''}`);
    }
    return { key, tenant, units: { records: byIds(items), complete, exchanges } };
  };
  const { tenant, otherTenant } = target;
  const mine = await sideOf('API_KEY', tenant, {});
  const other = await sideOf('OTHER_API_KEY', otherTenant, { as: 'OTHER_API_KEY', tenant: otherTenant });
  const readers = (['API_KEY_READ_INVENTORY', 'API_KEY_READ_LEADS', 'API_KEY_READ_DEALS'] as const)
    .filter((key) => target.keys[key] !== undefined)
    .map((key) => ({ side: { ...mine, key }, foreign: other }));
  if (!target.readOnly)
    for (const side of [mine, other]) await postLead(check, await plainLead(check, callerOf(side)), callerOf(side));
  const directions = [{ side: mine, foreign: other }, { side: other, foreign: mine }, ...readers];
  await check.each(directions, ({ side, foreign }) => readAcross(check, side, foreign));
  await askInTurns(check);
  const isWritten = await writeAcross(check, mine, other);
  const areApart =
    mine.units.records.size !== other.units.records.size ||
    [...mine.units.records].some(([id, unit]) => !sameJson(unit, other.units.records.get(id)));
  if (!areApart && !isWritten)
    check.blocked(
      'the tenants cannot be distinguished: both show the same units, and no record could be created in one to search for in the other',
    );
}

/**
 * Tells the other tenant's records: tenants may number their records alike, or be seeded alike. Where this tenant's list is not whole, an id that it
 * does not show may be its own all the same.
 */
function foreignRule(own: Listing, theirs: Listing): (record: unknown) => boolean {
  const areAlike = [...own.records].some(([id, record]) => sameJson(record, theirs.records.get(id)));
  return (record) => {
    const id = idOf(record) ?? '';
    if (areAlike && !own.complete && !own.records.has(id)) return false;
    return isForeignRecord(record, theirs.records.get(id), own.records, own.complete || own.records.has(id));
  };
}

/**
 * The id of a record that both lists show with equal content, where the lists differ: few are shared, as tenants with the same seed data share most,
 * or the id is one that no two tenants give. Equal lists tell nothing, but of tenants that have no unit in common: there, a record that names a unit
 * counts.
 */
function sharedId(own: Listing, theirs: Listing, sides: readonly Side[]): string | null {
  const shared = [...own.records].filter(([id, record]) => sameJson(record, theirs.records.get(id)));
  const [one, two] = sides.map(({ units }) => units);
  const isUnits = own === one;
  const [least = 0, most = 0] = [own.records.size, theirs.records.size].toSorted((a, b) => a - b);
  const areApart =
    one?.complete === true && two?.complete === true && ![...one.records.keys()].some((id) => two.records.has(id));
  const namesUnit = (record: unknown): boolean =>
    Object.values(asObject(record) ?? {}).some((value) => sides.some(({ units }) => units.records.has(String(value))));
  const isTelling = ([id, record]: [string, unknown]): boolean =>
    shared.length === most
      ? areApart && namesUnit(record)
      : shared.length * 4 <= least
        ? id.length >= 8
        : !isUnits && isUnguessable(id);
  return shared.find(isTelling)?.[0] ?? null;
}

async function firstPage(check: Check, side: Side, path: string): Promise<Listing> {
  const exchange = await check.send({ ...callerOf(side), path });
  return { records: byIds(recordsIn(exchange)), complete: false, exchanges: [exchange] };
}

/** Tries to read the other tenant's data. */
async function readAcross(check: Check, side: Side, foreign: Side): Promise<void> {
  const { contract } = await check.contract();
  const declares = (path: string): boolean => contract.operation('GET', path) !== null;
  for (const resource of ['inventory', 'deals', 'leads'] as const) {
    const isUnits = resource === 'inventory';
    const path = isUnits ? paths.units : paths[resource];
    const right = rightOf(scopeOf(side.key), { resource, writes: false });
    if (right !== 'granted' || (resource === 'leads' && !declares(path))) continue;
    const own = isUnits ? side.units : await firstPage(check, side, path);
    // Without its own list, the records of this side are unknown.
    if (!isUnits && !own.exchanges.every(isSuccess)) continue;
    const theirs = isUnits ? foreign.units : await firstPage(check, foreign, path);
    const shared = isUnits && side.key !== 'API_KEY' ? null : sharedId(own, theirs, [side, foreign]);
    if (shared !== null)
      check.fail({
        code: 'shared-record',
        expected: `no record in the lists of two tenants (${path})`,
        actual: `${quote(shared)} is in both, equal in every field`,
        exchanges: [...own.exchanges, ...theirs.exchanges],
      });
    const isTheirs = foreignRule(own, theirs);
    const judge = (exchange: Exchange, { tenant, form }: Partial<RequestOptions> = {}): void => {
      const record = recordsIn(exchange).find(isTheirs);
      const isNamed = tenant != null && tenant.toLowerCase() === foreign.tenant?.toLowerCase();
      const how = `${isNamed ? ', under the other X-Tenant' : ''}${form === 'second' ? ', at API_BASE_URL' : ''}`;
      if (record !== undefined) failSeen(check, side.key, exchange, `${quote(idOf(record))} of the other tenant${how}`);
    };
    const ids = [...theirs.records.keys()].filter((id) => !own.records.has(id));
    const singles = [...new Set([...ids.slice(0, 1), ...ids.slice(isUnits ? -1 : ids.length)])]
      .map((id) => ({ path: `${path}/${percentEncode(id)}` }))
      .filter((one) => isUnits || declares(one.path));
    const list = { path, query: isUnits ? [['limit', '50'] as const] : [] };
    const filtered = { path, query: [...list.query, ['status', 'available'] as const] };
    const under = (headers: Iterable<string | null>, views: readonly RequestOptions[]): RequestOptions[] =>
      [...headers].flatMap((tenant) => views.map((view) => ({ ...view, tenant })));
    const rows = [
      ...under(headersOf(side, foreign), singles),
      ...under(isUnits ? headersOf(side, foreign) : [foreign.tenant], [list]),
      // Tenants may be looked up whatever the case of their names, and compared with it.
      ...(isUnits ? under(foreign.tenant === null ? [] : [foreign.tenant.toUpperCase()], [list, ...singles]) : []),
      ...(isUnits ? under(headersOf(side, foreign), [filtered]) : []),
      ...otherForms(check.target).flatMap((form) =>
        under(new Set([foreign.tenant, isUnits ? null : side.tenant]), [
          list,
          ...(isUnits ? singles.slice(0, 1) : []),
        ]).map((row) => ({ ...row, form })),
      ),
    ];
    for (const row of rows) judge(await check.send({ ...row, as: side.key }), row);
    if (isUnits) {
      await askForHead(check, side, foreign, ids[0]);
      const page = (await pageWithNext(check, callerOf(foreign), [5, 10, 50]))?.page;
      const next = page === undefined ? null : await pageAfter(check, { ...callerOf(side), limit: 50 }, page);
      if (next !== null) judge(next.exchange);
      continue;
    }
    const { pages } = await walk(check, { ...callerOf(side), path, limit: 2, maxPages: 3 });
    for (const { exchange } of pages.slice(1)) judge(exchange);
  }
}

/** Another tenant's unit is not there for HEAD either, whatever tenant is named. */
async function askForHead(check: Check, side: Side, foreign: Side, id: string | undefined): Promise<void> {
  if (foreign.tenant === null || id === undefined) return;
  const ask = (tenant: string | null): Promise<Exchange> =>
    check.send({ as: side.key, tenant, method: 'HEAD', path: paths.unit(id) });
  const there = await ask(foreign.tenant);
  if (!succeeded(there)) return;
  const here = await ask(side.tenant);
  if (isRefusal(here) && (await headTells(check, { as: side.key, tenant: foreign.tenant })))
    failSeen(check, side.key, there, `that ${quote(id)} is there, under the other X-Tenant alone`, here);
}

/**
 * Two keys ask for the same list at once, in both orders, so that a cache that is keyed by the URL alone shows. Each order has a URL of its own, so
 * that the first answer to a key is its own.
 */
async function askInTurns(check: Check): Promise<void> {
  const turns: { readonly key: KeyName; readonly before: Exchange; readonly after: Exchange }[] = [];
  for (const [first, key, limit] of [
    ['API_KEY', 'OTHER_API_KEY', '20'],
    ['OTHER_API_KEY', 'API_KEY', '30'],
  ] as const) {
    const options = { path: paths.units, query: [['limit', limit]] as const, tenant: null };
    const before = await check.send({ ...options, as: first });
    turns.push({ key, before, after: await check.send({ ...options, as: key }) });
  }
  for (const [at, { key, before, after }] of turns.entries()) {
    const own = turns[1 - at]?.before ?? before;
    const [mine, theirs] = [byIds(itemsIn(own) ?? []), byIds(itemsIn(before) ?? [])];
    if (mine.size === 0 || [...theirs.keys()].some((id) => mine.has(id))) continue;
    const leak = itemsIn(after)?.find((record) => isForeignRecord(record, theirs.get(idOf(record) ?? ''), mine));
    const what = `${quote(idOf(leak))}, as the other tenant's key was shown just before at the same address`;
    if (leak !== undefined) failSeen(check, key, after, what, own, before);
  }
}

/** The first pages of a tenant's leads, as its key sees them. */
const leadsOf = async (check: Check, side: Side): Promise<readonly Exchange[]> =>
  (await walk(check, { ...callerOf(side), path: paths.leads, limit: 50, maxPages: 10 })).pages.map(
    ({ exchange }) => exchange,
  );

/**
 * Tries to write one tenant's data with the other's key, in both directions. What either is shown of what the other made is judged with all answers
 * of the run (`showsNoForeignRecord`). Whether a record could be made in one and looked for in the other.
 */
async function writeAcross(check: Check, mine: Side, other: Side): Promise<boolean> {
  const { contract } = await check.contract();
  const listsLeads = contract.operation('GET', paths.leads) !== null;
  const hasKey = check.target.keys.API_KEY_WRITE_LEADS !== undefined;
  const written: boolean[] = [];
  const leads = async (side: Side, foreign: Side): Promise<void> => {
    await createLead(check, side, foreign, foreign);
    written.push(await createLead(check, side, foreign, side));
  };
  const both = async (victimOf: typeof unitVictim): Promise<boolean> => {
    const tried = await writeVictim(check, victimOf, mine, other);
    return tried === 'taken' ? (await writeVictim(check, victimOf, other, mine)) !== 'none' : tried !== 'none';
  };
  const rows = [
    ...(listsLeads ? [() => leads(mine, other), () => leads(other, mine)] : []),
    async () => written.push(await both(unitVictim)),
    () => both(leadVictim),
    () => createUnit(check, mine, other),
    () => nameForeignUnit(check, mine, other),
    () => nameForeignUnit(check, other, mine),
    ...(hasKey && listsLeads ? [() => createLead(check, { ...mine, key: 'API_KEY_WRITE_LEADS' }, other, other)] : []),
  ];
  await check.each(check.target.readOnly ? [] : rows, (row) => row());
  return written.includes(true);
}

/** A lead that `side` creates, naming one of the two tenants, is looked for in the other. Whether it could be created and looked for. */
async function createLead(check: Check, side: Side, foreign: Side, named: Side): Promise<boolean> {
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
    for (const tenant of headersOf(foreign, side)) await check.send({ as: foreign.key, tenant, path });
  return list === undefined || itemsIn(list) !== null;
}

/** A unit that `side` creates, naming the other tenant, is looked for in that one. */
async function createUnit(check: Check, side: Side, foreign: Side): Promise<void> {
  const creation = foreign.tenant === null ? null : await unitCreation(check);
  const asking = { as: side.key, tenant: foreign.tenant };
  const created = await creation?.attempt(check, asking);
  const id = created === undefined || !isSuccess(created) ? null : idIn(created);
  if (id === null) return;
  const look = (): Promise<Exchange[]> =>
    Promise.all([foreign, side].map((one) => check.send({ ...callerOf(one), path: paths.unit(id) })));
  // A unit may be shown a moment after it was created.
  await settled(check, look, (shown) => shown.some((one) => recordIn(one, id) !== null));
  await removeUnit(check, id, asking);
}

/** A lead for another tenant's unit, where it is taken, shows nothing of that unit but the id that was sent. */
async function nameForeignUnit(check: Check, side: Side, foreign: Side): Promise<void> {
  const own = side.units.records;
  const id = [...foreign.units.records.keys()].find((one) => !own.has(one));
  if (id === undefined || !(side.units.complete || isUnguessable(id))) return;
  const { contract } = await check.contract();
  const made = await postLead(check, { ...(await plainLead(check, callerOf(side))), vehicleId: id }, callerOf(side));
  const lead = isSuccess(made) ? idIn(made) : null;
  const single = `${paths.leads}/${percentEncode(lead ?? '')}`;
  const shown = [made];
  if (lead !== null && contract.operation('GET', single) !== null)
    shown.push(await check.send({ ...callerOf(side), path: single }));
  if (lead !== null && contract.operation('GET', paths.leads) !== null) shown.push(...(await leadsOf(check, side)));
  /** The texts of the unit that no unit of this tenant has. */
  const telling = Object.entries(asObject(foreign.units.records.get(id)) ?? {}).filter(
    ([name, value]) =>
      name !== 'id' &&
      typeof value === 'string' &&
      value.length >= 8 &&
      [...own.values()].every((record) => asObject(record)?.[name] !== value),
  );
  const shows = (value: unknown): boolean => {
    if (typeof value !== 'object' || value === null) return false;
    return telling.some(([name, text]) => asObject(value)?.[name] === text) || Object.values(value).some(shows);
  };
  const leak = shown.find(({ response }) => shows(response?.json));
  if (leak !== undefined)
    failSeen(check, side.key, leak, `the unit ${quote(id)} of the other tenant in a lead for it`, made);
}

/**
 * Tries to read and write a record created for this purpose in the other tenant. Returns `taken` where this tenant has its own record under that
 * id, `none` where nothing could be made or seen.
 */
async function writeVictim(
  check: Check,
  victimOf: typeof unitVictim,
  side: Side,
  foreign: Side,
): Promise<'none' | 'taken' | 'tried'> {
  const victim = await victimOf(check, callerOf(foreign));
  if (victim === null) return 'none';
  const { id, path } = victim;
  const own = side.units.records;
  const { record } = await settled(check, victim.look, (one) => path === null || one.record !== null);
  const callers = [...headersOf(side, foreign)].map((tenant) => ({ as: side.key, tenant }));
  const free: (typeof callers)[number][] = [];
  for (const asking of callers) {
    const seen = path === null ? null : await check.send({ ...asking, path });
    const shown = seen === null ? null : recordIn(seen, id);
    const isForeign = record === null ? !own.has(id) && isUnguessable(id) : isForeignRecord(shown, record, own);
    // Two tenants may number their records alike, and nobody's own record is to be changed.
    const isFree = seen !== null && shown === null ? !isSuccess(seen) : (victim.isIt?.(shown) ?? isForeign);
    if (seen === null ? isUnguessable(id) : isFree) free.push(asking);
  }
  await withoutEffect(check, victim, free, {
    expected: `${side.key} never to write another tenant's data`,
    isTaken: (answer) => isSuccess(answer) && victim.isIt?.(recordIn(answer)) === true,
  });
  await victim.remove();
  return free.length < callers.length ? 'taken' : record === null ? 'none' : 'tried';
}

/** An answer to a key of one tenant, with what tells the records that keys of the other alone have made. */
interface TenantAnswer extends Answer {
  readonly isForeign: (record: unknown) => boolean;
}

const textsOf = (record: unknown): string[] =>
  Object.values(asObject(record) ?? {}).filter((one): one is string => typeof one === 'string' && one.length >= 8);

/** Answers about units and leads to keys of two tenants, whatever tenant was named. Tenants may number records alike, and hold other leads of an example's name. */
export const answersToTenants: Selector<TenantAnswer> = async (check) => {
  const names = await ownNames(check);
  /** Texts that units have shown so far. */
  const known = new Set<string>();
  /** What tells a record: an id that no tenant gives by chance, or an id beside the phone of a lead or a text of a unit. A name that the run drew tells a lead. */
  const marksOf = (record: unknown, isLead: boolean, isNew: (text: string) => boolean = () => true): string[] => {
    const { name, phone } = asObject(record) ?? {};
    const id = recordId(record);
    const texts = isLead ? [phone].filter((one) => typeof one === 'string') : textsOf(record).filter(isNew);
    return [
      ...(isLead && typeof name === 'string' && names.has(name.toLowerCase()) ? [name] : []),
      ...(id !== null && isUnguessable(id) ? [id] : []),
      ...(id === null ? [] : texts.map((text) => `${id} ${text}`)),
    ];
  };
  const tenants = [0, 1].map(() => ({ sent: new Set<string>(), news: new Set<string>() }));
  return (await answers('production')(check)).flatMap((answer) => {
    const { exchange } = answer;
    const { method, path, credential, body } = exchange.request;
    const isTheirs = credential === 'OTHER_API_KEY';
    const isOurs = credential === 'API_KEY' || scopedKeyNames.some((name) => name === credential);
    const kind = /\/v1\/(unit|lead)s\b/.exec(path)?.[1];
    const [own, foreign] = isTheirs ? tenants.toReversed() : tenants;
    if (kind === undefined || !(isOurs || isTheirs) || own === undefined || foreign === undefined) return [];
    const isLead = kind === 'lead';
    if (method === 'POST') {
      const id = isSuccess(exchange) ? idIn(exchange) : null;
      const made = { ...asObject(decodeJson(body?.toString() ?? null)), ...(id === null ? {} : { id }) };
      for (const mark of marksOf(made, isLead)) own.sent.add(mark);
      // Where tenants number units alike, a text that another unit has tells nothing.
      for (const mark of marksOf(made, isLead, (text) => !known.has(text))) own.news.add(mark);
      for (const text of textsOf(made)) known.add(text);
    }
    if (!isLead) for (const text of recordsIn(exchange).flatMap(textsOf)) known.add(text);
    // What a create shows under a used key is judged by IDEM-06.
    if (method !== 'GET') return [];
    return [
      {
        ...answer,
        isForeign: (record: unknown) =>
          marksOf(record, isLead).some((mark) => foreign.news.has(mark) && !own.sent.has(mark)),
      },
    ];
  });
};

/** No record of the other tenant. */
export function showsNoForeignRecord({ exchange, isForeign }: TenantAnswer): Match {
  const leak = [...(itemsIn(exchange) ?? []), recordIn(exchange)].find(isForeign);
  return {
    pass: leak === undefined,
    code: 'foreign-record',
    expected: `no record of another tenant to be shown to ${exchange.request.credential ?? ''}`,
    actual: `it shows ${quote(recordId(leak))}`,
  };
}
