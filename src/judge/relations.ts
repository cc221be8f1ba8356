import type { Exchange } from '../http/index.js';
import { row, type Row } from '../requirement/index.js';
import { judgeEnvelope } from '../openapi/index.js';
import { type Breach, type Check, describe, type RequestOptions } from '../run/index.js';
import {
  asObject,
  dataOf,
  differences,
  type FieldDifference,
  idOf,
  isFromCache,
  isSuccess,
  listing,
  type Page,
  persistent,
  quote,
  recordIn,
  type Shown,
  shownById,
  walk,
  type Walk,
  walkOf,
  type WalkOptions,
} from '../service/index.js';

/** Records as somebody is shown them: those of a list, or each by itself. */
export interface View {
  /** What a record is called, with what singles it out: "available unit". */
  readonly record: string;
  /** Where it is shown: "in the list". */
  readonly where: string;
  readonly list?: WalkOptions | ((check: Check) => WalkOptions);
  /** How each record is read by itself, in place of a list, or beside it where the list left a doubt. */
  readonly single?: (id: string) => RequestOptions;
  /** Ids of the records to be read by themselves, of those that the other view shows. */
  readonly ids?: (check: Check, others: readonly unknown[]) => readonly string[] | Promise<readonly string[]>;
  /** Which records count: all of them without it; `field` is the one that decides. */
  readonly only?: (record: unknown) => boolean;
  readonly field?: string;
}

/**
 * How two views have to agree: `b` shows each record of `a` (`within`) or none (`apart`); where both show a record, they show it alike (`alike`);
 * each of both shows each record of the other, and alike (`equals`), or once (`same`); or `b` shows of some record each field that `a` shows of several
 * that are in both (`fields`).
 */
export type Mode = 'within' | 'apart' | 'alike' | 'equals' | 'same' | 'fields';

/** What a view showed once. */
export interface Reading extends Walk {
  readonly shown: ReadonlyMap<string, Shown>;
  /** The answers to requests for single records, by their ids; null for a list. */
  readonly asked: ReadonlyMap<string, Exchange> | null;
}

export interface RelationOptions {
  /** Whether the first answers are compared, too: not where one of two machines may be behind with a record. */
  readonly comparesAnswers?: boolean;
  /** Whether ids of both mean the same records: they do without it. */
  readonly isComparable?: (a: readonly unknown[], b: readonly unknown[]) => boolean;
  /** What a difference says: `open` where the specification allows it. A failure without it. */
  readonly grade?: (check: Check, one: FieldDifference) => Grade | Promise<Grade>;
}

type Grade = 'fail' | 'warn' | 'open';

/** A record or a field in which two views disagree. */
interface Disagreement extends Breach {
  readonly id: string;
  readonly grade: Grade;
}

/** A relation as a row: what it says follows from its views. It begins with lists as they were read once in the run. */
export function relation(a: View, mode: Mode, b: View, options: RelationOptions = {}): Row {
  const says = {
    within: `each ${a.record} ${a.where} is also ${b.where}`,
    apart: `no ${a.record} ${a.where} is also ${b.where}`,
    alike: `a ${a.record} shows the same values ${a.where} and ${b.where}`,
    same: `each ${a.record} ${a.where} or ${b.where} is in both, once`,
    fields: `each field of a ${a.record} ${a.where} is also ${b.where}`,
    equals: `each ${a.record} ${a.where} is also ${b.where}, with the same values`,
  };
  return row(says[mode], (check) => relate(check, a, mode, b, options, listing));
}

/** Reads a view: its list by `readList`, and records by themselves: those of `again`, or, the first time, those that it chooses of `others` in place of a list. */
async function read(
  check: Check,
  view: View,
  readList: typeof walk,
  again: readonly string[] | null,
  others: readonly unknown[] = [],
): Promise<Reading> {
  const { single } = view;
  const list = typeof view.list === 'function' ? view.list(check) : view.list;
  const listed = list === undefined ? null : await readList(check, list);
  if (single === undefined || (listed !== null && again === null)) return readingOf(listed ?? walkOf([]));
  const pages: Page[] = [];
  const [shown, asked] = [new Map<string, Shown>(), new Map<string, Exchange>()];
  await check.each(again ?? (await view.ids?.(check, others)) ?? [], async (id) => {
    const exchange = await check.ask(single(id));
    asked.set(id, exchange);
    const record = isSuccess(exchange) ? recordIn(exchange, id) : null;
    // The record of an answer to a request by an id has that id, whatever its type.
    if (record !== null) shown.set(id, { record, exchange });
    pages.push({ exchange, items: record === null ? [] : [record], next: null });
  });
  if (listed === null) return { ...walkOf(pages), shown, asked };
  return readingOf({ ...walkOf([...listed.pages, ...pages]), complete: listed.complete });
}

