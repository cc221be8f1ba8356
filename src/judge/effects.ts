import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange } from '../http/index.js';
import { type Breach, type Check, describe } from '../run/index.js';
import {
  asObject,
  byIds,
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
  sentIn,
  settled,
  type Walk,
} from '../service/index.js';
import { lossOf } from './kept-fields.js';

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
  readonly list?: () => Promise<Walk>;
  readonly available?: () => Promise<Walk>;
  /** Whether the service says that clients write this field. */
  readonly isDeclared: (field: string) => boolean;
  /** Whether the service may set this field as it thinks fit, whatever is written. */
  readonly isSetByService: (field: string) => boolean;
}

/** A list that may show a write. */
export type ListName = 'list' | 'available';

/** What a write that was answered with a success changes: these fields of a record, or all of it. */
type Change = Json | 'created' | 'deleted';

/** A record of this check's own. */
interface Own {
  readonly id: string;
  readonly sent: Json;
  /** As it was shown by itself after the latest write; null before it was shown at all. */
  readonly shown: Json | null;
  /** Fields that say nothing: nobody knows whether they were written. */
  readonly open: ReadonlySet<string>;
  /** Fields that were changed. */
  readonly written: ReadonlySet<string>;
  readonly created: Exchange;
  /** Where it is written, in words; empty for the usual way. */
  readonly where: string;
}

interface Finding extends Breach {
  readonly soft: boolean;
  /** Whether the creation was answered with 202: it may yet be done, or the id is that of a job. */
  readonly isLate?: boolean;
  /** Whether a service may have moved the field by itself in one record: it counts where it happens to two at a time. */
  readonly isMoved?: boolean;
  readonly field: string;
  /** The id of the own record that shows it. */
  readonly id: string;
}

/** An own record in one look, with what the latest write should have changed. */
interface Judged {
  readonly one: Own;
  readonly views: Views;
  /** Records from before any write, which show the fields that each record shows. */
  readonly others: readonly unknown[];
  readonly single: Exchange;
  readonly record: Json | null;
  readonly change: Change | null;
  readonly wrote: Exchange;
  readonly say: (code: string, field: string, expected: string, actual: string, more?: Partial<Finding>) => Finding;
}

/** Answers to writes, with what these change, by the ids of records. */
type Writes = Map<string, { readonly exchange: Exchange; readonly change: Change }>;

/** When what a service does in the background after a write shows at the latest. */
const laterMs = 1_500;
const soon = `at the latest ${patienceSeconds} s after`;
const isDone = (exchange: Exchange): boolean => isSuccess(exchange) && exchange.response?.status !== 202;
const fieldAt = (pointer: string): string => pointer.split('/')[1] ?? pointer;

/** Watches what writes do to records that a check creates for it: a write changes what it names in every view, and nothing else. */
export class Effects {
  readonly own = new Map<string, Own>();
  readonly #check: Check;
  readonly #views: Views;
  readonly #writes: Writes = new Map();
  #listed: readonly unknown[] | null;
  readonly #others: readonly unknown[];
  #wroteAtMs = 0;

  private constructor(check: Check, views: Views, listed: readonly unknown[] | null) {
    this.#check = check;
    this.#views = views;
    this.#listed = listed;
    this.#others = listed ?? [];
  }

  /** Reads the list before any write. */
  static async watch(check: Check, views: Views): Promise<Effects> {
    return new Effects(check, views, (await views.list?.())?.items ?? null);
  }

  /** Notes a creation that was answered with a success, to be judged unless it is said how the record was `shown` since. */
  created(id: string, sent: unknown, exchange: Exchange, more: Partial<Pick<Own, 'shown' | 'where'>> = {}): void {
    const { shown = null, where = '' } = more;
    const none = new Set<string>();
    this.own.set(id, { id, sent: asObject(sent) ?? {}, shown, open: none, written: none, created: exchange, where });
    if (shown === null) this.#writes.set(id, { exchange, change: 'created' });
  }

