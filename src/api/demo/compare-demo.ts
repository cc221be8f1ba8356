import type { Check, RequestOptions } from '../../run/index.js';
import { mayOmitForPrivacy } from '../../openapi/index.js';
import {
  asObject,
  type Difference,
  idOf,
  lastingDifferences,
  listedIn,
  type Pair,
  quote,
  sameJson,
  type Shown,
  walk,
  type Walk,
} from '../../service/index.js';
import { isUnguessable } from '../access/foreign-record.js';
import { readDemo, shownIn } from './demo.js';

/** Production as one key reads it. */
export interface Reader {
  readonly as: NonNullable<RequestOptions['as']>;
  readonly walk: Walk;
}

/** Production as the key without access to personal data reads it, where it lists units; else as full access does. */
export async function plainestReader(check: Check, known: Walk): Promise<Reader> {
  const as = 'API_KEY_READ_INVENTORY';
  const plain = check.target.keys[as] === undefined ? null : await walk(check, { as, limit: 50, maxPages: 12 });
  return plain !== null && plain.items.length > 0 ? { as, walk: plain } : { as: 'API_KEY', walk: known };
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

/** The demo, and production as a key reads it. */
export interface Views extends Pick<Reader, 'as'> {
  /** As they were read before, or anew. */
  read(again: boolean): Promise<{ readonly demo: readonly Shown[]; readonly production: Walk }>;
}

export function viewsOf(check: Check, demo: readonly Shown[], { as, walk: production }: Reader): Views {
  return {
    as,
    async read(again) {
      if (!again) return { demo, production };
      const shown = shownIn(await readDemo(check, [['limit', '50']]));
      return { demo: shown, production: await walk(check, { as, limit: 50, maxPages: 12 }) };
    },
  };
}

/** Whether it is field by field the same record where an id is in both; the demo may omit personal data. */
export async function compareDemo(check: Check, views: Views): Promise<boolean> {
  const read = async (again: readonly string[] | null): Promise<ReadonlyMap<string, Pair>> => {
    const { demo, production } = await views.read(again !== null);
    return new Map(
      demo.flatMap((one): [string, Pair][] => {
        const id = idOf(one.record);
        const listed = id === null || again?.includes(id) === false ? null : listedIn(production, id);
        return id === null || listed === null ? [] : [[id, [listed, one]]];
      }),
    );
  };
  const isOpen = (one: Difference, [{ record }]: Pair): boolean =>
    one.lengthOnly || mayOmitForPrivacy(one.pointer, record, one.right);
  // Somebody may have changed the unit between the readings, and one of several machines may show that later than the others.
  const found = await lastingDifferences(check, read, isOpen);
  for (const one of found.slice(0, 2))
    check.fail({
      code: 'field-differs',
      field: one.pointer,
      expected: `unit ${quote(one.id)} to show the same ${one.pointer} in demo and production`,
      actual: `${quote(one.left)} in production, ${quote(one.right)} in the demo`,
      exchanges: one.exchanges,
    });
  return found.length === 0;
}
