import { setTimeout as sleep } from 'node:timers/promises';
import { asObject, isSuccess, quote, recordId, settled, walk } from '../service/index.js';
import { removeUnit } from '../api/index.js';
import { identityOf } from './lead-answer.js';
import { freshBody, type LeadBody, type Route } from './lead-body.js';
import { type LeadList, readLeads, recordsOf } from './lead-list.js';
import { type Entry, home, type Party, type RequestLog } from './request-log.js';

/** How long a list is given to catch up, in milliseconds. */
const lagMs = 300;

/** Contradictions between a list and every possible order of the creates; `about` is the same in two readings of the same thing. */
interface Miscount {
  readonly about: string;
  readonly actual: string;
  readonly entries: readonly Entry[];
}

function bodiesOf(entries: readonly Entry[]): LeadBody[] {
  return [...new Map(entries.map(({ body }) => [body.label, body])).values()].filter(({ marks }) => marks.length > 0);
}

const keysOf = (entries: readonly Entry[]): string[] => [...new Set(entries.map(({ key }) => key))];

const sharesMarks = (one: LeadBody, two: LeadBody): boolean => one.marks.some((mark) => two.marks.includes(mark));

const names = (records: readonly Record<string, unknown>[]): string =>
  records.map((record) => recordId(record) ?? quote(record)).join(', ');

/** More than one record for a key, more of one body than keys it was sent under, or the data of a body that came too late. */
function miscounts(entries: readonly Entry[], list: LeadList): Miscount[] {
  const out: Miscount[] = [];
  for (const key of keysOf(entries)) {
    const own = entries.filter((entry) => entry.key === key);
    const exclusive = bodiesOf(own).filter((body) =>
      entries.every((entry) => entry.key === key || !sharesMarks(entry.body, body)),
    );
    const found = exclusive.flatMap((body) => recordsOf(list, body));
    const records = new Map(found.map((record) => [recordId(record) ?? JSON.stringify(record), record]));
    const first = own[0];
    if (records.size > 1) {
      const actual = `the list shows ${records.size} made under one key: ${names([...records.values()])}`;
      out.push({ about: `key ${key}`, actual, entries: own });
      continue;
    }
    if (first === undefined || !first.body.plain || !isSuccess(first.exchange)) continue;
    const isLater = ({ label }: LeadBody): boolean =>
      own.every(({ body, exchange }) => body.label !== label || exchange.sentAtMs > first.exchange.receivedAtMs);
    const late = exclusive.find(
      (body) => !sharesMarks(first.body, body) && isLater(body) && recordsOf(list, body).length > 0,
    );
    if (late === undefined) continue;
    const actual = `the list shows ${names(recordsOf(list, late))} with the data of ${late.label}, sent when its key already stood for ${first.body.label}`;
    out.push({ about: `late ${key}`, actual, entries: own });
  }
  for (const body of bodiesOf(entries)) {
    const own = entries.filter((entry) => entry.body.label === body.label);
    const keys = keysOf(own).length;
    const records = recordsOf(list, body);
    if (keys < 2 || records.length <= keys) continue;
    const actual = `the list shows ${records.length} of ${body.label}, which was sent under ${keys} keys: ${names(records)}`;
    out.push({ about: `body ${body.label}`, actual, entries: own });
  }
  return out;
}

/** Keys that were answered with a success, whose record the list lacks, though it shows one that was made before and one that was made after it. */
function missing(entries: readonly Entry[], list: LeadList): string[] {
  if (!list.complete) return [];
  const made = keysOf(entries).flatMap((key) => {
    const own = entries.filter((entry) => entry.key === key);
    const success = own.find(({ exchange }) => isSuccess(exchange));
    // What is created in other places is judged with what shows leads (LEAD-07).
    const isUsual = own.every(({ party: { sender } }) => sender === 'home' || sender === 'second tenant');
    if (success === undefined || !isUsual || !success.body.plain || success.body.marks.length === 0) return [];
    return [{ key, at: success.exchange, listed: bodiesOf(own).some((body) => recordsOf(list, body).length > 0) }];
  });
  const listed = made.filter((one) => one.listed);
  return made
    .filter(
      ({ at, ...one }) =>
        !one.listed &&
        listed.some((other) => other.at.receivedAtMs < at.sentAtMs) &&
        listed.some((other) => other.at.sentAtMs > at.receivedAtMs),
    )
    .map(({ key }) => key);
}

async function readRecords({ check, traits }: RequestLog, route: Route, party: Party): Promise<LeadList | null> {
  if (route === 'leads') return traits.pagesPerWalk === 0 ? null : readLeads(check, traits.pagesPerWalk, party);
  const { items, pages, ...end } = await walk(check, { ...party.options, limit: 50, maxPages: 40 });
  const records = items.map(asObject).filter((one) => one !== null);
  return pages[0]?.items === null ? null : { ...end, records, exchanges: pages.map(({ exchange }) => exchange) };
}

/**
 * The list once it shows a lead that was made after all leads to be counted: a service that makes leads after it has answered,
 * or whose list lags, has then had its time: ten seconds where the list alone shows leads, else a pause.
 */
