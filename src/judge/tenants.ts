import { decodeJson, type Exchange, percentEncode, succeeded } from '../http/index.js';
import { type Check, describe, type RequestOptions } from '../run/index.js';
import { type KeyName, otherForms } from '../settings/index.js';
import {
  asObject,
  byIds,
  idIn,
  idOf,
  isRefusal,
  isSuccess,
  itemsIn,
  type Kind,
  kindOf,
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
} from '../service/index.js';
import {
  blockRefusedKey,
  isForeignRecord,
  isUnguessable,
  knownUnits,
  ownNames,
  plainLead,
  postLead,
  removeUnit,
  type Resource,
  rightOf,
  type Scope,
  scopedKeyNames,
  scopedKeys,
  unitCreation,
} from '../api/index.js';
import type { Row } from '../requirement/index.js';
import { invariant, type Selector } from './invariants.js';
import { headTells } from './matrix.js';
import { leadVictim, unitVictim, withoutEffect } from './no-effect.js';
import { type Answer, answers } from './selectors.js';

const kinds = ['unit', 'lead', 'deal'] as const satisfies Kind[];
const listOf = (kind: Kind): string => paths[`${kind}s`];

/** Records of a kind as a key with full access is shown them plainly, and whether those are all. */
interface Listing {
  readonly records: ReadonlyMap<string, unknown>;
  readonly complete: boolean;
  /** None where they were not shown. */
  readonly exchanges: readonly Exchange[];
}

/** One tenant, as its key with full access sees it. */
interface Side {
  readonly key: KeyName;
  readonly tenant: string | null;
  readonly lists: Readonly<Record<Kind, Listing>>;
}
/** This tenant and the other. */
type Sides = readonly [Side, Side];

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

/** Both tenants, each with a lead at least where leads can be made. Read anew: by now, other checks may have made units whose ids somebody chose. */
async function tenantsOf(check: Check): Promise<Sides> {
  await knownUnits(check);
  const { tenant, otherTenant } = check.target;
  return [await sideOf(check, 'API_KEY', tenant), await sideOf(check, 'OTHER_API_KEY', otherTenant)];
}

async function sideOf(check: Check, as: KeyName, tenant: string | null): Promise<Side> {
  const { contract } = await check.contract();
  const caller = { as, tenant };
  const units = await walk(check, { ...caller, limit: 50, maxPages: 12 });
  const [first] = units.pages;
  if (as === 'OTHER_API_KEY' && first?.items === null) {
    blockRefusedKey(check, first.exchange);
    check.blocked(`the second tenant's units could not be read with OTHER_API_KEY: ${units.stopped ?? ''}`);
  }
  if (!check.target.readOnly) await postLead(check, await plainLead(check, caller), caller);
  const firstPage = async (path: string): Promise<Listing> => {
    const exchange = await check.send({ ...caller, path });
    return { records: byIds(recordsIn(exchange)), complete: false, exchanges: isSuccess(exchange) ? [exchange] : [] };
  };
  const none = { records: new Map(), complete: false, exchanges: [] };
  const lead = contract.operation('GET', paths.leads) === null ? none : await firstPage(paths.leads);
  const exchanges = units.pages.slice(-1).map(({ exchange }) => exchange);
  const unit = { records: byIds(units.items), complete: units.complete, exchanges };
  return { key: as, tenant, lists: { unit, lead, deal: await firstPage(paths.deals) } };
}

/**
 * Tells the other tenant's records: tenants may number their records alike, or be seeded alike. Where this tenant's list is not whole, an id that it
 * does not show may be its own all the same.
 */
function foreignRule(own: Listing, theirs: Listing): (record: unknown) => boolean {
  const areAlike = [...own.records].some(([id, record]) => sameJson(record, theirs.records.get(id)));
  return (record) => {
    const id = idOf(record) ?? '';
    // Without its own list, the records of this side are unknown.
    if (own.exchanges.length === 0 || (areAlike && !own.complete && !own.records.has(id))) return false;
    return isForeignRecord(record, theirs.records.get(id), own.records, own.complete || own.records.has(id));
  };
}

/**
 * The id of a record that both lists show with equal content, where the lists differ: few are shared, as tenants with the same seed data share most,
 * or the id is one that no two tenants give. Equal lists tell nothing, but of tenants that have no unit in common: there, a record that names a unit
 * counts.
 */
