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
  type Walk,
} from '../../service/index.js';
import { isTestName, leadPath, listLeads, listsSomeLeads, sentLead } from './leads.js';
import type { Exchange } from '../../http/index.js';
import { type Check, describe } from '../../run/index.js';
import type { LeadOutcome, LeadSession } from './lead-session.js';
import { type Place, placesFor } from '../places.js';
import { visibleJson } from '../../generators/index.js';

/** Where what was created in a place is read: a key that creates leads need not have the right to read them. */
export const readsOf = ({ name, options }: Place): Place['options'] => (name === 'scoped key' ? {} : options);

/** Reads a lead by its id; null where the document declares no such operation. */
async function leadReader(
  check: Check,
): Promise<((id: string, options?: Place['options']) => Promise<Exchange>) | null> {
  const { contract } = await check.contract();
  if (contract.operation('GET', leadPath('x')) === null) return null;
  return (id, options) => check.send({ ...options, path: leadPath(id) });
}

/** The answers that show a lead: the one that created it, and the one that reads it by its id. */
export async function shownIn(check: Check, created: Exchange, options: Place['options'] = {}): Promise<Exchange[]> {
  const [id, read] = [idIn(created), await leadReader(check)];
  return id === null || read === null ? [created] : [created, await read(id, options)];
}

/** Leads that are missing before that counts: one may have been deleted by another user. */
export const fewestMissing = 2;

/** Fails where each of these leads is answered as if there were none, at the latest, wherever it is read; whether it did. */
export async function failIfMissing(
  check: Check,
  what: string,
  created: readonly Exchange[],
  callers: readonly Place['options'][] = [{}],
): Promise<boolean> {
  const read = await leadReader(check);
  const ids = created.map(idIn).filter((id) => id !== null);
  if (read === null || ids.length === 0) return false;
  const readAll = async (): Promise<readonly Exchange[]> => {
    const answers: Exchange[] = [];
    for (const id of ids) for (const caller of callers) answers.push(await read(id, caller));
    return answers;
  };
  const answers = await settled(check, readAll, (all) => !all.every(isGone));
  if (!answers.every(isGone)) return false;
  check.fail({
    code: 'lead-missing',
    expected: `${what} to be there, at the latest ${String(patienceSeconds)} s after it was created`,
    actual: answers.map(describe).join(', '),
    exchanges: [...created, ...answers],
    part: 'status',
  });
  return true;
}

