import { decodeJson, type Exchange } from '../http/index.js';
import { type Check, describe, type RequestOptions } from '../run/index.js';
import { addressForms, urlIn } from '../settings/index.js';
import {
  asObject,
  isGone,
  isRefusal,
  isSuccess,
  type Page,
  paths,
  quote,
  recordIn,
  sameJson,
  settled,
  walk,
} from '../service/index.js';
import {
  type Caller,
  changeableLead,
  changeOf,
  createUnit,
  removeUnit,
  unitCreation,
  unitsIfReadable,
  visiblePatch,
  wholeList,
} from '../api/index.js';
import type { Reading } from './effects.js';

type Json = Readonly<Record<string, unknown>>;

/** Who asks, and where. */
export type Asking = Pick<RequestOptions, 'as' | 'tenant' | 'form' | 'surface'>;

/** A write of a record: what it sends, drawn anew each time, given the record as it is; null where nothing can be sent. */
interface Write {
  readonly method: string;
  draw(record: Json): Promise<{ readonly path: string; readonly json: unknown } | null>;
}

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
  const id = creation === null ? null : await createUnit(check, owner.as, owner.tenant);
  if (creation === null || id === null) return null;
  const { contract } = await check.contract();
  const path = paths.unit(id);
  const patched = async (record: Json): Promise<unknown> =>
    (await visiblePatch(check, id, record))?.body ?? creation.patch(check);
  const draws = {
    PATCH: async (record: Json) => ({ path, json: await patched(record) }),
    PUT: () => Promise.resolve({ path, json: creation.body(check) }),
    DELETE: () => Promise.resolve({ path, json: undefined }),
  };
  return {
    name: `unit ${quote(id)}`,
    id,
    path,
    writes: Object.entries(draws)
      .filter(([method]) => contract.operation(method, path) !== null)
      .map(([method, draw]) => ({ method, draw })),
    async look() {
      const exchange = await check.send({ ...owner, path });
      return { exchange, record: recordIn(exchange, id) };
    },
    isIt: null,
    remove: () => removeUnit(check, id, owner),
  };
}

/** A lead of this owner; null where the document declares no way to change leads. */
export async function leadVictim(check: Check, owner: Asking): Promise<Victim | null> {
  const lead = await changeableLead(check, owner);
  if (lead === null) return null;
  const draw: Write['draw'] = async (record) => {
    const change = (await changeOf(check, lead, record)) ?? (await changeOf(check, lead, { status: '', name: '' }));
    return change === null ? null : { path: change.path, json: change.body };
  };
  return {
    name: `lead ${quote(lead.id)}`,
    id: lead.id,
    path: lead.single,
    writes: [{ method: 'PATCH', draw }],
    look: async () => (await lead.look()) ?? { exchange: lead.created, record: null },
    isIt: (record) => record?.['phone'] === lead.sent['phone'],
    remove: () => Promise.resolve(),
  };
}

/** A write that was tried, with the fields that it sent. */
interface Try {
  readonly asking: Asking;
  readonly exchange: Exchange;
  readonly sent: Json | null;
}

/**
 * Nobody of these callers may write the record: each of its writes is tried as each of them, and has no effect. `isTaken` tells an answer that
 * itself is a breach. Ends with the first breach, and hands back a field that was changed, as it was; null for none.
 */
export async function withoutEffect(
  check: Check,
  victim: Pick<Victim, 'name' | 'writes' | 'look'>,
  callers: readonly Asking[],
  { expected, isTaken }: { readonly expected: string; readonly isTaken: (answer: Exchange) => boolean },
): Promise<Json | null> {
  let { record: before } = await victim.look();
  const attempt = async (asking: Asking, { method, draw }: Write): Promise<Try | null> => {
    const request = await draw(before ?? {});
    if (request === null) return null;
    const { path, json } = request;
    const exchange = await check.send({ ...asking, method, path, ...(json === undefined ? {} : { json }) });
    return { asking, exchange, sent: method === 'DELETE' ? null : asObject(json) };
  };
  const lookAfter = (): Promise<Reading> =>
    settled(check, victim.look, ({ exchange, record }) => record !== null || !isGone(exchange));
  const say = (
    code: string,
    { exchange }: Try,
    what: string,
    field: string | null,
    ...others: readonly Exchange[]
  ): Json | null => {
    const actual = `${describe(exchange)}${isRefusal(exchange) ? ', refused' : ''}: ${what}`;
    check.fail({ code, expected, actual, ...(field !== null && { field }), exchanges: [exchange, ...others] });
    return field === null ? null : { [field]: before?.[field] };
  };
  for (const write of victim.writes) {
    const tries: Try[] = [];
    for (const asking of callers) {
      const tried = await attempt(asking, write);
      if (tried !== null) tries.push(tried);
    }
    const taken = tries.find(({ exchange }) => isTaken(exchange));
    if (taken !== undefined) return say('write-taken', taken, `it is a success for the ${victim.name}`, null);
    const [last] = tries.slice(-1);
    const after = last === undefined || before === null ? null : await lookAfter();
    if (last === undefined || after === null || after.exchange.response === null) continue;
    if (after.record === null)
      return isGone(after.exchange)
        ? say('write-deleted', last, `the ${victim.name} is gone`, null, after.exchange)
        : null;
    const hit = tries.find((one) => effectOf(one, before, after.record) !== null);
    if (hit === undefined) continue;
    const words = (field: string): string => `its ${field} is now ${quote(hit.sent?.[field])}, as sent`;
    const first = effectOf(hit, before, after.record) ?? '';
    const was = before;
    before = after.record;
    // A record may move on by itself once, but not twice in a row to what was sent.
    const again = await attempt(hit.asking, write);
    const later = again === null ? null : await lookAfter();
    if (again === null || later === null || effectOf(again, before, later.record) === null) continue;
    before = was;
    return say('write-changed', again, `${words(first)}, as was the next one`, first, after.exchange, later.exchange);
  }
  return null;
}

