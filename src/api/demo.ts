import { namesPersonAt, personalData } from '../openapi/index.js';
import type { Exchange } from '../http/index.js';
import { type Check, integerFor, type RequestOptions } from '../run/index.js';
import { asArray, asObject, idOf, paths, sameJson, type Walk } from '../service/index.js';
import { isUnguessable } from './access/foreign-record.js';

/** Reads the demo list without credentials. */
export function read(check: Check, query: RequestOptions['query'] = []): Promise<Exchange> {
  return check.send({ path: paths.demoUnits, surface: 'demo', query });
}

/** The demo list under limits from the smallest to more than a page, read once in a run. */
export function listsByLimit(
  check: Check,
): Promise<readonly { readonly limit: number; readonly exchange: Exchange }[]> {
  return check.once('demo under limits', async () => {
    const lists: { limit: number; exchange: Exchange }[] = [];
    for (const limit of [1, 2, 3, 5, 10, 20, integerFor(check.run.seed, 'demo limit', 21, 49), 50, 100])
      lists.push({ limit, exchange: await read(check, [['limit', String(limit)]]) });
    return lists;
  });
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

/** A record less the fields that may hold data of a person. */
function withoutPersonalData(record: unknown): unknown {
  const hidden = new Set(personalData(record).map((hit) => hit.pointer.split('/')[1]));
  return Object.fromEntries(
    Object.entries(asObject(record) ?? {}).filter(([name]) => !hidden.has(name) && !namesPersonAt(`/${name}`)),
  );
}

/** A demo record with the people that it may leave out filled in from a record of production. */
function withPeopleOf(production: unknown, record: unknown): unknown {
  const people = Object.entries(asObject(production) ?? {}).filter(([name]) => namesPersonAt(`/${name}`));
  return { ...asObject(record), ...Object.fromEntries(people) };
}

/** The schema declared for production units holds for demo records, unless production's own records break it. */
export async function meetsSchema(check: Check, demo: Walk, production: Walk): Promise<void> {
  const { contract } = await check.contract();
  const isValid = (record: unknown): boolean => contract.validateUnit(record).length === 0;
  const isWrong = (record: unknown): boolean =>
    asObject(record) !== null && !isValid(record) && !isValid(withPeopleOf(production.items[0], record));
  const page = demo.pages.find(({ items }) => items?.some(isWrong));
  if (page === undefined || !production.items.every(isValid)) return;
  check.fail({
    code: 'schema-broken',
    expected: 'the schema declared for production units to hold',
    actual: contract.validateUnit(page.items?.find(isWrong))[0] ?? '',
    exchanges: [page.exchange],
  });
}

/** The types of each field over records, and how many have it: fields of nested objects by pointer, elements of arrays under `/*`. */
function shapeOf(records: readonly unknown[]) {
  const shape = new Map<string, { readonly types: Set<string>; count: number }>();
  const visit = (value: unknown, pointer: string): void => {
    if (pointer.split('/').length > 8) return;
    const field = shape.get(pointer) ?? { types: new Set<string>(), count: 0 };
    field.types.add(value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
    field.count += 1;
    shape.set(pointer, field);
    for (const [name, inner] of Object.entries(asObject(value) ?? {})) visit(inner, `${pointer}/${name}`);
    for (const inner of asArray(value) ?? []) visit(inner, `${pointer}/*`);
  };
  for (const record of records) visit(record, '');
  return shape;
}

/** Fields of demo records have the types of production's, null counting as any, and the demo lacks none that every production record has. */
export function hasUnitShape(check: Check, demo: Walk, production: Walk): void {
  const shown = demo.items.filter((one) => asObject(one) !== null);
  const [known, other] = [shapeOf(production.items.map(withoutPersonalData)), shapeOf(shown)];
  const conflicts = [...known].flatMap(([pointer, { types, count }]) => {
    const plain = [...types].filter((type) => type !== 'null');
    const strange = [...(other.get(pointer)?.types ?? [])].find((type) => type !== 'null' && !types.has(type));
    if (plain.length > 0 && strange !== undefined)
      return [`${pointer} is ${strange} where production shows ${plain.join(' or ')}`];
    // A field that a few records lack may be an optional one.
    const isAlways = production.items.length >= 5 && shown.length >= 3 && count === production.items.length;
    return isAlways && pointer.lastIndexOf('/') === 0 && !other.has(pointer)
      ? [`${pointer} is in every production record and in no demo record`]
      : [];
  });
  for (const actual of conflicts)
    check.fail({
      code: 'type-differs',
      expected: 'demo records of the same shape as production records',
      actual,
      exchanges: demo.pages.slice(0, 1).map(({ exchange }) => exchange),
    });
}