/** An answer that shows a lead, or should. */
export interface LeadView {
  readonly outcome: LeadOutcome;
  readonly exchange: Exchange;
  readonly record: Record<string, unknown> | null;
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

/**
 * Created leads as the answers to creates, the list and, as many as the budget allows, reads by their ids show them; fails where they are missing. What
 * was created in the usual place is read in one place after another.
 */
export async function viewsOf(
  check: Check,
  session: LeadSession,
  outcomes: readonly LeadOutcome[],
): Promise<readonly LeadView[]> {
  const views: LeadView[] = outcomes.map((outcome) => ({
    outcome,
    exchange: outcome.exchange,
    record: recordIn(outcome.exchange),
  }));
  const unnamed = outcomes.filter(({ exchange }) => idIn(exchange) === null);
  // Equal ids for different leads are another requirement's matter.
  const idOf = ({ exchange }: LeadOutcome): string => idIn(exchange) ?? '';
  const named = outcomes.filter(
    (one) => idIn(one.exchange) !== null && outcomes.every((other) => other === one || idOf(other) !== idOf(one)),
  );
  const ofTenant = named.filter(({ place }) => place.name !== 'second tenant');
  const list = await settled(
    check,
    () => listLeads(check),
    (found) => unnamed.length === 0 || found === null || found.items.some((item) => ownerOf(unnamed, asObject(item))),
  );
  for (const { items, exchange } of list?.pages ?? [])
    for (const record of (items ?? []).map(asObject)) {
      const outcome = ofTenant.find((one) => idOf(one) === recordId(record)) ?? ownerOf(unnamed, record);
      if (outcome) views.push({ outcome, exchange, record });
    }
  const read = await leadReader(check);
  const places = (await readingPlaces(check)).filter(({ name }) => name !== 'second tenant');
  const reads: LeadView[] = [];
  const reserve = check.run.depth === 'gate' ? 4 : 60;
  for (const [at, outcome] of named.entries()) {
    if (read === null || session.left <= reserve) break;
    const { place } = outcome;
    const exchange = await read(
      idOf(outcome),
      place.name === 'home' ? places[at % places.length]?.options : readsOf(place),
    );
    reads.push({ outcome, exchange, record: recordIn(exchange) });
  }
  let isAnyMissing = false;
  for (const place of new Set(named.map((one) => one.place))) {
    const own = reads.filter(({ outcome }) => outcome.place === place);
    const gone = own.filter(({ exchange }) => isGone(exchange)).map(({ outcome }) => outcome.exchange);
    // What was only taken on may be refused later, unless the others are there.
    const isExpected = gone.length < own.length || gone.every(({ response }) => response?.status !== 202);
    if (gone.length < fewestMissing || !isExpected) continue;
    // Without a tenant, it may be another one of the same key.
    const callers = [readsOf(place), ...(place.name === 'no tenant' ? [{}] : [])];
    const what = `each lead that was accepted${place.words} (${String(gone.length)} of ${String(own.length)} are not)`;
    isAnyMissing ||= await failIfMissing(check, what, gone.slice(0, fewestMissing), callers);
  }
  if (list !== null && !isAnyMissing) await judgeListed(check, ofTenant, list);
  return [...views, ...reads];
}

/**
 * A list that shows some of the accepted leads shows all of them. One that is truncated fails where the document declares a cursor that should lead
 * to the rest.
 */
async function judgeListed(check: Check, outcomes: readonly LeadOutcome[], list: Walk): Promise<void> {
  if (await listsSomeLeads(check)) return;
  const accepted = outcomes.filter(({ one }) => one.strength === 'must').map(({ exchange }) => exchange);
  const ofRun = (await check.run.exchanges()).filter((one) => sentLead(one) !== null && isSuccess(one));
  const lackedBy = ({ items }: Walk, created = accepted): readonly Exchange[] => {
    const listed = new Set(items.map((item) => recordId(item)));
    return created.filter((one) => !listed.has(idIn(one)));
  };
  const isMissing = (found: Walk | null): found is Walk =>
    found?.complete === true && lackedBy(found).length >= fewestMissing;
  if (!isMissing(list) || lackedBy(list, ofRun).length === ofRun.length) return;
  const again = await settled(
    check,
    () => listLeads(check),
    (found) => !isMissing(found),
  );
  // If nothing in the answer says that this is the last page, other parameters may lead to further pages.
  if (!isMissing(again) || !again.pages.some(({ exchange }) => dataOf(exchange)?.['nextCursor'] !== undefined)) return;
  const missing = lackedBy(again);
  const { contract } = await check.contract();
  check[contract.cursorParameter('GET', paths.leads) === null ? 'warn' : 'fail']({
    code: 'not-listed',
    expected: `each of ${String(accepted.length)} leads that were accepted in the declared list of leads, which ends there`,
    actual: `it lacks ${String(missing.length)} of them, such as ${visibleJson(missing[0] === undefined ? null : idIn(missing[0]))}`,
    exchanges: [...missing.slice(0, 2), ...again.pages.map(({ exchange }) => exchange)],
  });
}

const readingPlaces = (check: Check): Promise<readonly Place[]> =>
  placesFor(check, 'GET', leadPath('x'), 'API_KEY_READ_LEADS');

/** An id that no lead has shows no other lead, wherever it is asked for: not twice. */
export async function refuseUnknownIds(check: Check): Promise<void> {
  const read = await leadReader(check);
  for (const { options, words } of read === null ? [] : await readingPlaces(check)) {
    const answers: Exchange[] = [];
    for (let round = 0; round < 2 && read !== null && answers.length === round; round += 1) {
      const asked = `no-lead-${check.fresh('unknown lead')}`;
      const exchange = await read(asked, options);
      const shown = recordIn(exchange);
      if (shown?.['phone'] !== undefined && ![null, asked].includes(recordId(shown))) answers.push(exchange);
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
