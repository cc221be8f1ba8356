import { type Check, randomFrom, type RequestOptions, seedFor } from '../../run/index.js';
import {
  asArray,
  asObject,
  idOf,
  isSuccess,
  listing,
  paths,
  readPage,
  settled,
  walk,
  type Walk,
  type WalkOptions,
} from '../../service/index.js';
import { creationLike } from './unit-body.js';
import { inputSchemas } from './unit-patch.js';

/** The whole unit list, as a caller sees it or as a query selects of it, in as few pages as the service gives. */
export async function wholeList(check: Check, how: Pick<WalkOptions, 'as' | 'tenant' | 'query'> = {}): Promise<Walk> {
  const wide = await walk(check, { ...how, limit: 100, maxPages: 40 });
  return wide.pages[0]?.items === null ? walk(check, { ...how, ...wholeUnits }) : wide;
}

/** The whole unit list in pages of the size that the specification shows. */
export const wholeUnits = { limit: 50, maxPages: 40 } as const;

/** The most units that are created in a tenant without any: several pages of usual sizes. */
const mostSeeded = 12;

/** Reads the whole list; where there is no unit, once units were created, as far as the document says how, of several statuses. */
async function readOrSeed(check: Check): Promise<Walk> {
  const found = await walk(check, wholeUnits);
  if (found.items.length > 0 || found.pages[0]?.items === null || check.target.readOnly) return found;
  const seeded = await check.run.once('units for an empty tenant', async () => {
    const { contract } = await check.contract();
    const creation = await creationLike(check, []);
    const declared = asArray((await inputSchemas(check, 'POST', paths.units)).get('status')?.['enum']) ?? [];
    const statuses = [...new Set(['available', ...declared])];
    for (let at = 0; creation !== null && at < mostSeeded; at += 1) {
      const usual = creation.body(check);
      const json = { ...asObject(usual), status: statuses[at % statuses.length] };
      const isAllowed = declared.length > 0 && contract.validateRequest('POST', paths.units, json).length === 0;
      if (!isSuccess(await creation.attempt(check, { json: isAllowed ? json : usual }))) return at;
    }
    return creation === null ? 0 : mostSeeded;
  });
  return settled(
    check,
    () => walk(check, wholeUnits),
    ({ items }) => items.length >= seeded,
  );
}

/** Units as the full-access key sees them; read once in a run. Blocks where there is no list. */
export async function knownUnits(check: Check): Promise<Walk> {
  check.need('API_KEY');
  const found = await listing(check, wholeUnits, readOrSeed);
  if (found.pages[0]?.items === null) check.blocked(`the unit list could not be read: ${found.stopped ?? ''}`);
  return found;
}

/** The units of `knownUnits`, or none if the list cannot be read: for checks of something else. */
export async function unitsIfReadable(check: Check): Promise<readonly unknown[]> {
  return (await listing(check, wholeUnits, readOrSeed)).items;
}

/**
 * Units that a lead may name: those with status available, or those that the filter selects where records use another word; all units where
 * there is none.
 */
export function unitsOnOffer(
  check: Check,
  caller: Pick<RequestOptions, 'as' | 'tenant'> = {},
): Promise<readonly unknown[]> {
  const isOther = caller.as === 'OTHER_API_KEY';
  return check.once(`units on offer ${isOther ? 'of the other tenant' : ''}`, async () => {
    const options = isOther
      ? ({ as: 'OTHER_API_KEY', tenant: check.target.otherTenant, limit: 50 } as const)
      : { limit: 50 };
    const items = isOther ? ((await readPage(check, options)).items ?? []) : await unitsIfReadable(check);
    const available = items.filter((item) => asObject(item)?.['status'] === 'available');
    if (available.length > 0 || items.length === 0) return available;
    const { items: filtered } = await readPage(check, { ...options, query: [['status', 'available']] });
    return filtered !== null && filtered.length > 0 ? filtered : items;
  });
}

/** Ids of units that exist, spread over the list; none where the list cannot be read. */
export async function someUnitIds(check: Check, count: number): Promise<string[]> {
  const items = await unitsIfReadable(check);
  const ids = items.map(idOf).filter((id): id is string => id !== null && id !== '');
  const step = Math.max(1, Math.floor(ids.length / count));
  const spread = ids.filter((_, at) => at % step === 0).slice(0, count);
  // Ends are where lists go wrong.
  const last = ids.at(-1);
  return count > 2 && last !== undefined && !spread.includes(last) ? [...spread.slice(0, -1), last] : spread;
}

/**
 * Ids of units to read one by one: one for each status and set of fields, the first and last, and then random ones. Random choice finds a
 * fault in every fifth unit that a fixed step would miss.
 */
export function variedIds(items: readonly unknown[], count: number, seed: number): string[] {
  const random = randomFrom(seedFor(seed, 'varied ids'));
  const kinds = new Set<string>();
  const ranked = items.flatMap((item, at) => {
    const id = idOf(item);
    if (id === null || id === '') return [];
    const marks = [`status ${String(asObject(item)?.['status'])}`, `fields ${fieldsOf(item)}`];
    const first = marks.some((mark) => !kinds.has(mark)) || at === items.length - 1;
    for (const mark of marks) kinds.add(mark);
    return [{ id, rank: first ? 0 : 1, order: random() }];
  });
  ranked.sort((a, b) => a.rank - b.rank || a.order - b.order);
  return [...new Set(ranked.map((one) => one.id))].slice(0, count);
}

/** The fields of a record, and which of them are null. */
function fieldsOf(item: unknown): string {
  return Object.entries(asObject(item) ?? {})
    .map(([name, value]) => `${name}${value === null ? '?' : ''}`)
    .sort()
    .join();
}
