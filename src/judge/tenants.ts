import { type AnswerPart, type Exchange, percentEncode, succeeded } from '../http/index.js';
import { type Check, describe } from '../run/index.js';
import type { KeyName } from '../settings/index.js';
import {
  asObject,
  byIds,
  idIn,
  idOf,
  isRefusal,
  isSuccess,
  type Kind,
  kindOf,
  pageAfter,
  pageWithNext,
  paths,
  quote,
  recordIn,
  recordsIn,
  sameJson,
  settled,
  shownById,
  walk,
} from '../service/index.js';
import {
  type Asking,
  blockRefusedKey,
  callers,
  isForeignRecord,
  isUnguessable,
  type Key,
  knownUnits,
  listLeads,
  plainLead,
  postLead,
  removeUnit,
  rightOf,
  shownIn,
  textsNotIn,
  unitCreation,
  wholeList,
} from '../api/index.js';
import { formOf, headTells, resources } from './matrix.js';
import { keptCreates, leadVictim, unitVictim, withoutEffect } from './no-effect.js';

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
  readonly caller: { readonly as: KeyName; readonly tenant: string | null };
  readonly lists: Readonly<Record<Kind, Listing>>;
  /** The answers to leads that were created there. */
  readonly leads: readonly Exchange[];
}
/** A tenant and the one that is foreign to it. */
interface Pair {
  readonly side: Side;
  readonly foreign: Side;
}
/** Both tenants, each with the other. */
type Pairs = readonly [Pair, Pair];

/** A key of one side that asks for what the foreign one has. */
type Intruder = Pair & Pick<Key, 'as' | 'scope'>;

/** The keys of both sides that have the right to read or write records of a kind. */
const intrudersOf = (check: Check, [mine, other]: Pairs, kind: Kind, writes: boolean): Intruder[] =>
  [...callers.admin(), ...callers.scoped(check), ...callers.otherAdmin(check)]
    .filter(({ scope }) => rightOf(scope, { resource: resources[kind], writes }) === 'granted')
    .map(({ as, scope }) => ({ as, scope, ...(as === 'OTHER_API_KEY' ? other : mine) }));

/** How one of several keys asks, by its turn: it names its own tenant, none, and the foreign one, under address forms that take turns. */
const askingsOf = (check: Check, { as, side, foreign }: Omit<Intruder, 'scope'>, turn: number): Asking[] =>
  [...new Set([side.caller.tenant, null, foreign.caller.tenant])].map((tenant, at) => ({
    as,
    tenant,
    ...formOf(check, turn + at),
  }));

function failSeen(
  check: Check,
  key: string | null,
  exchange: Exchange,
  what: string,
  part: AnswerPart,
  ...others: readonly Exchange[]
): void {
  const expected = `${key ?? 'nobody'} never to see another tenant's data`;
  const actual = `${describe(exchange)} shows ${what}`;
  check.fail({ code: 'foreign-data', expected, actual, part, exchanges: [...others, exchange] });
}

/** Both tenants, each with two leads at least where leads can be made. Read anew: by now, other checks may have made units whose ids somebody chose. */
async function tenantsOf(check: Check): Promise<Pairs> {
  await knownUnits(check);
  const { tenant, otherTenant } = check.target;
  const mine = await sideOf(check, { as: 'API_KEY', tenant });
  const other = await sideOf(check, { as: 'OTHER_API_KEY', tenant: otherTenant });
  return [
    { side: mine, foreign: other },
    { side: other, foreign: mine },
  ];
}

