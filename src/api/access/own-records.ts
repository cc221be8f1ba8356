import { type Exchange, percentEncode, type Redactor } from '../../http/index.js';
import type { KeyName, Target } from '../../settings/index.js';
import { isSuccess, paths, recordId, recordIn, recordsIn, sentIn } from '../../service/index.js';
import { isMask } from '../leads/shown-changes.js';

/** The kinds of records that the suite creates. */
export type RecordKind = 'lead' | 'unit';

/** A record that a run created, and how to reach it. */
export interface OwnRecord {
  readonly kind: RecordKind;
  readonly id: string;
  readonly key: KeyName;
  /** X-Tenant, or null for no header. */
  readonly tenant: string | null;
}

/** Clocks of services may be this far apart from the one here. */
const clockErrorMs = 600_000;

/** The path of one record. */
export function recordPath({ kind, id }: Pick<OwnRecord, 'kind' | 'id'>): string {
  return kind === 'unit' ? paths.unit(id) : `${paths.leads}/${percentEncode(id)}`;
}

type Json = Readonly<Record<string, unknown>>;

/** Kind and id that a request is about; no id for the whole collection. */
function placeOf({ request, surface }: Exchange): { readonly kind: RecordKind; readonly id: string | null } | null {
  const found = surface === 'production' ? /\/v1\/(lead|unit)s(?:\/([^/?]+))?\/?(?:\?|$)/.exec(request.path) : null;
  if (found === null) return null;
  return { kind: found[1] === 'unit' ? 'unit' : 'lead', id: found[2] === undefined ? null : decoded(found[2]) };
}

/** A percent-decoded text, or the text itself where it cannot be decoded. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function plain(value: unknown): string {
  return String(value)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s().+-]+/g, '');
}

/** Whether a record is the one that was sent: it shows the distinguishing fields with the sent values. */
function showsSent(kind: RecordKind, sent: Json, record: Json): boolean {
  const same = (field: string): boolean => plain(record[field]) === plain(sent[field]);
  if (kind === 'lead') {
    const { name, phone } = record;
    const isNamed = typeof name === 'string' && name !== '';
    if (isNamed && !same('name') && !isMask(String(sent['name']), name)) return false;
    if (typeof phone === 'string' && /^[\d\s().+-]+$/.test(phone) && !same('phone')) return false;
    return (isNamed && same('name')) || (typeof phone === 'string' && same('phone'));
  }
  const fields = Object.keys(sent).filter(
    (field) => !['id', 'status'].includes(field) && /^(string|number)$/.test(typeof record[field]),
  );
  return fields.every(same) && fields.some((field) => plain(record[field]).length >= 6);
}

/** Whether a record says that it was created before the run. */
function isOlder(record: Json, sinceMs: number): boolean {
  return Object.entries(record).some(
    ([name, value]) =>
      /^created/i.test(name) && typeof value === 'string' && Date.parse(value) < sinceMs - clockErrorMs,
  );
}

/**
 * The records that a run created and did not delete, from its own exchanges, in the order of creation. A create counts where its answer
 * shows the sent data and an id that no earlier answer showed. `unclear` counts creates whose answer does not identify the record.
 */
export function ownRecords(
  exchanges: readonly Exchange[],
  { target, redactor, since }: { readonly target: Target; readonly redactor: Redactor; readonly since: Date },
): { readonly records: readonly OwnRecord[]; readonly unclear: Readonly<Record<RecordKind, number>> } {
  const own = new Map<string, OwnRecord>();
  const unclear = { lead: new Set<string>(), unit: new Set<string>() };
  /** When a record was shown first. */
  const shownAtMs = new Map<string, number>();
  const about = exchanges.flatMap((exchange) => {
    const place = isSuccess(exchange) ? placeOf(exchange) : null;
    return place === null ? [] : [{ exchange, ...place }];
  });
  for (const { exchange, kind } of about)
    for (const record of recordsIn(exchange)) {
      const name = `${kind} ${recordId(record) ?? ''}`;
      shownAtMs.set(name, Math.min(shownAtMs.get(name) ?? Infinity, exchange.receivedAtMs));
    }
  for (const { exchange, kind, id: named } of about) {
    const { method, headers } = exchange.request;
    if (method === 'DELETE' && named !== null) own.delete(`${kind} ${named}`);
    if (method !== 'POST' || named !== null) continue;
    const record = recordIn(exchange) ?? {};
    const id = recordId(record);
    const name = `${kind} ${id ?? ''}`;
    // A replay of this run's own create, or a record that was there before.
    if (id !== null && (shownAtMs.get(name) ?? 0) <= exchange.sentAtMs) continue;
    if (own.has(name) || isOlder(record, since.getTime())) continue;
    const [sent, caller] = [sentIn(exchange), callerOf(exchange, target, redactor)];
    if (id !== null && !/^\.{0,2}$/.test(id) && sent !== null && caller !== null && showsSent(kind, sent, record))
      own.set(name, { kind, id, ...caller });
    else
      unclear[kind].add(
        headers.find(([header]) => header.toLowerCase() === 'idempotency-key')?.[1] ?? String(exchange.seq),
      );
  }
  return { records: [...own.values()], unclear: { lead: unclear.lead.size, unit: unclear.unit.size } };
}

/** Key and tenant to delete with: a key of few scopes may not delete what it made, so the full-access key of its tenant does. */
function callerOf({ request }: Exchange, target: Target, redactor: Redactor): Pick<OwnRecord, 'key' | 'tenant'> | null {
  const made = request.credential as KeyName | null;
  if (made === null || target.keys[made] === undefined) return null;
  const key = /^API_KEY_(READ|WRITE)_/.test(made) ? 'API_KEY' : made;
  const shown = request.headers.find(([name]) => name.toLowerCase() === 'x-tenant')?.[1];
  if (shown === undefined) return { key, tenant: null };
  const tenant = [target.tenant, target.otherTenant].find((one) => one !== null && redactor.text(one) === shown);
  return tenant == null || target.keys[key] === undefined ? null : { key, tenant };
}
