import type { Exchange, HeaderLine } from '../http/index.js';
import {
  createUnit,
  inOtherWays,
  judgeRefusedUnitBodies,
  onlyAvailable,
  otherStatuses,
  removeUnit,
  unitChanges,
  unitCreation,
  type UnitCreation,
  unitsIfReadable,
  variedBodies,
  wholeList,
} from '../api/index.js';
import { type Check, describe } from '../run/index.js';
import { asObject, idIn, isRefusal, isSuccess, paths, quote, recordIn, settled, walk } from '../service/index.js';
import { type Effects, type Views, watchEffects } from './effects.js';

/** Units with values of every kind that the document declares. */
const varied = 4;

/** Exercises what the document declares beside GET on the unit collection. */
export async function exerciseUnits(check: Check): Promise<void> {
  const { contract } = await check.contract();
  const second = contract.operations.filter((one) => one.role === 'units' && one.method !== 'GET');
  if (second.length === 0) check.notApplicable('the document declares no second operation on units (see DOC-04)');
  const creation = await unitCreation(check);
  if (creation === null)
    check.notApplicable(
      `only ${second.map((one) => one.method).join(', ')} is declared beside GET; the document does not say what the operation does`,
    );
  const drawn = creation.body(check);
  const forSale = { ...asObject(drawn), status: 'available' };
  const isAllowed = asObject(drawn) !== null && contract.validateRequest('POST', paths.units, forSale).length === 0;
  // An available unit shows in the filtered list as well.
  const body = isAllowed && contract.declaresField('POST', paths.units, 'status') ? forSale : drawn;
  if (body === undefined || body === null)
    check.notApplicable('no request body could be built from the declared schema for creating a unit');
  // Each way changes units of its own, with values that no other has.
  await check.each(['usual', 'second form', 'second tenant', 'writing key'] as const, async (way) => {
    if (way === 'usual') return liveUsualLife(check, creation, body);
    return inOtherWays(check, [way], async () => {
      const units = await watchEffects(check, await unitViews(check));
      const isOwed = way === 'second form';
      for (let count = 0; count < 2; count += 1) await create(check, creation, units, creation.body(check), isOwed);
      await units.judge('list');
      for (const id of [...units.own.keys()].slice(0, 1)) await change(check, units, id, 0, isOwed);
      await units.judge('list');
      await removeAll(check, units);
    });
  });
}

async function unitViews(check: Check): Promise<Views> {
  const { contract } = await check.contract();
  return {
    noun: 'unit',
    async one(id) {
      const exchange = await check.send({ path: paths.unit(id) });
      return { exchange, record: recordIn(exchange, id) };
    },
    list: () => wholeList(check),
    available: () => walk(check, { query: onlyAvailable, limit: 50, maxPages: 40 }),
    // The suite invented fields that the document does not declare; the service need not keep them.
    isDeclared: (field) => contract.declaresField('POST', paths.units, field),
    isSetByService: (field) => field === 'status',
    others: await unitsIfReadable(check),
  };
}

/** Makes, changes and deletes units of all kinds with full access. */
async function liveUsualLife(check: Check, creation: UnitCreation, body: unknown): Promise<void> {
  const units = await watchEffects(check, await unitViews(check));
  const made = await create(check, creation, units, body);
  if (!isSuccess(made)) {
    // A refusal may have a reason that no schema can state; a status that says "no such operation" or "my fault" has none.
    const mayBeRight = isRefusal(made) && ![401, 403, 404, 405].includes(made.response?.status ?? 0);
    check[mayBeRight ? 'warn' : 'fail']({
      code: 'unit-refused',
      expected: 'a body that the declaration allows to create a unit',
      actual: `${describe(made)}: ${quote(made.response?.json)}${mayBeRight && check.target.unitBody === null ? '; name a file with a body that it accepts in UNIT_BODY' : ''}`,
      exchanges: [made],
    });
    return;
  }
  if (idIn(made) === null) {
    check.observe('Does creating a unit show its id?', 'no', { detail: quote(made.response?.json) });
    return;
  }
  for (let place = 0; place < varied; place += 1)
    for (const one of await variedBodies(check, creation, place))
      if (isSuccess(await create(check, creation, units, one))) break;
  await units.judge('list', 'available');
  await judgeSentStatus(check, units);
  for (let round = 0; round < 2; round += 1) {
    // The first one has the values that other units are the least likely to have: what it leaves elsewhere is not overwritten.
    for (const [at, id] of [...[...units.own.keys()].entries()].reverse()) await change(check, units, id, at);
    await units.judge('list');
  }
  const [first] = units.own.keys();
  if (first !== undefined) await changeStatus(check, units, first);
  const spare = await createUnit(check);
  if (spare !== null) {
    await judgeOddBodies(check, spare);
    await judgeRefusedUnitBodies(check, spare);
    await removeUnit(check, spare);
  }
  await units.judgeLater();
  await removeAll(check, units);
}