async function sideOf(check: Check, caller: Side['caller']): Promise<Side> {
  const { contract } = await check.contract();
  const read = (limit: number) => walk(check, { ...caller, limit, maxPages: 600 / limit });
  const isOther = caller.as === 'OTHER_API_KEY';
  // A cache that is keyed by the URL alone may hold the list of the first tenant.
  let units = await read(isOther ? 30 : 50);
  if (isOther && units.pages[0]?.items === null) units = await read(50);
  const [first] = units.pages;
  if (isOther && first?.items === null) {
    blockRefusedKey(check, first.exchange);
    check.blocked(`the second tenant's units could not be read with OTHER_API_KEY: ${units.stopped ?? ''}`);
  }
  const leads: Exchange[] = [];
  // Two, so that a page of one leads on.
  if (!check.target.readOnly)
    for (const _ of [1, 2]) leads.push(await postLead(check, await plainLead(check, caller), caller));
  const listOnce = async (kind: Kind, isThere = true): Promise<Listing> => {
    const shown = isThere ? [await check.send({ ...caller, path: listOf(kind) })].filter(isSuccess) : [];
    return { records: byIds(shown.flatMap(recordsIn)), complete: false, exchanges: shown };
  };
  const lists = {
    unit: {
      records: byIds(units.items),
      complete: units.complete,
      exchanges: units.pages.slice(-1).map(({ exchange }) => exchange),
    },
    lead: await listOnce('lead', contract.operation('GET', paths.leads) !== null),
    deal: await listOnce('deal'),
  };
  return { caller, lists, leads: leads.filter(isSuccess) };
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
function sharedId(kind: Kind, { side, foreign }: Pair): string | null {
  const [own, theirs] = [side.lists[kind], foreign.lists[kind]];
  const shared = [...own.records].filter(([id, record]) => sameJson(record, theirs.records.get(id)));
  const [one, two] = [side.lists.unit, foreign.lists.unit];
  const [least = 0, most = 0] = [own.records.size, theirs.records.size].toSorted((a, b) => a - b);
  const areApart = one.complete && two.complete && ![...one.records.keys()].some((id) => two.records.has(id));
  const namesUnit = (record: unknown): boolean =>
    Object.values(asObject(record) ?? {}).some((value) => [one, two].some(({ records }) => records.has(String(value))));
  const isTelling = ([id, record]: [string, unknown]): boolean =>
    shared.length === most
      ? areApart && namesUnit(record)
      : shared.length * 4 <= least
        ? id.length >= 8
        : kind !== 'unit' && isUnguessable(id);
  return shared.find(isTelling)?.[0] ?? null;
}

/** No record is in the lists of both tenants. */
function shareNoRecord(check: Check, [pair]: Pairs): void {
  for (const kind of kinds) {
    const shared = sharedId(kind, pair);
    if (shared === null) continue;
    check.fail({
      code: 'shared-record',
      expected: `no record to be in the lists of two tenants (${listOf(kind)})`,
      actual: `${quote(shared)} is in both, equal in every field`,
      exchanges: [pair.side, pair.foreign].flatMap(({ lists }) => lists[kind].exchanges),
    });
  }
}

/** Asks for the other tenant's data with each key that reads. */
async function readAcross(check: Check, pairs: Pairs): Promise<void> {
  const readings = kinds.flatMap((kind) =>
    intrudersOf(check, pairs, kind, false).map((intruder, turn) => ({ kind, intruder, turn })),
  );
  await check.each(readings, ({ kind, intruder, turn }) => readOthers(check, kind, intruder, turn));
}

/** No answer to this check shows what only the other tenant has. */
async function showNoForeignRecord(check: Check, [mine, other]: Pairs): Promise<void> {
  for (const exchange of await check.run.exchanges()) {
    const { method, credential } = exchange.request;
    const kind = kindOf(exchange);
    if (exchange.asker !== check.entry.id || kind === null || method !== 'GET') continue;
    const { side, foreign } = credential === 'OTHER_API_KEY' ? other : mine;
    const leak = recordsIn(exchange).find(foreignRule(side.lists[kind], foreign.lists[kind]));
    if (leak !== undefined)
      failSeen(check, credential, exchange, `${quote(idOf(leak))} of the other tenant`, { value: leak });
  }
}

/** Ids that only the other tenant's list shows. */
const foreignIds = (kind: Kind, { side, foreign }: Pair): string[] =>
  [...foreign.lists[kind].records.keys()].filter((id) => !side.lists[kind].records.has(id));

/** Lists, a single record of the foreign tenant, and further pages. */
async function readOthers(check: Check, kind: Kind, intruder: Intruder, turn: number): Promise<void> {
  const { contract } = await check.contract();
  const { as, scope, side, foreign } = intruder;
  const [isUnit, isAdmin, path] = [kind === 'unit', scope === 'admin:*', listOf(kind)];
  const made = kind === 'lead' ? foreign.leads.map(idIn)[0] : null;
  const id = made ?? foreignIds(kind, intruder).at(-(turn % 2));
  const single = { path: `${path}/${percentEncode(id ?? '')}` };
  const list = { path, query: isUnit ? [['limit', '50'] as const] : [] };
  const filtered = { path, query: [...list.query, ['status', 'available'] as const] };
  const isListed = side.lists[kind].exchanges.length > 0;
  const isReadable = id !== undefined && (isUnit || contract.operation('GET', single.path) !== null);
  // Other filters that the document declares, by what only a foreign record shows.
  const [foreignId = ''] = foreignIds(kind, intruder);
  const own = [...side.lists[kind].records.values()].map(asObject);
  const telling = (contract.operation('GET', path)?.parameters ?? []).flatMap(({ in: place, name }) => {
    const value = asObject(foreign.lists[kind].records.get(foreignId))?.[name];
    const isTelling = place === 'query' && typeof value === 'string' && own.every((record) => record?.[name] !== value);
    return isTelling ? [{ path, query: [...list.query, [name, value] as const] }] : [];
  });
  const views = [
    ...(isListed ? [list, ...telling.slice(0, 2)] : []),
    ...(isListed && isUnit ? [filtered] : []),
    ...(isReadable ? [single] : []),
  ];
  for (const [at, view] of views.entries())
    for (const asking of askingsOf(check, intruder, turn + at)) await check.send({ ...asking, ...view });
  if (!isListed) return;
  const [mine, theirs] = [
    { ...side.caller, as },
    { ...foreign.caller, as },
  ];
  if (isUnit && theirs.tenant !== null) {
    // Tenants may be looked up whatever the case of their names, and compared with it; of several named, one may be checked and another shown.
    for (const tenant of [theirs.tenant.toUpperCase(), [mine.tenant ?? '', theirs.tenant].join(', ')])
      await check.send({ as, tenant, ...list });
    await check.send({ ...mine, ...list, query: [...list.query, ['tenant', theirs.tenant]] });
    // Another tenant's unit is not there for HEAD either, whatever tenant is named.
    const ask = (asking: Asking): Promise<Exchange> => check.send({ ...asking, ...single, method: 'HEAD' });
    const there = id === undefined ? null : await ask(theirs);
    const here = there && succeeded(there) ? await ask(mine) : null;
    if (there && here && isRefusal(here) && (await headTells(check, theirs)))
      failSeen(check, as, there, `that ${quote(id)} is there, under the other X-Tenant alone`, 'status', here);
  }
  if (!isUnit) await walk(check, { ...mine, path, limit: 2, maxPages: 2 });
  else if (!isAdmin) await wholeList(check, mine);
  if (!isAdmin) return;
  const asked = { path, ...formOf(check, as === 'API_KEY' ? 0 : 1) };
  const page = await pageWithNext(check, { ...foreign.caller, ...asked }, isUnit ? [5, 10, 50] : [1, 2, 10]);
  if (page !== null) await pageAfter(check, { ...side.caller, ...asked, limit: page.limit }, page.page);
}

/** Tries to write one tenant's data with the other's keys, in both directions. */
async function writeAcross(check: Check, pairs: Pairs): Promise<void> {
  let isSeen = pairs.some(({ side, foreign }) => side.lists.lead.exchanges.length > 0 && foreign.leads.length > 0);
  const rows = [
    () => createAcross(check, pairs),
    ...pairs.map((pair) => () => nameForeignUnit(check, pair)),
    async () => (isSeen = (await writeVictims(check, unitVictim, pairs)) || isSeen),
    () => writeVictims(check, leadVictim, pairs),
  ];
  await check.each(check.target.readOnly ? [] : rows, (row) => row());
  const [one, two] = pairs.map(({ side }) => side.lists.unit.records);
  const areApart = one?.size !== two?.size || [...(one ?? [])].some(([id, unit]) => !sameJson(unit, two?.get(id)));
  if (!areApart && !isSeen)
    check.blocked(
      'the tenants cannot be distinguished: both show the same units, and no record could be created in one to search for in the other',
    );
}

/** Creates units and leads in the name of the foreign tenant, of none and of the own one; none of what keys of one tenant create is listed with the other. */
async function createAcross(check: Check, pairs: Pairs): Promise<void> {
  const creation = await unitCreation(check);
  const remove: (() => Promise<void>)[] = [];
  const units = pairs.flatMap(({ side }) => [...side.lists.unit.records.values()]);
  for (const kind of ['unit', 'lead'] as const) {
    const askings = intrudersOf(check, pairs, kind, true).flatMap(({ as, scope, side, foreign }, turn) => {
      const own = scope === 'admin:*' ? [null, ...(kind === 'unit' ? [side.caller.tenant] : [])] : [];
      const named = foreign.caller.tenant === null ? [] : [foreign.caller.tenant];
      return [...new Set([...own, ...named])].map((tenant) => ({ as, tenant, ...formOf(check, turn) }));
    });
    for (const asking of askings) {
      const created = await (kind === 'unit'
        ? creation?.attempt(check, asking)
        : postLead(check, await plainLead(check), asking));
      const id = kind === 'unit' && created && isSuccess(created) ? idIn(created) : null;
      if (id !== null) remove.push(() => removeUnit(check, id, asking));
    }
    for (const { side, foreign } of pairs)
      await keptCreates(check, kind, {
        code: 'foreign-record',
        expected: `a create with ${foreign.caller.as} to have no effect in the tenant of ${side.caller.as}`,
        isTried: ({ request }) => (request.credential === 'OTHER_API_KEY') === (foreign.caller.as === 'OTHER_API_KEY'),
        owner: side.caller,
        units,
      });
  }
  for (const one of remove) await one();
}

/** An id that looks like this one: each of its last four letters and digits is another. */
const idLike = (id: string): string =>
  id.replace(/[a-z\d](?=(?:[^a-z\d]*[a-z\d]){0,3}[^a-z\d]*$)/gi, (one) =>
    /\d/.test(one) ? `${(Number(one) + 5) % 10}` : one === 'b' ? 'c' : 'b',
  );

/** A lead for another tenant's unit, where it is taken, shows nothing of that unit but the id that was sent, and not that it exists. */
async function nameForeignUnit(check: Check, pair: Pair): Promise<void> {
  const { caller, lists } = pair.side;
  const [id] = foreignIds('unit', pair);
  if (id === undefined || !(lists.unit.complete || isUnguessable(id))) return;
  const made = await postLead(check, { ...(await plainLead(check, caller)), vehicleId: id }, caller);
  const list = isSuccess(made) ? await listLeads(check, caller) : null;
  // Other leads of a list may show units that were made since.
  const listed = list === null ? undefined : shownById(list).get(idIn(made) ?? '');
  const answers = isSuccess(made) ? await shownIn(check, made, caller) : [made];
  const shown = [
    ...answers.map((exchange) => ({ exchange, record: exchange.response?.json })),
    ...(listed ? [listed] : []),
  ];
  const telling = textsNotIn(lists.unit.records, pair.foreign.lists.unit.records.get(id));
  const shows = (value: unknown): boolean => {
    if (typeof value !== 'object' || value === null) return false;
    return telling.some(([name, text]) => asObject(value)?.[name] === text) || Object.values(value).some(shows);
  };
  const leak = shown.find(({ record }) => shows(record));
  if (leak !== undefined)
    failSeen(
      check,
      caller.as,
      leak.exchange,
      `the unit ${quote(id)} of the other tenant in a lead for it`,
      { value: leak.record },
      made,
    );
  if (!isSuccess(made)) return;
  const unknown = await postLead(check, { ...(await plainLead(check, caller)), vehicleId: idLike(id) }, caller);
  if (isRefusal(unknown))
    check.warn({
      code: 'foreign-unit-told',
      expected: `${caller.as} not to learn by leads which units the other tenant has`,
      actual: `a lead for ${quote(id)}, which only the other tenant has, is taken, and one for ${quote(idLike(id))} is not: ${describe(unknown)}`,
      exchanges: [made, unknown],
    });
}

/** Tries to write records made for this purpose in each tenant. Whether one could be made and seen. */
async function writeVictims(check: Check, victimOf: typeof unitVictim, pairs: Pairs): Promise<boolean> {
  let isSeen = false;
  for (const { side, foreign } of pairs) {
    const victim = await victimOf(check, foreign.caller);
    if (victim === null) continue;
    const { id, path, isIt } = victim;
    const [own, { as }] = [side.lists.unit.records, side.caller];
    const { record } = await settled(check, victim.look, (one) => path === null || one.record !== null);
    isSeen ||= record !== null;
    /** Whether the id is none of this side's own: two tenants may number their records alike, and nobody's own record is to be changed. */
    const isFree = async (asking: Asking): Promise<boolean> => {
      if (path === null) return isUnguessable(id);
      const seen = await check.send({ ...asking, path });
      const shown = recordIn(seen, id);
      if (shown === null) return isRefusal(seen);
      if (isIt !== null) return isIt(shown);
      return record === null ? !own.has(id) && isUnguessable(id) : isForeignRecord(shown, record, own);
    };
    const free = new Set<Asking['tenant']>();
    for (const asking of askingsOf(check, { as, side, foreign }, 0)) if (await isFree(asking)) free.add(asking.tenant);
    const askings = intrudersOf(check, pairs, victimOf === unitVictim ? 'unit' : 'lead', true)
      .filter((one) => one.side === side)
      .flatMap((one, turn) => askingsOf(check, one, turn))
      .filter(({ tenant }) => free.has(tenant));
    const expected = ({ request }: Exchange): string =>
      `${request.credential ?? 'nobody'} never to write another tenant's data`;
    const isTaken = (answer: Exchange): boolean => isSuccess(answer) && isIt?.(recordIn(answer)) === true;
    await withoutEffect(check, victim, askings, { expected, isTaken });
    await victim.remove();
  }
  return isSeen;
}

/** Both tenants, and what is tried with the keys of one at the other. */
export const tenants = { both: tenantsOf, shareNoRecord, readAcross, writeAcross, showNoForeignRecord } as const;
