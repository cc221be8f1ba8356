import {
  createUnit,
  idsWithStatus,
  leadWithSource,
  onlyAvailable,
  plainLead,
  postLead,
  readNewUnit,
  removeUnit,
  visiblePatch,
} from '../api/index.js';
import { decodeJson, type Exchange, percentEncode } from '../http/index.js';
import { judgeEnvelope } from '../openapi/index.js';
import { type Breach, type Check, describe, type RequestOptions } from '../run/index.js';
import {
  areAddresses,
  asObject,
  dataOf,
  differences,
  idIn,
  idOf,
  isSuccess,
  listedIn,
  mayMean,
  paths,
  patienceSeconds,
  persistent,
  quote,
  readPage,
  recordId,
  recordIn,
  sameJson,
  settled,
  type Walk,
  walk,
  type WalkOptions,
} from '../service/index.js';
import type { AddressForm } from '../settings/index.js';

/** A list as a row reads it. */
interface ListView {
  /** What a finding calls the list or, where its records are looked for in another one, a record of it. */
  readonly noun: string;
  readonly list: WalkOptions;
  /** Which records count: all of them without it. */
  readonly only?: (record: unknown) => boolean;
}

/**
 * Every record of `a` stands in the list `b` (`within`), or none does (`apart`), by the ids that they show. What moves between two readings is
 * not found in all four; a list that was not read to its end does not count as lacking a record. `first`: readings of both that were made already.
 */
export async function relate(
  check: Check,
  a: ListView,
  mode: 'within' | 'apart',
  b: ListView,
  first: readonly [Walk, Walk],
): Promise<boolean> {
  let [here, there] = first;
  const found = await persistent(check, async (round) => {
    if (round > 0) [there, here] = [await walk(check, b.list), await walk(check, a.list)];
    const shown = new Set(there.items.map(idOf));
    const ids = here.items.filter((record) => a.only?.(record) !== false).flatMap((record) => idOf(record) ?? []);
    if (mode === 'apart') return ids.filter((id) => shown.has(id));
    // The first readings only name candidates.
    return there.complete || (round === 0 && here.complete) ? ids.filter((id) => !shown.has(id)) : [];
  });
  const [id] = found;
  if (id === undefined) return true;
  const isWithin = mode === 'within';
  const pages = isWithin ? there.pages : [listedIn(there, id)];
  return check.fail({
    code: isWithin ? 'record-missing' : 'other-listed',
    expected: `${isWithin ? 'every' : 'no'} ${a.noun} in ${b.noun}`,
    actual: `${found.length} ${isWithin ? 'missing' : 'listed'}, such as ${quote(id)}, four times in a row`,
    exchanges: [...pages, listedIn(here, id)].flatMap((one) => one?.exchange ?? []),
  });
}

/** What an address form shows. */
interface Reading {
  readonly records: ReadonlyMap<string, unknown>;
  /** Whether that is all. */
  readonly whole: boolean;
  readonly exchanges: readonly Exchange[];
}

/** A resource that both address forms show. */
interface SharedView {
  /** What its records are called. */
  readonly noun: string;
  read(form: AddressForm): Promise<Reading>;
  /** Whether the answers are compared as well: not where one of two machines may be behind with a record. */
  readonly comparesAnswers: boolean;
  /** Ids of records that were created for the purpose: the first form may lack them no more than the second. */
  readonly own?: readonly string[];
}

/** A list; `limit` where the operation is known to take one. */
export function listView(
  check: Check,
  noun: 'unit' | 'lead' | 'deal',
  limit?: number,
  own: readonly string[] = [],
): SharedView {
  const identify = noun === 'lead' ? recordId : idOf;
  return {
    noun,
    comparesAnswers: true,
    own,
    async read(form) {
      const options = { path: paths[`${noun}s`], form, maxPages: 12, ...(limit === undefined ? {} : { limit }) };
      const { pages, items, complete } = await walk(check, options);
      const entries = items.flatMap((record) => {
        const id = identify(record);
        return id === null ? [] : [[id, record] as const];
      });
      return { records: new Map(entries), whole: complete, exchanges: pages.map((page) => page.exchange) };
    },
  };
}

/** The record that the answer to a request shows under this id. */
export function recordView(
  check: Check,
  noun: string,
  id: string,
  options: RequestOptions,
  { comparesAnswers = false, own = [] }: Partial<Pick<SharedView, 'comparesAnswers' | 'own'>> = {},
): SharedView {
  return {
    noun,
    comparesAnswers,
    own,
    async read(form) {
      const exchange = await check.ask({ ...options, form });
      const record = isSuccess(exchange) ? recordIn(exchange, id) : null;
      return { records: new Map(record === null ? [] : [[id, record]]), whole: true, exchanges: [exchange] };
    },
  };
}

