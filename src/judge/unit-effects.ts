import type { Exchange, HeaderLine } from '../http/index.js';
import {
  breakUnitBodies,
  changeable,
  changeOf,
  type PlacedLead,
  readsOf,
  createUnit,
  inOtherWays,
  onlyAvailable,
  otherStatuses,
  removeUnit,
  secondForm,
  unitChanges,
  unitCreation,
  type UnitCreation,
  unitsIfReadable,
  variedBodies,
  wholeList,
} from '../api/index.js';
import { type Row, row } from '../requirement/index.js';
import { type Check, describe, type Way } from '../run/index.js';
import {
  asObject,
  idIn,
  isRefusal,
  isSuccess,
  paths,
  quote,
  recordIn,
  sameJson,
  settled,
  walk,
} from '../service/index.js';
import { Effects, type ListName, type Views } from './effects.js';
import { lookAtUnit } from './no-effect.js';

/** Own units of one way, with values that no other has; null for the usual way. */
interface Life {
  readonly check: Check;
  readonly creation: UnitCreation;
  readonly units: Effects;
  readonly way: Way | null;
}

/** Reads the list in each way, before a unit is made there. */
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
  const lives: Life[] = [];
  const open = async (way: Way | null): Promise<void> => {
    lives.push({ check, creation, way, units: await Effects.watch(check, await unitViews(check)) });
  };
  await check.each(['usual', 'second form', 'second tenant', 'writing key'] as const, (name) =>
    name === 'usual' ? open(null) : inOtherWays(check, [name], open),
  );
  return lives.toSorted((a, b) => (a.way?.name ?? '').localeCompare(b.way?.name ?? ''));
}

/** A row of what is done to own units, in each way, and of the lists that show it beside each unit by itself. */
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

async function unitViews(check: Check): Promise<Views> {
  const { contract } = await check.contract();
  return {
    noun: 'unit',
    one: (id) => lookAtUnit(check, id),
    list: () => wholeList(check),
    available: () => walk(check, { query: onlyAvailable, limit: 50, maxPages: 40 }),
    // The suite invented fields that the document does not declare; the service need not keep them.
    isDeclared: (field) => contract.declaresField('POST', paths.units, field),
    isSetByService: (field) => field === 'status',
    others: await unitsIfReadable(check),
  };
}

const actions = {
  create,
  change: (life: Life) => change(life, life.way === null ? Infinity : 1),
  'change again': (life: Life) => change(life, life.way === null ? Infinity : 0),
  'change status': changeStatus,
  break: breakBodies,
  delete: deleteAll,
} as const;

/** Creates units: the usual one and one with values of another kind at each place, or two in another way. */
async function create(life: Life): Promise<void> {
  const { check, creation, way, units } = life;
  for (const [at, place] of (way === null ? [null, 0, 1, 2, 3] : [null, null]).entries()) {
    if (at > 0 && units.own.size === 0) return;
    for (const body of place === null ? [await forSale(check, creation)] : await variedBodies(check, creation, place)) {
      const made = await createOne(life, body);
      if (isSuccess(made)) break;
      if (at > 0 || way !== null) continue;
      // A refusal may have a reason that no schema can state; a status that says "no such operation" or "my fault" has none.
      const mayBeRight = isRefusal(made) && ![401, 403, 404, 405].includes(made.response?.status ?? 0);
      const hint = mayBeRight && check.target.unitBody === null;
      check[mayBeRight ? 'warn' : 'fail']({
        code: 'unit-refused',
        expected: 'a body that the declaration allows to create a unit',
        actual: `${describe(made)}: ${quote(made.response?.json)}${hint ? '; name a file with a body that it accepts in UNIT_BODY' : ''}`,
        exchanges: [made],
      });
    }
  }
}

/** A usual body; an available unit shows in the filtered list as well. */
async function forSale(check: Check, creation: UnitCreation): Promise<unknown> {
  const { contract } = await check.contract();
  const drawn = creation.body(check);
  const body = { ...asObject(drawn), status: 'available' };
  const isAllowed = asObject(drawn) !== null && contract.validateRequest('POST', paths.units, body).length === 0;
  return isAllowed && contract.declaresField('POST', paths.units, 'status') ? body : drawn;
}

