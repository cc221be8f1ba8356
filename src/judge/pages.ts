import { createUnit, removeUnit } from '../api/index.js';
import { isEmpty } from '../expect/index.js';
import type { Pairs } from '../openapi/index.js';
import type { Check, Match } from '../run/index.js';
import {
  idOf,
  isFromCache,
  offersNoCursor,
  type Page,
  paths,
  persistent,
  quote,
  walk,
  type Walk,
  type WalkOptions,
} from '../service/index.js';

/** Pages of these sizes, followed to the end, show what pages of fifty show. */
export interface PagesRow {
  readonly query?: Pairs;
  /** Page sizes of which the first six pages are read. */
  readonly some?: (total: number) => readonly number[];
  /** Page sizes that are followed to the end; undefined is the size that the service takes itself. */
  readonly all: (total: number) => readonly (number | undefined)[];
}

/** What a walk shows that it may not: by itself, or beside the walk just before it. */
interface Breach extends Pick<Match, 'code' | 'expected' | 'actual'> {
  readonly key: string;
}

/** Pages of fifty that are read at most; of other sizes that are followed to the end, of which a certificate takes as many; and of the rest. */
const [mostPages, toTheEnd, somePages] = [40, 28, 6];
/** A few empty pages may come from deleted records; after this many in a row the list is read further. */
const suspicious = 20;
/** More empty pages in a row than this are a list without end. */
const hopeless = 60;

/** Ids in the order of the walk; records without one are left to other checks. */
const idsOf = ({ items }: Walk): string[] => items.map(idOf).filter((id): id is string => id !== null);

/** The number of empty pages at the end of a walk that each lead on. */
function emptyTail({ pages, complete }: Walk): number {
  return complete
    ? 0
    : pages.length - 1 - pages.findLastIndex((page) => page.items?.length !== 0 || page.next === null);
}

/** The largest limit at which one record is left for a last page of its own, where there is one within 28 pages. */
export function limitLeavingOneOnLastPage(total: number): number[] {
  const limits = Array.from({ length: 49 }, (_, at) => 50 - at);
  const found = limits.find((limit) => total > limit && (total - 1) % limit === 0 && total / limit < toTheEnd);
  return found === undefined ? [] : [found];
}

/** A limit under which the list has more pages than a cap on pages would let through, and not too many to be read: 25 to 40. */
export function limitOfManyPages(total: number): number[] {
  const fits = (limit: number): boolean => Math.ceil(total / limit) >= 25 && Math.ceil(total / limit) <= 40;
  return [10, 20, 5, ...Array.from({ length: 49 }, (_, at) => at + 1)].filter(fits).slice(0, 1);
}

/** The list in pages of fifty. A filter may pass over many records; the whole list has none to pass over. */
async function readWhole(check: Check, options: WalkOptions): Promise<Walk> {
  const found = await walk(check, { ...options, limit: 50, maxPages: mostPages });
  if (options.query !== undefined || emptyTail(found) < suspicious) return found;
  return walk(check, { ...options, limit: 50, maxPages: found.pages.length + hopeless });
}

/**
 * Does some work on the unit list once it has a length of which some limit leaves one unit for the last page: where it has not, units are created
 * for that, and removed afterwards.
 */
export async function onDivisibleList(check: Check, work: (whole: Walk) => Promise<void>): Promise<void> {
  const own: string[] = [];
  try {
    let whole = await readWhole(check, {});
    while (own.length < 2 && whole.complete && whole.items.length >= 2) {
      if (limitLeavingOneOnLastPage(whole.items.length).length > 0) break;
      const id = await createUnit(check);
      if (id === null) break;
      own.push(id);
      whole = await readWhole(check, {});
    }
    await work(whole);
  } finally {
    for (const id of own) await removeUnit(check, id);
  }
}

/** Records of `whole` that `part` lacks: up to where it was cut, if it was, and then only where both have one order. */
function missingFrom(whole: Walk, part: Walk): readonly string[] {
  if (!whole.complete || [whole, part].some(isFromCache)) return [];
  const [order, shown] = [idsOf(whole), new Set(idsOf(part))];
  const lacked = (reach: number): string[] => order.slice(0, reach).filter((id) => !shown.has(id));
  if (part.complete) return lacked(order.length);
  const places = idsOf(part)
    .map((id) => order.indexOf(id))
    .filter((at) => at >= 0);
  const isSameOrder = places.every((at, index) => index === 0 || at > (places[index - 1] ?? -1));
  return isSameOrder ? lacked(places.at(-1) ?? 0) : [];
}

/** How a walk ends that should not: one walk shows that. */
function oddEnd(found: Walk): Breach | undefined {
  const [isLost, tail] = [found.pages.at(-1)?.items === null, emptyTail(found)];
  if (isLost)
    return { key: '', code: 'cursor-lost', expected: 'each page to show a list', actual: found.stopped ?? '' };
  if (!found.loops && tail <= hopeless) return undefined;
  const actual = found.loops
    ? (found.stopped ?? '')
    : `${tail} empty pages in a row, each with a cursor to the next, after ${found.items.length} records`;
  return { key: '', code: 'endless', expected: 'following nextCursor to end', actual };
}

