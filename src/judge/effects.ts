import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange } from '../http/index.js';
import { type Breach, type Check, describe } from '../run/index.js';
import {
  asObject,
  byIds,
  type Difference,
  differences,
  idOf,
  isFromCache,
  isGone,
  isRefusal,
  isSuccess,
  patienceSeconds,
  quote,
  recordIn,
  sameJson,
  settled,
  type Walk,
} from '../service/index.js';
import { lostFields } from './kept-fields.js';

type Json = Readonly<Record<string, unknown>>;

/** An answer, and the record that it shows; null for none. */
export interface Reading {
  readonly exchange: Exchange;
  readonly record: Json | null;
}

/** How records of a kind are read: one by its id, the whole list, and the list filtered by status=available. */
export interface Views {
  readonly noun: string;
  readonly one: (id: string) => Promise<Reading>;
  readonly list: (() => Promise<Walk>) | null;
  readonly available: (() => Promise<Walk>) | null;
  /** Whether the service says that clients write this field. */
  readonly isDeclared: (field: string) => boolean;
  /** Whether the service may set this field as it thinks fit, whatever is written. */
  readonly isSetByService: (field: string) => boolean;
  /** Other records, which show the fields that each record shows. */
  readonly others: readonly unknown[];
}

/** A record of this check's own. */
interface Own {
  readonly id: string;
  readonly sent: Readonly<Json>;
  /** As it was shown by itself after the latest write; null before it was shown at all. */
  readonly shown: Json | null;
  /** Fields that say nothing: they move without a write, or nobody knows whether they were written. */
  readonly open: ReadonlySet<string>;
  /** Fields that were changed. */
  readonly written: ReadonlySet<string>;
  readonly created: Exchange;
}

/** A write that was answered with a success: these fields of a record, or its deletion. */
interface Write {
  readonly exchange: Exchange;
  readonly fields: Json | 'all' | 'none';
}

interface Finding extends Breach {
  readonly soft: boolean;
  /** Whether the write was answered with 202, so that it may yet be done, or the id is that of a job. */
  readonly isLate?: boolean;
  /** Whether a service may have moved the field by itself in one record: it counts where it happens to two at a time. */
  readonly isMoved?: boolean;
  readonly field: string;
  /** The id of the own record that shows it. */
  readonly id: string;
}

/** What is read of own records at a time. */
interface Look {
  readonly findings: readonly Finding[];
  readonly shown: ReadonlyMap<string, Json>;
  readonly listed: readonly unknown[] | null;
}

/** When what a service does in the background after a write shows at the latest. */
const laterMs = 1_500;
const soon = `at the latest ${patienceSeconds} s after`;
const isDone = (exchange: Exchange): boolean => isSuccess(exchange) && exchange.response?.status !== 202;

/** Watches what writes do to records that a check creates for it. */
export interface Effects {
  readonly own: ReadonlyMap<string, Own>;
  /** Notes a creation that was answered with a success, to be judged unless it is said how the record was `shown` since. */
  created(id: string, sent: unknown, exchange: Exchange, shown?: Json): void;
  /** Notes what an attempt to change or to delete an own record was answered with. */
  changed(id: string, fields: Json, exchange: Exchange): void;
  deleted(id: string, exchange: Exchange): void;
  /**
   * Judges the writes since the last time: views show them, at the latest after the usual patience, and nothing else has happened to own records or by
   * them. `views` names what is read besides each own record by itself.
   */
  judge(...views: readonly ('list' | 'available')[]): Promise<void>;
  /** Judges once more what later work of the service has done. */
  judgeLater(): Promise<void>;
}