/** The field that shows what a write sent, and did not before; null for none. */
function effectOf({ sent }: Try, before: Json | null, now: Json | null): string | null {
  const fields = Object.entries(sent ?? {}).filter(
    ([name, value]) => name !== 'id' && sameJson(now?.[name], value) && !sameJson(before?.[name], value),
  );
  return fields[0]?.[0] ?? null;
}

/** The texts that a body holds, by their fields. */
const textsOf = (body: unknown): [string, string][] =>
  Object.entries(asObject(body) ?? {}).filter(
    (field): field is [string, string] => typeof field[1] === 'string' && field[1].length >= 6,
  );
const sentTexts = ({ request }: Exchange): [string, string][] => textsOf(decodeJson(request.body?.toString() ?? null));

/** What a write left behind: the first record of these pages that holds a sent text and is none of `known`; null for none. */
export function traceIn(
  pages: readonly Pick<Page, 'exchange' | 'items'>[],
  texts: ReadonlySet<string>,
  known: readonly unknown[] = [],
): { readonly record: unknown; readonly text: string; readonly exchange: Exchange } | null {
  const textIn = (value: unknown): string | undefined =>
    typeof value === 'string'
      ? [value].find((one) => texts.has(one))
      : Object.values(Object(value) as object)
          .map(textIn)
          .find(Boolean);
  for (const { exchange, items } of pages)
    for (const record of items ?? []) {
      const text = textIn(record);
      if (text !== undefined && !known.some((other) => sameJson(other, record))) return { record, text, exchange };
    }
  return null;
}

/**
 * Writes that these callers may not do have no effect: changes and deletions of a unit that is made for it, tried under each address form, and the
 * creates that this check sent before and that were refused. No record is listed with a text that only one of them had. Of a lead, that is the name.
 */
export async function refusedWrites(check: Check, callers: readonly Caller[]): Promise<void> {
  const [caller] = callers;
  const victim = caller === undefined ? null : await unitVictim(check, {});
  if (victim !== null && caller !== undefined) {
    const askings = callers.flatMap(({ as }) => addressForms(check.target).map((form) => ({ as, form })));
    const expected = `a write of ${caller.label} to be refused, and to have no effect`;
    await withoutEffect(check, victim, askings, { expected, isTaken: isSuccess });
    await victim.remove();
  }
  const { contract } = await check.contract();
  const sent = (await check.run.exchanges()).filter(
    ({ asker, request }) => asker === check.entry.id && request.method === 'POST',
  );
  const known = new Set((await unitsIfReadable(check)).flatMap((unit) => Object.values(asObject(unit) ?? {})));
  const counts = new Map<string, number>();
  const drawn = textsOf((await unitCreation(check))?.body(check));
  for (const [, text] of [...drawn, ...sent.flatMap(sentTexts)]) counts.set(text, (counts.get(text) ?? 0) + 1);
  for (const { kind, path, list } of [
    { kind: 'unit', path: paths.units, list: () => wholeList(check) },
    { kind: 'lead', path: paths.leads, list: () => walk(check, { path: paths.leads, limit: 50, maxPages: 30 }) },
  ]) {
    const places = addressForms(check.target).map((form) => urlIn(form, path, check.target));
    const refused = sent
      .filter((one) => places.includes(one.request.url) && isRefusal(one))
      .filter(({ request }) => request.credential !== 'API_KEY' && request.credential !== 'OTHER_API_KEY')
      .flatMap((exchange) => sentTexts(exchange).map(([field, text]) => ({ field, text, exchange })))
      .filter(({ field, text }) => counts.get(text) === 1 && !known.has(text) && (kind === 'unit' || field === 'name'));
    if (refused.length === 0 || (kind === 'lead' && contract.operation('GET', path) === null)) continue;
    const { pages } = await list();
    const trace = traceIn(pages, new Set(refused.map(({ text }) => text)));
    const create = refused.find(({ text }) => text === trace?.text);
    if (trace === null || create === undefined) continue;
    check.fail({
      code: 'refused-create-kept',
      expected: `a refused create of a ${kind} to have no effect`,
      actual: `${describe(create.exchange)}, and a ${kind} with ${quote(trace.text)}, sent as ${create.field}, is listed`,
      exchanges: [create.exchange, trace.exchange],
    });
  }
}
