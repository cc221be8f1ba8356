import {
  dataOf,
  idIn,
  isGone,
  isSuccess,
  paths,
  patienceSeconds,
  recordId,
  recordIn,
  settled,
  walk,
  type Walk,
} from '../../service/index.js';
import { listsSomeLeads, postLead, sentLead } from './leads.js';
import { plainLead } from './lead-factory.js';
import type { Exchange } from '../../http/index.js';
import { leadReaders, pathOf } from './lead-readers.js';
import { type Breach, type Check, describe, type RequestOptions } from '../../run/index.js';
import type { LeadOutcome, LeadSession } from './lead-session.js';
import { visibleJson } from '../../generators/index.js';

/** The accepted leads as the declared read operations showed them. */
export interface ReadBack {
  /** The accepted leads by their ids, in the order of their creation. */
  readonly leads: ReadonlyMap<string, LeadOutcome>;
  readonly list: Walk | null;
  /** Ids that were read one by one and shown. */
  readonly shown: readonly string[];
  /** Ids that were answered as if there were no such lead. */
  readonly gone: readonly string[];
}

/** Leads that are missing before that counts: one may have been deleted by another user. */
const fewestMissing = 2;

/** The answers to reads of leads, each of which is answered as if there were none, at the latest; null where one is there, or nothing declared reads each. */
export async function missing(
  check: Check,
  made: readonly Exchange[],
  callers: readonly Partial<RequestOptions>[] = [{}],
): Promise<readonly Exchange[] | null> {
  const readers = await leadReaders(check);
  const ids = made.map(idIn).filter((id) => id !== null);
  if (readers.one === null || ids.length === 0) return null;
  const read = async (): Promise<readonly Exchange[]> => {
    const answers: Exchange[] = [];
    for (const id of ids)
      for (const caller of callers) answers.push(await check.send({ ...caller, path: pathOf(readers, id) }));
    return answers;
  };
  const answers = await settled(check, read, (all) => !all.every(isGone));
  return answers.every(isGone) ? answers : null;
}

/** The breach of leads that are not there, with their creates and the reads. */
export const missingLead = (what: string, exchanges: readonly Exchange[]): Breach => ({
  code: 'lead-missing',
  expected: `${what} to be there, at the latest ${String(patienceSeconds)} s after it was created`,
  actual: exchanges.filter(isGone).map(describe).join(', '),
  exchanges,
});

/** LEAD-07: a lead that was accepted is kept: it can be read by its id as the others can, and stands in the declared list among them. */
export async function judgeKeptLeads(check: Check, session: LeadSession, read: ReadBack): Promise<void> {
  const { leads, gone, shown } = read;
  if (shown.length > 0 && gone.length >= fewestMissing) {
    const made = gone.slice(0, fewestMissing).flatMap((id) => leads.get(id)?.exchange ?? []);
    const answers = await missing(check, made);
    const count = `${String(gone.length)} of ${String(gone.length + shown.length)} are not`;
    if (answers !== null)
      return void check.fail(missingLead(`each lead that was accepted (${count})`, [...made, ...answers]));
  }
  await judgeListed(check, session, read);
  if (shown.length === 0) return;
  await tryOtherMakers(check);
  await tryUnknownId(check);
}

/** A lead that a key for leads alone makes is there, too, and so is one that is made without naming the tenant. */
async function tryOtherMakers(check: Check): Promise<void> {
  const { keys, tenant } = check.target;
  const ways: readonly (readonly [how: string, way: Partial<RequestOptions>])[] = [
    ...(keys.API_KEY_WRITE_LEADS === undefined
      ? []
      : [['with API_KEY_WRITE_LEADS', { as: 'API_KEY_WRITE_LEADS' }] as const]),
    ...(tenant === null ? [] : [['without X-Tenant', { tenant: null }] as const]),
  ];
  for (const [how, way] of ways) {
    const lost: Exchange[] = [];
    for (let round = 1; round <= fewestMissing; round += 1) {
      const made = await postLead(check, await plainLead(check), way);
      if (!isSuccess(made) || made.response?.status === 202) break;
      // Without a tenant, it may be another one of the same key.
      const answers = await missing(check, [made], 'tenant' in way ? [{}, way] : [{}]);
      if (answers === null) break;
      lost.push(made, ...answers);
      if (round === fewestMissing) check.fail(missingLead(`each lead made ${how}`, lost));
    }
  }
}

