import {
  asArray,
  asObject,
  idIn,
  isGone,
  paths,
  recordId,
  recordIn,
  settled,
  walk,
  type Walk,
  type WalkOptions,
} from '../../service/index.js';
import { isTestName } from './leads.js';
import { type Exchange, percentEncode } from '../../http/index.js';
import type { Check } from '../../run/index.js';
import type { AddressForm } from '../../settings/index.js';
import type { LeadOutcome, LeadSession } from './lead-session.js';
import type { ReadBack } from './kept-leads.js';

/** Declared ways to read leads. */
export interface Readers {
  readonly one: string | null;
  readonly list: string | null;
}

export async function leadReaders(check: Check): Promise<Readers> {
  const { contract } = await check.contract();
  const declared = contract.operations.filter((operation) => operation.method.toUpperCase() === 'GET');
  const one = declared.find((operation) => operation.role === 'lead' && /\{[^{}]+\}$/.test(operation.fullTemplate));
  const list = declared.find((operation) => operation.role === 'leads');
  return { one: one?.fullTemplate ?? null, list: list === undefined ? null : paths.leads };
}

/** Judges one lead as an answer shows it. */
type JudgeRead = (outcome: LeadOutcome, exchange: Exchange, shown: Record<string, unknown> | null) => Promise<void>;

/** Reads leads by their ids, as many as the budget allows, and all that the list shows; null where ids do not tell the leads apart. */
export async function readBack(
  check: Check,
  session: LeadSession,
  readers: Readers,
  taken: readonly LeadOutcome[],
  judge: JudgeRead,
  form: AddressForm = 'first',
): Promise<ReadBack | null> {
  const leads = new Map<string, LeadOutcome>();
  for (const outcome of taken) {
    const id = idIn(outcome.exchange);
    // Equal ids for different leads are another requirement's matter; nothing shows which of them this is.
    if (id !== null) leads.set(id, outcome);
  }
  if (leads.size < taken.filter((outcome) => idIn(outcome.exchange) !== null).length) return null;
  const unnamed = taken.filter(({ exchange }) => idIn(exchange) === null);
  const list = readers.list === null ? null : await listOf(check, { path: readers.list, form }, unnamed);
  for (const page of list?.pages ?? []) {
    for (const item of asArray(page.items) ?? []) {
      const record = asObject(item);
      const outcome = leads.get(recordId(record) ?? '') ?? ownerOf(unnamed, record);
      if (outcome) await judge(outcome, page.exchange, record);
    }
  }
  const [shownIds, gone]: [string[], string[]] = [[], []];
  const reserve = check.run.depth === 'gate' ? 4 : 60;
  for (const [id, outcome] of [...leads].sort(([, a], [, b]) => telling(b) - telling(a))) {
    if (readers.one === null || session.left <= reserve) break;
    const exchange = await check.send({ path: pathOf(readers, id) });
    const shown = recordIn(exchange);
    const ownId = recordId(shown);
    if (isGone(exchange)) gone.push(id);
    if (shown === null || (ownId !== null && ownId !== id)) continue;
    shownIds.push(id);
    await judge(outcome, exchange, shown);
  }
  return { leads, list, shown: shownIds, gone };
}

/**
 * The lead that a record shows, of those whose creates were answered without an id, by its name, or else by its phone and vehicle together;
 * undefined where it may be another's.
 */
function ownerOf(unnamed: readonly LeadOutcome[], record: Record<string, unknown> | null): LeadOutcome | undefined {
  const own = (...names: readonly string[]): readonly LeadOutcome[] =>
    unnamed.filter(({ lead }) => names.every((name) => Boolean(lead[name]) && lead[name] === record?.[name]));
  const [byName, byRest] = [own('name'), isTestName(record?.['name']) ? [] : own('phone', 'vehicleId')];
  return byName.length === 1 ? byName[0] : byName.length === 0 && byRest.length === 1 ? byRest[0] : undefined;
}

/** The list of leads; where it alone shows leads, once it does. */
function listOf(check: Check, place: WalkOptions, unnamed: readonly LeadOutcome[]): Promise<Walk> {
  return settled(
    check,
    () => walk(check, { ...place, limit: 50, maxPages: 12 }),
    ({ items }) => unnamed.length === 0 || items.some((item) => ownerOf(unnamed, asObject(item)) !== undefined),
  );
}

export function pathOf({ one }: Readers, id: string): string {
  return (one ?? '').replace(/\{[^{}]+\}$/, percentEncode(id));
}

/** Names that most changes would show on come first. */
function telling({ one, lead }: LeadOutcome): number {
  const name = String(lead['name']);
  return (
    (one.strength === 'open' ? 0 : 4) +
    (one.field === 'name' ? 2 : 0) +
    // A name that is long shows what is cut; two of those are read before the rest.
    (name.length > 60 && one.strength !== 'open' ? 2 : 0) +
    (/['"<&]| {2}|[^\x00-\x7f]/.test(name) || name.length > 60 ? 1 : 0)
  );
}

/** The answers that show a lead: the one that created it, and the one that reads it by its id. */
export async function shownIn(
  check: Check,
  readers: Readers,
  made: Exchange,
  forms: readonly AddressForm[] = ['first'],
): Promise<Exchange[]> {
  const id = idIn(made);
  const shown = [made];
  if (id === null || readers.one === null) return shown;
  for (const form of forms) shown.push(await check.send({ path: pathOf(readers, id), form }));
  return shown;
}
