import { decodeJson, type Exchange, percentEncode, succeeded } from '../http/index.js';
import { type Check, describe, type RequestOptions } from '../run/index.js';
import type { KeyName } from '../settings/index.js';
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
  listedIn,
  type Page,
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
  adminKeys,
  type Asking,
  blockRefusedKey,
  isForeignRecord,
  isUnguessable,
  knownUnits,
  ownNames,
  plainLead,
  postLead,
  removeUnit,
  rightOf,
  type Scope,
  scopedKeyNames,
  scopedKeys,
  textsNotIn,
  unitCreation,
  wholeList,
} from '../api/index.js';
import type { Row } from '../requirement/index.js';
import { invariant, type Selector } from './invariants.js';
import { formOf, headTells, resources } from './matrix.js';
import { keptCreates, leadVictim, unitVictim, withoutEffect } from './no-effect.js';
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
  /** A lead that was created there; null for none. */
  readonly leadId: string | null;
}
/** This tenant and the other. */
type Sides = readonly [Side, Side];

const callerOf = ({ key, tenant }: Side) => ({ as: key, tenant });

/** A key of one side that asks for what the foreign one has. */
interface Intruder {
  readonly as: KeyName;
  readonly scope: Scope;
  readonly side: Side;
  readonly foreign: Side;
}

/** The keys of both sides that have the right to read or write records of a kind. */
const intrudersOf = (check: Check, [mine, other]: Sides, kind: Kind, writes: boolean): Intruder[] =>
  [
    ...[...adminKeys(), ...scopedKeys(check)].map(({ as, scope }) => ({ as, scope, side: mine, foreign: other })),
    { as: other.key, scope: 'admin:*' as const, side: other, foreign: mine },
  ].filter(({ scope }) => rightOf(scope, { resource: resources[kind], writes }) === 'granted');

/** How one of several keys asks, by its turn: it names its own tenant, none, and the foreign one, under address forms that take turns. */
const askingsOf = (check: Check, { as, side, foreign }: Intruder, turn: number): Asking[] =>
  [...new Set([side.tenant, null, foreign.tenant])].map((tenant, at) => ({
    as,
    tenant,
    ...formOf(check, turn + at),
  }));

function failSeen(check: Check, key: KeyName, exchange: Exchange, what: string, ...others: readonly Exchange[]): void {
  check.fail({
    code: 'foreign-data',
    expected: `${key} never to see another tenant's data`,
    actual: `${describe(exchange)} shows ${what}`,
    exchanges: [...others, exchange],
  });
}

/** Both tenants, each with two leads at least where leads can be made. Read anew: by now, other checks may have made units whose ids somebody chose. */
async function tenantsOf(check: Check): Promise<Sides> {
  await knownUnits(check);
  const { tenant, otherTenant } = check.target;
  return [await sideOf(check, 'API_KEY', tenant), await sideOf(check, 'OTHER_API_KEY', otherTenant)];
}

