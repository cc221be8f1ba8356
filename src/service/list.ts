import { type Exchange, header } from '../http/index.js';
import { child, follow, type Pairs, serialized } from '../openapi/index.js';
import { type Check, describe, type RequestOptions } from '../run/index.js';
import { dataOf, mayMean } from './envelope.js';
import { asArray, asObject, quote, sameJson } from './json.js';
import { paths } from './paths.js';
import { idOf, itemsIn } from './records.js';

/** A cursor, whose type is not shown: a text (a number as one), or an object of its parts. */
export type Cursor = string | Readonly<Record<string, unknown>>;

/** One page of a list, as far as it could be read. */
export interface Page {
  readonly exchange: Exchange;
  /** null where the answer shows no list. */
  readonly items: readonly unknown[] | null;
  readonly next: Cursor | null;
}

/** All pages that a walk along the cursor gave. */
export interface Walk {
  readonly pages: readonly Page[];
  readonly items: readonly unknown[];
  /** Whether the last page was reached. */
  readonly complete: boolean;
  /** Why it ended early, as a sentence. */
  readonly stopped: string | null;
  /** A page came twice with the same cursor: the walk would never end. */
  readonly loops: boolean;
  /** Nobody knows by which parameter a cursor is sent. */
  readonly nameless: boolean;
}

/** How a list is to be walked. */
export interface WalkOptions extends Pick<RequestOptions, 'as' | 'tenant' | 'form' | 'surface'> {
  readonly path?: string;
  readonly limit?: number;
  readonly query?: Pairs;
  readonly maxPages?: number;
}

const isNothing = (value: unknown): boolean => ['', null, false, undefined].includes(value as string);

/** The cursor for the next page, or null on the last one (null, absent, empty, false, or an object of such or with `hasMore: false`). */
export function nextCursor(data: Record<string, unknown> | null): Cursor | null {
  const value = data?.['nextCursor'];
  const parts = asObject(value);
  if (parts !== null) return Object.values(parts).every(isNothing) || deniesMore(parts) ? null : parts;
  if (typeof value === 'string') return value === '' ? null : value;
  return typeof value === 'number' ? String(value) : null;
}

/** Whether an object says that nothing follows. */
function deniesMore(data: Record<string, unknown>): boolean {
  return Object.entries(data).some(([name, value]) => /^has_?(more|next)/i.test(name) && value === false);
}

/** Whether a page without `nextCursor` says in another way that more follows: by another field for that, or by a larger total. */
export function namesMore(data: Record<string, unknown> | null): boolean {
  if (data === null || 'nextCursor' in data) return false;
  const shown = Math.max(0, ...Object.values(data).map((value) => asArray(value)?.length ?? 0));
  return [data, ...Object.values(data).map(asObject)].some((part) =>
    Object.entries(part ?? {}).some(([name, value]) =>
      /next|more/i.test(name)
        ? !isNothing(value)
        : /total|count$/i.test(name) && typeof value === 'number' && value > shown,
    ),
  );
}

/** The largest `limit` that the document declares for the list at a path; infinite where it declares none. */
export function declaredMaximum(check: Check, path: string): Promise<number> {
  return check.once(`largest limit ${path}`, async () => {
    const { contract } = await check.contract();
    const operation = contract.operation('GET', path);
    const limit = operation?.parameters.find((one) => one.in === 'query' && one.name === 'limit');
    const schema = limit && follow(contract.document, limit.node['schema'], child(limit.pointer, 'schema'))?.node;
    const [most, step] = [schema?.['maximum'], schema?.['multipleOf'] ?? 1];
    if (typeof most !== 'number' || typeof step !== 'number' || step <= 0) return Number.POSITIVE_INFINITY;
    return Math.floor(most / step) * step;
  });
}

/** The limit for reading many records at once: fifty, which the specification shows, or fewer where the document says so. */
export async function usualLimit(check: Check, path: string = paths.units): Promise<number> {
  return Math.max(1, Math.floor(Math.min(50, await declaredMaximum(check, path))));
}

/** Reads one page. */
export async function readPage(check: Check, options: WalkOptions, extra: Pairs = []): Promise<Page> {
  const { path = paths.units, limit: requestedLimit, query = [], ...rest } = options;
  const limit = requestedLimit === 50 ? await usualLimit(check, path) : requestedLimit;
  const exchange = await check.send({
    ...rest,
    path,
    query: [...query, ...(limit === undefined ? [] : [['limit', String(limit)] as const]), ...extra],
  });
  return { exchange, items: itemsIn(exchange), next: nextCursor(dataOf(exchange)) };
}

const usualNames = [
  'cursor',
  'nextCursor',
  'after',
  'pageToken',
  'page_token',
  'next',
  'next_cursor',
  'starting_after',
  'startingAfter',
  'token',
  'continuationToken',
  'from',
];

