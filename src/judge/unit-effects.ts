import type { Exchange, HeaderLine } from '../http/index.js';
import {
  type Asking,
  breakUnitBodies,
  changeable,
  changeOf,
  type PlacedLead,
  readsOf,
  createUnit,
  home,
  inOtherWays,
  onlyAvailable,
  otherStatuses,
  type Place,
  placesFor,
  removeUnit,
  unitChanges,
  unitCreation,
  type UnitCreation,
  unitsIfReadable,
  variedBodies,
  wholeList,
} from '../api/index.js';
import { type Row, row } from '../requirement/index.js';
import { type Check, describe, type RequestOptions, type Way } from '../run/index.js';
import { asObject, idIn, isRefusal, isSuccess, paths, quote, recordIn, sameJson, settled } from '../service/index.js';
import { Effects, type ListName, type Views } from './effects.js';
import { lookAtUnit } from './no-effect.js';

/** Own units of one tenant, with values that no other has. */
interface Life {
  readonly check: Check;
  readonly creation: UnitCreation;
  readonly units: Effects;
  /** How the second tenant is asked; null for the usual one. */
  readonly way: Way | null;
  /** Where each unit is written, by its id. */
  readonly places: Map<string, Place>;
  /** The creations that were sent with a key, by the ids of units. */
  readonly creations: Map<string, RequestOptions>;
  /** How a reader is shown a unit by itself. */
  viewsOf(reader: Asking): Views;
}

/** Reads the list of each tenant, before a unit is made there. */
export async function openUnits({ check }: { readonly check: Check }): Promise<readonly Life[]> {
  const { contract } = await check.contract();
  const second = contract.operations.filter((one) => one.role === 'units' && one.method !== 'GET');
  if (second.length === 0)
    return check.notApplicable('the document declares no second operation on units (see DOC-04)');
  const creation = await unitCreation(check);
  if (creation === null)
    return check.notApplicable(
      `only ${second.map((one) => one.method).join(', ')} is declared beside GET; the document does not say what the operation does`,
    );
  if (creation.body(check) == null)
    return check.notApplicable('no request body could be built from the declared schema for creating a unit');
  const viewsOf = (options: Asking): Views => ({
    noun: 'unit',
    one: (id) => lookAtUnit(check, id, options),
    // The suite invented fields that the document does not declare; the service need not keep them.
    isDeclared: (field) => contract.declaresField('POST', paths.units, field),
    isSetByService: (field) => field === 'status',
  });
  const lists = {
    list: () => wholeList(check),
    available: () => wholeList(check, { query: onlyAvailable }),
  };
  const open = async (way: Way | null): Promise<Life> => {
    const units = await Effects.watch(check, { ...viewsOf({}), ...lists });
    return { check, creation, way, units, viewsOf, places: new Map(), creations: new Map() };
  };
  const others: Life[] = [];
  await inOtherWays(check, ['second tenant'], async (way) => others.push(await open(way)));
  return [await open(null), ...others];
}

/** A row of what is done to own units of each tenant, and of the lists that show it beside each unit by itself. */
export function unitEffect(
  says: string,
  does: keyof typeof actions,
  ...lists: readonly ListName[]
): Row<readonly Life[]> {
  return row(says, (check, lives) =>
    check.each(lives, (life) => {
      const act = async (): Promise<void> => {
        await actions[does](life);
        // What the filter shows in other ways is judged where units are listed.
        await life.units.judge(...lists.filter((name) => life.way === null || name === 'list'));
      };
      return life.way === null ? act() : check.through(life.way, act);
    }),
  );
}

const actions = { create, change, break: breakBodies, delete: deleteHalf } as const;

/**
 * Creates units, each written in a place of its own: usual ones, and for the first tenant ones with values of another kind at each place. With an
 * idempotency key, the same request shows a usual unit again.
 */