async function sideOf(check: Check, as: KeyName, tenant: string | null): Promise<Side> {
  const { contract } = await check.contract();
  const caller = { as, tenant };
  // A cache that is keyed by the URL alone may hold the list of the first tenant.
  const short = as === 'API_KEY' ? null : await walk(check, { ...caller, limit: 30, maxPages: 20 });
  const isRead = short !== null && short.pages[0]?.items !== null;
  const units = isRead ? short : await walk(check, { ...caller, limit: 50, maxPages: 12 });
  const [first] = units.pages;
  if (as === 'OTHER_API_KEY' && first?.items === null) {
    blockRefusedKey(check, first.exchange);
    check.blocked(`the second tenant's units could not be read with OTHER_API_KEY: ${units.stopped ?? ''}`);
  }
  const create = async (): Promise<Exchange> => postLead(check, await plainLead(check, caller), caller);
  // Two, so that a page of one leads on.
  const created = check.target.readOnly ? [] : [await create(), await create()];
  const firstPage = async (path: string): Promise<Listing> => {
    const exchange = await check.send({ ...caller, path });
    return { records: byIds(recordsIn(exchange)), complete: false, exchanges: isSuccess(exchange) ? [exchange] : [] };
  };
  const none = { records: new Map(), complete: false, exchanges: [] };
  const lead = contract.operation('GET', paths.leads) === null ? none : await firstPage(paths.leads);
  const exchanges = units.pages.slice(-1).map(({ exchange }) => exchange);
  const unit = { records: byIds(units.items), complete: units.complete, exchanges };
  const leadId = created.filter(isSuccess).map(idIn)[0] ?? null;
  return { key: as, tenant, leadId, lists: { unit, lead, deal: await firstPage(paths.deals) } };
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
function shareNoRecord(check: Check, sides: Sides): void {
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
}

/** Asks for the other tenant's data with each key that reads, and then judges what was shown. */
async function readAcross(check: Check, sides: Sides): Promise<void> {
  const [mine, other] = sides;
  const before = new Set(await check.run.exchanges());
  const readings = kinds.flatMap((kind) =>
    intrudersOf(check, sides, kind, false).map((intruder, turn) => ({ kind, intruder, turn })),
  );
  await check.each(readings, ({ kind, intruder, turn }) => readOthers(check, kind, intruder, turn));
  for (const exchange of await check.run.exchanges()) {
    const [key, kind] = [exchange.request.credential as KeyName, kindOf(exchange)];
    if (before.has(exchange) || exchange.asker !== check.entry.id || kind === null) continue;
    const [own, theirs] = key === other.key ? [other, mine] : [mine, other];
    const leak = recordsIn(exchange).find(foreignRule(own.lists[kind], theirs.lists[kind]));
    if (leak !== undefined) failSeen(check, key, exchange, `${quote(idOf(leak))} of the other tenant`);
  }
}

/** Ids that only the other tenant's list shows. */
const foreignIds = (kind: Kind, side: Side, foreign: Side): string[] =>
  [...foreign.lists[kind].records.keys()].filter((id) => !side.lists[kind].records.has(id));

/** Lists, a single record of the foreign tenant, and further pages. */
async function readOthers(check: Check, kind: Kind, intruder: Intruder, turn: number): Promise<void> {
  const { contract } = await check.contract();
  const { as, scope, side, foreign } = intruder;
  const [isUnit, path] = [kind === 'unit', listOf(kind)];
  const ids = foreignIds(kind, side, foreign);
  const id = (kind === 'lead' ? foreign.leadId : null) ?? ids.at(-(turn % 2));
  const single = { path: `${path}/${percentEncode(id ?? '')}` };
  const limit = ['limit', '50'] as const;
  const lists: RequestOptions[] = isUnit
    ? [
        { path, query: [limit] },
        { path, query: [limit, ['status', 'available']] },
      ]
    : [{ path }];
  const isListed = side.lists[kind].exchanges.length > 0;
  const isReadable = id !== undefined && (isUnit || contract.operation('GET', single.path) !== null);
  for (const [at, view] of [...(isListed ? lists : []), ...(isReadable ? [single] : [])].entries())
    for (const asking of askingsOf(check, intruder, turn + at)) await check.send({ ...asking, ...view });
  if (!isListed) return;
  if (isUnit && foreign.tenant !== null) {
    // Tenants may be looked up whatever the case of their names, and compared with it.
    await check.send({ as, tenant: foreign.tenant.toUpperCase(), path, query: [limit] });
    if (id !== undefined) await askForHead(check, intruder, id);
  }
  const own = { as, tenant: side.tenant };
  if (!isUnit) await walk(check, { ...own, path, limit: 2, maxPages: 2 });
  if (isUnit && scope !== 'admin:*') await wholeList(check, own);
  if (scope !== 'admin:*') return;
  const form = formOf(check, as === 'API_KEY' ? 0 : 1);
  const theirs = await pageWithNext(check, { ...callerOf(foreign), ...form, path }, isUnit ? [5, 10, 50] : [1, 2, 10]);
  if (theirs !== null) await pageAfter(check, { ...callerOf(side), ...form, path, limit: theirs.limit }, theirs.page);
}

/** Another tenant's unit is not there for HEAD either, whatever tenant is named. */
async function askForHead(check: Check, { as, side, foreign }: Intruder, id: string): Promise<void> {
  const ask = (tenant: string | null): Promise<Exchange> =>
    check.send({ as, tenant, method: 'HEAD', path: paths.unit(id) });
  const there = await ask(foreign.tenant);
  if (!succeeded(there)) return;
  const here = await ask(side.tenant);
  if (isRefusal(here) && (await headTells(check, { as, tenant: foreign.tenant })))
    failSeen(check, as, there, `that ${quote(id)} is there, under the other X-Tenant alone`, here);
}

/** The first pages of a tenant's leads, as its key sees them. */
const leadPages = async (check: Check, side: Side): Promise<readonly Page[]> =>
  (await walk(check, { ...callerOf(side), path: paths.leads, limit: 50, maxPages: 10 })).pages;

/**
 * Tries to write one tenant's data with the other's keys, in both directions. What either is shown of what the other made is judged with all answers
 * of the run (`showsNoForeignRecord`).
 */
async function writeAcross(check: Check, sides: Sides): Promise<void> {
  const [mine, other] = sides;
  const written: boolean[] = [];
  const rows = [
    async () => written.push(await createAcross(check, sides)),
    async () => written.push(await writeVictims(check, 'unit', unitVictim, sides)),
    () => writeVictims(check, 'lead', leadVictim, sides),
    () => nameForeignUnit(check, mine, other),
    () => nameForeignUnit(check, other, mine),
  ];
  await check.each(check.target.readOnly ? [] : rows, (row) => row());
  const [one, two] = [mine, other].map(({ lists }) => lists.unit.records);
  const areApart = one?.size !== two?.size || [...(one ?? [])].some(([id, unit]) => !sameJson(unit, two?.get(id)));
  if (!areApart && !written.includes(true))
    check.blocked(
      'the tenants cannot be distinguished: both show the same units, and no record could be created in one to search for in the other',
    );
}

/**
 * Creates units in the name of the foreign tenant, and leads in that of each, and then reads what the foreign tenant has. Whether a lead could be
 * created in one and looked for in the other.
 */
async function createAcross(check: Check, sides: Sides): Promise<boolean> {
  const { contract } = await check.contract();
  const creation = await unitCreation(check);
  for (const [turn, { as, side, foreign }] of intrudersOf(check, sides, 'unit', true).entries()) {
    if (creation === null || foreign.tenant === null) continue;
    const asking = { as, tenant: foreign.tenant, ...formOf(check, turn) };
    const created = await creation.attempt(check, asking);
    const id = isSuccess(created) ? idIn(created) : null;
    if (id === null) continue;
    const look = (): Promise<Exchange[]> =>
      Promise.all([foreign, side].map((one) => check.send({ ...callerOf(one), path: paths.unit(id) })));
    // A unit may be shown a moment after it was created.
    await settled(check, look, (shown) => shown.some((one) => recordIn(one, id) !== null));
    await removeUnit(check, id, asking);
  }
  const units = sides.flatMap(({ lists }) => [...lists.unit.records.values()]);
  for (const side of sides) {
    const isTried = ({ request }: Exchange): boolean =>
      (request.credential === 'OTHER_API_KEY') !== (side.key === 'OTHER_API_KEY');
    await keptCreates(check, 'unit', isTried, callerOf(side), units);
  }
  if (contract.operation('GET', paths.leads) === null) return false;
  const created = new Set<Side>();
  for (const [turn, { as, scope, side, foreign }] of intrudersOf(check, sides, 'lead', true).entries()) {
    const asking = { as, tenant: foreign.tenant, ...formOf(check, turn) };
    // A lead that was refused in the other tenant may have been stored all the same.
    if (foreign.tenant !== null) await postLead(check, await plainLead(check), asking);
    if (scope !== 'admin:*') continue;
    if (isSuccess(await postLead(check, await plainLead(check, { as }), callerOf(side)))) created.add(side);
  }
  let isLookedFor = false;
  for (const side of sides) {
    const [first] = await leadPages(check, side);
    isLookedFor ||= first?.items !== null && sides.some((one) => one !== side && created.has(one));
  }
  return isLookedFor;
}

/** Tries to write records made for this purpose in each tenant. Whether one could be made and seen. */
async function writeVictims(check: Check, kind: Kind, victimOf: typeof unitVictim, sides: Sides): Promise<boolean> {
  let isSeen = false;
  for (const [side, foreign] of [sides, sides.toReversed() as [Side, Side]]) {
    const intruders = intrudersOf(check, sides, kind, true).filter((one) => one.side === side);
    const victim = await victimOf(check, callerOf(foreign));
    if (victim === null) continue;
    const { id, path } = victim;
    const own = side.lists.unit.records;
    const { record } = await settled(check, victim.look, (one) => path === null || one.record !== null);
    /** X-Tenant under which the id is none of this side's own: two tenants may number their records alike, and nobody's own record is to be changed. */
    const free = new Set<string | null | undefined>();
    for (const asking of askingsOf(check, { as: side.key, scope: 'admin:*', side, foreign }, 0)) {
      const seen = path === null ? null : await check.send({ ...asking, path });
      const shown = seen === null ? null : recordIn(seen, id);
      const isForeign = record === null ? !own.has(id) && isUnguessable(id) : isForeignRecord(shown, record, own);
      const isFree = seen !== null && shown === null ? isRefusal(seen) : (victim.isIt?.(shown) ?? isForeign);
      if (seen === null ? isUnguessable(id) : isFree) free.add(asking.tenant);
    }
    const askings = intruders
      .flatMap((one, turn) => askingsOf(check, one, turn))
      .filter(({ tenant }) => free.has(tenant));
    const expected = `${side.key} never to write another tenant's data`;
    const isTaken = (answer: Exchange): boolean => isSuccess(answer) && victim.isIt?.(recordIn(answer)) === true;
    await withoutEffect(check, victim, askings, { expected, isTaken });
    await victim.remove();
    isSeen ||= record !== null;
  }
  return isSeen;
}

/** A lead for another tenant's unit, where it is taken, shows nothing of that unit but the id that was sent. */
async function nameForeignUnit(check: Check, side: Side, foreign: Side): Promise<void> {
  const [id] = foreignIds('unit', side, foreign);
  if (id === undefined || !(side.lists.unit.complete || isUnguessable(id))) return;
  const { contract } = await check.contract();
  const made = await postLead(check, { ...(await plainLead(check, callerOf(side))), vehicleId: id }, callerOf(side));
  const lead = isSuccess(made) ? idIn(made) : null;
  const single = `${paths.leads}/${percentEncode(lead ?? '')}`;
  const shown: [Exchange, unknown][] = [[made, made.response?.json]];
  if (lead !== null && contract.operation('GET', single) !== null) {
    const exchange = await check.send({ ...callerOf(side), path: single });
    shown.push([exchange, exchange.response?.json]);
  }
  // Other leads of a list may show units that were made since.
  if (lead !== null && contract.operation('GET', paths.leads) !== null) {
    const listed = listedIn({ pages: await leadPages(check, side) }, lead);
    if (listed !== null) shown.push([listed.exchange, listed.record]);
  }
  const telling = textsNotIn(side.lists.unit.records, foreign.lists.unit.records.get(id));
  const shows = (value: unknown): boolean => {
    if (typeof value !== 'object' || value === null) return false;
    return telling.some(([name, text]) => asObject(value)?.[name] === text) || Object.values(value).some(shows);
  };
  const [leak] = shown.find(([, part]) => shows(part)) ?? [];
  if (leak !== undefined)
    failSeen(check, side.key, leak, `the unit ${quote(id)} of the other tenant in a lead for it`, made);
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
