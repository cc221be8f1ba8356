import type { Exchange } from '../http/index.js';
import { type Breach, type Check, describe, type RequestOptions } from '../run/index.js';
import { addressForms, urlIn } from '../settings/index.js';
import {
  asObject,
  idIn,
  isGone,
  isRefusal,
  isSuccess,
  type Page,
  paths,
  quote,
  recordIn,
  sameJson,
  sentIn,
  settled,
  walk,
  type WalkOptions,
} from '../service/index.js';
import {
  type Asking,
  type Caller,
  changeableLead,
  changeOf,
  createUnit,
  isUnguessable,
  removeUnit,
  rightOf,
  unitCreation,
  unitsIfReadable,
  visiblePatch,
  wholeList,
} from '../api/index.js';
import type { Reading } from './effects.js';

type Json = Readonly<Record<string, unknown>>;

/** A write of a record as it is, drawn anew each time; null where nothing can be sent. */
type Write = (record: Json) => Promise<Pick<RequestOptions, 'method' | 'path' | 'json' | 'headers'> | null>;

/** A record that was made for the purpose, and that others may not write. */
export interface Victim {
  /** `unit "7"`. */
  readonly name: string;
  readonly id: string;
  /** Where it is read; null where no such operation is declared. */
  readonly path: string | null;
  readonly writes: readonly Write[];
  /** How its owner sees it. */
  look(): Promise<Reading>;
  /** Whether a record is this one, where one alone tells: a unit is recognised beside those of both tenants only. */
  readonly isIt: ((record: Json | null) => boolean) | null;
  remove(): Promise<void>;
}

/** A unit of this owner; null where none can be made. */
export async function unitVictim(check: Check, owner: Asking): Promise<Victim | null> {
  const creation = await unitCreation(check);
  const id = creation === null ? null : await createUnit(check, owner);
  if (creation !== null && id === null && !check.target.readOnly)
    check.observe(
      'Were changes and deletions of units tried?',
      `no: none could be created with ${typeof owner.as === 'string' ? owner.as : 'API_KEY'} to try them on (see UNIT-11)`,
      {
        remedy: { act: 'set', names: ['UNIT_BODY'] },
      },
    );
  if (creation === null || id === null) return null;
  const { contract } = await check.contract();
  const path = paths.unit(id);
  const bodies = {
    PATCH: async (record: Json) => (await visiblePatch(check, id, record))?.body ?? creation.patch(check),
    PUT: () => creation.body(check),
    DELETE: () => undefined,
  };
  return {
    name: `unit ${quote(id)}`,
    id,
    path,
    writes: Object.entries(bodies)
      .filter(([method]) => contract.operation(method, path) !== null)
      .map(([method, body]) => async (record) => ({ method, path, json: await body(record) })),
    look: () => lookAtUnit(check, id, owner),
    isIt: null,
    remove: () => removeUnit(check, id, owner),
  };
}

/** A unit as its owner sees it. */
export async function lookAtUnit(check: Check, id: string, owner: Asking = {}): Promise<Reading> {
  const exchange = await check.send({ ...owner, path: paths.unit(id) });
  return { exchange, record: recordIn(exchange, id) };
}

/** A lead of this owner; null where the document declares no way to change leads. */
export async function leadVictim(check: Check, owner: Asking): Promise<Victim | null> {
  const lead = await changeableLead(check, owner);
  if (lead === null) return null;
  const write: Write = async (record) => {
    const change = (await changeOf(check, lead, record)) ?? (await changeOf(check, lead, { status: '', name: '' }));
    return change === null ? null : { method: 'PATCH', path: change.path, json: change.body };
  };
  return {
    name: `lead ${quote(lead.id)}`,
    id: lead.id,
    path: lead.single,
    writes: [write],
    look: async () => (await lead.look()) ?? { exchange: lead.created, record: null },
    isIt: (record) => record?.['phone'] === lead.sent['phone'],
    remove: () => Promise.resolve(),
  };
}

/**
 * Nobody of these callers may write the record: each of its writes is tried as each of them, and has no effect. `isTaken` tells an answer that
 * itself is a breach. Ends with the first breach, and hands back a field that was changed, as it was; null for none.
 */
