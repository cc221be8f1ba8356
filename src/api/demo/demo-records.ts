import { namesPersonAt, personalData } from '../../openapi/index.js';
import type { Check } from '../../run/index.js';
import { asObject, idOf, sameJson, type Walk } from '../../service/index.js';
import { isUnguessable } from '../access/foreign-record.js';
import { shapeConflicts, shapeOf } from '../record-shape.js';

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
export async function meetUnitSchema(check: Check, demo: Walk, production: Walk): Promise<void> {
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

/** Fields of demo records have the types of production's, and the demo lacks none that every production record has. */
export function haveUnitShape(check: Check, demo: Walk, production: Walk): void {
  const shape = shapeOf(production.items.map(withoutPersonalData));
  for (const conflict of shapeConflicts(shape, shapeOf(demo.items.filter((one) => asObject(one) !== null))))
    check.fail({
      code: 'type-differs',
      expected: 'demo records of the same shape as production records',
      actual: conflict,
      exchanges: demo.pages.slice(0, 1).map(({ exchange }) => exchange),
    });
}
