import { decoded, isRefusedByHttpServer } from '../api/index.js';
import {
  asObject,
  type Cursor,
  dataOf,
  idIn,
  isSuccess,
  itemsIn,
  nextCursor,
  paths,
  recordIn,
  recordsIn,
  sentIn,
} from '../service/index.js';
import { holdsAtMost } from '../expect/index.js';
import type { Check, Match } from '../run/index.js';
import { type Exchange, type RecordedResponse, succeeded, type Surface } from '../http/index.js';
import { addressForms, urlIn } from '../settings/index.js';
import type { Selector, Subject } from './invariants.js';

/** An exchange with its answer, which counts. */
export interface Answer extends Subject {
  readonly response: RecordedResponse;
}

/** Answers of these parts of the API, or of all, without those that say nothing of the service: 429, lost ones, and those of an HTTP server before it. */
export function answers(...surfaces: readonly Surface[]): Selector<Answer> {
  return async (check) =>
    (await check.run.exchanges()).flatMap((exchange) => {
      const { response, surface } = exchange;
      const counts = response !== null && response.status !== 429 && !isRefusedByHttpServer(exchange);
      return counts && (surfaces.length === 0 || surfaces.includes(surface)) ? [{ exchange, response }] : [];
    });
}

/** The kinds of lists, with their paths, and where in a success their records stand. */
const kinds = {
  units: { path: paths.units, recordsIn: itemsIn },
  deals: { path: paths.deals, recordsIn: (exchange: Exchange) => itemsIn(exchange) ?? [] },
  demo: { path: paths.demoUnits, recordsIn: itemsIn },
} as const;

/** The addresses of a resource in all address forms. */
function addressesOf({ target }: Check, path: string): readonly string[] {
  return addressForms(target).map((form) => urlIn(form, path, target));
}

/** A list that some check received. */
export interface List extends Subject {
  /** null where the success holds no list. */
  readonly records: readonly unknown[] | null;
  /** The limit that it was asked for with; null without one, where it is no plain number, or where the query may mean something else. */
  readonly limit: number | null;
  readonly status: string | null;
}

/** The texts in which a cursor may stand in a query. */
function textsOf(cursor: Cursor | null): readonly string[] {
  if (cursor === null || typeof cursor === 'string') return cursor === null ? [] : [cursor];
  const parts = Object.values(cursor).map(String);
  return [JSON.stringify(cursor), ...parts, ...[',', ' ', '|'].map((one) => Object.entries(cursor).flat().join(one))];
}

/**
 * Every list of a kind. Limit and status are those of the query where it has no other parameter but what every list request needs, and a cursor
 * that a list with the same limit and status gave: the meaning of a cursor beside another query is unspecified.
 */
export function lists(kind: keyof typeof kinds): Selector<List> {
  return async (check) => {
    const { path, recordsIn } = kinds[kind];
    const addresses = addressesOf(check, path);
    const needed = (await check.required({ path })).query.map(([name]) => name);
    const selected = (await answers(kind === 'demo' ? 'demo' : 'production')(check)).flatMap(({ exchange }) => {
      const { method, url } = exchange.request;
      const [address = '', search] = url.split('?');
      if (method !== 'GET' || !addresses.includes(address)) return [];
      if (!(kind === 'demo' ? succeeded(exchange) : isSuccess(exchange))) return [];
      const query = new URLSearchParams(search);
      const [names, limit, status] = [[...query.keys()], query.get('limit') ?? '', query.get('status')];
      const rest = names.filter((name) => !['limit', 'status', ...needed].includes(name));
      const isPlain = new Set(names).size === names.length;
      const asked = { limit: /^[1-9]\d{0,8}$/.test(limit) ? Number(limit) : null, status };
      return [{ exchange, ...asked, isPlain, others: rest.map((name) => query.get(name) ?? '') }];
    });
    const nameOf = (asked: Pick<List, 'limit' | 'status'>, cursor: string): string =>
      JSON.stringify([cursor, asked.limit, asked.status]);
    const given = new Set(
      selected.flatMap((one) => textsOf(nextCursor(dataOf(one.exchange))).map((cursor) => nameOf(one, cursor))),
    );
    return selected.map(({ exchange, isPlain, others, ...asked }) => ({
      exchange,
      records: recordsIn(exchange),
      ...(isPlain && others.every((cursor) => given.has(nameOf(asked, cursor)))
        ? asked
        : { limit: null, status: null }),
    }));
  };
}

/** At most as many units as its limit says. */
export function holdsItsLimit({ records, limit }: List): Match | readonly Match[] {
  return limit === null ? [] : holdsAtMost(limit)(records ?? []);
}

/** Every record of a kind that an answer to a GET by its id shows, at `data` or one level below, whatever type its id has; a deal is also known by its total. */
export function singles(kind: 'units' | 'deals'): Selector<Subject & { readonly record: Record<string, unknown> }> {
  return async (check) => {
    const addresses = addressesOf(check, kinds[kind].path);
    return (await answers('production')(check)).flatMap(({ exchange }) => {
      const { method, url } = exchange.request;
      const [, address = '', segment = ''] = /^(.*)\/([^/?]+)(\?.*)?$/.exec(url) ?? [];
      if (method !== 'GET' || !addresses.includes(address)) return [];
      const deal = recordsIn(exchange)
        .map(asObject)
        .find((one) => kind === 'deals' && one && 'id' in one && 'totalGross' in one);
      const record = recordIn(exchange, decoded(segment)) ?? deal;
      return record ? [{ exchange, record }] : [];
    });
  };
}

/** Every unit in the answer to its creation, as it shows a field that was sent: a receipt may have an id and a status of its own. */
export const createdUnits: Selector<Subject & { readonly record: Readonly<Record<string, unknown>> }> = async (check) =>
  (await answers('production')(check)).flatMap(({ exchange }) => {
    const { method, url } = exchange.request;
    const isCreation = method === 'POST' && addressesOf(check, paths.units).includes(url.split('?')[0] ?? '');
    const record = isCreation && idIn(exchange) !== null ? recordIn(exchange) : null;
    const sent = Object.keys(sentIn(exchange) ?? {});
    const isShown = (name: string): boolean => !['id', 'status'].includes(name) && record?.[name] !== undefined;
    return record !== null && sent.some(isShown) ? [{ exchange, record }] : [];
  });
