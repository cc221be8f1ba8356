import type { Check } from '../run/check.js';
import { namesPersonAt } from '../contract/withheld.js';
import { demoRecords, readDemo } from './demo.js';
import type { Reader, Shown } from './compare-demo.js';
import { asObject } from './json.js';
import { idOf, walk } from './units.js';

/** One record that would be an exception is none where so many others lack the field, too. */
const enough = 3;

/** Fields that hold something, by pointer, through objects at any depth. */
function fieldsOf(value: unknown, pointer = ''): string[] {
  return Object.entries(asObject(value) ?? {})
    .filter(([, inner]) => inner !== null)
    .flatMap(([name, inner]) => [`${pointer}/${name}`, ...fieldsOf(inner, `${pointer}/${name}`)]);
}

function at(record: unknown, names: readonly string[]): unknown {
  return names.reduce<unknown>((value, name) => asObject(value)?.[name], record);
}

/** Fields that the reader's list shows of at least three units that are in the demo too, and that no demo record has. */
function missingFields(demo: readonly unknown[], production: readonly unknown[]): string[] {
  const byId = new Map(production.map((item) => [idOf(item), item]));
  const lacking = new Map<string, number>();
  for (const record of demo) {
    const id = idOf(record);
    for (const pointer of fieldsOf(id === null ? undefined : byId.get(id))) {
      const names = pointer.split('/').slice(1);
      // What stands in an object that the demo does not show is not counted beside that object.
      const place = asObject(at(record, names.slice(0, -1)));
      if (place !== null && !Object.hasOwn(place, names.at(-1) ?? ''))
        lacking.set(pointer, (lacking.get(pointer) ?? 0) + 1);
    }
  }
  return [...lacking]
    .filter(([pointer, count]) => {
      const names = pointer.split('/').slice(1);
      const shown = (record: unknown): boolean => at(record, names) !== undefined;
      return count >= enough && !namesPersonAt(pointer) && !demo.some(shown);
    })
    .map(([pointer]) => pointer);
}

/** The same shape, nested objects included: what `read:inventory` is shown of units that are in both, the demo shows of some of them. */
export async function judgeDemoFields(check: Check, demo: readonly Shown[], reader: Reader): Promise<void> {
  const records = [...new Map(demo.map(({ record }) => [idOf(record), record])).values()];
  let missing = missingFields(records, reader.walk.items);
  if (missing.length === 0) return;
  const again = await readDemo(check, [['limit', '50']]);
  const { items, pages } = await walk(check, { as: reader.as, limit: 50, maxPages: 12 });
  const still = new Set(missingFields(demoRecords(again.response?.json) ?? [], items));
  missing = missing.filter((pointer) => still.has(pointer));
  for (const pointer of missing.slice(0, 3))
    check.breach({
      expected: 'demo records of the same shape as production records',
      actual: `${pointer} stands in production's records of the same units and in no demo record`,
      exchanges: [again, ...pages.slice(0, 1).map((page) => page.exchange)],
    });
}
