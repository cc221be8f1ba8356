import type { Exchange } from '../http/exchange.js';
import { describe } from '../run/check.js';
import type { Check } from '../run/check.js';
import { dataOf, isGone, isSuccess } from './envelope.js';
import { asObject, quote } from './json.js';
import { paths } from './paths.js';
import { removeUnit } from './unit-creation.js';
import { idOf, recordIn, unitsIfReadable, wholeList } from './units.js';

/** A unit as production shows it by its id. */
interface Shown {
  readonly exchange: Exchange;
  readonly record: Record<string, unknown> | null;
}

async function look(check: Check, id: string): Promise<Shown> {
  const exchange = await check.send({ path: paths.unit(id) });
  return { exchange, record: recordIn(dataOf(exchange), id) };
}

/** A DELETE through the demo takes units away from production: each of two more that are there is gone after it. */
async function deletesMore(check: Check, ids: readonly string[]): Promise<Exchange[] | null> {
  const seen: Exchange[] = [];
  for (const id of ids) {
    const before = await look(check, id);
    if (before.record === null) return null;
    const path = `${paths.demoUnits}/${encodeURIComponent(id)}`;
    const deleted = await check.send({ method: 'DELETE', path, surface: 'demo' });
    const after = await look(check, id);
    if (!isGone(after.exchange)) return null;
    seen.push(before.exchange, deleted, after.exchange);
  }
  return ids.length < 2 ? null : seen;
}

/** What is to be looked for in production once writes were sent through the demo. */
export interface DemoWrites {
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
export function marked(record: unknown, mark: string): Record<string, unknown> {
  const unit = asObject(record) ?? {};
  const name = ownTexts.find((one) => typeof unit[one] === 'string');
  return name === undefined ? { ...unit, notes: mark } : { ...unit, [name]: mark };
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
    check.breach({ expected: 'production unchanged by what is sent to the demo API', actual, exchanges });
  };
  return async () => {
    const created = await look(check, made);
    if (created.record !== null) tell(`it has the unit ${quote(made)}, sent to the demo`, [created.exchange]);
    const list = created.record === null ? await wholeList(check) : null;
    const renamed = idOf(list?.items.find((item) => JSON.stringify(item).includes(mark)));
    if (renamed !== null) {
      const shown = list?.pages.filter((page) => page.items?.some((item) => idOf(item) === renamed)) ?? [];
      // What was there before was written over, and is nobody's to remove.
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

/** A read-only API takes no leads either. */
export async function judgeDemoLead(check: Check, vehicleId: string): Promise<void> {
  const name = `Conformance ${check.fresh('demo lead').slice(0, 13)}`;
  const exchange = await check.send({
    method: 'POST',
    path: '/api/demo/leads',
    surface: 'demo',
    headers: [['idempotency-key', check.fresh('demo lead key')]],
    json: { name, phone: '+14155550123', vehicleId },
  });
  // A page for whatever path is asked for takes nothing in.
  const taken = exchange.response?.status === 201 || exchange.response?.text?.includes(name) === true;
  if (!isSuccess(exchange) || !taken) return;
  check.breach({
    expected: 'POST of a lead on the demo API to be refused',
    actual: describe(exchange),
    exchanges: [exchange],
  });
}