export async function withoutEffect(
  check: Check,
  { name, writes, look }: Pick<Victim, 'name' | 'writes' | 'look'>,
  callers: readonly Asking[],
  {
    expected,
    isTaken,
  }: { readonly expected: (write: Exchange) => string; readonly isTaken: (answer: Exchange) => boolean },
): Promise<Json | null> {
  let { record: before } = await look();
  const fail = (code: string, exchange: Exchange, what: string, more: Partial<Breach> = {}): null => {
    const actual = `${describe(exchange)}${isRefusal(exchange) ? ', refused' : ''}: ${what}`;
    check.fail({ code, expected: expected(exchange), actual, exchanges: [exchange], part: 'status', ...more });
    return null;
  };
  for (const write of writes) {
    const first = before;
    // A record may move on by itself once, but not twice in a row to what was sent.
    for (const isLast of [false, true]) {
      const tries: Exchange[] = [];
      for (const asking of callers) {
        const request = await write(before ?? {});
        if (request !== null) tries.push(await check.send({ ...asking, ...request }));
      }
      const taken = tries.find(isTaken);
      if (taken !== undefined) return fail('write-taken', taken, `it is a success for the ${name}`);
      const last = tries.at(-1);
      if (last === undefined || before === null) break;
      const after = await settled(check, look, ({ exchange, record }) => record !== null || !isGone(exchange));
      const exchanges = [last, after.exchange];
      if (after.record === null)
        return isGone(after.exchange) ? fail('write-deleted', last, `the ${name} is gone`, { exchanges }) : null;
      const [was, now] = [before, after.record];
      const [hit] = tries.flatMap((one) => effectsOf(one, was, now).map((field) => ({ exchange: one, field })));
      if (hit === undefined) break;
      before = now;
      if (!isLast) continue;
      const { exchange, field } = hit;
      const what = `its ${field} was ${quote(was[field])} and is now ${quote(now[field])}, as sent, in two tries`;
      fail('write-changed', exchange, what, {
        field,
        exchanges: [exchange, after.exchange],
        part: { value: now, pointer: `/${field}` },
      });
      return { [field]: first?.[field] };
    }
  }
  return null;
}

/** The fields that show what a write sent, and did not before. */
function effectsOf(write: Exchange, before: Json, now: Json): readonly string[] {
  return Object.entries(sentIn(write) ?? {})
    .filter(([name, value]) => name !== 'id' && sameJson(now[name], value) && !sameJson(before[name], value))
    .map(([name]) => name);
}

/** The texts that a body holds, by their fields. */
const textsOf = (body: unknown): [string, string][] =>
  Object.entries(asObject(body) ?? {}).filter(
    (field): field is [string, string] => typeof field[1] === 'string' && field[1].length >= 6,
  );

const sentTexts = new WeakMap<Exchange, [string, string][]>();

/** The texts of a request's body; those of a run are read many times. */
function textsSent(exchange: Exchange): [string, string][] {
  const texts = sentTexts.get(exchange) ?? textsOf(sentIn(exchange));
  sentTexts.set(exchange, texts);
  return texts;
}

/** What a write left behind: the first record of these pages that holds a sent text and is none of `known`; null for none. */
export function traceIn(
  pages: readonly Pick<Page, 'exchange' | 'items'>[],
  sent: { has(text: string): boolean },
  known: readonly unknown[] = [],
): { readonly record: unknown; readonly text: string; readonly exchange: Exchange } | null {
  const textsIn = (value: unknown): string[] =>
    typeof value === 'string' ? [value] : Object.values(Object(value) as object).flatMap(textsIn);
  for (const { exchange, items } of pages)
    for (const record of items ?? []) {
      const text = textsIn(record).find((one) => sent.has(one));
      if (text !== undefined && !known.some((other) => sameJson(other, record))) return { record, text, exchange };
    }
  return null;
}

/**
 * Writes that callers may not do have no effect: changes and deletions of a unit and a lead that are made for it, tried under each address form, and
 * the creates that this check sent before and that were refused. No record is listed with a text that only one of them had. Of a lead, that is the name.
 */