/** The first page that leads on, at the first of these limits that the service takes and that leaves something over; null where none does. */
export async function pageWithNext(
  check: Check,
  options: WalkOptions,
  limits: readonly number[],
): Promise<{ readonly page: Page; readonly next: Cursor; readonly limit: number } | null> {
  for (const limit of limits) {
    const page = await readPage(check, { ...options, limit });
    if (page.items !== null && page.next !== null) return { page, next: page.next, limit };
    // A smaller page that led nowhere says that a larger one does not either.
    if (page.items !== null) return null;
  }
  return null;
}

/**
 * The name of the parameter that takes a cursor: from the settings, the document, or found by trying; null where none does, or the list is too short to
 * try. With `leadsOn`, for a page that has a cursor, a list that was too short before is tried again.
 */
export async function cursorParameter(
  check: Check,
  path: string = paths.units,
  leadsOn = false,
): Promise<string | null> {
  const find = async (): Promise<string | null> => {
    const { contract } = await check.contract();
    const declared = contract.cursorParameter('GET', path);
    const { cursorParam } = check.target;
    const isDeclared = contract.operation('GET', path)?.parameters.some(({ name }) => name === cursorParam) === true;
    if (path === paths.units && cursorParam !== null && /cursor/i.test(declared ?? '') && !isDeclared)
      check.blocked(
        `CURSOR_PARAM is "${cursorParam}", and the document declares "${declared ?? ''}" for GET ${path}: correct or unset it`,
      );
    if (cursorParam !== null && (path === paths.units || declared === null)) return cursorParam;
    if (declared !== null) return declared;
    const first = await pageWithNext(check, { path }, [2, 10, 50]);
    if (first === null) return null;
    const read = (extra: Pairs): Promise<Page> => readPage(check, { path, limit: first.limit }, extra);
    // Lists of one service are likely to name it alike.
    const likeliest = path === paths.units ? null : await cursorParameter(check);
    const usual = [...(likeliest === null ? [] : [likeliest]), ...usualNames];
    const others = contract.operation('GET', path)?.parameters.filter((one) => one.in === 'query' && !one.required);
    for (const name of new Set([...usual, ...(others ?? []).map((one) => one.name)])) {
      const at = await sentAs(check, first.next, path, name);
      if (at === null) continue;
      const page = await read(at);
      const found = beyond(page, [first.page]);
      // By another name it may be a filter, which shows the first records again, or a choice of fields.
      const isPlain = usual.includes(name) || (found.length === page.items?.length && page.items.every(idOf));
      if (found.length === 0 || !isPlain) continue;
      // A list in use changes: what leads on shows a record twice that the first page shows neither before nor after.
      const firstPages = [first.page, await read([])];
      if (beyond(await read(at), firstPages).some((key) => found.includes(key))) return name;
    }
    return null;
  };
  const name = await check.once(`cursor ${path}`, find);
  return name === null && leadsOn ? check.once(`cursor ${path}, leading on`, find) : name;
}

/** The query that sends a cursor by a parameter; null where nothing says how an object is sent. */
async function sentAs(check: Check, cursor: Cursor, path: string, name: string): Promise<Pairs | null> {
  const { contract } = await check.contract();
  const parameter = contract.operation('GET', path)?.parameters.find((one) => one.in === 'query' && one.name === name);
  if (parameter !== undefined) return serialized(contract.document, parameter, cursor);
  return typeof cursor === 'string' ? [[name, cursor]] : null;
}

/** The query that sends a cursor of the list at a path; null where nothing names its parameter, or says how an object is sent. */
async function cursorQuery(check: Check, cursor: Cursor, path: string = paths.units): Promise<Pairs | null> {
  const name = await cursorParameter(check, path, true);
  return name === null ? null : sentAs(check, cursor, path, name);
}

const keysOf = ({ items }: Page): string[] => (items ?? []).map((item) => idOf(item) ?? JSON.stringify(item));

/** The records of a page that none of the others shows. */
function beyond(page: Page, others: readonly Page[]): string[] {
  const shown = new Set(others.flatMap(keysOf));
  return keysOf(page).filter((key) => !shown.has(key));
}

/** Whether limits cut a list whose pages carry no cursor, and nothing names a parameter that takes one: such a list cannot be walked. */
export function offersNoCursor(check: Check, path: string = paths.units): Promise<boolean> {
  return check.once(`no cursor ${path}`, async () => {
    const { contract } = await check.contract();
    if ((check.target.cursorParam ?? contract.cursorParameter('GET', path)) !== null) return false;
    for (const limit of [1, 10]) {
      const cut = await readPage(check, { path, limit });
      if (cut.next !== null) return false;
      if (cut.items?.length !== limit) continue;
      if (((await readPage(check, { path, limit: 2 * limit })).items?.length ?? 0) > limit) return true;
    }
    return false;
  });
}

