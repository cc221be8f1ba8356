import type { Exchange } from '../../http/index.js';
import type { Check } from '../../run/index.js';
import { judgeEndlessEmptyPages } from './endless-empty-pages.js';
import { isEmpty } from '../../expect/index.js';
import {
  idOf,
  isFromCache,
  offersNoCursor,
  paths,
  persistent,
  quote,
  walk,
  type Walk,
  type WalkOptions,
} from '../../service/index.js';
import { createUnit, removeUnit } from './unit-creation.js';

/** Ids in the order of the walk; records without one are left to other checks. */
function idsOf(found: Walk): string[] {
  return found.items.map(idOf).filter((id): id is string => id !== null);
}

function repeatedIn(ids: readonly string[]): string[] {
  const seen = new Set<string>();
  return [...new Set(ids.filter((id) => seen.size === seen.add(id).size))];
}

function evidence(found: Walk): Exchange[] {
  return found.pages.map((page) => page.exchange);
}

/** The largest limit at which one record is left for a last page of its own, where there is one within 40 pages. */
export function limitLeavingOneOnLastPage(total: number): number[] {
  const limits = Array.from({ length: 49 }, (_, at) => 50 - at);
  const found = limits.find((limit) => total > limit && (total - 1) % limit === 0 && total / limit < 40);
  return found === undefined ? [] : [found];
}

/** A limit under which the list has more pages than a cap on pages would let through, and not too many to be read: 25 to 40. */
function manyPagesLimit(total: number): number[] {
  const fits = (limit: number): boolean => Math.ceil(total / limit) >= 25 && Math.ceil(total / limit) <= 40;
  return [10, 20, 5, ...Array.from({ length: 49 }, (_, at) => at + 1)].filter(fits).slice(0, 1);
}

/**
 * Walks the unit list once it has a length of which some limit leaves one unit for the last page: where it has not, units are made for that, and
 * removed after the work that is given the walk.
 */
export async function onDivisibleList(check: Check, work: (whole: Walk) => Promise<void>): Promise<void> {
  const options = { path: paths.units, limit: 50, maxPages: 40 };
  const made: string[] = [];
  try {
    let found = await walk(check, options);
    while (made.length < 2 && found.complete && found.items.length >= 2) {
      if (limitLeavingOneOnLastPage(found.items.length).length > 0) break;
      const id = await createUnit(check);
      if (id === null) break;
      made.push(id);
      found = await walk(check, options);
    }
    await work(found);
  } finally {
    for (const id of made) await removeUnit(check, id);
  }
}

/**
 * Paging as a property over page sizes: every walk ends, repeats no record, and misses no record that the walks before and after it show.
 * Others may write meanwhile, so a repeated or missing record counts only if three further walks show it again. Returns the number of pages
 * of the longest walk: 1 means that no cursor was followed; null where a breach was found. `only`: these page sizes; `whole`: a walk that was done just before.
 */
export async function judgePaging(
  check: Check,
  options: WalkOptions,
  { only, whole }: { readonly only?: readonly number[]; readonly whole?: Walk },
): Promise<number | null> {
  const reference = whole ?? (await walk(check, { ...options, limit: 50, maxPages: 40 }));
  if (reference.pages[0]?.items === null) check.blocked(`the list could not be read: ${reference.stopped ?? ''}`);
  return judgeSizes(check, options, reference, only);
}

async function judgeSizes(
  check: Check,
  options: WalkOptions,
  reference: Walk,
  only: readonly number[] | undefined,
): Promise<number | null> {
  const total = reference.items.length;
  const leavingOne = limitLeavingOneOnLastPage(total);
  const many = only === undefined && check.run.depth === 'certify' && reference.complete ? manyPagesLimit(total) : [];
  const sizes = [
    ...new Set([
      ...(only ?? [1, 2, 5, 7, 10, 20, Math.max(2, total - 1), Math.max(1, Math.ceil(total / 2))]),
      ...leavingOne,
      ...many,
    ]),
  ].filter((size) => size < 50);
  if (reference.nameless) check.notApplicable(`the list cannot be walked: ${reference.stopped ?? ''}`);
  if (await offersNoCursor(check, options.path)) {
    const expected = 'a cursor to the records that a limit cuts off, and a declared parameter that takes it';
    check.warn({ code: 'neither-limit-nor-cursor', expected, actual: 'neither', exchanges: evidence(reference) });
    return null;
  }
  const holds = judgeOne(check, reference, await repeatsStay(check, { ...options, limit: 50 }, reference));
  // A filter may pass over many records; the whole list has none to pass over.
  if (options.query === undefined && !(await judgeEndlessEmptyPages(check, options, reference))) return null;
  if (!holds) return null;
  const trials: { readonly pages: number; readonly holds: boolean }[] = [{ pages: reference.pages.length, holds }];
  await check.each(sizes, async (limit) => {
    if (trials.some((one) => !one.holds)) return;
    // A part of the list is walked further, so that a walk in small pages reaches its end.
    const maxPages =
      limit === 7
        ? only === undefined
          ? 24
          : 30
        : limit >= 20 || leavingOne.includes(limit) || many.includes(limit)
          ? 60
          : 6;
    const found = await walk(check, { ...options, limit, maxPages });
    if (found.pages[0]?.items === null) return;
    if (found.nameless && trials.every(({ pages }) => pages === 1))
      check.notApplicable(`the list cannot be walked: ${found.stopped ?? ''}`);
    const held = [
      judgeOne(check, found, await repeatsStay(check, { ...options, limit }, found)),
      await judgeSkips(check, { ...options, limit, maxPages }, reference, found, 50),
      // And the other way round: what small pages show, large ones must show as well.
      !found.complete || (await judgeSkips(check, { ...options, limit: 50, maxPages: 40 }, found, reference, limit)),
    ];
    trials.push({ pages: found.pages.length, holds: !held.includes(false) });
  });
  if (trials.some((one) => !one.holds)) return null;
  const last = only === undefined ? await judgeDefault(check, options, reference) : 0;
  return last === null ? null : Math.max(last, ...trials.map(({ pages }) => pages));
}

