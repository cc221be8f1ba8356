import { invalidInput } from '../api-failure.js';
import type { Behaviour, PageRequest, Query } from '../instance.js';
import { neededParameters } from '../document/operations.js';

function readLimit(query: Query, behaviour: Behaviour, ordinary: number): number {
  const { option } = behaviour;
  const given = query['limit'];
  if (given === undefined) return ordinary;
  if (Array.isArray(given)) throw invalidInput(behaviour, 'invalid_limit', 'limit was given more than once.');
  if (!/^[+-]?\d{1,15}$/.test(given)) throw invalidInput(behaviour, 'invalid_limit', 'limit has to be a whole number.');
  const limit = Number(given);
  const most = Number(option('max-limit'));
  if (limit < 1) {
    if (option('zero-limit') === 'clamp') return 1;
    throw invalidInput(behaviour, 'invalid_limit', 'limit has to be 1 at least.');
  }
  if (limit % 10 !== 0 && option('limit-values') === 'tens')
    throw invalidInput(behaviour, 'invalid_limit', 'limit has to be a full ten.');
  if (limit <= most) return limit;
  if (option('over-limit') === 'clamp') return most;
  throw invalidInput(behaviour, 'invalid_limit', `limit may be ${most} at most.`);
}

/** An opaque cursor: the position to continue after, and the query if the cursor carries it. */
export function makeCursor(list: string, tenant: string, place: number, query = ''): string {
  return Buffer.from([list, tenant, place, ...(query === '' ? [] : [query])].join(':')).toString('base64url');
}

/** The positions of the walks whose state this instance keeps, by the number of each. */
const walks = new WeakMap<Behaviour, Map<number, number>>();

/** The number that stands in a cursor of units: the place itself, or that of a walk whose place is kept here. */
export function cursorNumber(place: number, asked: PageRequest, behaviour: Behaviour): number {
  if (behaviour.option('cursor-value') === 'place') return place;
  const kept = walks.get(behaviour) ?? new Map<number, number>();
  walks.set(behaviour, kept);
  const number = asked.walk ?? kept.size + 1;
  kept.set(number, place);
  return number;
}

/** The decoded cursor of a list; null if the list did not issue it. */
export function readCursor(text: string, list: string) {
  const decoded = Buffer.from(text, 'base64url').toString('latin1');
  const match = /^([a-z]+):([a-z0-9-]+):(\d{1,12})(?::(.*))?$/.exec(decoded);
  if (match === null || match[1] !== list || Buffer.from(decoded).toString('base64url') !== text) return null;
  return { tenant: match[2] ?? '', place: Number(match[3]), query: match[4] ?? '' };
}

/** The part of the query that the cursor must carry, because this variant refuses it beside a cursor. */
export function queryInCursor(query: Query, behaviour: Behaviour): string {
  const beside = behaviour.option('cursor-beside');
  const cursor = behaviour.option('cursor-parameter');
  // The document demands these of every page; deals need all that units do.
  const needed = new Set(neededParameters('listDeals', behaviour).map(({ name }) => name));
  const kept = Object.entries(query).flatMap(([name, value]) =>
    beside === 'anything' ||
    name === cursor ||
    needed.has(name) ||
    (name === 'limit' && beside === 'limit') ||
    typeof value !== 'string'
      ? []
      : [[name, value] as [string, string]],
  );
  return new URLSearchParams(kept).toString();
}

/**
 * The query of a page: the query carried by the cursor and the parameters sent beside it. Throws the refusal of a forbidden combination.
 */
export function unfoldCursor(query: Query, list: string, behaviour: Behaviour): Query {
  const given = query[behaviour.option('cursor-parameter')];
  if (typeof given !== 'string' || given === '') return query;
  if (queryInCursor(query, behaviour) !== '')
    throw invalidInput(behaviour, 'invalid_query', 'A cursor carries its query; send it alone.');
  return { ...query, ...Object.fromEntries(new URLSearchParams(readCursor(given, list)?.query ?? '')) };
}

/** Reads limit and cursor; throws the refusal for what is no good. `ordinary` is the limit where none is given. */
export function readPageRequest(
  query: Query,
  list: string,
  tenant: string,
  behaviour: Behaviour,
  ordinary = 50,
): PageRequest {
  const limit = readLimit(query, behaviour, ordinary);
  const given = query[behaviour.option('cursor-parameter')];
  if (given === undefined || given === '') return { limit, after: -1 };
  const cursor = Array.isArray(given) ? null : readCursor(given, list);
  if (cursor?.tenant !== tenant)
    throw invalidInput(behaviour, 'invalid_cursor', 'The cursor was not given out by this list.');
  if (list !== 'units' || behaviour.option('cursor-value') === 'place') return { limit, after: cursor.place };
  const after = walks.get(behaviour)?.get(cursor.place);
  if (after === undefined) throw invalidInput(behaviour, 'invalid_cursor', 'There is no such walk.');
  return { limit, after, walk: cursor.place };
}

/** The parts of a cursor where it is an object. */
const parts = (after: string) => ({ after, version: 1 });

/** A query in which the cursor is a text again, where it was sent as an object of all its parts. */
export function withTextCursor(query: Query, behaviour: Behaviour): Query {
  const [name, type] = [behaviour.option('cursor-parameter'), behaviour.option('cursor-type')];
  if (type === 'text') return query;
  const { [name]: whole, [`${name}[after]`]: after, [`${name}[version]`]: version, ...rest } = query;
  if (whole === undefined && after === undefined) return query;
  if (type === 'deep-object') return { ...rest, [name]: version === '1' && after !== undefined ? after : 'garbage' };
  const found = (type === 'json' ? /^\{"after":"([^"]*)","version":1\}$/ : /^after,([^,]*),version,1$/).exec(
    String(whole),
  );
  return { ...rest, [name]: whole === '' ? '' : (found?.[1] ?? 'garbage') };
}

/** `{ nextCursor }` as this service writes it, for a next cursor or the end. */
export function cursorField(
  next: string | null,
  behaviour: Behaviour,
): { nextCursor?: string | object | false | null } {
  const form = behaviour.option('last-cursor');
  if (next !== null && form !== 'never')
    return { nextCursor: behaviour.option('cursor-type') === 'text' ? next : parts(next) };
  return form === 'absent' ? {} : { nextCursor: form === 'empty' ? '' : form === 'false' ? false : null };
}