function readingOf(found: Walk): Reading {
  return { ...found, shown: shownById(found), asked: null };
}

/**
 * Ids of records that `there` lacks: of a list that was cut only up to where it was, if both have one order, and none beside an answer from a cache.
 * `isSameList`: then a cut list that has nothing in common with the other lacks them all.
 */
export function lacking(here: Reading, there: Reading, isSameList: boolean): readonly string[] {
  if ([here, there].some(isFromCache)) return [];
  const order = [...here.shown.keys()].filter((id) => there.asked?.has(id) !== false);
  const missing = (reach: number): string[] => order.slice(0, reach).filter((id) => !there.shown.has(id));
  if (there.complete) return missing(order.length);
  const place = new Map(order.map((id, at) => [id, at]));
  const places = [...there.shown.keys()].flatMap((id) => place.get(id) ?? []);
  if (places.length === 0) return isSameList && there.items.length > 0 ? order : [];
  return places.every((at, index) => index === 0 || at > (places[index - 1] ?? -1)) ? missing(places.at(-1) ?? 0) : [];
}

/** Whether the second view answers with a success and in the envelope where the first does. */
export function agreeAnswers(
  check: Check,
  both: readonly [Exchange, Exchange],
  [here, there]: readonly string[],
): boolean {
  const [first, second] = both;
  if (second.response === null) check.blocked(`${describe(second)} got no usable answer`);
  const isMissing = isSuccess(first) && (!isSuccess(second) || (dataOf(second) === null && dataOf(first) !== null));
  const expected = `a success ${there}, as ${here}`;
  if (isMissing)
    check.fail({ code: 'no-success', expected, actual: describe(second), part: 'status', exchanges: both });
  // What is wrong in both is the envelope's own breach.
  const common = new Set(judgeEnvelope(first).map(({ id }) => id));
  for (const { id, soft, code, part, ...fault } of judgeEnvelope(second))
    if (!soft && !common.has(id))
      check.fail({ code, expected: `${fault.expected} ${there} too`, actual: fault.actual, part, exchanges: [second] });
  return !isMissing;
}

/** The fields that moved from one reading to the next, which say nothing. */
function movedIn(earlier: Reading, later: Reading, id: string): readonly string[] {
  return differences(earlier.shown.get(id)?.record, later.shown.get(id)?.record).map(({ pointer }) => pointer);
}

/** Fields that both views show differently, less those that move between two readings of either. */
function fieldDifferences(a: readonly [Reading, Reading], b: readonly [Reading, Reading]): readonly FieldDifference[] {
  return [...a[0].shown].flatMap(([id, left]) => {
    const right = b[1].shown.get(id);
    if (right === undefined || !a[1].shown.has(id)) return [];
    const found = differences(left.record, right.record);
    if (found.length === 0) return [];
    const moving = new Set([a, b].flatMap((readings) => movedIn(...readings, id)));
    return found
      .filter(({ pointer }) => !moving.has(pointer))
      .map((one) => ({ ...one, id, pair: [left, right] as const }));
  });
}

/** Fewest records that lack a field for it to be missing on purpose, not by exception. */
const fewestLacking = 3;

/** Fields by pointer, through objects at any depth. */
function fieldsOf(value: unknown, pointer = ''): readonly string[] {
  return Object.entries(asObject(value) ?? {}).flatMap(([name, inner]) => [
    `${pointer}/${name}`,
    ...fieldsOf(inner, `${pointer}/${name}`),
  ]);
}

const valueAt = (record: unknown, names: readonly string[]): unknown =>
  names.reduce<unknown>((value, name) => asObject(value)?.[name], record);