/** `options` are those of the walk that was found, so that the repetition asks for the same. */
function repeatsStay(check: Check, options: WalkOptions, found: Walk): Promise<readonly string[]> {
  return persistent(
    check,
    async (round) => repeatedIn(idsOf(round === 0 ? found : await walk(check, { ...options, maxPages: 60 }))),
    // With records coming and going it need not be the same one again.
    () => 'a record',
  );
}

function judgeOne(check: Check, found: Walk, repeated: readonly string[]): boolean {
  const exchanges = evidence(found);
  const isSound =
    found.loops || found.pages.at(-1)?.items === null
      ? check.fail({
          code: found.loops ? 'endless' : 'cursor-lost',
          expected: found.loops ? 'following nextCursor to end' : 'each nextCursor to lead to a page',
          actual: found.stopped ?? '',
          exchanges,
        })
      : true;
  if (repeated.length === 0) return isSound;
  return check.fail({
    code: 'record-twice',
    expected: 'no record twice in one walk',
    actual: `${quote(repeated[0])} came twice, in four walks one after the other`,
    exchanges,
  });
}

/** A walk that ended must show all that the walk before it shows; a cut one, all up to where it was cut. */
async function judgeSkips(
  check: Check,
  options: WalkOptions,
  before: Walk,
  found: Walk,
  otherLimit: number,
): Promise<boolean> {
  let last = found;
  const missing = await persistent(check, async (round) => {
    const reference = round === 0 ? before : await walk(check, { ...options, limit: otherLimit, maxPages: 60 });
    last = round === 0 ? found : await walk(check, options);
    return reference.complete && ![reference, last].some(isFromCache) ? missingFrom(reference, last) : [];
  });
  const expected = `a walk with limit=${options.limit ?? 'none'} to show every record that a walk with limit=${otherLimit} shows just before it`;
  return check.expect(
    last,
    isEmpty('record-lost', expected, (ids) => `${ids.length} missing, such as ${quote(ids[0])}, four times in a row`),
    missing,
  );
}

/** Records of `reference` that `found` lacks, as far as `found` reaches. */
function missingFrom(reference: Walk, found: Walk): readonly string[] {
  const order = idsOf(reference);
  const shown = new Set(idsOf(found));
  if (found.complete) return order.filter((id) => !shown.has(id));
  const reached = Math.max(-1, ...[...shown].map((id) => order.indexOf(id)));
  return sameOrder(order, idsOf(found)) ? order.slice(0, Math.max(0, reached)).filter((id) => !shown.has(id)) : [];
}

function sameOrder(order: readonly string[], part: readonly string[]): boolean {
  const positions = part.map((id) => order.indexOf(id)).filter((at) => at >= 0);
  return positions.every((at, index) => index === 0 || at > (positions[index - 1] ?? -1));
}

async function judgeDefault(check: Check, options: WalkOptions, reference: Walk): Promise<number | null> {
  const found = await walk(check, { ...options, maxPages: 40 });
  if (found.pages[0]?.items === null) {
    check.fail({
      code: 'no-list',
      expected: 'the list without limit to be answered',
      actual: found.stopped ?? '',
      exchanges: evidence(found),
    });
    return null;
  }
  const isSound = judgeOne(check, found, await repeatsStay(check, options, found));
  const isWhole = await judgeSkips(check, { ...options, maxPages: 40 }, reference, found, 50);
  check.observe(
    'How many records does a list without limit hold?',
    `${found.pages[0]?.items?.length ?? 0} on the first page`,
  );
  return isSound && isWhole ? found.pages.length : null;
}
