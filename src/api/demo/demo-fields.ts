import type { Exchange } from '../../http/index.js';
import { type Contract, namesPersonAt, personalData } from '../../openapi/index.js';
import type { Check } from '../../run/index.js';
import { asObject, idOf, listedIn, paths, persistent, recordIn, type Shown } from '../../service/index.js';
import type { Views } from './compare-demo.js';

export const sameShape = 'demo records of the same shape as production records';

/** Full access may be shown more than the demo has to show. */
const fairReader = 'API_KEY_READ_INVENTORY';

/** A field missing from this many records is missing on purpose, not by exception. */
const enough = 3;

/** Fields by pointer, through objects at any depth. */
function fieldsOf(value: unknown, pointer = ''): string[] {
  return Object.entries(asObject(value) ?? {}).flatMap(([name, inner]) => [
    `${pointer}/${name}`,
    ...fieldsOf(inner, `${pointer}/${name}`),
  ]);
}

function at(record: unknown, names: readonly string[]): unknown {
  return names.reduce<unknown>((value, name) => asObject(value)?.[name], record);
}

const isShown = (record: unknown, pointer: string): boolean => at(record, pointer.split('/').slice(1)) !== undefined;

/** Fields that the reader's list shows of at least three units that are in the demo too, and that no demo record has. */
function missingFields(demo: readonly unknown[], production: readonly unknown[]): string[] {
  const byId = new Map(production.map((item) => [idOf(item), item]));
  const lacking = new Map<string, number>();
  for (const record of demo) {
    const id = idOf(record);
    for (const pointer of fieldsOf(id === null ? undefined : byId.get(id))) {
      const names = pointer.split('/').slice(1);
      // If the demo omits an object, the members of the object are not counted.
      const place = asObject(at(record, names.slice(0, -1)));
      if (place !== null && !Object.hasOwn(place, names.at(-1) ?? ''))
        lacking.set(pointer, (lacking.get(pointer) ?? 0) + 1);
    }
  }
  return [...lacking]
    .filter(([pointer, count]) => count >= enough && !demo.some((record) => isShown(record, pointer)))
    .map(([pointer]) => pointer);
}

/** A record less the fields that may hold data of a person. */
export function withoutPersonalData(record: unknown): unknown {
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
export function judgeDemoSchema(
  check: Check,
  contract: Contract,
  demo: readonly Shown[],
  production: readonly unknown[],
): boolean {
  const isValid = (record: unknown): boolean => contract.validateUnit(record).length === 0;
  const wrong = demo.find(({ record }) => !isValid(record) && !isValid(withPeopleOf(production[0], record)));
  if (wrong === undefined || !production.every(isValid)) return true;
  return check.fail({
    code: 'schema-broken',
    expected: 'the schema declared for production units to hold',
    actual: contract.validateUnit(wrong.record)[0] ?? '',
    exchanges: [wrong.exchange],
  });
}

/** The first answer of each view. */
const firstOf = ({ demo, production }: Awaited<ReturnType<Views['read']>>): Exchange[] =>
  [...demo.slice(0, 1), ...production.pages.slice(0, 1)].map(({ exchange }) => exchange);

/** The same shape, nested objects included: what `read:inventory` is shown of units that are in both, the demo shows of some of them. */
export async function judgeDemoFields(check: Check, { as, read }: Views): Promise<boolean> {
  if (as !== fairReader) return true;
  let exchanges: readonly Exchange[] = [];
  const missing = await persistent(check, async (round) => {
    const { demo, production } = await read(round > 0);
    exchanges = firstOf({ demo, production });
    const records = [...new Map(demo.map(({ record }) => [idOf(record), record])).values()];
    return missingFields(records, production.items).filter((pointer) => !namesPersonAt(pointer));
  });
  for (const pointer of missing.slice(0, 3))
    check.fail({
      code: 'field-missing',
      field: pointer,
      expected: sameShape,
      actual: `${pointer} is in production's records of the same units and in no demo record`,
      exchanges,
    });
  return missing.length === 0;
}

/** The other way round: what the demo shows, some view of production shows. A list may show fewer fields than the record by itself. */
export async function judgeExtraFields(check: Check, { as, read }: Views, full: readonly unknown[]): Promise<void> {
  let last = await read(false);
  let extra = await persistent(check, async (round) => {
    last = await read(round > 0);
    const shown = last.demo.map(({ record }) => record);
    return missingFields(last.production.items, shown).filter((one) => !full.some((record) => isShown(record, one)));
  });
  const common = last.demo.filter(({ record }) => listedIn(last.production, idOf(record) ?? '') !== null);
  const singles: Exchange[] = [];
  for (const { record } of extra.length === 0 ? [] : common.slice(0, enough))
    for (const key of new Set([as, 'API_KEY' as const])) {
      const id = idOf(record) ?? '';
      const exchange = await check.send({ as: key, path: paths.unit(id) });
      extra = extra.filter((pointer) => !isShown(recordIn(exchange, id), pointer));
      singles.push(exchange);
    }
  if (extra.length > 0)
    check.fail({
      code: 'extra-field',
      expected: sameShape,
      actual: `${extra.slice(0, 3).join(', ')} is in demo records and in no production record of the same units`,
      exchanges: [...firstOf(last), ...singles.slice(0, 2)],
    });
}