/** Reads the list before any write, and hands back how to note and judge writes. */
export async function watchEffects(check: Check, views: Views): Promise<Effects> {
  const own = new Map<string, Own>();
  const writes = new Map<string, Write>();
  let listed = (await views.list?.())?.items ?? null;
  let wroteAtMs = 0;
  const note = (id: string, write: Write): void => void writes.set(id, write);
  const judge = async (names: readonly ('list' | 'available')[]): Promise<void> => {
    const wanted = { ...views, list: names.includes('list') ? views.list : null };
    const available = names.includes('available') ? views.available : null;
    const look = (): Promise<Look> => lookAt(check, { ...wanted, available }, own, writes, listed);
    const { findings, ...last } = await settled(check, look, (one) => one.findings.every(({ soft }) => soft));
    const seen = new Set<string>();
    for (const { soft, isLate = false, id: _, ...breach } of findings) {
      if (seen.has(breach.field)) continue;
      seen.add(breach.field);
      if (!isLate) check[soft ? 'warn' : 'fail'](breach);
      else
        check.observe(`When is a ${views.noun} there that was answered with 202?`, `not within ${patienceSeconds} s`);
    }
    const isNew = [...own.values()].some(({ shown }) => shown === null);
    for (const [id, one] of own) {
      const shown = last.shown.get(id) ?? one.shown;
      const write = writes.get(id)?.fields;
      if (write === 'none' || (shown === null && findings.some((other) => other.id === id))) own.delete(id);
      else own.set(id, { ...one, shown, sent: { ...one.sent, ...(typeof write === 'object' ? write : {}) } });
    }
    listed = last.listed ?? listed;
    writes.clear();
    if (isNew) await findMovingFields(check, views, own);
  };
  return {
    own,
    created(id, sent, exchange, shown) {
      const fields = {
        sent: asObject(sent) ?? {},
        shown: shown ?? null,
        open: new Set<string>(),
        written: new Set<string>(),
      };
      own.set(id, { id, ...fields, created: exchange });
      if (shown === undefined) note(id, { exchange, fields: 'all' });
    },
    changed(id, fields, exchange) {
      const one = own.get(id);
      wroteAtMs = performance.now();
      if (isDone(exchange)) note(id, { exchange, fields });
      if (isDone(exchange) && one !== undefined)
        own.set(id, { ...one, written: new Set([...one.written, ...Object.keys(fields)]) });
      else if (one !== undefined && !(isRefusal(exchange) && exchange.response?.status !== 429))
        own.set(id, { ...one, open: new Set([...one.open, ...Object.keys(fields)]) });
    },
    deleted(id, exchange) {
      if (isDone(exchange)) note(id, { exchange, fields: 'none' });
      else if (!isRefusal(exchange)) own.delete(id);
    },
    judge: (...names) => judge(names),
    async judgeLater() {
      await sleep(Math.max(0, laterMs * check.run.patience - (performance.now() - wroteAtMs)));
      await judge([]);
    },
  };
}

/** Finds the fields that move from one reading of a new record to the next, and warns of others that the creation of the first showed otherwise. */
async function findMovingFields(check: Check, views: Views, own: Map<string, Own>): Promise<void> {
  const fieldOf = ({ pointer }: Difference): string => pointer.split('/')[1] ?? '';
  for (const [at, [id, one]] of [...own].entries()) {
    const again = await views.one(id);
    const open = new Set([...one.open, ...differences(one.shown, again.record).map(fieldOf)]);
    own.set(id, { ...one, open });
    const others =
      at > 0 ? [] : differences(recordIn(one.created, id), one.shown).filter((other) => !open.has(fieldOf(other)));
    for (const { pointer, left, right } of others.slice(0, 2))
      check.warn({
        code: 'creation-differs',
        field: pointer,
        expected: `${pointer} as the creation showed it`,
        actual: `${quote(left)}, then ${quote(right)}`,
        exchanges: [one.created, again.exchange],
      });
  }
}

/** Reads own records in all views, and compares them with what was written. */
async function lookAt(
  check: Check,
  views: Views,
  own: ReadonlyMap<string, Own>,
  writes: ReadonlyMap<string, Write>,
  before: readonly unknown[] | null,
): Promise<Look> {
  const shown = new Map<string, Json>();
  const singles = new Map<string, Exchange>();
  for (const id of own.keys()) {
    const { exchange, record } = await views.one(id);
    singles.set(id, exchange);
    if (record !== null) shown.set(id, record);
  }
  const list = (await views.list?.()) ?? null;
  const available = (await views.available?.()) ?? null;
  const findings = [...own.values()].flatMap((one) => {
    const [single, record] = [singles.get(one.id) ?? one.created, shown.get(one.id) ?? null];
    const write = writes.get(one.id);
    const isMissing = record === null && single.response !== null && !isOpenFailure(single);
    const say: Judged['say'] = (code, field, expected, actual, more = {}) => ({
      id: one.id,
      code,
      field,
      expected,
      actual,
      soft: false,
      exchanges: [write?.exchange ?? one.created, single],
      ...more,
    });
    const own: Judged = { one, write, record, say, views };
    if (write?.fields === 'none') return stillThere(own, list);
    if (isMissing) return missing(own, single, writes);
    if (record === null) return [];
    return [...fieldsOf(own), ...listing(own, list), ...filtering(own, available)];
  });
  if (list !== null && before !== null) findings.push(...spread(own, writes, before, list));
  const isTwice = ({ field }: Finding): boolean =>
    findings.filter((one) => one.isMoved && one.field === field).length > 1;
  const kept = findings.filter((one) => one.isMoved !== true || isTwice(one));
  return { findings: kept, shown, listed: list?.complete === true ? list.items : null };
}