function sharedId(kind: Kind, sides: Sides): string | null {
  const [own, theirs] = [sides[0].lists[kind], sides[1].lists[kind]];
  const shared = [...own.records].filter(([id, record]) => sameJson(record, theirs.records.get(id)));
  const [one, two] = [sides[0].lists.unit, sides[1].lists.unit];
  const [least = 0, most = 0] = [own.records.size, theirs.records.size].toSorted((a, b) => a - b);
  const areApart = one.complete && two.complete && ![...one.records.keys()].some((id) => two.records.has(id));
  const namesUnit = (record: unknown): boolean =>
    Object.values(asObject(record) ?? {}).some((value) =>
      sides.some(({ lists }) => lists.unit.records.has(String(value))),
    );
  const isTelling = ([id, record]: [string, unknown]): boolean =>
    shared.length === most
      ? areApart && namesUnit(record)
      : shared.length * 4 <= least
        ? id.length >= 8
        : kind !== 'unit' && isUnguessable(id);
  return shared.find(isTelling)?.[0] ?? null;
}

/** No record is in the lists of both tenants. */
function shareNoRecord(check: Check, sides: Sides): Promise<void> {
  for (const kind of kinds) {
    const shared = sharedId(kind, sides);
    if (shared === null) continue;
    check.fail({
      code: 'shared-record',
      expected: `no record in the lists of two tenants (${listOf(kind)})`,
      actual: `${quote(shared)} is in both, equal in every field`,
      exchanges: sides.flatMap(({ lists }) => lists[kind].exchanges),
    });
  }
  return Promise.resolve();
}

/** Asks for the other tenant's data with each key that reads, and then judges what was shown. */
async function readAcross(check: Check, [mine, other]: Sides): Promise<void> {
  const before = new Set(await check.run.exchanges());
  const readers = scopedKeys(check).filter(({ scope }) => scope.startsWith('read:'));
  const directions: { readonly side: Side; readonly foreign: Side; readonly scope: Scope }[] = [
    { side: mine, foreign: other, scope: 'admin:*' },
    { side: other, foreign: mine, scope: 'admin:*' },
    ...readers.map(({ as, scope }) => ({ side: { ...mine, key: as }, foreign: other, scope })),
  ];
  const mayRead = (scope: Scope, resource: Resource): boolean =>
    rightOf(scope, { resource, writes: false }) === 'granted';
  await check.each(directions, async ({ side, foreign, scope }) => {
    if (mayRead(scope, 'inventory')) await readUnits(check, side, foreign);
    for (const kind of ['deal', 'lead'] as const)
      if (mayRead(scope, `${kind}s`) && side.lists[kind].exchanges.length > 0)
        await readOthers(check, kind, side, foreign);
  });
  for (const exchange of await check.run.exchanges()) {
    const [key, kind] = [exchange.request.credential as KeyName, kindOf(exchange)];
    if (before.has(exchange) || exchange.asker !== check.entry.id || kind === null) continue;
    const [own, theirs] = key === other.key ? [other, mine] : [mine, other];
    const leak = recordsIn(exchange).find(foreignRule(own.lists[kind], theirs.lists[kind]));
    if (leak !== undefined) failSeen(check, key, exchange, `${quote(idOf(leak))} of the other tenant`);
  }
  await askInTurns(check);
}

/** Ids that only the other tenant's list shows. */
const foreignIds = (kind: Kind, side: Side, foreign: Side): string[] =>
  [...foreign.lists[kind].records.keys()].filter((id) => !side.lists[kind].records.has(id));

const under = (headers: Iterable<string | null>, views: readonly RequestOptions[]): RequestOptions[] =>
  [...headers].flatMap((tenant) => views.map((view) => ({ ...view, tenant })));

async function readUnits(check: Check, side: Side, foreign: Side): Promise<void> {
  const ids = foreignIds('unit', side, foreign);
  const singles = [...new Set([...ids.slice(0, 1), ...ids.slice(-1)])].map((id) => ({ path: paths.unit(id) }));
  const list = { path: paths.units, query: [['limit', '50'] as const] };
  const filtered = { ...list, query: [...list.query, ['status', 'available'] as const] };
  const rows = [
    ...under(headersOf(side, foreign), [list, filtered, ...singles]),
    // Tenants may be looked up whatever the case of their names, and compared with it.
    ...under(foreign.tenant === null ? [] : [foreign.tenant.toUpperCase()], [list, ...singles]),
    ...otherForms(check.target).flatMap((form) =>
      under(new Set([foreign.tenant, null]), [list, ...singles.slice(0, 1)]).map((row) => ({ ...row, form })),
    ),
  ];
  for (const row of rows) await check.send({ ...row, as: side.key });
  await askForHead(check, side, foreign, ids[0]);
  const page = (await pageWithNext(check, callerOf(foreign), [5, 10, 50]))?.page;
  if (page !== undefined) await pageAfter(check, { ...callerOf(side), limit: 50 }, page);
}