/** Creates a unit; with an idempotency key, the same request shows the same unit again. */
async function createOne(life: Life, json: unknown): Promise<Exchange> {
  const { check, creation, units } = life;
  const headers: HeaderLine[] = creation.takesKey ? [['idempotency-key', check.fresh('unit key')]] : [];
  const send = (): Promise<Exchange> => check.ask({ method: 'POST', path: paths.units, json, headers });
  const made = await insist(life, 'creates', send);
  const id = isSuccess(made) ? idIn(made) : null;
  if (id === null && isSuccess(made)) check.observe('Does creating a unit show its id?', 'no');
  if (id === null) return made;
  units.created(id, json, made);
  if (headers.length === 0 || units.own.size > 1) return made;
  const replay = await send();
  const second = isSuccess(replay) ? idIn(replay) : null;
  if (second !== null && second !== id)
    check.fail({
      code: 'other-unit',
      expected: 'the same key and body to show the same unit',
      actual: `${quote(id)}, then ${quote(second)}`,
      exchanges: [made, replay],
    });
  return made;
}

/** Sends a write; the second address form has its operation, too. One of two machines may not know the unit yet. */
async function insist({ check, way }: Life, does: string, send: () => Promise<Exchange>): Promise<Exchange> {
  const isOwed = way?.name === secondForm;
  const isMissing = ({ response }: Exchange): boolean => [404, 405, 501].includes(response?.status ?? 0);
  const exchange = await settled(check, send, (one) => !isOwed || !isMissing(one));
  if (isOwed && isMissing(exchange))
    check.fail({
      code: 'no-operation',
      field: does,
      expected: `the operation that ${does} a unit to be there`,
      actual: describe(exchange),
      exchanges: [exchange],
    });
  return exchange;
}

/** Changes units by bodies that the document allows, each by another one. */
async function change(life: Life, most: number): Promise<void> {
  const { check, units } = life;
  // The first one has the values that other units are the least likely to have: what it leaves elsewhere is not overwritten.
  for (const [at, { id, shown, sent, written }] of [...[...units.own.values()].slice(0, most).entries()].reverse()) {
    const all = shown === null ? [] : await unitChanges(check, id, shown, sent);
    // A field that was changed before has to stay, too.
    const bodies = all.filter((body) => Object.keys(body).every((name) => !written.has(name)));
    const json = bodies[at % Math.max(1, bodies.length)];
    if (json === undefined) continue;
    const send = (): Promise<Exchange> => check.send({ method: 'PATCH', path: paths.unit(id), json });
    units.changed(id, json, await insist(life, 'changes', send));
  }
}

/** Changes the status of an available unit, and back: which changes of a status are carried out is the service's own to say. */
async function changeStatus({ check, units, way }: Life): Promise<void> {
  const [id] = units.own.keys();
  if (id === undefined || way !== null) return;
  const statusOf = (): unknown => units.own.get(id)?.shown?.['status'];
  for (const status of await otherStatuses(check, id, await unitsIfReadable(check))) {
    if (statusOf() !== 'available') return;
    for (const to of [status, 'available']) {
      const changed = await check.send({ method: 'PATCH', path: paths.unit(id), json: { status: to } });
      units.changed(id, { status: to }, changed);
      if (!isSuccess(changed)) break;
      await units.judge('available');
      if (to === 'available') return;
    }
  }
}

/** Sends bodies that are refused, and then waits for later work of the service. */
async function breakBodies({ check, units, way }: Life): Promise<void> {
  if (way !== null || units.own.size === 0) return;
  const spare = await createUnit(check);
  if (spare !== null) {
    await breakUnitBodies(check, spare);
    await removeUnit(check, spare);
  }
  await units.judgeLater();
}

/** Deletes one unit, which leaves the others alone, twice, and then these. How the second deletion is answered is judged with all answers. */
async function deleteAll({ check, units }: Life): Promise<void> {
  const { contract } = await check.contract();
  const [id] = units.own.keys();
  if (id === undefined || contract.operation('DELETE', paths.unit(id)) === null) return;
  const remove = (): Promise<Exchange> => check.send({ method: 'DELETE', path: paths.unit(id) });
  units.deleted(id, await remove());
  await units.judge('list');
  await remove();
  for (const other of units.own.keys()) await removeUnit(check, other);
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
      others: [],
    });
    effects.created(lead.id, lead.sent, lead.created, before.record);
    const json = change.body;
    const changed = await check.send({ ...place.options, method: 'PATCH', path: change.path, json });
    // An answer that shows the old value does not claim the new one.
    if (sameJson(recordIn(changed)?.[change.field], before.record[change.field])) continue;
    effects.changed(lead.id, { [change.field]: change.value }, changed);
    await effects.judge();
  }
}