async function create({ check, creation, way, units, places, creations }: Life): Promise<void> {
  const offered = await placesFor(check, 'POST', paths.units, 'API_KEY_WRITE_INVENTORY');
  const usual = offered.filter(({ name }) => name === 'home' || (way === null && name !== 'second tenant'));
  const kinds = way === null ? [0, 1, 2, 3] : [null];
  const plans = [
    ...usual.map((place) => ({ place, kind: null })),
    ...kinds.map((kind, at) => ({ place: usual[(at + 1) % usual.length] ?? home, kind })),
  ].map((plan, at) => ({ ...plan, at }));
  const made = new Map<number, { readonly id: string; readonly json: unknown; readonly exchange: Exchange }>();
  const createOne = async ({ place, kind, at }: (typeof plans)[number]): Promise<void> => {
    for (const json of kind === null ? [await forSale(check, creation)] : await variedBodies(check, creation, kind)) {
      const headers: HeaderLine[] = creation.takesKey ? [['idempotency-key', check.fresh('unit key')]] : [];
      const request = { method: 'POST', path: paths.units, json, headers };
      const exchange = at === 0 ? await check.ask(request) : await write(check, place, 'creates', request);
      const id = isSuccess(exchange) ? idIn(exchange) : null;
      if (at === 0 && way === null) reportRefusal(check, exchange, id);
      if (id === null) continue;
      made.set(at, { id, json, exchange });
      const isReplayed = headers.length > 0 && kind === null;
      if (isReplayed) creations.set(id, { ...request, ...place.options });
      const replay = isReplayed ? await check.send({ ...request, ...place.options }) : exchange;
      const second = isSuccess(replay) ? idIn(replay) : null;
      if (second !== null && second !== id)
        check.fail({
          code: 'other-unit',
          expected: `the same key and body to show the same unit${place.words}`,
          actual: `${quote(id)}, then ${quote(second)}`,
          exchanges: [exchange, replay],
          part: { value: recordIn(replay), pointer: '/id' },
        });
      return;
    }
  };
  await check.each(plans.slice(0, 1), createOne);
  if (made.size > 0) await check.each(plans.slice(1), createOne);
  for (const { at, place } of plans) {
    const one = made.get(at);
    if (one === undefined) continue;
    places.set(one.id, place);
    units.created(one.id, one.json, one.exchange, { where: place.words });
  }
}

/** Says how a body that the declaration allows was refused, or that no id was shown. */
function reportRefusal(check: Check, made: Exchange, id: string | null): void {
  if (isSuccess(made)) {
    if (id === null) check.observe('Does creating a unit show its id?', 'no');
    return;
  }
  // A refusal may have a reason that no schema can state; a status that says "no such operation" or "my fault" has none.
  const mayBeRight = isRefusal(made) && ![401, 403, 404, 405].includes(made.response?.status ?? 0);
  const hint = mayBeRight && check.target.unitBody === null;
  check[mayBeRight ? 'warn' : 'fail']({
    code: 'unit-refused',
    expected: 'a body that the declaration allows to create a unit',
    actual: `${describe(made)}: ${quote(made.response?.json)}${hint ? '; name a file with a body that it accepts in UNIT_BODY' : ''}`,
    exchanges: [made],
    part: 'status',
  });
}

/** A usual body; an available unit shows in the filtered list as well. */
async function forSale(check: Check, creation: UnitCreation): Promise<unknown> {
  const { contract } = await check.contract();
  const drawn = creation.body(check);
  const body = { ...asObject(drawn), status: 'available' };
  const isAllowed = asObject(drawn) !== null && contract.validateRequest('POST', paths.units, body).length === 0;
  return isAllowed && contract.declaresField('POST', paths.units, 'status') ? body : drawn;
}

/**
 * Sends a write; the second address form has its operation, too. One of two machines may not know the unit with this id
 * yet, and it may be gone.
 */
async function write(
  check: Check,
  { name, words, options }: Place,
  does: string,
  request: RequestOptions,
  id?: string,
): Promise<Exchange> {
  const isMissing = ({ response }: Exchange): boolean =>
    name === 'second form' && [404, 405, 501].includes(response?.status ?? 0);
  const exchange = await settled(
    check,
    () => check.send({ ...request, ...options }),
    (one) => !isMissing(one),
  );
  if (isMissing(exchange) && (id === undefined || (await lookAtUnit(check, id)).record !== null))
    check.fail({
      code: 'no-operation',
      field: does,
      expected: `the operation that ${does} a unit to be there${words}`,
      actual: describe(exchange),
      exchanges: [exchange],
      part: 'status',
    });
  return exchange;
}