/** Whether an answer says nothing of the record: an overload, or an error of a server. */
const isOpenFailure = ({ response }: Exchange): boolean => response?.status === 429 || (response?.status ?? 500) >= 500;

/** An own record in one look. */
interface Judged {
  readonly one: Own;
  readonly write: Write | undefined;
  readonly record: Json | null;
  readonly views: Views;
  readonly say: (code: string, field: string, expected: string, actual: string, more?: Partial<Finding>) => Finding;
}

const quoted = ({ views, one }: Judged): string => `${views.noun} ${quote(one.id)}`;

/** A deletion that left the record as it was: it may be marked as deleted instead. */
function stillThere(own: Judged, list: Walk | null): readonly Finding[] {
  const { one, record, say } = own;
  const left = record ?? asObject(list?.items.find((item) => idOf(item) === one.id));
  if (left === null || one.shown === null || differences(one.shown, left).length > 0) return [];
  const expected = `${quoted(own)} gone, or marked as deleted, ${soon} DELETE was answered with a success`;
  return [
    say('not-deleted', 'deletion', expected, `it is ${record === null ? 'still listed' : 'still there'}, unchanged`),
  ];
}

/** A new record that cannot be read, or one that is gone after the deletion of another. */
function missing(
  { one, views, say }: Judged,
  single: Exchange,
  writes: ReadonlyMap<string, Write>,
): readonly Finding[] {
  const { noun } = views;
  const isLate = one.created.response?.status === 202;
  if (one.shown === null)
    return [say('not-shown', 'id', `the ${noun} ${quote(one.id)} that was just created`, describe(single), { isLate })];
  const deletion = [...writes].find(([, { fields }]) => fields === 'none');
  if (deletion === undefined || !isGone(single)) return [];
  const expected = `DELETE of ${noun} ${quote(deletion[0])} to delete no other ${noun}`;
  return [say('other-deleted', 'id', expected, describe(single), { exchanges: [deletion[1].exchange, single] })];
}

/** What was written is kept, and what was not named stays as it was shown. */
function fieldsOf({ one, write, record, views, say }: Judged): readonly Finding[] {
  const { sent, shown, open } = one;
  const soft = (field: string): boolean => !views.isDeclared(field);
  const named = write?.fields === 'all' ? sent : typeof write?.fields === 'object' ? write.fields : {};
  const how = shown === null ? 'created' : 'changed';
  const stale = Object.keys(shown === null ? {} : named).filter(
    (name) =>
      !views.isSetByService(name) &&
      shown?.[name] !== undefined &&
      sameJson(record?.[name], shown[name]) &&
      !sameJson(shown[name], named[name]),
  );
  const old = stale.map((name) =>
    say(
      'stale',
      name,
      `${name} ${quote(named[name])}, ${soon} PATCH was answered with a success`,
      quote(record?.[name]),
    ),
  );
  // What was masked or normalised before may be so again.
  const isExact = (field: string): boolean => shown === null || sameJson(shown[field], sent[field]);
  const lost = lostFields(named, record, views.others)
    .filter(({ field }) => !stale.includes(field) && !open.has(field) && isExact(field))
    .map(({ field, expected, actual }) =>
      say('not-kept', field, `the ${how} ${views.noun} to keep ${expected}`, actual, { soft: soft(field) }),
    );
  const moved = Object.entries(shown === null ? {} : sent).flatMap(([name, value]) => {
    const [was, is] = [shown?.[name], record?.[name]];
    const isPlain = /^(string|number|boolean)$/.test(typeof value);
    if (name in named || open.has(name) || !isPlain || !sameJson(was, value) || sameJson(was, is)) return [];
    const actual = is === undefined ? 'it is not shown any more' : quote(is);
    const what = write === undefined ? 'nothing was written' : `the change named ${Object.keys(named).join(', ')} only`;
    // A workflow may move a record on.
    const isMoved = write === undefined || name === 'status';
    return [say('changed', name, `${name} to stay ${quote(was)}, as ${what}`, actual, { isMoved })];
  });
  return [...old, ...lost, ...moved];
}