/** Whether the second form answers with a success and in the envelope where the first does. */
function agreeAnswers(check: Check, first: Exchange, second: Exchange): boolean {
  if (second.response === null) check.blocked(`${describe(second)} got no usable answer`);
  const isMissing = isSuccess(first) && (!isSuccess(second) || (dataOf(second) === null && dataOf(first) !== null));
  const hint = isSuccess(second) ? '' : ' (correct API_BASE_URL if the second address form is elsewhere)';
  if (isMissing)
    check.fail({
      code: 'no-success',
      expected: `a success at API_BASE_URL, as at BASE_URL${hint}`,
      actual: describe(second),
      exchanges: [first, second],
    });
  // What is wrong under both forms is the envelope's own breach.
  const common = new Set(judgeEnvelope(first).map((one) => one.id));
  for (const fault of judgeEnvelope(second).filter((one) => !one.soft && !common.has(one.id)))
    check.fail({
      code: fault.code,
      expected: `${fault.expected} at API_BASE_URL too`,
      actual: fault.actual,
      exchanges: [second],
    });
  return !isMissing;
}

/** A disagreement of the address forms: the record and the field that it is about. */
interface Disagreement extends Pick<Breach, 'code' | 'field' | 'expected' | 'actual'> {
  readonly key: string;
}

/** What the second form shows otherwise than the first did before and after it, and in the same way both times. */
function disagreements(
  { noun, own = [] }: SharedView,
  before: Reading,
  there: Reading,
  after: Reading,
): readonly Disagreement[] {
  const shown = (reading: Reading): readonly string[] => [...reading.records.keys()];
  const isApart = ![before, after].some((one) => shown(one).some((id) => there.records.has(id)));
  const canTell = isApart || [before, there, after].every(({ whole }) => whole);
  const lacked = canTell ? shown(before).filter((id) => after.records.has(id) && !there.records.has(id)) : [];
  const extra = canTell
    ? own.filter((id) => there.records.has(id) && ![before, after].some(({ records }) => records.has(id)))
    : [];
  const missing = (id: string, where: string): Disagreement => ({
    key: id,
    code: 'record-missing',
    expected: `the ${noun} ${quote(id)} at ${where}`,
    actual: `it is missing among ${there.records.size}`,
  });
  const differing = shown(before).flatMap((id): Disagreement[] => {
    if (!there.records.has(id) || !after.records.has(id)) return [];
    const record = before.records.get(id);
    const moving = new Set(differences(record, after.records.get(id)).map((one) => one.pointer));
    return differences(record, there.records.get(id))
      .filter((one) => !moving.has(one.pointer) && !areAddresses(one))
      .map((one) => ({
        key: `${id} ${one.pointer}`,
        code: 'field-differs',
        field: one.pointer,
        expected: `${noun} ${quote(id)} to show the same ${one.pointer} at BASE_URL and API_BASE_URL`,
        actual: `${quote(one.left)} and ${quote(one.right)}`,
      }));
  });
  return [
    ...extra.map((id) => missing(id, 'BASE_URL, as at API_BASE_URL')),
    ...lacked.map((id) => missing(id, 'API_BASE_URL, as at BASE_URL')),
    ...differing,
  ];
}

/**
 * Both address forms show the same: what the first shows before and after, the second shows too, and alike. Lists that were not read to their end
 * count where they have nothing in common. One of two machines may be behind, so it has to stay. Returns what the first form showed, and whether the
 * second showed it alike.
 */
export async function relateForms(
  check: Check,
  view: SharedView,
): Promise<{ readonly shown: Reading['records']; readonly agree: boolean }> {
  let exchanges: readonly Exchange[] = [];
  let [before, there] = [await view.read('first'), await view.read('second')];
  const { records: shown } = before;
  const [[first], [second]] = [before.exchanges, there.exchanges];
  if (first === undefined || second === undefined) return { shown, agree: true };
  if (view.comparesAnswers && !agreeAnswers(check, first, second)) return { shown, agree: false };
  const look = async (round: number): Promise<readonly Disagreement[]> => {
    if (round > 0) [before, there] = [await view.read('first'), await view.read('second')];
    const isSame =
      before.records.size === there.records.size &&
      [...before.records].every(([id, record]) => differences(record, there.records.get(id)).length === 0);
    if (isSame) return [];
    const after = await view.read('first');
    exchanges = [before, after, there].flatMap((one) => one.exchanges);
    if (exchanges.some(({ response }) => response === null)) return [];
    return disagreements(view, before, there, after);
  };
  const [found] = await persistent(check, look, ({ key }) => key);
  if (found !== undefined) check.fail({ ...found, exchanges });
  return { shown, agree: found === undefined };
}

/**
 * Both forms list the same units, one among them that was just created and changed. While others create units, nobody knows which one a list lacks
 * that lacks the newest: then another one is created, once two readings in a row are alike. Returns the units of the first form.
 */
export async function relateUnits(check: Check): Promise<Reading['records']> {
  const view = listView(check, 'unit', 50);
  const idsOf = (reading: Reading): string => [...reading.records.keys()].join();
  let last: string | null = null;
  const isQuiet = (reading: Reading): boolean => {
    const isSame = idsOf(reading) === last;
    last = idsOf(reading);
    return isSame;
  };
  for (let round = 1; ; round += 1) {
    if (!check.target.readOnly) await settled(check, () => view.read('first'), isQuiet);
    const id = check.target.readOnly ? null : await createChangedUnit(check);
    const { shown, agree } = await relateForms(check, view);
    const isSteady =
      id === null || !agree || round === 4 || idsOf(await view.read('first')) === [...shown.keys()].join();
    if (id !== null) await removeUnit(check, id);
    if (!isSteady) continue;
    await relateFilters(check);
    return shown;
  }
}