/** Changes units by bodies that the document allows, each by another one, and the status of an available unit, or that back. */
async function change({ check, units, way, places, viewsOf }: Life): Promise<void> {
  const own = [...units.own.values()].filter(({ written }) => way === null || written.size === 0);
  const isFirst = own.every(({ written }) => written.size === 0);
  const selling = own.findLast(({ shown, written }) =>
    isFirst ? way === null && shown?.['status'] === 'available' : written.has('status'),
  );
  const [first, ...others] = own.map((one, at) => ({ ...one, at }));
  // Which changes of a status are carried out is the service's own to say.
  const statuses =
    isFirst && selling ? await otherStatuses(check, selling.id, await unitsIfReadable(check)) : ['available'];
  const offered =
    isFirst && way === null ? await placesFor(check, 'GET', paths.unit('x'), 'API_KEY_READ_INVENTORY') : [];
  const readers = offered.filter(({ name }) => ['second form', 'scoped key'].includes(name));
  const changeOne = async ({ id, shown, sent, written, at }: NonNullable<typeof first>): Promise<void> => {
    const reader = readers[at];
    // Who has read the unit before sees the change, too: what was shown there as it is shown here.
    const views = viewsOf(reader?.options ?? {});
    const [seen, before] = [await Effects.watch(check, views), reader && (await views.one(id))];
    if (reader && before?.record)
      seen.created(id, {}, before.exchange, { shown: before.record, where: ` and read${reader.words}` });
    const all = shown === null || id === selling?.id ? [] : await unitChanges(check, id, shown, sent);
    // A field that was changed before has to stay, too.
    const bodies = all.filter((body) => Object.keys(body).every((name) => !written.has(name)));
    const body = bodies[at % Math.max(1, bodies.length)];
    for (const json of id === selling?.id ? statuses.map((status) => ({ status })) : [body ?? []].flat()) {
      const request = { method: 'PATCH', path: paths.unit(id), json };
      const changed = await write(check, places.get(id) ?? home, 'changes', request, id);
      units.changed(id, json, changed);
      const alike = Object.entries(json).filter(([name]) => sameJson(before?.record?.[name], shown?.[name]));
      seen.changed(id, Object.fromEntries(alike), changed);
      await seen.judge();
      if (isSuccess(changed)) return;
    }
  };
  await check.each(others, changeOne);
  // The first one has the values that other units are the least likely to have: what it leaves elsewhere is not overwritten.
  if (first !== undefined) await check.each([first], changeOne);
}

/** Sends bodies that are refused and a creation again, and then waits for later work of the service. */
async function breakBodies({ check, units, way, creations }: Life): Promise<void> {
  if (way !== null || units.own.size === 0) return;
  const spare = await createUnit(check);
  if (spare !== null) {
    await breakUnitBodies(check, spare);
    await removeUnit(check, spare);
  }
  for (const [id, request] of [...creations].slice(0, 2)) units.changed(id, {}, await check.send(request));
  await units.judgeLater();
}

/** Deletes half of the units, which leaves the others alone, one of them twice, and then these. How that is answered is judged with all answers. */
async function deleteHalf({ check, units, places }: Life): Promise<void> {
  const { contract } = await check.contract();
  const ids = [...units.own.keys()];
  if (contract.operation('DELETE', paths.unit('x')) === null) return;
  const due = ids.slice(0, Math.ceil(ids.length / 2));
  await check.each(due, async (id) => {
    const request = { method: 'DELETE', path: paths.unit(id) };
    units.deleted(id, await write(check, places.get(id) ?? home, 'deletes', request, id));
  });
  await units.judge('list');
  await check.each([...due.slice(0, 1), ...ids.slice(due.length)], (id) => removeUnit(check, id));
}

/** After a successful PATCH of a lead, in each place where one was created, reads show the new value, and the old ones of what it does not name. */
export async function changeLeads(check: Check, leads: readonly PlacedLead[]): Promise<void> {
  for (const { place, lead: sent, created } of leads) {
    const lead = await changeable(check, sent, created, readsOf(place));
    const before = await lead?.look();
    const change = lead === null || before == null ? null : await changeOf(check, lead, before.record);
    if (lead === null || before == null || change === null) continue;
    const effects = await Effects.watch(check, {
      noun: `lead${place.words}`,
      one: async () => (await lead.look()) ?? { exchange: before.exchange, record: null },
      isDeclared: () => false,
      isSetByService: () => false,
    });
    effects.created(lead.id, lead.sent, lead.created, { shown: before.record });
    const json = change.body;
    const changed = await check.send({ ...place.options, method: 'PATCH', path: change.path, json });
    // An answer that shows the old value does not claim the new one.
    if (sameJson(recordIn(changed)?.[change.field], before.record[change.field])) continue;
    effects.changed(lead.id, { [change.field]: change.value }, changed);
    await effects.judge();
  }
}