async function settledList(log: RequestLog, route: Route, party: Party): Promise<LeadList | null> {
  const { check, traits } = log;
  const read = (): Promise<LeadList | null> => readRecords(log, route, party);
  if (route === 'units') return read();
  if (traits.pagesPerWalk === 0) return null;
  const closing = await freshBody(check, `the lead that closes count ${log.entries.length}`, party.options);
  await log.settle({ key: check.fresh('closing key'), form: 'usual', body: closing, party });
  const hasSettled = (list: LeadList | null): boolean => list === null || recordsOf(list, closing).length > 0;
  if (traits.listed && traits.shows === 'no id' && !traits.echoes) return settled(check, read, hasSettled);
  const list = await read();
  if (hasSettled(list)) return list;
  await sleep(lagMs);
  return (await read()) ?? list;
}

/** What was counted. */
interface Count {
  /** Whether a list of leads showed some of them. */
  readonly counted: boolean;
  readonly missing: number;
  /** Why the list was not read to its end, as a sentence. */
  readonly stopped: string | null;
}

async function countRoute(log: RequestLog, route: Route, party: Party): Promise<Count> {
  const { check } = log;
  const entries = log.entries.filter((one) => one.party.name === party.name && one.body.route === route);
  const nothing = { counted: false, missing: 0, stopped: null };
  // Of units, what was sent once can only be there once.
  if (entries.length === 0 || (route === 'units' && keysOf(entries).length === entries.length)) return nothing;
  const list = await settledList(log, route, party);
  const { stopped } = list ?? nothing;
  const shown = list !== null && entries.some(({ body }) => recordsOf(list, body).length > 0);
  const how =
    list === null
      ? 'by the answers alone: no list is declared, readable and short enough to find new ones in'
      : `${shown ? 'in the declared list' : 'by the answers alone: the declared list shows none of those made here'} (pages read: ${list.exchanges.length}${list.complete ? '' : ', not to its end'})`;
  if (route === 'leads') check.observe('How were leads counted?', how);
  if (list === null || !shown) return { ...nothing, stopped };
  const wrong = miscounts(entries, list);
  const gone = missing(entries, list);
  if (wrong.length === 0 && gone.length === 0) return { counted: true, missing: 0, stopped };
  // A list may lag behind, and others may write: only what a second reading shows as well counts.
  await sleep(lagMs);
  const again = await settled(
    check,
    () => readRecords(log, route, party),
    (one) => wrong.length > 0 || one === null || missing(entries, one).length === 0,
  );
  if (again === null) return { counted: true, missing: 0, stopped };
  const still = miscounts(entries, again).filter((after) => wrong.some(({ about }) => about === after.about));
  for (const { actual, entries: own } of still.slice(0, 5))
    check.fail({
      code: 'several-made',
      expected: 'at most one lead or unit for one key',
      actual,
      exchanges: [...own.slice(0, 8).map(({ exchange }) => exchange), ...again.exchanges.slice(-1)],
    });
  return { counted: true, missing: missing(entries, again).filter((key) => gone.includes(key)).length, stopped };
}

/**
 * Counts what a log made in the declared lists, by what its bodies alone show, never by totals; how many are missing. One might have been deleted
 * by somebody; several were never there. Blocks where one lead could not be distinguished from two.
 */
export async function judgeCount(log: RequestLog): Promise<number> {
  const { check, traits } = log;
  const counts: Count[] = [];
  const others = log.entries.filter(({ party, exchange }) => party.name !== home.name && isSuccess(exchange));
  for (const party of [home, ...others.slice(0, 1).map((one) => one.party)])
    for (const route of ['leads', 'units'] as const) counts.push(await countRoute(log, route, party));
  const lost = counts.reduce((sum, one) => sum + one.missing, 0);
  if (lost > 1)
    check.fail({
      code: 'not-made',
      expected: 'what is answered with a success to be made',
      actual: `the lists lack what was made under ${lost} keys, but show what was made before and after it`,
      exchanges: log.entries.map(({ exchange }) => exchange).slice(-8),
    });
  const stops = counts.flatMap(({ stopped }) => stopped ?? []).slice(0, 1);
  const hasLeads = log.entries.some(({ body }) => body.route === 'leads');
  if (hasLeads && traits.shows === 'no id' && !traits.echoes && !counts.some(({ counted }) => counted))
    check.blocked(
      ['it cannot be observed: neither the answers nor a declared list shows the leads', ...stops].join(': '),
    );
  return lost;
}

/** Takes the units away that a log made, where the document declares a way. */
export async function removeUnits({ check, entries }: RequestLog): Promise<void> {
  const made = new Map<string, Entry>();
  for (const entry of entries)
    if (entry.body.route === 'units' && isSuccess(entry.exchange))
      made.set(`${entry.party.name} ${identityOf(entry.exchange) ?? ''}`, entry);
  for (const { exchange, party } of made.values()) {
    const id = identityOf(exchange);
    if (id !== null) await removeUnit(check, id, party.options);
  }
}