/** An id that no lead has shows no other lead. */
async function tryUnknownId(check: Check): Promise<void> {
  const readers = await leadReaders(check);
  const answers: Exchange[] = [];
  for (let round = 0; round < 2; round += 1) {
    const asked = `no-lead-${check.fresh('unknown lead')}`;
    const exchange = await check.send({ path: pathOf(readers, asked) });
    const shown = isSuccess(exchange) ? recordIn(exchange) : null;
    const id = recordId(shown);
    if (shown?.['phone'] === undefined || id === null || id === asked) return;
    answers.push(exchange);
  }
  check.fail({
    code: 'other-lead',
    expected: 'no lead for an id that no lead has',
    actual: `${answers.map(describe).join(', ')}: each shows a lead with another id`,
    exchanges: answers,
  });
}

const idsIn = (list: Walk): ReadonlySet<string> =>
  new Set(list.items.map((item) => recordId(item)).filter((id) => id !== null));

/** Ids of the leads that this run made for the tenant so far, in order. */
async function leadsOfRun({ run }: Check): Promise<readonly string[]> {
  const isMade = (one: Exchange): boolean =>
    sentLead(one) !== null && one.request.credential === 'API_KEY' && isSuccess(one);
  return (await run.exchanges())
    .filter(isMade)
    .map(idIn)
    .filter((id) => id !== null);
}

/**
 * Whether the list shows the leads of this run, as it shows leads made before and after them. A list that shows only the latest or the
 * first leads is truncated: a failure where the document declares a cursor that should lead to the rest.
 */
async function judgeListed(check: Check, session: LeadSession, { leads, list }: ReadBack): Promise<void> {
  if (await listsSomeLeads(check)) return;
  const { contract } = await check.contract();
  const made = [...leads].filter(([, { one }]) => one.strength === 'must').map(([id]) => id);
  const isMissing = (found: Walk): boolean => made.filter((id) => !idsIn(found).has(id)).length >= fewestMissing;
  const known = new Set([...(await leadsOfRun(check)), ...made]);
  if (list?.complete !== true || ![...known].some((id) => idsIn(list).has(id)) || !isMissing(list)) return;
  const later = [await session.plain(), await session.plain()].filter(isSuccess).map(idIn);
  const again = await settled(
    check,
    () => walk(check, { path: paths.leads, limit: 50, maxPages: 12 }),
    (found) => !found.complete || !isMissing(found),
  );
  if (later.length === 0 || !again.complete || !isMissing(again)) return;
  const ids = idsIn(again);
  const order = [...known, ...later.filter((id) => id !== null)];
  const [first, last] = [order.findIndex((id) => ids.has(id)), order.findLastIndex((id) => ids.has(id))];
  const missing = made.filter((id) => !ids.has(id));
  const between = missing.filter((id) => order.indexOf(id) > first && order.indexOf(id) < last);
  // A list with a maximum length may select leads by something other than their age.
  const isGrowing = again.items.length > list.items.length;
  const isLost = between.length >= fewestMissing && isGrowing;
  // If nothing in the answer says that this is the last page, other parameters may lead to further pages.
  const isLastPage = again.pages.some(({ exchange }) => dataOf(exchange)?.['nextCursor'] !== undefined);
  if (!isLost && !isLastPage) return;
  const isCertain = isLost || contract.cursorParameter('GET', paths.leads) !== null;
  check[isCertain ? 'fail' : 'warn']({
    code: 'not-listed',
    expected: `each of ${String(made.length)} leads that were accepted in the declared list of leads, which ends there`,
    actual: `it lacks ${String(missing.length)} of them, such as ${visibleJson((isLost ? between : missing)[0])}`,
    exchanges: [
      ...missing.slice(0, 2).flatMap((id) => leads.get(id)?.exchange ?? []),
      ...again.pages.map((page) => page.exchange),
    ],
  });
}