/** Whether a first page without a cursor may be only a part of its list. */
async function isCutOff(
  check: Check,
  { path = paths.units, limit, surface }: WalkOptions,
  page: Page,
): Promise<boolean> {
  const count = page.items?.length ?? 0;
  if (
    count === 0 ||
    surface === 'demo' ||
    (limit !== undefined && count < Math.min(limit, await usualLimit(check, path)))
  )
    return false;
  return offersNoCursor(check, path);
}

/** These pages as one reading, to its end unless it `ended` otherwise. */
export function walkOf(pages: readonly Page[], ended: Partial<Walk> = {}): Walk {
  const items = pages.flatMap((page) => page.items ?? []);
  return { pages, items, complete: ended.stopped == null, stopped: null, loops: false, nameless: false, ...ended };
}

/** Follows the cursor from the first page until the list ends, a page fails, or `maxPages` were read. */
export async function walk(check: Check, options: WalkOptions): Promise<Walk> {
  const pages: Page[] = [];
  const seen = new Set<string>();
  const cut = (stopped: string, how: Partial<Walk> = {}): Walk => walkOf(pages, { stopped, ...how });
  let cursor: Cursor | null = null;
  let page: Page | null = await readPage(check, options);
  while (page !== null) {
    pages.push(page);
    if (page.items === null) return cut(`${describe(page.exchange)}: the answer has no list`);
    if (page.next === null && pages.length === 1 && (await isCutOff(check, options, page)))
      return cut('a limit cuts the list, and no page carries a cursor');
    // How a page of units leads on is specified.
    if (page.next === null && (options.path ?? paths.units) !== paths.units && namesMore(dataOf(page.exchange)))
      return cut('the page says in another way than by nextCursor that more follows', { nameless: true });
    if (page.next === null || isEnd(page, cursor)) return walkOf(pages);
    // One cursor may lead through a whole list: only pages that come again with it show that there is no end.
    const shown = JSON.stringify([page.next, page.items.map((item) => idOf(item) ?? item)]);
    if (page.items.length > 0 && seen.has(shown))
      return cut(`a page and its cursor ${quote(page.next, 60)} came twice`, { loops: true });
    seen.add(shown);
    if (pages.length >= (options.maxPages ?? 60)) return cut(`stopped after ${pages.length} pages`);
    cursor = page.next;
    page = await pageAfter(check, options, page);
  }
  const why =
    typeof cursor === 'string'
      ? 'the name of the cursor parameter is not declared and none of the usual ones works: set CURSOR_PARAM'
      : 'nextCursor is an object, and no declared query parameter says by its style or content how it is sent: set CURSOR_PARAM where one does under another name';
  return cut(why, { nameless: true });
}

/** A list that is read once in a run: what is found there is a candidate, which has to be read again. */
export function listing(check: Check, options: WalkOptions, read = walk): Promise<Walk> {
  const name = JSON.stringify(Object.entries(options).sort(([one], [other]) => (one < other ? -1 : 1)));
  return check.once(`list ${name}`, () => read(check, options));
}

/** The page that the cursor of another one leads to; null where it leads nowhere, or nobody knows how it is sent. */
export async function pageAfter(check: Check, options: WalkOptions, { next }: Page): Promise<Page | null> {
  const query = next === null ? null : await cursorQuery(check, next, options.path);
  if (query === null) return null;
  const page = await readPage(check, options, query);
  if (!mayMean(page.exchange, 400, 422)) return page;
  for (const other of besideCursor(options)) {
    const again = await readPage(check, other, query);
    if (again.items !== null) return again;
  }
  return page;
}

/** Whether an answer of the walk says that it is an older one, from a cache (RFC 9111 §5.1). */
export function isFromCache({ pages }: Walk): boolean {
  return pages.some(({ exchange }) => Number(header(exchange, 'age') ?? 0) > 0);
}

/** Whether an empty page says that nothing follows although it carries a cursor, as for later polling: its own one again, or `hasMore: false`. */
function isEnd({ items, next, exchange }: Page, cursor: Cursor | null): boolean {
  if (items === null || items.length > 0) return false;
  return sameJson(next, cursor) || deniesMore(dataOf(exchange) ?? {});
}

/** What else to ask for beside a cursor that is refused as a bad request: a service may encode the filters of the first page in the cursor, or also its limit. */
function besideCursor(options: WalkOptions): readonly WalkOptions[] {
  const { query = [], ...unfiltered } = options;
  const { limit, ...alone } = unfiltered;
  const unlimited = { ...alone, query };
  if (query.length === 0) return limit === undefined ? [] : [alone];
  return limit === undefined ? [unfiltered] : [unlimited, unfiltered, alone];
}