/** Fields that `a` shows of several records that `b` shows as well, and that `b` shows of none, or leaves out where `a` shows null. */
function missingFields(a: Reading, b: Reading): readonly FieldDifference[] {
  const lacking = new Map<string, FieldDifference[]>();
  for (const [id, left] of a.shown)
    for (const pointer of fieldsOf(left.record)) {
      const right = b.shown.get(id);
      const names = pointer.split('/').slice(1);
      // The members of an object that is missing itself do not count.
      const place = asObject(valueAt(right?.record, names.slice(0, -1)));
      if (right === undefined || place === null || Object.hasOwn(place, names.at(-1) ?? '')) continue;
      const one = { left: valueAt(left.record, names), right: undefined, lengthOnly: false };
      lacking.set(pointer, [...(lacking.get(pointer) ?? []), { ...one, id, pointer, pair: [left, right] }]);
    }
  const isShown = (pointer: string): boolean =>
    b.items.some((record) => valueAt(record, pointer.split('/').slice(1)) !== undefined);
  return [...lacking].flatMap(([pointer, found]) =>
    found.length < fewestLacking || (found.some(({ left }) => left !== null) && isShown(pointer))
      ? []
      : found.slice(0, fewestLacking),
  );
}

/** Ids that a list shows more than once. */
function repeatedIn({ items, asked }: Reading): readonly string[] {
  const ids = asked === null ? items.flatMap((one) => idOf(one) ?? []) : [];
  return ids.length === new Set(ids).size ? [] : ids.filter((id, at) => ids.indexOf(id) !== at);
}

/** The answers that show that a record is missing. */
function pagesWithout(id: string, { asked, pages }: Reading): readonly Exchange[] {
  return [asked?.get(id) ?? pages.map(({ exchange }) => exchange)].flat();
}

/** ` (page 2 of 5 is empty)`: where a list shows nothing, which may be why it lacks records. */
function emptyPage({ pages, asked }: Reading): string {
  const at =
    asked === null
      ? pages.findIndex(({ items, next }) => items?.length === 0 && (next !== null || pages.length === 1))
      : -1;
  return at === -1 ? '' : ` (page ${at + 1} of ${pages.length} is empty)`;
}

/** In what two views disagree that were read as `a`, `b` and `a` again; `earlier` is what `b` showed in the round before. */
async function disagreements(
  check: Check,
  [a, mode, b]: readonly [View, Mode, View],
  { grade = () => 'fail' }: RelationOptions,
  [before, there, after, earlier]: readonly [Reading, Reading, Reading, Reading],
): Promise<readonly Disagreement[]> {
  const stable = [...before.shown].flatMap(([id, { record }]) =>
    after.shown.has(id) && a.only?.(record) !== false ? [id] : [],
  );
  const listed = mode === 'apart' ? stable.filter((id) => there.shown.has(id)) : [];
  const isWithin = ['within', 'equals', 'same'].includes(mode);
  const isSameList = mode === 'equals';
  const lacked = isWithin ? lacking(before, there, isSameList).filter((id) => stable.includes(id)) : [];
  const extra = ['equals', 'same'].includes(mode)
    ? lacking(there, before, isSameList).filter((id) => !after.shown.has(id))
    : [];
  const twice = mode === 'same' ? [there, before].flatMap((reading) => repeatedIn(reading).slice(0, 1)) : [];
  const record = (id: string, expected: string, actual: string, code = 'record-missing'): Disagreement => {
    const { record: shown } = there.shown.get(id) ?? before.shown.get(id) ?? {};
    const named = a.field === undefined ? '' : ` (${a.field} ${quote(asObject(shown)?.[a.field])})`;
    return {
      // With records coming and going it need not be the same one twice again.
      id: code === 'record-twice' ? '' : id,
      code,
      expected,
      actual: `${quote(id)}${named} ${actual}, each time of four`,
      exchanges: [
        ...[before, there].flatMap(({ shown }) => shown.get(id)?.exchange ?? []),
        ...(code === 'record-missing' ? pagesWithout(id, there.shown.has(id) ? before : there) : []),
      ],
      part: { value: shown, pointer: `/${a.field ?? 'id'}` },
      grade: 'fail',
    };
  };
  const fields = ['alike', 'equals'].includes(mode) ? fieldDifferences([before, after], [earlier, there]) : [];
  const missing = mode === 'fields' ? missingFields(before, there).filter(({ id }) => after.shown.has(id)) : [];
  const graded = await Promise.all(
    [...fields, ...missing].map(async (one) => ({
      id: one.id,
      code: mode === 'fields' ? 'field-missing' : 'field-differs',
      field: one.pointer,
      expected: `the ${a.record} ${quote(one.id)} to show the same ${one.pointer} ${a.where} and ${b.where}`,
      actual: `${quote(one.left)} and ${mode === 'fields' ? 'no such field' : quote(one.right)}`,
      exchanges: one.pair.map(({ exchange }) => exchange),
      part: { value: one.pair[1].record, pointer: one.pointer },
      grade: await grade(check, one),
    })),
  );
  return [
    ...listed.map((id) => record(id, `no ${a.record} ${a.where} to be ${b.where}`, 'is', 'other-listed')),
    ...twice.map((id) => record(id, `no ${a.record} twice ${b.where}`, 'is', 'record-twice')),
    ...extra.map((id) => record(id, `each ${a.record} ${b.where} to be ${a.where}`, `is not${emptyPage(before)}`)),
    ...lacked.map((id) => record(id, `each ${a.record} ${a.where} to be ${b.where}`, `is not${emptyPage(there)}`)),
    ...graded.filter((one) => one.grade !== 'open'),
  ];
}

