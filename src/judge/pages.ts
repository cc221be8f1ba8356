import {
  allDeals,
  createUnit,
  inOtherWays,
  onlyAvailable,
  removeUnit,
  wholeUnits,
  type WayName,
} from '../api/index.js';
import { isEmpty } from '../expect/index.js';
import type { Exchange } from '../http/index.js';
import type { Pairs } from '../openapi/index.js';
import { row, type Row } from '../requirement/index.js';
import { type Check, integerFor } from '../run/index.js';
import {
  differences,
  idOf,
  listing,
  offersNoCursor,
  persistent,
  quote,
  walk,
  type Walk,
  type WalkOptions,
} from '../service/index.js';
import { commonLimits, filteredLimits, firstPages } from './limits.js';
import { relate, type View } from './relations.js';

/** Which page sizes are compared with pages of fifty. */
interface PageSizes {
  readonly query?: Pairs;
  /** Page sizes of which the first four pages are read. */
  readonly some?: (total: number) => readonly number[];
  /** Page sizes that are followed to the end; undefined is the size that the service takes itself. */
  readonly all: (total: number, check: Check) => readonly (number | undefined)[];
}

const sizes = {
  whole: {
    some: (total) => [...commonLimits, Math.max(2, total - 1), Math.max(1, Math.ceil(total / 2))],
    // Sizes of many pages where a certificate is at stake.
    all: (total, { run }) => [...(run.depth === 'certify' ? [7, 20, ...limitOfManyPages(total)] : []), undefined],
  },
  // The shorter list is followed in short pages.
  available: { query: onlyAvailable, some: () => filteredLimits, all: () => [7] },
  /** One drawn from the seed under which the list has several pages. */
  several: {
    all: (total, { run }) => [
      Math.max(1, Math.min(integerFor(run.seed, 'limit of several pages', 20, 34), Math.ceil(total / 3))),
    ],
  },
} satisfies Readonly<Record<string, PageSizes>>;

/** Pages that are read at most of a size that is followed to the end, of which a certificate takes as many as of fifty. */
const toTheEnd = 28;
/** A few empty pages may come from deleted records; after this many in a row the list is read further. */
const suspicious = 20;
/** More empty pages in a row than this are a list without end. */
const hopeless = 60;

/** The number of empty pages at the end of a walk that each lead on. */
function emptyTail({ pages, complete }: Walk): number {
  return complete
    ? 0
    : pages.length - 1 - pages.findLastIndex((page) => page.items?.length !== 0 || page.next === null);
}

/** The largest limit below fifty, where there is one, under which a list has several pages, at most 28, and `rest` records follow the last full ones. */
function limitWithRest(total: number, rest: number): number[] {
  const limits = Array.from({ length: 49 }, (_, at) => 49 - at);
  const fits = (limit: number): boolean => total > limit && (total - rest) % limit === 0 && total / limit < toTheEnd;
  return limits.filter(fits).slice(0, 1);
}

/** A limit under which the list has more pages than a cap on pages would let through, and not too many to be read: 25 to 40. */
function limitOfManyPages(total: number): number[] {
  const fits = (limit: number): boolean => Math.ceil(total / limit) >= 25 && Math.ceil(total / limit) <= 40;
  return [10, 20, 5, ...Array.from({ length: 49 }, (_, at) => at + 1)].filter(fits).slice(0, 1);
}

/** The list in pages of fifty. A filter may pass over many records; the whole list has none to pass over. */
async function readWhole(check: Check, options: WalkOptions, read = listing): Promise<Walk> {
  const found = await read(check, options);
  if (options.query !== undefined || emptyTail(found) < suspicious) return found;
  return walk(check, { ...options, maxPages: found.pages.length + hopeless });
}

/** Whether a walk ends: one walk shows that. */
function ends(check: Check, found: Walk): boolean {
  const [isLost, tail] = [found.pages.at(-1)?.items === null, emptyTail(found)];
  const exchanges = found.pages.map((page) => page.exchange);
  const actual = found.stopped ?? '';
  if (isLost) return check.fail({ code: 'cursor-lost', expected: 'each page to show a list', actual, exchanges });
  if (!found.loops && tail <= hopeless) return true;
  return check.fail({
    code: 'endless',
    expected: 'following nextCursor to end',
    actual: found.loops
      ? actual
      : `${tail} empty pages in a row, each with a cursor, after ${found.items.length} records`,
    exchanges,
  });
}

/** A list of units in pages of one size; undefined is the size that the service takes itself. */
const inPages = (list: WalkOptions): View & { readonly list: WalkOptions } => ({
  record: 'unit',
  where: `in pages of ${list.limit ?? 'the usual size'}${list.query === undefined ? '' : ` of ${list.query.map(([name, value]) => `${name}=${value}`).join('&')}`}`,
  list,
});

