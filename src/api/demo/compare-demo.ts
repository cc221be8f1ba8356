import type { Exchange } from '../../http/exchange.js';
import type { Check } from '../../run/check.js';
import type { RequestOptions } from '../../run/request-options.js';
import { mayOmitForPrivacy } from '../../openapi/omitted-for-privacy.js';
import { demoRecords, readDemo } from './demo.js';
import { dataOf } from '../../service/envelope.js';
import { isUnguessable } from '../access/foreign-record.js';
import { asObject, differences, quote, sameJson, type Difference } from '../../service/json.js';
import { paths } from '../../service/paths.js';
import { walk, idOf, type Walk } from '../../service/list.js';
import { recordIn } from '../units/known-units.js';
import { settled } from '../../service/again.js';

/** A demo record and the answer that shows it. */
export interface Shown {
  readonly record: unknown;
  readonly exchange: Exchange;
}

/** Production as one key reads it. */
export interface Reader {
  readonly as: NonNullable<RequestOptions['as']>;
  readonly walk: Walk;
}

/** The unit as production shows it at this moment, by itself or, where there are no single units, in the list. */
async function unitNow(check: Check, as: Reader['as'], id: string): Promise<Record<string, unknown> | null> {
  const single = recordIn(dataOf(await check.send({ as, path: paths.unit(id) })), id);
  if (single !== null) return single;
  const { items } = await walk(check, { as, limit: 50, maxPages: 12 });
  return asObject(items.find((item) => idOf(item) === id));
}

/** Production as the key without access to personal data reads it, where it lists units; else as full access does. */
export async function plainestReader(check: Check, known: Walk): Promise<Reader> {
  const as = 'API_KEY_READ_INVENTORY';
  const plain = check.target.keys[as] === undefined ? null : await walk(check, { as, limit: 50, maxPages: 12 });
  return plain !== null && plain.items.length > 0 ? { as, walk: plain } : { as: 'API_KEY', walk: known };
}

/** Fields in which the demo differs from production. The demo may omit personal data. */
function openDifferences(production: unknown, record: unknown): Difference[] {
  return differences(production, record).filter(
    (one) => !one.lengthOnly && !mayOmitForPrivacy(one.pointer, production, one.right),
  );
}

/**
 * Whether demo and production clearly hold the same data. Short ids may coincide, so most records with a common id must also share a text
 * that no other record has, or all fields.
 */
export function isSameData(demo: readonly unknown[], production: readonly unknown[]): boolean {
  const byId = new Map(production.map((item) => [idOf(item), asObject(item)]));
  const pairs = demo.flatMap((record) => {
    const [shown, known] = [asObject(record), byId.get(idOf(record))];
    return shown === null || known == null ? [] : [{ shown, known }];
  });
  if (pairs.some(({ shown }) => isUnguessable(idOf(shown) ?? ''))) return true;
  const counts = new Map<string, number>();
  for (const item of production)
    for (const [name, value] of Object.entries(asObject(item) ?? {}))
      if (typeof value === 'string') counts.set(`${name} ${value}`, (counts.get(`${name} ${value}`) ?? 0) + 1);
  const alike = pairs.filter(({ shown, known }) => {
    const both = Object.entries(shown).filter(([name, value]) => name !== 'id' && value != null && known[name] != null);
    const same = both.filter(([name, value]) => sameJson(value, known[name]));
    const telling = same.some(
      ([name, value]) => typeof value === 'string' && value.length >= 8 && counts.get(`${name} ${value}`) === 1,
    );
    return telling || (both.length >= 2 && same.length === both.length);
  });
  return alike.length * 2 > pairs.length;
}

/** Whether field by field it is the same record where an id is in both; the first record that differs ends it. */
export async function compareDemo(check: Check, demo: readonly Shown[], reader: Reader): Promise<boolean> {
  const { as } = reader;
  const byId = new Map(reader.walk.items.map((item) => [idOf(item), item]));
  for (const { record, exchange } of demo) {
    const id = idOf(record);
    const production = id === null ? undefined : byId.get(id);
    if (id === null || production === undefined) continue;
    const found = openDifferences(production, record);
    if (found.length === 0) continue;
    const differing = async (): Promise<{ readonly again: Exchange; readonly left: readonly Difference[] }> => {
      const now = await unitNow(check, as, id);
      const again = await readDemo(check, [['limit', '50']]);
      const shown = (demoRecords(again.response?.json) ?? []).find((one) => idOf(one) === id);
      const later = await unitNow(check, as, id);
      if (now === null || shown === undefined || later === null) return { again, left: [] };
      // A field that changes from one reading to the next (a view counter, a time stamp of the reading) says nothing.
      const moving = new Set(differences(now, later).map((one) => one.pointer));
      const left = openDifferences(now, shown).filter(
        (other) => !moving.has(other.pointer) && found.some((before) => before.pointer === other.pointer),
      );
      return { again, left };
    };
    // Somebody may have changed the unit between the readings, and one of several machines may show that later than the others.
    const { again, left } = await settled(check, differing, (reading) => reading.left.length === 0);
    for (const one of left.slice(0, 2)) {
      check.fail({
        expected: `unit ${quote(id)} to show the same ${one.pointer} in demo and production`,
        actual: `${quote(one.left)} in production, ${quote(one.right)} in the demo`,
        exchanges: [
          ...reader.walk.pages.filter((page) => page.items?.includes(production)).map((page) => page.exchange),
          exchange,
          again,
        ],
      });
    }
    if (left.length > 0) return false;
  }
  return true;
}