  /** Notes what an attempt to change fields of an own record was answered with. */
  changed(id: string, change: Json, exchange: Exchange): void {
    this.#wroteAtMs = performance.now();
    if (isDone(exchange)) this.#writes.set(id, { exchange, change });
    const isRefused = isRefusal(exchange) && exchange.response?.status !== 429;
    const kind = isDone(exchange) ? 'written' : isRefused ? null : 'open';
    if (kind !== null) this.#set(id, (one) => ({ [kind]: new Set([...one[kind], ...Object.keys(change)]) }));
  }

  /** Notes what an attempt to delete an own record was answered with. */
  deleted(id: string, exchange: Exchange): void {
    if (isDone(exchange)) this.#writes.set(id, { exchange, change: 'deleted' });
    else if (!isRefusal(exchange)) this.own.delete(id);
  }

  #set(id: string, change: (one: Own) => Partial<Own>): void {
    const one = this.own.get(id);
    if (one !== undefined) this.own.set(id, { ...one, ...change(one) });
  }

  /**
   * Judges the writes since the last time, if there were any: each own record by itself and these lists show them, at the latest after the usual
   * patience, and nothing else has happened to own records or by them.
   */
  async judge(...names: readonly ListName[]): Promise<void> {
    if (this.#writes.size > 0) await this.#judge(names);
  }

  /** Judges once more what later work of the service has done. */
  async judgeLater(): Promise<void> {
    await sleep(Math.max(0, laterMs * this.#check.run.patience - (performance.now() - this.#wroteAtMs)));
    await this.#judge([]);
  }

  async #judge(names: readonly ListName[]): Promise<void> {
    const seen: ReadonlyMap<string, Json | null>[] = [
      new Map([...this.own.values()].map((one) => [one.id, one.shown ?? recordIn(one.created, one.id)])),
    ];
    // A field that takes a third value moves by itself, and says nothing.
    const isMoving = ({ id, field }: Finding): boolean =>
      new Set(seen.flatMap((records) => JSON.stringify(records.get(id)?.[fieldAt(field)]) ?? [])).size > 2;
    const { findings, shown, listed } = await settled(
      this.#check,
      async () => {
        const look = await this.#look(names);
        seen.push(look.shown);
        return { ...look, findings: look.findings.filter((one) => !isMoving(one)) };
      },
      (look) => look.findings.length === 0 || (seen.length > 2 && look.findings.every(({ soft }) => soft)),
    );
    for (const one of this.own.values()) {
      const change = this.#writes.get(one.id)?.change;
      const record = shown.get(one.id) ?? one.shown;
      this.#set(one.id, () => ({ shown: record, sent: { ...one.sent, ...(asObject(change) ?? {}) } }));
      const isMissing = record === null && findings.some(({ id }) => id === one.id);
      if (change === 'deleted' || isMissing) this.own.delete(one.id);
    }
    const reported = new Set<string>();
    for (const { soft, isLate, id: _, ...breach } of findings.toSorted((a, b) => Number(a.soft) - Number(b.soft))) {
      if (reported.has(breach.field)) continue;
      reported.add(breach.field);
      if (isLate !== true) this.#check[soft ? 'warn' : 'fail'](breach);
    }
    this.#listed = listed ?? this.#listed;
    this.#writes.clear();
  }

  /** Reads own records in all views, and compares them with what was written. */
  async #look(names: readonly ListName[]) {
    const singles = new Map<string, Reading>();
    const lists: Partial<Record<ListName, Walk>> = {};
    await this.#check.each([...this.own.keys(), ...names.map((name) => ({ name }))], async (view) => {
      if (typeof view === 'string') return singles.set(view, await this.#views.one(view));
      const walk = await this.#views[view.name]?.();
      return walk && (lists[view.name] = walk);
    });
    const all = [...this.own.values()].map((one): Judged => {
      const { exchange: single, record } = singles.get(one.id) ?? { exchange: one.created, record: null };
      const { exchange: wrote, change } = this.#writes.get(one.id) ?? { exchange: one.created, change: null };
      const say: Judged['say'] = (code, field, expected, actual, more = {}) => {
        const part = { value: record, pointer: `/${field}` };
        const said = { id: one.id, code, field, actual, soft: false, exchanges: [wrote, single], part };
        return { ...said, expected: `${expected}${one.where === '' ? '' : `, written${one.where}`}`, ...more };
      };
      return { one, views: this.#views, others: this.#others, single, record, change, wrote, say };
    });
    const findings = all.flatMap((judged, at) => {
      if (judged.change === 'deleted') return stillThere(judged, lists.list);
      if (judged.record === null) return missing(judged, this.#writes);
      const found = [
        ...fieldsOf(judged),
        ...listing(judged, lists.list),
        ...filtering(judged, lists.available, this.own),
      ];
      return at === 0 ? [...found, ...shownOtherwise(judged)] : found;
    });
    // A create whose answer was lost may have made a record all the same.
    const isLost = ({ request, response }: Exchange): boolean =>
      request.method === 'POST' && (response?.status ?? 500) >= 500;
    const lost = (await this.#check.run.exchanges()).filter(isLost).map(sentIn);
    findings.push(...statusesOf(all), ...spread(this.own, this.#writes, this.#listed, lists.list, lost));
    const isTwice = ({ field }: Finding): boolean =>
      findings.filter((one) => one.isMoved && one.field === field).length > 1;
    return {
      findings: findings.filter((one) => one.isMoved !== true || isTwice(one)),
      shown: new Map([...singles].flatMap(([id, { record }]) => (record === null ? [] : [[id, record] as const]))),
      listed: lists.list?.complete === true ? lists.list.items : null,
    };
  }
}

const quoted = ({ views, one }: Judged): string => `${views.noun} ${quote(one.id)}`;
const exchangesOf = ({ wrote }: Judged, { pages }: Walk): Exchange[] => [wrote, ...pages.map((page) => page.exchange)];

/** A deletion that left the record as it was: it may be marked as deleted instead. */
function stillThere(judged: Judged, list: Walk | undefined): readonly Finding[] {
  const { one, record, say } = judged;
  const left = record ?? asObject(list?.items.find((item) => idOf(item) === one.id));
  if (left === null || one.shown === null || differences(one.shown, left).length > 0) return [];
  const expected = `${quoted(judged)} gone, or marked as deleted, ${soon} DELETE was answered with a success`;
  return [say('not-deleted', 'deletion', expected, `it is still ${record === null ? 'listed' : 'there'}, unchanged`)];
}

/** A new record that cannot be read, or one that is gone after the deletion of another. An overload and an error of a server say nothing. */
function missing({ one, views, single, say }: Judged, writes: Writes): readonly Finding[] {
  const [noun, status] = [views.noun, single.response?.status ?? 500];
  if (status === 429 || status >= 500) return [];
  const isLate = one.created.response?.status === 202;
  const expected = `the ${noun} ${quote(one.id)} that was just created`;
  if (one.shown === null) return [say('not-shown', 'id', expected, describe(single), { isLate })];
  const [id, deletion] = [...writes].find(([, { change }]) => change === 'deleted') ?? [];
  if (deletion === undefined || !isGone(single)) return [];
  const what = `DELETE of ${noun} ${quote(id)} to delete no other ${noun}`;
  return [say('other-deleted', 'id', what, describe(single), { exchanges: [deletion.exchange, single] })];
}

/** What was written is kept, and what was not named stays as it was shown. */
function fieldsOf({ one, change, record, views, others, say }: Judged): readonly Finding[] {
  const { sent, shown } = one;
  const named = change === 'created' ? sent : (asObject(change) ?? {});
  return Object.entries({ ...sent, ...named }).flatMap(([name, value]) => {
    const [was, is] = [shown?.[name], record?.[name]];
    if (one.open.has(name)) return [];
    if (!(name in named)) {
      const isPlain = /^(string|number|boolean)$/.test(typeof value);
      if (shown === null || !isPlain || !sameJson(was, value) || sameJson(was, is)) return [];
      const what =
        Object.keys(named).length === 0
          ? 'nothing was written'
          : `the change named ${Object.keys(named).join(', ')} only`;
      const actual = is === undefined ? 'it is not shown any more' : quote(is);
      // A workflow may move a record on.
      const isMoved = change === null || name === 'status';
      return [say('changed', name, `${name} to stay ${quote(was)}, as ${what}`, actual, { isMoved })];
    }
    // Null may say that nothing is to change.
    const isOld = was !== undefined && sameJson(is, was) && !sameJson(was, value);
    const expected = `${name} ${quote(value)}, ${soon} PATCH was answered with a success`;
    if (isOld && !views.isSetByService(name))
      return [say('stale', name, expected, quote(is), { soft: value === null })];
    // What was masked or normalised before may be so again.
    const loss = shown === null || sameJson(was, sent[name]) ? lossOf(name, value, record ?? {}, others) : null;
    if (loss === null) return [];
    const how = `the ${shown === null ? 'created' : 'changed'} ${views.noun} to keep`;
    return [
      say('not-kept', name, `${how} ${loss.expected}`, loss.actual, {
        soft: loss.soft === true || !views.isDeclared(name),
      }),
    ];
  });
}

/** Whatever status was sent, every new record shows the same. A service may refuse a status for a new record, or map some of them. */
function statusesOf(all: readonly Judged[]): readonly Finding[] {
  const made = all.filter(({ change, record }) => change === 'created' && record !== null);
  const sent = new Set(made.map(({ one }) => one.sent['status']));
  const shown = new Set(made.map(({ record }) => record?.['status']));
  const [first] = made;
  if (first === undefined || sent.size < 2 || sent.has(undefined) || shown.size !== 1) return [];
  const expected = `${first.views.noun}s created with the statuses ${[...sent].map(quote).join(', ')} to show them`;
  const soft = !first.views.isDeclared('status');
  const exchanges = made.map(({ wrote }) => wrote);
  const actual = `each of them shows ${[...shown].map(quote).join('')}`;
  return [first.say('status-ignored', 'status', expected, actual, { soft, exchanges })];
}

/** What the answer to the creation showed otherwise. */
function shownOtherwise({ one, change, record, say }: Judged): readonly Finding[] {
  const answered = change === 'created' ? recordIn(one.created, one.id) : null;
  return differences(answered ?? record, record)
    .slice(0, 2)
    .map(({ pointer, left, right }) => {
      const actual = `${quote(left)}, then ${quote(right)}`;
      return say('creation-differs', pointer, `${pointer} as the creation showed it`, actual, {
        soft: true,
        part: { value: record, pointer },
      });
    });
}

/** A new record is listed, and the list shows what was changed. */
function listing(judged: Judged, list: Walk | undefined): readonly Finding[] {
  const { one, change, record, say, views } = judged;
  if (list === undefined || change === null) return [];
  const listed = asObject(list.items.find((item) => idOf(item) === one.id));
  const exchanges = exchangesOf(judged, list);
  if (listed === null && list.complete && change === 'created') {
    // A record in a state that no listed one has, such as a draft, may not be in stock yet.
    const isListedState = list.items.some((item) => asObject(item)?.['status'] === record?.['status']);
    const soft = !isListedState || isFromCache(list);
    const expected = `the ${quoted(judged)} in the ${views.noun} list, ${soon} it was created`;
    const actual = `${list.items.length} ${views.noun}s, without it`;
    return [say('not-listed', 'list', expected, actual, { soft, exchanges })];
  }
  return Object.entries(asObject(change) ?? {}).flatMap(([name, value]) => {
    const old = one.shown?.[name] ?? null;
    if (listed === null || old === null || !sameJson(listed[name], old) || sameJson(record?.[name], old)) return [];
    const expected = `${name} ${quote(value)} in the ${views.noun} list, ${soon} PATCH was answered with a success`;
    const actual = `${quoted(judged)} is listed with ${quote(old)}`;
    const part = { value: listed, pointer: `/${name}` };
    return [say('listed-stale', `listed ${name}`, expected, actual, { exchanges, part })];
  });
}

/** The list filtered by status=available holds a record exactly where it is available. */
function filtering(judged: Judged, available: Walk | undefined, own: ReadonlyMap<string, unknown>): readonly Finding[] {
  const status = judged.record?.['status'];
  if (available === undefined || typeof status !== 'string' || isFromCache(available)) return [];
  const { one, say, views } = judged;
  const found = available.items.find((item) => idOf(item) === one.id);
  const isIn = found !== undefined;
  // A filter that lists others of another status, too, leaves out nothing: that is judged where records are listed.
  const isFilter = available.items.every(
    (item) => own.has(idOf(item) ?? '') || asObject(item)?.['status'] === 'available',
  );
  const isOwed = status === 'available';
  if (isOwed ? isIn || !available.complete : !isIn || !isFilter) return [];
  const where = `${isOwed ? '' : 'not '}in the list filtered by status=available, ${soon} it was written`;
  const expected = `the ${quoted(judged)}, whose status is ${quote(status)}, ${where}`;
  const actual = `${available.items.length} ${views.noun}s, ${isIn ? 'with' : 'without'} it`;
  const more = { exchanges: exchangesOf(judged, available), part: { value: found, pointer: '/status' } };
  return [say('not-filtered', 'filter', expected, actual, more)];
}

/** Whether a value is hardly met with by chance. */
const isTelling = (value: unknown): boolean =>
  typeof value === 'string' ? value.length >= 12 : typeof value === 'number' && Math.abs(value) >= 10_000;

/** What writes did to records of others: somebody else may write at the same time, but not the same values. */
function spread(
  own: Effects['own'],
  writes: Writes,
  before: readonly unknown[] | null,
  list: Walk | undefined,
  lost: readonly (Json | null)[],
): readonly Finding[] {
  if (list === undefined || before === null) return [];
  const known = byIds(before);
  const others = [...byIds(list.items)].filter(([other]) => !own.has(other));
  return [...writes].flatMap(([id, { exchange, change }]) => {
    const values = change === 'deleted' ? {} : { ...own.get(id)?.sent, ...(change === 'created' ? {} : change) };
    const telling = Object.entries(values).filter(
      ([name, value]) =>
        isTelling(value) &&
        [...own.values()].every((other) => other.id === id || other.sent[name] !== value) &&
        lost.every((sent) => sent?.[name] !== value) &&
        before.every((item) => idOf(item) === id || asObject(item)?.[name] !== value),
    );
    return others.flatMap(([other, is]) => {
      const was = known.get(other);
      const shows = ([name, value]: [string, unknown]): boolean =>
        asObject(is)?.[name] === value && (was !== undefined || typeof value === 'string');
      const [name, value] = telling.find(shows) ?? [];
      if (name === undefined) return [];
      const changed = `${name} of ${quote(other)} was ${quote(asObject(was)?.[name])} and is ${quote(value)}, too`;
      const copied = `there is a new one, ${quote(other)}, with the same ${name}, ${quote(value)}`;
      const expected = `${exchange.request.method} of ${quote(id)} to touch no other record`;
      const exchanges = [exchange, ...list.pages.map((page) => page.exchange)];
      const part = { value: is, pointer: `/${name}` };
      const found = { id, code: 'other-changed', field: 'other', soft: false, expected, exchanges, part };
      return { ...found, actual: was === undefined ? copied : changed };
    });
  });
}