/** Paging as a relation between page sizes: each shows what pages of fifty show, and ends. `read`: how those are read first. */
async function relatePages(check: Check, { query, some, all }: PageSizes, read = listing): Promise<boolean> {
  const options = query === undefined ? {} : { query };
  const fifty = inPages({ ...options, ...wholeUnits });
  const whole = await readWhole(check, fifty.list, read);
  if (whole.pages[0]?.items === null) check.blocked(`the list could not be read: ${whole.stopped ?? ''}`);
  if (whole.nameless) check.notApplicable(`the list cannot be walked: ${whole.stopped ?? ''}`);
  if (await offersNoCursor(check)) {
    const expected = 'a cursor to the records that a limit cuts off, and a declared parameter that takes it';
    const exchanges = whole.pages.map((page) => page.exchange);
    return check.warn({ code: 'neither-limit-nor-cursor', expected, actual: 'neither', exchanges });
  }
  const total = whole.items.length;
  const reach = check.run.depth === 'certify' ? wholeUnits.maxPages : toTheEnd;
  const toEnd = new Set(all(total, check));
  const trials = [...new Set([...(some?.(total) ?? []), ...toEnd])].flatMap((limit): WalkOptions[] => {
    if (limit === undefined) return [{ ...options, maxPages: reach }];
    const trial = firstPages(limit, query);
    return limit < 50 ? [toEnd.has(limit) ? { ...trial, maxPages: reach } : trial] : [];
  });
  const compared = [{ ...fifty, pages: whole.pages.length, rounds: 1, holds: ends(check, whole) }];
  await check.each(trials, async (trial: WalkOptions) => {
    if (compared.some(({ holds }) => !holds)) return;
    const found = await read(check, trial);
    // A service may refuse a limit.
    if (found.pages[0]?.items === null && trial.limit !== undefined) return;
    if (found.nameless) check.notApplicable(`the list cannot be walked: ${found.stopped ?? ''}`);
    const readFirst = (_: Check, list: WalkOptions): Promise<Walk> => Promise.resolve(list === trial ? found : whole);
    const isEnding = ends(check, found);
    const result = isEnding
      ? await relate(check, fifty, 'same', inPages(trial), {}, readFirst)
      : { holds: false, rounds: 1 };
    compared.push({ ...inPages(trial), pages: found.pages.length, ...result });
  });
  const words = compared.map(({ where, pages, rounds }) => `${pages} ${where}, read ${rounds} times`);
  if (query === undefined && some !== undefined)
    check.observe('Which pages of the whole list were compared?', 'those of its common sizes', {
      detail: words.join('; '),
    });
  const holds = compared.every((one) => one.holds);
  if (!holds || some === undefined || query !== undefined || compared.some(({ pages }) => pages > 1)) return holds;
  return check.blocked(
    total < 2
      ? `there is nothing to page through on ${total} units: seed at least two`
      : `all ${total} units are on one page, whatever limit is accepted: seed more`,
  );
}

/** The list shows the same units in pages of these sizes, each once. */
export function pages(of: keyof typeof sizes): Row {
  const list = of === 'available' ? 'list filtered by status=available' : 'list';
  return row(`the ${list} ends, and shows each unit once, in pages of every size`, (check) =>
    relatePages(check, sizes[of]),
  );
}

/** What a row says, in other ways, of which the first page of a list is read beforehand. */
export function inWays<G>(names: readonly WayName[], { says, judge }: Row<G>, list?: WalkOptions): Row<G> {
  return row(`${says}, also by the ${names.join(', the ')}`, (check, given) =>
    inOtherWays(check, names, () => Promise.resolve(judge(check, given)), list),
  );
}

/** So does the list whose last page holds one unit, or is full: where it has no such length, up to two units are created for that, and removed. */
export function lastPages(): Row {
  return row('so does the list where one unit stands alone on the last page, and where that is full', async (check) => {
    const { items, complete } = await readWhole(check, wholeUnits);
    if (!complete || items.length < 2) return;
    const plan = [1, 0].map((rest) => ({
      rest,
      after: [0, 1, 2].findIndex((more) => limitWithRest(items.length + more, rest).length > 0),
    }));
    const own: string[] = [];
    try {
      for (const more of [0, 1, 2]) {
        if (plan.every(({ after }) => after < more)) return;
        const id = more === 0 ? null : await createUnit(check);
        if (id !== null) own.push(id);
        if (own.length < more) return;
        const due = plan.filter(({ after }) => after === more);
        const all = (total: number): number[] => due.flatMap(({ rest }) => limitWithRest(total, rest));
        if (due.length > 0) await relatePages(check, { all }, more === 0 ? listing : walk);
      }
    } finally {
      for (const id of own) await removeUnit(check, id);
    }
  });
}

/** The lists whose ids are judged, and in how many fields how many records under one id differ that are no versions of one. */
const strangers = {
  units: { list: wholeUnits, fields: 3, records: 2 },
  deals: { list: allDeals, fields: 1, records: 5 },
};

/** No id stands for several records, on whatever pages. Read four times, over eight seconds, before a failure. */
export function ownIds(kind: keyof typeof strangers): Row {
  const { list, fields, records } = strangers[kind];
  return row(`no several different ${kind} have one id`, async (check) => {
    let exchanges: readonly Exchange[] = [];
    const shared = await persistent(check, async (round) => {
      const found = await (round === 0 ? listing : walk)(check, list);
      exchanges = found.pages.map(({ exchange }) => exchange);
      const different = new Map<string | null, unknown[]>();
      for (const record of found.items) {
        const known = different.get(idOf(record)) ?? [];
        if (known.length < records && known.every((one) => differences(one, record).length >= fields))
          different.set(idOf(record), [...known, record]);
      }
      return [...different].flatMap(([id, found]) => (id !== null && found.length >= records ? [id] : []));
    });
    const words = (ids: readonly string[]): string => `different records have the id ${quote(ids[0])}, in four walks`;
    check.expect(exchanges, isEmpty('id-shared', 'an id of its own for each record', words), shared);
  });
}
