import {
  asObject,
  dataOf,
  idIn,
  isGone,
  isSuccess,
  patienceSeconds,
  paths,
  recordId,
  recordIn,
  settled,
  walk,
  type Walk,
} from '../../service/index.js';
import { isTestName, listsSomeLeads, sentLead } from './leads.js';
import { type Exchange, percentEncode } from '../../http/index.js';
import { type Breach, type Check, describe } from '../../run/index.js';
import type { LeadOutcome, LeadSession } from './lead-session.js';
import { type Place, placesFor } from '../places.js';
import { visibleJson } from '../../generators/index.js';

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

/** Where a lead is read by its id. */
export const readingPlaces = (check: Check, readers: Readers): Promise<readonly Place[]> =>
  placesFor(check, 'GET', pathOf(readers, 'x'), 'API_KEY_READ_LEADS');

/** Where what was created in a place is read: a key that creates leads need not have the right to read them. */
export const readsOf = ({ name, options }: Place): Place['options'] => (name === 'scoped key' ? {} : options);

export function pathOf({ one }: Readers, id: string): string {
  return (one ?? '').replace(/\{[^{}]+\}$/, percentEncode(id));
}

/** The answers that show a lead: the one that created it, and the one that reads it by its id. */
export async function shownIn(
  check: Check,
  readers: Readers,
  created: Exchange,
  options: Place['options'] = {},
): Promise<Exchange[]> {
  const id = idIn(created);
  if (id === null || readers.one === null) return [created];
  return [created, await check.send({ ...options, path: pathOf(readers, id) })];
}

/** Leads that are missing before that counts: one may have been deleted by another user. */
export const fewestMissing = 2;

/**
 * The breach of leads each of which is answered as if there were none, at the latest, wherever it is read; null where one is there, or nothing declared
 * reads each.
 */
export async function missingLeads(
  check: Check,
  what: string,
  created: readonly Exchange[],
  callers: readonly Place['options'][] = [{}],
): Promise<Breach | null> {
  const readers = await leadReaders(check);
  const ids = created.map(idIn).filter((id) => id !== null);
  if (readers.one === null || ids.length === 0) return null;
  const read = async (): Promise<readonly Exchange[]> => {
    const answers: Exchange[] = [];
    for (const id of ids)
      for (const caller of callers) answers.push(await check.send({ ...caller, path: pathOf(readers, id) }));
    return answers;
  };
  const answers = await settled(check, read, (all) => !all.every(isGone));
  if (!answers.every(isGone)) return null;
  return {
    code: 'lead-missing',
    expected: `${what} to be there, at the latest ${String(patienceSeconds)} s after it was created`,
    actual: answers.map(describe).join(', '),
    exchanges: [...created, ...answers],
  };
}

/** Judges one lead as an answer shows it. */
type JudgeRead = (outcome: LeadOutcome, exchange: Exchange, shown: Record<string, unknown> | null) => Promise<void>;

/**
 * Judges accepted leads as reads show them: by their ids, in one place after another, as many as the budget allows, and in the list. What was accepted
 * can be read as the others can, and stands in the list among them.
 */
