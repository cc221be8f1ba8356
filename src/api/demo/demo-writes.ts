import { type Exchange, percentEncode } from '../../http/index.js';
import { type Check, describe, matcher, type Matcher, type RequestOptions } from '../../run/index.js';
import { readDemo } from './demo.js';
import {
  asObject,
  idOf,
  isGone,
  isSuccess,
  itemsIn,
  paths,
  persistent,
  quote,
  recordIn,
  sameJson,
} from '../../service/index.js';
import { removeUnit } from '../units/unit-creation.js';
import { visiblePatch } from '../units/unit-patch.js';
import { unitsIfReadable, wholeList } from '../units/known-units.js';

/** A unit as production shows it by its id. */
interface Shown {
  readonly exchange: Exchange;
  readonly record: Record<string, unknown> | null;
}

const demoUnit = (id: string): string => `${paths.demoUnits}/${percentEncode(id)}`;

async function look(check: Check, id: string): Promise<Shown> {
  const exchange = await check.send({ path: paths.unit(id) });
  return { exchange, record: recordIn(exchange, id) };
}

/** A DELETE through the demo takes units away from production: each of two more that are there is gone after it. */
async function deletesMore(check: Check, ids: readonly string[]): Promise<Exchange[] | null> {
  const seen: Exchange[] = [];
  for (const id of ids) {
    const before = await look(check, id);
    if (before.record === null) return null;
    const deleted = await check.send({ method: 'DELETE', path: demoUnit(id), surface: 'demo' });
    const after = await look(check, id);
    if (!isGone(after.exchange)) return null;
    seen.push(before.exchange, deleted, after.exchange);
  }
  return ids.length < 2 ? null : seen;
}

/** The requests to the demo, and the traces of them to look for in production and in the demo afterwards. */
export interface DemoWrites {
  readonly requests: readonly Pick<RequestOptions, 'method' | 'path' | 'json'>[];
  /** Ids that the demo shows; PATCH and DELETE name the first. */
  readonly ids: readonly string[];
  /** The id of the unit that POST and PUT carry, which no unit has. */
  readonly made: string;
  /** A text that stands in it, whatever id it is given. */
  readonly mark: string;
  /** The status that PATCH sets, which no unit has. */
  readonly status: string;
}

/** Fields that hold a text of nobody else's. */
const ownTexts = ['description', 'notes', 'title', 'name', 'trim', 'model', 'make', 'stockNumber', 'stock', 'vin'];

/** A unit with a mark in one of its texts, where it has any. */
function marked(record: unknown, mark: string): Record<string, unknown> {
  const unit = asObject(record) ?? {};
  const name = ownTexts.find((one) => typeof unit[one] === 'string');
  return name === undefined ? { ...unit, notes: mark } : { ...unit, [name]: mark };
}

/** Every way to write to a demo that shows these records: creates, and changes and deletions of the list and of the first unit. */
export function demoWrites(check: Check, records: readonly unknown[]): DemoWrites {
  const ids = records.map(idOf).filter((id) => id !== null);
  const mark = check.fresh('demo mark');
  const plain = { id: check.fresh('demo unit'), status: 'available' };
  const unit = { ...marked(records[0], mark), ...plain };
  const [list, status] = [paths.demoUnits, 'conformance'];
  const first = demoUnit(idOf(records[0]) ?? '1');
  const requests = [
    { method: 'POST', path: list, json: { ...asObject(records[0]), ...plain } },
    { method: 'POST', path: list, json: unit },
    { method: 'PUT', path: list, json: unit },
    { method: 'PATCH', path: list, json: { status: 'sold' } },
    { method: 'DELETE', path: list },
    { method: 'POST', path: first, json: unit },
    { method: 'PUT', path: first, json: { ...unit, id: idOf(records[0]) ?? '1' } },
    { method: 'PATCH', path: first, json: { status } },
    { method: 'DELETE', path: first },
  ];
  return { requests, ids, made: plain.id, mark, status };
}

/** A write that is not answered with a success. */
export const isRefusedWrite: Matcher<Exchange> = (exchange) => ({
  pass: !isSuccess(exchange),
  expected: `${exchange.request.method} on the demo API to be refused`,
  actual: describe(exchange),
});

/** A demo list without any record that one of the writes made or changed; `before` it may have been there. */
export function showsNoDemoWrite({ made, mark, status }: DemoWrites, before: readonly unknown[]): Matcher<Exchange> {
  return (exchange) => {
    const mine = (itemsIn(exchange) ?? []).find(
      (one) => idOf(one) === made || asObject(one)?.['status'] === status || JSON.stringify(one).includes(mark),
    );
    return {
      pass: mine === undefined || before.some((record) => sameJson(record, mine)),
      expected: 'the demo data unchanged',
      actual: `${quote(mine)} was written through it`,
    };
  };
}

