import { type Exchange, percentEncode } from '../http/index.js';
import { type Check, describe, type RequestOptions } from '../run/index.js';
import { asObject, idOf, isGone, isSuccess, itemsIn, paths, persistent, quote, sameJson } from '../service/index.js';
import { demoApi, removeUnit, unitsIfReadable, visiblePatch, wholeList } from '../api/index.js';
import { lookAtUnit, traceIn, withoutEffect } from './no-effect.js';

type Json = Record<string, unknown>;

const demoUnit = (id: string): string => `${paths.demoUnits}/${percentEncode(id)}`;
const expected = 'nothing to be written through the demo API';

/** Fields that hold a text of nobody else's. */
const ownTexts = ['description', 'notes', 'title', 'name', 'trim', 'model', 'make', 'stockNumber', 'stock', 'vin'];

/**
 * Requests that make or change units of a demo that shows `record` first. They carry an id, a text and a status that no unit has, to be looked for
 * afterwards: a unit keeps its text whatever id it is given.
 */
function writesOf(
  { id, text, status }: Readonly<Record<'id' | 'text' | 'status', string>>,
  record: Json | null,
): readonly RequestOptions[] {
  const plain = { ...record, id, status: 'available' };
  const name = ownTexts.find((one) => typeof record?.[one] === 'string') ?? 'notes';
  const unit = { ...plain, [name]: text };
  const [list, first] = [paths.demoUnits, idOf(record) ?? '1'];
  return [
    { method: 'POST', path: list, json: plain },
    { method: 'POST', path: list, json: unit },
    { method: 'PUT', path: list, json: unit },
    { method: 'PATCH', path: list, json: { status: 'sold' } },
    { method: 'POST', path: demoUnit(first), json: unit },
    { method: 'PUT', path: demoUnit(first), json: { ...unit, id: first } },
    { method: 'PATCH', path: demoUnit(first), json: { status } },
  ];
}

/** Tries every way to write to the demo: each is refused, and shows neither there nor in production. */
export async function writeDemo(check: Check): Promise<void> {
  const wide = await demoApi.read(check, [['limit', '50']]);
  const query = itemsIn(wide) === null ? [] : ([['limit', '50']] as const);
  const before = query.length > 0 ? wide : await demoApi.read(check);
  const records = itemsIn(before);
  if (records === null) return check.blocked(`the demo list could not be read (see DEMO-01): ${describe(before)}`);
  const record = asObject(records[0]);
  const id = idOf(record);
  const callers = check.target.keys.API_KEY === undefined ? [null] : [null, 'API_KEY' as const];
  const hasKey = callers.length > 1;
  const known = [...records, ...(hasKey ? await unitsIfReadable(check) : [])];
  const send = async (request: RequestOptions, isTaken = isSuccess): Promise<Exchange> => {
    const exchange = await check.send({ ...request, surface: 'demo' });
    const shown = itemsIn(exchange) ?? [];
    // A service that answers every method as GET accepts no write.
    const isRead = shown.length > 0 && shown.every((one) => records.some((other) => sameJson(one, other)));
    check[isRead ? 'recommend' : 'expect'](exchange, (one: Exchange) => ({
      pass: !isTaken(one),
      code: 'write-taken',
      expected: `${one.request.method} on the demo API to be refused`,
      actual: describe(one),
      part: 'status',
    }));
    return exchange;
  };
  const marks = { id: check.fresh('demo unit'), status: 'conformance', text: check.fresh('demo mark') };
  const writes = callers.flatMap((as) => writesOf(marks, record).map((request) => ({ ...request, as })));
  await check.each(writes, (request) => send(request));
  const name = `Conformance Test ${check.fresh('demo lead').slice(0, 13)}`;
  const headers = [['idempotency-key', check.fresh('demo lead key')]] as const;
  const lead = { name, phone: '+14155550123', vehicleId: id ?? '1' };
  // A page for whatever path is asked for takes nothing in.
  const isKept = ({ response }: Exchange): boolean => response?.status === 201 || !!response?.text?.includes(name);
  await send({ method: 'POST', path: '/api/demo/leads', headers, json: lead }, (one) => isSuccess(one) && isKept(one));
  const after = await demoApi.read(check, query);
  const production = hasKey && record !== null ? (await wholeList(check)).pages : [];
  const trace = traceIn(
    [...production, { exchange: after, items: itemsIn(after) }],
    new Set(Object.values(marks)),
    known,
  );
  if (trace !== null) {
    const { exchange } = trace;
    const actual = `${describe(exchange)} shows ${quote(trace.record)}, sent to the demo`;
    const part = { value: trace.record };
    check.fail({ code: 'write-shown', expected, actual, exchanges: [before, exchange], part });
    // A record that existed before was overwritten; it must not be removed.
    const made = known.some((one) => idOf(one) === idOf(trace.record)) ? null : idOf(trace.record);
    if (made !== null && exchange !== after) await removeUnit(check, made);
  }
  if (id !== null && hasKey) await changeThroughDemo(check, id);
  await deleteThroughDemo(check, callers, send);
  if (records.length === 0)
    return check.blocked('the demo list shows no unit that a write could change or delete: seed at least one');
}

/** A change that production would take changes nothing in production. */
async function changeThroughDemo(check: Check, id: string): Promise<void> {
  const write = async (record: Json) => {
    const patch = await visiblePatch(check, id, record);
    return patch === null ? null : { method: 'PATCH', path: demoUnit(id), json: patch.body };
  };
  const unit = { name: `unit ${quote(id)}`, writes: [write], look: () => lookAtUnit(check, id) };
  const callers = [null, 'API_KEY' as const].map((as) => ({ as, surface: 'demo' as const }));
  const was = await withoutEffect(check, unit, callers, { expected: () => expected, isTaken: () => false });
  if (was !== null) await check.send({ method: 'PATCH', path: paths.unit(id), json: was });
}

/** A deletion that is carried out, refused or not: a unit that stood there twice, or in production, is gone right after it, four times in a row. */
async function deleteThroughDemo(
  check: Check,
  callers: readonly (null | 'API_KEY')[],
  send: (request: RequestOptions) => Promise<Exchange>,
): Promise<void> {
  const read = async (): Promise<string[]> =>
    (itemsIn(await demoApi.read(check, [['limit', '50']])) ?? []).map(idOf).filter((id) => id !== null);
  const exchanges: Exchange[] = [];
  const look = async (round: number): Promise<string[]> => {
    const [before, steady] = [await read(), await read()];
    // Another one each time: the demo may go on showing what production has lost.
    const id = before[round] ?? before[0];
    if (id === undefined || !sameJson(before, steady)) return [];
    const isThere = callers.length > 1 && (await lookAtUnit(check, id)).record !== null;
    for (const as of callers)
      for (const path of [demoUnit(id), paths.demoUnits]) exchanges.push(await send({ method: 'DELETE', path, as }));
    const after = await read();
    if (isThere && isGone((await lookAtUnit(check, id)).exchange)) return [id];
    // A new unit may push out the last record of a shortened list.
    return before.slice(0, Math.ceil(before.length / 2)).filter((one) => !after.includes(one));
  };
  const [lost] = await persistent(check, look, () => 'a unit');
  if (lost === undefined) return;
  const actual = `${quote(lost)} is gone after DELETE was sent, as one was after each DELETE before it`;
  check.fail({ code: 'unit-gone', expected, actual, exchanges });
}