/** Leads and deals, and their short pages. */
async function readOthers(check: Check, kind: 'lead' | 'deal', side: Side, foreign: Side): Promise<void> {
  const { contract } = await check.contract();
  const path = listOf(kind);
  const singles = foreignIds(kind, side, foreign)
    .slice(0, 1)
    .map((id) => ({ path: `${path}/${percentEncode(id)}` }))
    .filter((one) => contract.operation('GET', one.path) !== null);
  const rows = [
    ...under(headersOf(side, foreign), singles),
    ...under([foreign.tenant], [{ path }]),
    ...otherForms(check.target).flatMap((form) => under(new Set([foreign.tenant, side.tenant]), [{ path, form }])),
  ];
  for (const row of rows) await check.send({ ...row, as: side.key });
  await walk(check, { ...callerOf(side), path, limit: 2, maxPages: 3 });
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
 * that the first answer to a key is its own: it may have spoilt the lists that were read before.
 */
async function askInTurns(check: Check): Promise<void> {
  const turns: { readonly key: KeyName; readonly before: Exchange; readonly after: Exchange }[] = [];
  for (const [first, key, limit] of [
    ['API_KEY', 'OTHER_API_KEY', '20'],
    ['OTHER_API_KEY', 'API_KEY', '30'],
  ] as const) {
    const ask = (as: KeyName): Promise<Exchange> =>
      check.send({ path: paths.units, query: [['limit', limit]], tenant: null, as });
    turns.push({ key, before: await ask(first), after: await ask(key) });
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
 * of the run (`showsNoForeignRecord`).
 */
async function writeAcross(check: Check, [mine, other]: Sides): Promise<void> {
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
  const [one, two] = [mine, other].map(({ lists }) => lists.unit.records);
  const areApart = one?.size !== two?.size || [...(one ?? [])].some(([id, unit]) => !sameJson(unit, two?.get(id)));
  if (!areApart && !written.includes(true))
    check.blocked(
      'the tenants cannot be distinguished: both show the same units, and no record could be created in one to search for in the other',
    );
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
  const own = side.lists.unit.records;
  const [id] = foreignIds('unit', side, foreign);
  if (id === undefined || !(side.lists.unit.complete || isUnguessable(id))) return;
  const { contract } = await check.contract();
  const made = await postLead(check, { ...(await plainLead(check, callerOf(side))), vehicleId: id }, callerOf(side));
  const lead = isSuccess(made) ? idIn(made) : null;
  const single = `${paths.leads}/${percentEncode(lead ?? '')}`;
  const shown = [made];
  if (lead !== null && contract.operation('GET', single) !== null)
    shown.push(await check.send({ ...callerOf(side), path: single }));
  if (lead !== null && contract.operation('GET', paths.leads) !== null) shown.push(...(await leadsOf(check, side)));
  /** The texts of the unit that no unit of this tenant has. */
  const telling = Object.entries(asObject(foreign.lists.unit.records.get(id)) ?? {}).filter(
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
  // Other leads of a list may show units that were made since.
  const partOf = (one: Exchange): unknown =>
    itemsIn(one)?.find((item) => recordId(asObject(item)) === lead) ?? (itemsIn(one) === null && one.response?.json);
  const leak = shown.find((one) => shows(partOf(one)));
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
  const own = side.lists.unit.records;
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
const answersToTenants: Selector<TenantAnswer> = async (check) => {
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
  const parties = [0, 1].map(() => ({ sent: new Set<string>(), news: new Set<string>() }));
  return (await answers('production')(check)).flatMap((answer) => {
    const { exchange } = answer;
    const { method, credential, body } = exchange.request;
    const isTheirs = credential === 'OTHER_API_KEY';
    const isOurs = credential === 'API_KEY' || scopedKeyNames.some((name) => name === credential);
    const kind = kindOf(exchange);
    const [own, foreign] = isTheirs ? parties.toReversed() : parties;
    if (kind === null || kind === 'deal' || !(isOurs || isTheirs) || own === undefined || foreign === undefined)
      return [];
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
    const isForeign = (record: unknown): boolean =>
      marksOf(record, isLead).some((mark) => foreign.news.has(mark) && !own.sent.has(mark));
    return [{ ...answer, isForeign }];
  });
};

/** No answer to a key of one tenant shows a record that only keys of the other have made. */
export const showsNoForeignRecord = (says: string): Row =>
  invariant(says, answersToTenants, ({ exchange, isForeign }) => {
    const leak = [...(itemsIn(exchange) ?? []), recordIn(exchange)].find(isForeign);
    return {
      pass: leak === undefined,
      code: 'foreign-record',
      expected: `no record of another tenant to be shown to ${exchange.request.credential ?? ''}`,
      actual: `it shows ${quote(recordId(leak))}`,
    };
  });

/** Both tenants, and what is tried with the keys of one at the other. */
export const tenants = { both: tenantsOf, shareNoRecord, readAcross, writeAcross } as const;
