import { decodeJson, type Exchange } from '../http/index.js';
import { dataOf } from './envelope.js';
import { asArray, asObject, type Difference } from './json.js';

export type Json = Record<string, unknown>;

/** A record and the answer that shows it. */
export interface Shown {
  readonly record: Json;
  readonly exchange: Exchange;
}

/** A field that two views of a record show differently. */
export interface FieldDifference extends Difference {
  readonly id: string;
  readonly pair: readonly [Shown, Shown];
}

/** What the production API keeps records of. */
export type Kind = 'unit' | 'lead' | 'deal';

/** What tells a record of a kind from an object beside it: its fields (§2), and further names of its id where those are "not shown". */
const kinds: Readonly<Record<Kind, { readonly fields: readonly string[]; readonly ids: readonly string[] }>> = {
  unit: { fields: [], ids: [] },
  lead: { fields: ['phone', 'name'], ids: ['leadId', 'lead_id'] },
  deal: { fields: ['totalGross'], ids: [] },
};

/** The kind of record that a production path is about; null for another path, and for one in another spelling. */
export function kindOf({ request }: Exchange): Kind | null {
  return (/\/v1\/(unit|lead|deal)s(?![^/?;])/.exec(request.path)?.[1] ?? null) as Kind | null;
}

/** The string id of a record, or null. */
export function idOf(record: unknown): string | null {
  const id = asObject(record)?.['id'];
  return typeof id === 'string' ? id : null;
}

/** The id of a lead's record, in any usual spelling, as text; null if there is none. */
export function recordId(record: unknown): string | null {
  // Beside an id of the lead, `id` may be that of a receipt.
  for (const name of [...kinds.lead.ids, 'id', 'uuid', '_id']) {
    const value = asObject(record)?.[name];
    if (typeof value === 'string' || typeof value === 'number') return String(value);
  }
  return null;
}

const identify = (kind: Kind | null): ((record: unknown) => string | null) => (kind === 'lead' ? recordId : idOf);

/** The records of pages by their ids, each with the first answer that shows it; what has none is left out. */
export function shownById({
  pages,
}: {
  readonly pages: readonly { exchange: Exchange; items: readonly unknown[] | null }[];
}): Map<string, Shown> {
  const shown = new Map<string, Shown>();
  for (const { exchange, items } of pages)
    for (const record of (items ?? []).map(asObject)) {
      const id = identify(kindOf(exchange))(record);
      if (record !== null && id !== null && !shown.has(id)) shown.set(id, { record, exchange });
    }
  return shown;
}

/** Records by their ids; what has none is left out. */
export function byIds(records: readonly unknown[]): Map<string, unknown> {
  return new Map(records.flatMap((record) => (idOf(record) === null ? [] : [[idOf(record) ?? '', record]])));
}

/** `data`, and the objects one level below. */
function placesIn(exchange: Exchange): readonly Json[] {
  const data = dataOf(exchange);
  return [data, ...Object.values(data ?? {}).map(asObject)].filter((one) => one !== null);
}

/**
 * The one record that an answer shows, at `data` or one level below: the one with this id, whatever type that has there, or the one that was
 * created or changed, and not an object beside it. Null where there is none.
 */
export function recordIn(exchange: Exchange, id?: string): Json | null {
  const kind = kindOf(exchange);
  const identity = identify(kind);
  const [data, ...inner] = placesIn(exchange);
  if (data === undefined) return null;
  const names = (one: Json): boolean => identity(one) !== null;
  if (id !== undefined) return [data, ...inner].find((one) => identity(one) === id || String(one['id']) === id) ?? null;
  const { fields, ids } = kind === null ? { fields: [], ids: [] } : kinds[kind];
  const shows = (one: Json): boolean => fields.some((name) => name in one);
  const usual = [kind ?? '', 'item', 'record', 'result', 'created'].map((name) => asObject(data[name]));
  return (
    [data].find((one) => shows(one)) ??
    usual.find((one) => one !== null && (names(one) || shows(one))) ??
    [data].find((one) => ids.some((name) => name in one)) ??
    inner.find((one) => names(one) && 'phone' in one) ??
    [data].find(names) ??
    inner.find((one) => names(one) || 'phone' in one) ??
    data
  );
}

/** The JSON object that was sent, or null. */
export function sentIn({ request }: Exchange): Json | null {
  return asObject(decodeJson(request.body?.toString() ?? null));
}

/** The id of the record that an answer shows, or null. */
export function idIn(exchange: Exchange): string | null {
  const identity = identify(kindOf(exchange));
  return identity(recordIn(exchange)) ?? identity(dataOf(exchange));
}

/** The records of a demo list: the body itself, its `items`, its only array, or a map from ids; null where there is no list. */
function demoItems(body: unknown): readonly unknown[] | null {
  const whole = asArray(body);
  const object = asObject(body);
  if (whole !== null || object === null) return whole;
  const lists = [
    object['items'],
    object['units'],
    ...Object.values(object),
    ...Object.values(asObject(object['data']) ?? {}),
  ];
  const entries = Object.entries(object);
  const isMap = entries.length > 0 && entries.every(([id, unit]) => asObject(unit)?.['id'] === id);
  return lists.map(asArray).find((one) => one !== null) ?? (isMap ? Object.values(object) : null);
}

/**
 * The records of a list, or null where an answer has none. Those of production units stand under `data.items` (§2); those of leads and deals,
 * whose place is not shown, in the first array of records; a single deal counts as a list of one.
 */
export function itemsIn(exchange: Exchange): readonly unknown[] | null {
  if (exchange.surface === 'demo') return demoItems(exchange.response?.json);
  const data = dataOf(exchange);
  const kind = kindOf(exchange);
  if (data === null || kind === 'unit') return asArray(data?.['items']);
  const fields = kind === null ? [] : kinds[kind].fields;
  const lists = Object.entries(data).flatMap(([name, value]) => {
    const list = asArray(value);
    return list === null ? [] : [{ name, list }];
  });
  const isRecord = (one: unknown, name: string): boolean =>
    asObject(one) !== null &&
    ((kind !== null && name.toLowerCase().includes(kind)) ||
      fields.some((field) => asObject(one)?.[field] !== undefined) ||
      identify(kind)(one) !== null);
  // A response may contain other lists.
  const found =
    ['items', `${kind ?? ''}s`, 'results', 'records']
      .map((name) => lists.find((one) => one.name === name))
      .find(Boolean) ?? lists.find(({ name, list }) => list.some((one) => isRecord(one, name)));
  if (found !== undefined) return found.list;
  const single = kind === 'deal' ? recordIn(exchange) : null;
  if (single !== null && ['id', ...fields].some((name) => name in single)) return [single];
  return lists.find(({ list }) => list.length === 0)?.list ?? null;
}

/** Every record that an answer shows: those of a list, and those at `data` and one level below. */
export function recordsIn(exchange: Exchange): readonly unknown[] {
  return [...(itemsIn(exchange) ?? []), ...placesIn(exchange)];
}