/** A new record is listed, and the list shows what was changed. */
function listing(own: Judged, list: Walk | null): readonly Finding[] {
  const { one, write, record, say, views } = own;
  if (list === null || write === undefined) return [];
  const listed = asObject(list.items.find((item) => idOf(item) === one.id));
  const exchanges = [write.exchange, ...list.pages.map(({ exchange }) => exchange)];
  if (listed === null && list.complete && write.fields === 'all') {
    // A record in a state that no listed one has, such as a draft, may not be in stock yet.
    const isListedState = list.items.some((item) => asObject(item)?.['status'] === record?.['status']);
    const soft = !isListedState || isFromCache(list);
    const expected = `the ${quoted(own)} in the ${views.noun} list, ${soon} it was created`;
    return [
      say('not-listed', 'list', expected, `${list.items.length} ${views.noun}s, without it`, { soft, exchanges }),
    ];
  }
  return Object.entries(typeof write.fields === 'object' ? write.fields : {}).flatMap(([name, value]) => {
    const old = one.shown?.[name] ?? null;
    if (listed === null || old === null || !sameJson(listed[name], old) || sameJson(record?.[name], old)) return [];
    const expected = `${name} ${quote(value)} in the ${views.noun} list, ${soon} PATCH was answered with a success`;
    return [
      say('listed-stale', `listed ${name}`, expected, `${quoted(own)} is listed with ${quote(old)}`, { exchanges }),
    ];
  });
}

/** The list filtered by status=available holds a record exactly where it is available. */
function filtering(own: Judged, available: Walk | null): readonly Finding[] {
  const { one, write, record, say, views } = own;
  const status = record?.['status'];
  if (available === null || typeof status !== 'string' || isFromCache(available)) return [];
  const isIn = available.items.some((item) => idOf(item) === one.id);
  // A filter that lists others of another status, too, leaves out nothing: that is judged where records are listed.
  const isFilter = available.items.every((item) => idOf(item) === one.id || asObject(item)?.['status'] === 'available');
  if (status === 'available' ? isIn || !available.complete : !isIn || !isFilter) return [];
  const where = `in the list filtered by status=available, ${soon} it was written`;
  return [
    say(
      'not-filtered',
      'filter',
      `the ${quoted(own)}, whose status is ${quote(status)}, ${status === 'available' ? '' : 'not '}${where}`,
      `${available.items.length} ${views.noun}s, ${isIn ? 'with' : 'without'} it`,
      { exchanges: [write?.exchange ?? one.created, ...available.pages.map(({ exchange }) => exchange)] },
    ),
  ];
}

/** Whether a value is hardly met with by chance. */
const isTelling = (value: unknown): boolean =>
  typeof value === 'string' ? value.length >= 12 : typeof value === 'number' && Math.abs(value) >= 10_000;

/** What writes did to records of others: somebody else may write at the same time, but not the same values. */
function spread(
  own: ReadonlyMap<string, Own>,
  writes: ReadonlyMap<string, Write>,
  before: readonly unknown[],
  list: Walk,
): Finding[] {
  const known = byIds(before);
  const others = [...byIds(list.items)].filter(([other]) => !own.has(other));
  return [...writes].flatMap(([id, { exchange, fields }]) => {
    const values = Object.entries(
      fields === 'none' ? {} : { ...own.get(id)?.sent, ...(fields === 'all' ? {} : fields) },
    );
    const telling = values.filter(
      ([name, value]) =>
        isTelling(value) &&
        [...own.values()].every((other) => other.id === id || other.sent[name] !== value) &&
        before.every((item) => idOf(item) === id || asObject(item)?.[name] !== value),
    );
    return others.flatMap(([other, is]) => {
      const was = known.get(other);
      const [name, value] =
        telling.find(
          ([field, sent]) => asObject(is)?.[field] === sent && (was !== undefined || typeof sent === 'string'),
        ) ?? [];
      if (name === undefined) return [];
      const changed = `${name} of ${quote(other)} was ${quote(asObject(was)?.[name])} and is ${quote(value)}, too`;
      return {
        id,
        field: 'other',
        soft: false,
        code: 'other-changed',
        expected: `${exchange.request.method} of ${quote(id)} to touch no other record`,
        actual:
          was === undefined ? `there is a new one, ${quote(other)}, with the same ${name}, ${quote(value)}` : changed,
        exchanges: [exchange, ...list.pages.map((page) => page.exchange)],
      };
    });
  });
}
