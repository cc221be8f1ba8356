import type { Exchange } from '../../http/exchange.js';
import type { Check } from '../../run/check.js';
import type { Contract } from '../../openapi/contract.js';
import { personalData } from '../../openapi/personal-data.js';
import { namesPersonAt } from '../../openapi/omitted-for-privacy.js';
import { demoRecords, readDemo } from './demo.js';
import type { Reader, Shown } from './compare-demo.js';
import { dataOf } from '../../service/envelope.js';
import { asObject } from '../../service/json.js';
import { paths } from '../../service/paths.js';
import { walk, idOf } from '../../service/list.js';
import { recordIn } from '../units/known-units.js';

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
    expected: 'the schema declared for production units to hold',
    actual: contract.validateUnit(wrong.record)[0] ?? '',
    exchanges: [wrong.exchange],
  });
}

/** The same shape, nested objects included: what `read:inventory` is shown of units that are in both, the demo shows of some of them. */
export async function judgeDemoFields(check: Check, demo: readonly Shown[], reader: Reader): Promise<boolean> {
  if (reader.as !== fairReader) return true;
  const records = [...new Map(demo.map(({ record }) => [idOf(record), record])).values()];
  let missing = missingFields(records, reader.walk.items).filter((pointer) => !namesPersonAt(pointer));
  if (missing.length === 0) return true;
  const again = await readDemo(check, [['limit', '50']]);
  const { items, pages } = await walk(check, { as: reader.as, limit: 50, maxPages: 12 });
  const still = new Set(missingFields(demoRecords(again.response?.json) ?? [], items));
  missing = missing.filter((pointer) => still.has(pointer));
  for (const pointer of missing.slice(0, 3))
    check.fail({
      expected: sameShape,
      actual: `${pointer} is in production's records of the same units and in no demo record`,
      exchanges: [again, ...pages.slice(0, 1).map((page) => page.exchange)],
    });
  return missing.length === 0;
}

/** The other way round: what the demo shows, some view of production shows. A list may show fewer fields than the record by itself. */
export async function judgeExtraFields(
  check: Check,
  shown: readonly Shown[],
  reader: Reader,
  full: readonly unknown[],
): Promise<void> {
  const extraIn = (records: readonly unknown[]): string[] =>
    missingFields(reader.walk.items, records).filter((pointer) => !full.some((record) => isShown(record, pointer)));
  let extra = extraIn(shown.map(({ record }) => record));
  if (extra.length === 0) return;
  const again = await readDemo(check, [['limit', '50']]);
  const records = demoRecords(again.response?.json) ?? [];
  const still = new Set(extraIn(records));
  extra = extra.filter((pointer) => still.has(pointer));
  const known = new Set(reader.walk.items.map(idOf));
  const common = records.map(idOf).filter((id): id is string => id !== null && known.has(id));
  const singles: Exchange[] = [];
  for (const id of common.slice(0, enough))
    for (const as of new Set([reader.as, 'API_KEY' as const])) {
      const exchange = await check.send({ as, path: paths.unit(id) });
      const single = recordIn(dataOf(exchange), id);
      extra = extra.filter((pointer) => !isShown(single, pointer));
      singles.push(exchange);
    }
  if (extra.length > 0)
    check.fail({
      expected: sameShape,
      actual: `${extra.slice(0, 3).join(', ')} is in demo records and in no production record of the same units`,
      exchanges: [again, ...singles.slice(0, 2), ...reader.walk.pages.slice(0, 1).map((page) => page.exchange)],
    });
}
