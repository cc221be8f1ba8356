import { holdsAtMost } from '../expect/lists.js';
import { succeeded, type Exchange } from '../http/exchange.js';
import type { Check } from '../run/check.js';
import { dataOf } from '../service/envelope.js';
import { addressForms, urlIn } from '../settings/address-forms.js';
import { demoRecords } from './demo/demo.js';
import { asArray } from '../service/json.js';
import { paths } from '../service/paths.js';
import { nextCursor } from '../service/list.js';

/** A unit list that this run was given, with what its query asked for. */
export interface RecordedList {
  readonly exchange: Exchange;
  readonly records: readonly unknown[];
  /** The one limit asked for, where it is a plain positive number. */
  readonly limit: number | null;
  /** The one status asked for. */
  readonly status: string | null;
}

interface QueriedList extends RecordedList {
  /** The other parameters of the query; null if one occurs twice. */
  readonly rest: readonly string[] | null;
}

function queriedList(exchange: Exchange, records: readonly unknown[], needed: readonly string[]): QueriedList {
  const query = new URLSearchParams(exchange.request.path.split('?').slice(1).join('?'));
  const names = [...query.keys()];
  const limit = query.get('limit');
  const rest = names
    .filter((name) => !['limit', 'status', ...needed].includes(name))
    .map((name) => query.get(name) ?? '');
  return {
    exchange,
    records,
    limit: /^[1-9]\d{0,8}$/.test(limit ?? '') ? Number(limit) : null,
    status: query.get('status'),
    rest: new Set(names).size === names.length ? rest : null,
  };
}

/**
 * Every list of units that any check of this run received so far. A later page counts only where the page before it had the same query: the
 * meaning of a cursor under another limit or filter is unspecified.
 */
export async function recordedLists(check: Check, surface: 'production' | 'demo'): Promise<readonly RecordedList[]> {
  const path = surface === 'demo' ? paths.demoUnits : paths.units;
  const places = addressForms(check.target).map((form) => urlIn(form, path, check.target));
  // A parameter that every list request needs does not make another list.
  const needed = (await check.required({ path })).query.map(([name]) => name);
  const lists = (await check.run.exchanges()).flatMap((exchange) => {
    const { method, url } = exchange.request;
    if (exchange.surface !== surface || method !== 'GET' || !succeeded(exchange)) return [];
    if (!places.includes(url.split('?', 1)[0] ?? '')) return [];
    const records = surface === 'demo' ? demoRecords(exchange.response?.json) : asArray(dataOf(exchange)?.['items']);
    return records === null ? [] : [queriedList(exchange, records, needed)];
  });
  const name = (list: QueriedList, cursor: string | null): string => JSON.stringify([cursor, list.limit, list.status]);
  const given = new Set(
    lists.map((list) => {
      const next = nextCursor(dataOf(list.exchange));
      return name(list, typeof next === 'string' ? next : null);
    }),
  );
  return lists.filter((list) => list.rest?.every((cursor) => given.has(name(list, cursor))) === true);
}

/** Holds every list that was given so far against its own limit. */
export async function judgeRecordedLimits(check: Check, surface: 'production' | 'demo'): Promise<void> {
  for (const { exchange, records, limit } of await recordedLists(check, surface))
    if (limit !== null) check.expect(exchange, holdsAtMost(limit), records);
}