/** What two walks one after the other show of a breach; others may write meanwhile, so it has to stay. */
function breachesOf(whole: Walk, found: Walk, size: string): Breach[] {
  const ids = idsOf(found);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  const lost = (from: Walk, to: Walk, [name, other]: readonly [string, string]): Breach[] =>
    missingFrom(from, to).map((id) => ({
      key: `${name} ${id}`,
      code: 'record-lost',
      expected: `a walk with ${name} to show every record that one with ${other} shows just before it`,
      actual: `${quote(id)} is missing, four times in a row`,
    }));
  const repeated = { code: 'record-twice', expected: `no record twice in one walk with ${size}` };
  return [
    // With records coming and going it need not be the same one again.
    ...(twice === undefined ? [] : [{ ...repeated, key: '', actual: `${quote(twice)} came twice, in four walks` }]),
    ...(whole === found ? [] : [...lost(whole, found, [size, 'limit=50']), ...lost(found, whole, ['limit=50', size])]),
  ];
}

/** Whether a walk ends, repeats nothing, and shows what the whole list shows and the other way round. Four times in eight seconds before a failure. */
async function agree(check: Check, options: WalkOptions, whole: Walk, found: Walk): Promise<boolean> {
  let last = [whole, found] as const;
  const look = async (round: number): Promise<readonly Breach[]> => {
    if (round > 0) {
      const again = await walk(check, { ...options, limit: 50, maxPages: mostPages });
      last = [again, whole === found ? again : await walk(check, options)];
    }
    return breachesOf(...last, options.limit === undefined ? 'no limit' : `limit=${options.limit}`);
  };
  const breach = oddEnd(found) ?? (await persistent(check, look, ({ key }) => key))[0];
  if (breach === undefined) return true;
  const exchanges = last[1].pages.map((page) => page.exchange);
  return check.expect(exchanges, () => ({ ...breach, pass: false }));
}

/**
 * Paging as a property over page sizes. Returns the number of pages of the longest walk: 1 means that no cursor was followed; null where a breach was
 * found. `read`: the whole list, if it was read just before.
 */
export async function relatePages(
  check: Check,
  { query, some, all }: PagesRow,
  read: Walk | null = null,
): Promise<number | null> {
  const options = { path: paths.units, ...(query === undefined ? {} : { query }) };
  const whole = read ?? (await readWhole(check, options));
  if (whole.pages[0]?.items === null) check.blocked(`the list could not be read: ${whole.stopped ?? ''}`);
  if (whole.nameless) check.notApplicable(`the list cannot be walked: ${whole.stopped ?? ''}`);
  if (await offersNoCursor(check)) {
    const expected = 'a cursor to the records that a limit cuts off, and a declared parameter that takes it';
    const exchanges = whole.pages.map((page) => page.exchange);
    check.warn({ code: 'neither-limit-nor-cursor', expected, actual: 'neither', exchanges });
    return null;
  }
  const total = whole.items.length;
  const reach = check.run.depth === 'certify' ? mostPages : toTheEnd;
  const toEnd = new Set([...all(total), ...limitLeavingOneOnLastPage(total)]);
  const results = [{ pages: whole.pages.length, holds: await agree(check, { ...options, limit: 50 }, whole, whole) }];
  const trials = [...new Set([...(some?.(total) ?? []), ...toEnd])].flatMap((limit) => {
    const trial = { ...options, maxPages: toEnd.has(limit) ? reach : somePages };
    return limit === undefined ? [trial] : limit < 50 ? [{ ...trial, limit }] : [];
  });
  await check.each(trials, async (trial: WalkOptions) => {
    if (results.some(({ holds }) => !holds)) return;
    const found = await walk(check, trial);
    // A service may refuse a limit.
    if (found.pages[0]?.items === null && trial.limit !== undefined) return;
    if (found.nameless) check.notApplicable(`the list cannot be walked: ${found.stopped ?? ''}`);
    results.push({ pages: found.pages.length, holds: await agree(check, trial, whole, found) });
  });
  return results.every(({ holds }) => holds) ? Math.max(...results.map(({ pages }) => pages)) : null;
}

/** No id stands for several records, on whatever pages; `sharedIn` says which ids do. Read four times, over eight seconds, before a failure. */
export async function haveOwnIds(
  check: Check,
  read: readonly Page[],
  options: WalkOptions,
  sharedIn: (records: readonly unknown[]) => readonly string[],
): Promise<boolean> {
  let pages = read;
  const shared = await persistent(check, async (round) => {
    if (round > 0) ({ pages } = await walk(check, options));
    return sharedIn(pages.flatMap((page) => page.items ?? []));
  });
  const words = (ids: readonly string[]): string => `different records have the id ${quote(ids[0])}, in four walks`;
  const exchanges = pages.map((page) => page.exchange);
  return check.expect(exchanges, isEmpty('id-shared', 'an id of its own for each record', words), shared);
}