export async function refusedWrites(check: Check, callers: readonly Caller[]): Promise<void> {
  const forms = addressForms(check.target);
  for (const [resource, victimOf] of [
    ['inventory', unitVictim],
    ['leads', leadVictim],
  ] as const) {
    const caller = callers.find(({ scope }) => rightOf(scope, { resource, writes: true }) === 'refused');
    const victim = caller === undefined ? null : await victimOf(check, {});
    if (caller === undefined || victim === null) continue;
    const expected = `a write of ${caller.label} to be refused, and to have no effect`;
    const askings = forms.map((form) => ({ as: caller.as, form }));
    // Who may read must not delete by a header, either.
    const { path, writes } = victim;
    const deletion = { method: 'GET', path: path ?? '', headers: [['x-http-method-override', 'DELETE']] } as const;
    const tried = resource === 'inventory' ? [...writes, () => Promise.resolve(deletion)] : writes;
    await withoutEffect(check, { ...victim, writes: tried }, askings, {
      expected: () => expected,
      isTaken: (answer) => isSuccess(answer) && answer.request.method !== 'GET',
    });
    await victim.remove();
  }
  const units = await unitsIfReadable(check);
  for (const kind of ['unit', 'lead'] as const)
    await keptCreates(check, kind, {
      code: 'refused-create-kept',
      expected: `a refused create of a ${kind} to have no effect`,
      isTried: (one) => !/^(OTHER_)?API_KEY$/.test(one.request.credential ?? '') && isRefusal(one),
      owner: {},
      units,
    });
}

/** Creates that their senders may not make, and with whom they would show. */
interface Creates {
  readonly code: string;
  readonly expected: string;
  isTried(create: Exchange): boolean;
  readonly owner: Pick<WalkOptions, 'as' | 'tenant'>;
  readonly units: readonly unknown[];
}

/** No create that this check sent, and that `isTried` selects, is listed with its owner: no record there has a text that only one of them had. */
export async function keptCreates(
  check: Check,
  kind: 'unit' | 'lead',
  { code, expected, isTried, owner, units }: Creates,
): Promise<void> {
  const { contract } = await check.contract();
  const sent = (await check.run.exchanges()).map((exchange) => ({ exchange, texts: textsSent(exchange) }));
  const drawn = textsOf((await unitCreation(check))?.body(check));
  // A text that a list has anyway, or that this run sent elsewhere, tells nothing.
  const known = new Set(units.flatMap((unit) => Object.values(asObject(unit) ?? {})));
  const once = new Set<string>();
  for (const [, text] of [...drawn, ...sent.flatMap(({ texts }) => texts)])
    if (!once.delete(text) && !known.has(text)) once.add(text);
    else known.add(text);
  const path = kind === 'unit' ? paths.units : paths.leads;
  const places = addressForms(check.target).map((form) => urlIn(form, path, check.target));
  const tried = sent
    .filter(({ exchange: { asker, request } }) => asker === check.entry.id && request.method === 'POST')
    .filter(({ exchange }) => places.includes(exchange.request.url) && isTried(exchange))
    .flatMap(({ exchange, texts }) => {
      const telling = texts.filter(([field, text]) => once.has(text) && (kind === 'unit' || field === 'name'));
      const id = isSuccess(exchange) ? (idIn(exchange) ?? '') : '';
      const marks = isUnguessable(id) ? [...telling, ['id', id] as const] : telling;
      return marks.map(([field, text]) => ({ field, text, exchange }));
    });
  if (tried.length === 0 || (kind === 'lead' && contract.operation('GET', path) === null)) return;
  const { pages } = await (kind === 'unit'
    ? wholeList(check, owner)
    : walk(check, { ...owner, path, limit: 50, maxPages: 30 }));
  const trace = traceIn(pages, new Set(tried.map(({ text }) => text)));
  const create = tried.find(({ text }) => text === trace?.text);
  if (trace === null || create === undefined) return;
  check.fail({
    code,
    expected,
    actual: `${describe(create.exchange)}, and a ${kind} with ${quote(trace.text)}, sent as ${create.field}, is listed`,
    exchanges: [create.exchange, trace.exchange],
    part: { value: trace.record },
  });
}