/** Creates a unit; with an idempotency key, the same request shows the same unit again. `isOwed`: the operation has to be there. */
async function create(
  check: Check,
  creation: UnitCreation,
  units: Effects,
  body: unknown,
  isOwed = false,
): Promise<Exchange> {
  const headers: HeaderLine[] = creation.takesKey ? [['idempotency-key', check.fresh('unit key')]] : [];
  const send = (): Promise<Exchange> => check.ask({ method: 'POST', path: paths.units, json: body, headers });
  const made = await send();
  const id = isSuccess(made) ? idIn(made) : null;
  if (isOwed && isMissing(made)) {
    const again = await creation.attempt(check, {});
    if (isMissing(again)) failMissing(check, 'creates', [made, again]);
  }
  if (id === null) return made;
  units.created(id, body, made);
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

/** Changes a unit by one of the bodies that the document allows for it. */
async function change(check: Check, units: Effects, id: string, at: number, isOwed = false): Promise<void> {
  const { shown, sent, written } = units.own.get(id) ?? { shown: null, sent: {}, written: new Set() };
  const all = shown === null ? [] : await unitChanges(check, id, shown, sent);
  // A field that was changed before has to stay, too.
  const bodies = all.filter((body) => Object.keys(body).every((name) => !written.has(name)));
  const body = bodies[at % Math.max(1, bodies.length)];
  if (body === undefined) return;
  const send = (): Promise<Exchange> => check.send({ method: 'PATCH', path: paths.unit(id), json: body });
  // One of two machines may not know the unit yet.
  const changed = isOwed ? await settled(check, send, (one) => !isMissing(one)) : await send();
  if (isOwed && isMissing(changed) && recordIn(await check.send({ path: paths.unit(id) }), id) !== null)
    failMissing(check, 'changes', [changed]);
  units.changed(id, body, changed);
}

/** Whether the answer says that there is no such operation, or nothing to do it to. */
function isMissing({ response }: Exchange): boolean {
  return [404, 405, 501].includes(response?.status ?? 0);
}

function failMissing(check: Check, does: string, exchanges: readonly Exchange[]): void {
  const actual = exchanges.slice(-1).map(describe).join('');
  check.fail({
    code: 'no-operation',
    field: does,
    expected: `the operation that ${does} a unit to be there`,
    actual,
    exchanges,
  });
}

/** Changes the status of an available unit, and back: which changes of a status are carried out is the service's own to say. */
async function changeStatus(check: Check, units: Effects, id: string): Promise<void> {
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

/** Deletes one unit, which leaves the others alone, and then these. */
async function removeAll(check: Check, units: Effects): Promise<void> {
  const { contract } = await check.contract();
  const [one] = units.own.keys();
  if (one === undefined || contract.operation('DELETE', paths.unit(one)) === null) return;
  const remove = (): Promise<Exchange> => check.send({ method: 'DELETE', path: paths.unit(one) });
  units.deleted(one, await remove());
  await units.judge('list');
  // How it is answered once more is judged with all answers.
  await remove();
  for (const id of units.own.keys()) await removeUnit(check, id);
}

/** Whatever status was sent, every unit has the same. A service may refuse a status for a new unit, or map some of them. */
async function judgeSentStatus(check: Check, { own }: Effects): Promise<void> {
  const { contract } = await check.contract();
  const units = [...own.values()].slice(1);
  const [sent, shown] = (['sent', 'shown'] as const).map((one) => new Set(units.map((unit) => unit[one]?.['status'])));
  if (sent === undefined || sent.size < 2 || sent.has(undefined) || shown?.size !== 1) return;
  check[contract.declaresField('POST', paths.units, 'status') ? 'fail' : 'warn']({
    code: 'status-ignored',
    expected: `units created with the statuses ${[...sent].map(quote).join(', ')} to show them`,
    actual: `each of them shows ${[...shown].map(quote).join('')}`,
    exchanges: units.map(({ created }) => created),
  });
}

/** Bodies that are JSON and no unit, and changes of nothing. */
const oddBodies = { POST: ['null', '[]', '7', '"unit"', '{"id":'], PATCH: ['{}', 'null', '[]'] } as const;

/** Sends odd bodies, the changes to a unit: whatever the answer is, it is no 5xx. */
async function judgeOddBodies(check: Check, id: string): Promise<void> {
  const { contract, pinned } = await check.contract();
  const send = async (method: 'POST' | 'PATCH', path: string, body: string, at: number): Promise<void> => {
    const key = check.fresh('odd body');
    const exchange = await check.send({
      method,
      path,
      body: Buffer.from(body),
      // A key need not be a UUID to be answered.
      headers: [
        ['content-type', 'application/json'],
        ['idempotency-key', at % 2 === 0 ? key : `no uuid ${key}`],
      ],
    });
    const say = (code: string, expected: string): false =>
      check.fail({ code, expected, actual: describe(exchange), exchanges: [exchange] });
    if ((exchange.response?.status ?? 0) >= 500)
      say('server-error', `an answer below 500 for ${method} with the body ${body}`);
    // A service may take more than a pinned document says.
    const [problem] = body === '{}' && pinned === null ? contract.validateRequest(method, path, {}) : [];
    if (problem !== undefined && isSuccess(exchange) && exchange.response?.status !== 202)
      say('not-refused', `4xx for a change of nothing, which the document does not allow: ${problem}`);
  };
  for (const [at, body] of oddBodies.POST.entries()) await send('POST', paths.units, body, at);
  if (contract.operation('PATCH', paths.unit(id)) === null) return;
  for (const [at, body] of oddBodies.PATCH.entries()) await send('PATCH', paths.unit(id), body, at);
}