/** What a relation showed: whether no failure was found, how many rounds were read, and the first readings. */
interface Related {
  readonly holds: boolean;
  readonly rounds: number;
  readonly a: Reading;
  readonly b: Reading;
}

/** Most records that are read by themselves again, and most fields that are reported. */
const [mostAgain, mostFields] = [5, 10];

/**
 * Judges whether two views agree. It reads `a`, `b`, and `a` again where they do not: only what both readings of `a` show counts, less fields that move
 * by themselves. A disagreement is found in four such rounds, over eight seconds. `readFirst`: how lists are read for the first time.
 */
export async function relate(
  check: Check,
  a: View,
  mode: Mode,
  b: View,
  options: RelationOptions = {},
  readFirst: typeof walk = walk,
): Promise<Related> {
  const first = await read(check, a, readFirst, null);
  const second = await read(check, b, readFirst, null, first.items);
  let again: readonly string[] = [...(first.asked?.keys() ?? [])];
  const readAgain = (view: View): Promise<Reading> => read(check, view, walk, again);
  let [before, there, earlier] = [first, second, second];
  const [page, other] = [first.pages[0], second.pages[0]];
  let rounds = 1;
  const result = (holds: boolean): Related => ({ holds, rounds, a: first, b: second });
  if (options.isComparable?.(first.items, second.items) === false) return result(true);
  if (options.comparesAnswers === true && page !== undefined && other !== undefined)
    if (!agreeAnswers(check, [page.exchange, other.exchange], [a.where, b.where])) return result(false);
  const find = (after: Reading): Promise<readonly Disagreement[]> =>
    disagreements(check, [a, mode, b], options, [before, there, after, earlier]);
  const look = async (round: number): Promise<readonly Disagreement[]> => {
    rounds = round + 1;
    if (round > 0) {
      [before, earlier] = [await readAgain(a), there];
      there = await readAgain(b);
    }
    if ((await find(before)).length === 0) return [];
    const after = await readAgain(a);
    // A lost answer says nothing.
    if ([before, there, after].some(({ pages }) => pages.some(({ exchange }) => exchange.response === null))) return [];
    const found = await find(after);
    again = [...new Set(found.map(({ id }) => id))].slice(0, mostAgain);
    return found;
  };
  const found = await persistent(check, look, ({ id, field }) => `${id} ${field ?? ''}`);
  const shortest = [
    ...new Map([...found].reverse().map((one) => [`${one.code} ${one.field ?? ''} ${one.grade}`, one])).values(),
  ];
  for (const { grade, id: _, ...breach } of shortest.reverse().slice(0, mostFields))
    check[grade === 'warn' ? 'warn' : 'fail'](breach);
  if (
    found.length === 0 &&
    mode === 'equals' &&
    first.asked === null &&
    second.asked !== null &&
    first.shown.size > 0 &&
    second.shown.size === 0
  )
    check.blocked(
      `each ${a.record} ${a.where} was gone when it was read ${b.where}: try again when the list is quieter`,
    );
  return result(found.every(({ grade }) => grade === 'warn'));
}