/** Looks at production now, and hands back how to judge it once the writes were sent; the demo may show a copy of its own. */
export async function watchProduction(
  check: Check,
  { ids, made, mark, status }: DemoWrites,
): Promise<() => Promise<void>> {
  const [first] = ids;
  if (check.target.keys.API_KEY === undefined || first === undefined) return () => Promise.resolve();
  const before = await look(check, first);
  const tell = (actual: string, exchanges: readonly Exchange[]): void => {
    check.fail({ expected: 'production unchanged by requests to the demo API', actual, exchanges });
  };
  return async () => {
    const created = await look(check, made);
    if (created.record !== null) tell(`it has the unit ${quote(made)}, sent to the demo`, [created.exchange]);
    const list = created.record === null ? await wholeList(check) : null;
    const renamed = idOf(list?.items.find((item) => JSON.stringify(item).includes(mark)));
    if (renamed !== null) {
      const shown = list?.pages.filter((page) => page.items?.some((item) => idOf(item) === renamed)) ?? [];
      // A record that existed before was overwritten; it must not be removed.
      const known = ids.includes(renamed) || (await unitsIfReadable(check)).some((item) => idOf(item) === renamed);
      tell(
        known
          ? `the unit ${quote(renamed)} is now what was sent to the demo`
          : `it has the unit ${quote(renamed)}, sent to the demo`,
        shown.map((page) => page.exchange),
      );
      if (!known && before.record !== null) await removeUnit(check, renamed);
    }
    if (before.record === null) return;
    const after = await look(check, first);
    if (after.record?.['status'] === status && before.record['status'] !== status)
      tell(`the status of ${quote(first)} is ${quote(status)}, sent to the demo`, [before.exchange, after.exchange]);
    const more = isGone(after.exchange) ? await deletesMore(check, ids.slice(1, 3)) : null;
    if (more !== null)
      tell(`${quote(first)} and two more are gone, each after DELETE was sent to the demo`, [after.exchange, ...more]);
  };
}

/** A change that production would take is refused by the demo, and changes nothing in production. */
export async function judgeDemoChange(check: Check, id: string | null): Promise<void> {
  if (id === null || check.target.keys.API_KEY === undefined) return;
  const before = await look(check, id);
  const patch = before.record === null ? null : await visiblePatch(check, id, before.record);
  if (patch === null) return;
  for (const as of [null, 'API_KEY'] as const) {
    const asked = await check.send({ method: 'PATCH', path: demoUnit(id), json: patch.body, as, surface: 'demo' });
    const after = await look(check, id);
    if (!sameJson(after.record?.[patch.field], patch.value)) continue;
    check.fail({
      expected: 'production unchanged by requests to the demo API',
      actual: `${patch.field} of ${quote(id)} is ${quote(patch.value)}, sent to the demo`,
      exchanges: [before.exchange, asked, after.exchange],
    });
    await check.send({ method: 'PATCH', path: paths.unit(id), json: { [patch.field]: before.record?.[patch.field] } });
    return;
  }
}

/** A deletion that is refused and carried out all the same: a unit that stood there twice is gone right after it, four times in a row. */
export async function judgeDemoDeletions(check: Check): Promise<void> {
  const read = async (): Promise<string[]> => {
    const exchange = await readDemo(check, [['limit', '50']]);
    return (itemsIn(exchange) ?? []).map(idOf).filter((id) => id !== null);
  };
  const exchanges: Exchange[] = [];
  const lost = await persistent(
    check,
    async () => {
      const [before, steady] = [await read(), await read()];
      const [first] = before;
      if (first === undefined || !sameJson(before, steady)) return [];
      for (const path of [demoUnit(first), paths.demoUnits])
        exchanges.push(await check.send({ method: 'DELETE', path, surface: 'demo' }));
      const after = await read();
      // A new unit may push out the last record of a shortened list.
      const gone = before.slice(0, Math.ceil(before.length / 2)).filter((id) => !after.includes(id));
      return after.length === 0 ? [] : gone.slice(0, 1);
    },
    () => 'a unit',
  );
  if (lost.length === 0) return;
  const actual = `${quote(lost[0])} is gone after DELETE was sent, as one was after each DELETE before it`;
  check.fail({ expected: 'the demo data unchanged', actual, exchanges });
}

const isRefusedLead = matcher<Exchange>(
  'POST of a lead on the demo API to be refused',
  (one) => !isSuccess(one),
  describe,
);

/** A read-only API takes no leads either. */
export async function judgeDemoRefusesLead(check: Check, vehicleId: string): Promise<void> {
  const name = `Conformance Test ${check.fresh('demo lead').slice(0, 13)}`;
  const exchange = await check.send({
    method: 'POST',
    path: '/api/demo/leads',
    surface: 'demo',
    headers: [['idempotency-key', check.fresh('demo lead key')]],
    json: { name, phone: '+14155550123', vehicleId },
  });
  // A page for whatever path is asked for takes nothing in.
  const taken = exchange.response?.status === 201 || exchange.response?.text?.includes(name) === true;
  if (taken) check.expect(exchange, isRefusedLead);
}