/** The id of a unit that was created and, where the document declares a way, changed. */
async function createChangedUnit(check: Check): Promise<string | null> {
  const id = await createUnit(check);
  const record = id === null ? null : recordIn(await readNewUnit(check, id), id);
  const patch = id === null || record === null ? null : await visiblePatch(check, id, record);
  if (id !== null && patch !== null) await check.send({ method: 'PATCH', path: paths.unit(id), json: patch.body });
  return id;
}

/** A filter that the first form keeps to is kept to by the second, whatever was changed meanwhile. */
async function relateFilters(check: Check): Promise<void> {
  const options = { limit: 50, query: onlyAvailable };
  let exchanges: Exchange[] = [];
  const [stray] = await persistent(check, async () => {
    const there = await readPage(check, { ...options, form: 'second' });
    const found = idsWithStatus(there.items ?? [], 'available', true);
    if (found.length === 0) return [];
    const here = await readPage(check, options);
    exchanges = [there.exchange, here.exchange];
    return here.items === null || idsWithStatus(here.items, 'available', true).length > 0 ? [] : found;
  });
  if (stray !== undefined)
    check.fail({
      code: 'not-filtered',
      expected: 'status=available to list available units only at API_BASE_URL, as at BASE_URL',
      actual: `it lists ${quote(stray)}, which is not`,
      exchanges,
    });
}

/** A lead is accepted under the second form where one is under the first, refused where one is, and shown under both. */
export async function relateLeads(check: Check): Promise<void> {
  const { contract } = await check.contract();
  const created = check.target.readOnly ? [] : await createLeads(check);
  const own = created.flatMap((exchange) => idIn(exchange) ?? []);
  if (contract.operation('GET', paths.leads) !== null) await relateForms(check, listView(check, 'lead', 50, own));
  const shown: unknown[] = [];
  for (const id of own) {
    const path = `${paths.leads}/${percentEncode(id)}`;
    if (contract.operation('GET', path) === null) return;
    const view = recordView(check, 'lead', id, { path }, { own: [id] });
    const read = await settled(
      check,
      () => view.read('first'),
      ({ records }) => records.has(id),
    );
    await relateForms(check, view);
    shown.push(read.records.get(id));
    // A lead that neither form shows was not stored, if the one before it is shown.
    if (shown.length === 2 && shown[0] !== undefined && shown[1] === undefined)
      check.fail({
        code: 'lead-missing',
        expected: `the lead ${quote(id)} at BASE_URL and API_BASE_URL`,
        actual: `${read.exchanges.map(describe).join()}, ${patienceSeconds} s after it was created`,
        exchanges: [...created, ...read.exchanges],
      });
  }
  const [here, there] = shown.map(asObject);
  const [sent, sentThere] = created.map(({ request }) => asObject(decodeJson(request.body?.toString() ?? null)));
  const lost = Object.keys(sent ?? {}).find(
    (name) =>
      there &&
      sentThere?.[name] !== undefined &&
      sameJson(here?.[name], sent?.[name]) &&
      (there[name] ?? null) === null,
  );
  if (lost !== undefined)
    check.fail({
      code: 'field-lost',
      field: lost,
      expected: `a lead created at API_BASE_URL to show its ${lost}, as one created at BASE_URL does`,
      actual: 'it shows none',
      exchanges: created,
    });
}

/** A lead created under each form; none unless both were accepted. */
async function createLeads(check: Check): Promise<readonly Exchange[]> {
  const create = async (lead: (check: Check) => Promise<unknown>): Promise<[Exchange, Exchange]> => [
    await postLead(check, await lead(check)),
    await postLead(check, await lead(check), { form: 'second' }),
  ];
  let pair = await create(leadWithSource);
  if (!isSuccess(pair[0])) pair = await create(plainLead);
  // The vehicle of one lead may have been sold meanwhile.
  for (let tries = 0; tries < 2 && isSuccess(pair[0]) && !isSuccess(pair[1]); tries += 1)
    pair = await create(plainLead);
  agreeAnswers(check, ...pair);
  for (const change of [{ phone: '4155550123' }, { name: undefined }]) {
    const refused: Exchange[] = [];
    for (let round = 0; round < 2; round += 1) {
      const [here, there] = await create(async () => ({ ...(await plainLead(check)), ...change }));
      if (!mayMean(here, 400, 422) || !isSuccess(there)) break;
      refused.push(here, there);
    }
    if (refused.length === 4)
      check.fail({
        code: 'not-refused',
        expected: 'a lead that is refused at BASE_URL to be refused at API_BASE_URL',
        actual: refused.slice(-2).map(describe).join(', then '),
        exchanges: refused,
      });
  }
  return pair.every(isSuccess) ? pair : [];
}