export async function readBack(
  check: Check,
  session: LeadSession,
  readers: Readers,
  taken: readonly LeadOutcome[],
  judge: JudgeRead,
): Promise<void> {
  const unnamed = taken.filter(({ exchange }) => idIn(exchange) === null);
  const leads = new Map(
    taken.flatMap((outcome) => {
      const id = idIn(outcome.exchange);
      return id === null ? [] : [[id, outcome] as const];
    }),
  );
  // Equal ids for different leads are another requirement's matter; nothing shows which of them this is.
  if (leads.size < taken.length - unnamed.length) return;
  const list = readers.list === null ? null : await listOf(check, unnamed);
  for (const { items, exchange } of list?.pages ?? [])
    for (const record of (items ?? []).map(asObject)) {
      const outcome = leads.get(recordId(record) ?? '') ?? ownerOf(unnamed, record);
      if (outcome) await judge(outcome, exchange, record);
    }
  const places = (await readingPlaces(check, readers)).filter(({ name }) => name !== 'second tenant');
  const gone: LeadOutcome[] = [];
  let shown = 0;
  const reserve = check.run.depth === 'gate' ? 4 : 60;
  for (const [at, [id, outcome]] of [...leads].sort(([, a], [, b]) => telling(b) - telling(a)).entries()) {
    if (readers.one === null || session.left <= reserve) break;
    const exchange = await check.send({ ...places[at % places.length]?.options, path: pathOf(readers, id) });
    const record = recordIn(exchange);
    if (isGone(exchange)) gone.push(outcome);
    if (record === null || (recordId(record) ?? id) !== id) continue;
    shown += 1;
    await judge(outcome, exchange, record);
  }
  const count = `${String(gone.length)} of ${String(gone.length + shown)} are not`;
  const lost = gone.slice(0, fewestMissing).map(({ exchange }) => exchange);
  const breach =
    shown > 0 && lost.length === fewestMissing
      ? await missingLeads(check, `each lead that was accepted (${count})`, lost)
      : null;
  if (breach !== null) check.fail(breach);
  else if (list !== null) await judgeListed(check, leads, list);
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

const walkLeads = (check: Check): Promise<Walk> => walk(check, { path: paths.leads, limit: 50, maxPages: 12 });

/** The list of leads; where it alone shows leads, once it does. */
const listOf = (check: Check, unnamed: readonly LeadOutcome[]): Promise<Walk> =>
  settled(
    check,
    () => walkLeads(check),
    ({ items }) => unnamed.length === 0 || items.some((item) => ownerOf(unnamed, asObject(item)) !== undefined),
  );

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

/**
 * A list that shows some of the accepted leads shows all of them. One that is truncated fails where the document declares a cursor that should lead
 * to the rest.
 */
async function judgeListed(check: Check, leads: ReadonlyMap<string, LeadOutcome>, list: Walk): Promise<void> {
  if (await listsSomeLeads(check)) return;
  const { contract } = await check.contract();
  const accepted = [...leads].filter(([, { one }]) => one.strength === 'must').map(([id]) => id);
  const ofRun = (await check.run.exchanges()).filter((one) => sentLead(one) !== null && isSuccess(one)).map(idIn);
  const lackedBy = ({ items }: Walk, ids: readonly (string | null)[] = accepted): readonly (string | null)[] => {
    const listed = new Set(items.map((item) => recordId(item)));
    return ids.filter((id) => !listed.has(id));
  };
  const isMissing = (found: Walk): boolean => found.complete && lackedBy(found).length >= fewestMissing;
  if (!isMissing(list) || lackedBy(list, ofRun).length === ofRun.length) return;
  const again = await settled(
    check,
    () => walkLeads(check),
    (found) => !isMissing(found),
  );
  // If nothing in the answer says that this is the last page, other parameters may lead to further pages.
  const isLastPage = again.pages.some(({ exchange }) => dataOf(exchange)?.['nextCursor'] !== undefined);
  if (!isMissing(again) || !isLastPage) return;
  const missing = lackedBy(again);
  check[contract.cursorParameter('GET', paths.leads) === null ? 'warn' : 'fail']({
    code: 'not-listed',
    expected: `each of ${String(accepted.length)} leads that were accepted in the declared list of leads, which ends there`,
    actual: `it lacks ${String(missing.length)} of them, such as ${visibleJson(missing[0])}`,
    exchanges: [
      ...missing.slice(0, 2).flatMap((id) => leads.get(id ?? '')?.exchange ?? []),
      ...again.pages.map(({ exchange }) => exchange),
    ],
  });
}

/** An id that no lead has shows no other lead, wherever it is asked for. */
export async function refuseUnknownIds(check: Check, readers: Readers): Promise<void> {
  if (readers.one === null) return;
  for (const { options, words } of await readingPlaces(check, readers)) {
    const answers: Exchange[] = [];
    for (let round = 0; round < 2; round += 1) {
      const asked = `no-lead-${check.fresh('unknown lead')}`;
      const exchange = await check.send({ ...options, path: pathOf(readers, asked) });
      const shown = recordIn(exchange);
      const id = recordId(shown);
      if (shown?.['phone'] === undefined || id === null || id === asked) break;
      answers.push(exchange);
    }
    if (answers.length === 2)
      check.fail({
        code: 'other-lead',
        expected: `no lead for an id that no lead has${words}`,
        actual: `${answers.map(describe).join(', ')}: each shows a lead with another id`,
        exchanges: answers,
      });
  }
}
