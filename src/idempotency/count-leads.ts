import { setTimeout as sleep } from 'node:timers/promises';
import { settled } from '../service/index.js';
import type { Check } from '../run/index.js';
import { miscounts, neverMade } from './model/miscounts.js';
import { home, type Entry, type RequestLog, type Party } from './request-log.js';
import { freshBody } from './lead-body.js';
import { readLeads, recordsOf, type LeadList } from './lead-list.js';
import { probeTraits } from './probe-traits.js';
import type { TargetTraits } from './model/history.js';

/** How long a list is given to catch up, in milliseconds. */
const lagMs = 300;

/**
 * The list once it shows a lead that was made after all leads to be counted: a service that makes leads after it has answered,
 * or whose list lags, has then had its time: ten seconds where the list alone shows leads, else a pause.
 */
async function settledList(log: RequestLog, pages: number, party: Party): Promise<LeadList | null> {
  const { check } = log;
  const closing = await freshBody(check, `the lead that closes the count of ${party.name}`, party.options);
  await log.post(check.fresh('closing key'), closing, party);
  const read = (): Promise<LeadList | null> => readLeads(check, pages, party);
  const hasSettled = (list: LeadList | null): boolean => list === null || recordsOf(list, closing).length > 0;
  const { listed, shows, echoes } = await probeTraits(check);
  if (listed && shows === 'no id' && !echoes) return settled(check, read, hasSettled);
  const list = await read();
  if (hasSettled(list)) return list;
  await sleep(lagMs);
  return (await read()) ?? list;
}

/** Blocks where one lead could not be distinguished from two: the answers show neither an id nor the sent data, and no list was counted. */
export function blockUnlessSeen(check: Check, known: TargetTraits, counted: boolean): void {
  if (!counted && known.shows === 'no id' && !known.echoes)
    check.blocked('it cannot be observed: neither the answers nor a declared list shows the leads');
}

/**
 * Counts the leads of a record in the declared list, by what its bodies alone show, never by totals. Whether anything could be
 * counted; where not, an observation says so.
 */
export async function countLeads(
  log: RequestLog,
  party: Party = home,
  about: readonly Entry[] = log.entries,
): Promise<boolean> {
  const { check } = log;
  const question = 'How were leads counted?';
  const entries = about.filter((entry) => entry.party.name === party.name);
  const { pagesPerWalk: pages } = await probeTraits(check);
  const first = pages === 0 ? null : await settledList(log, pages, party);
  if (first === null) {
    check.observe(
      question,
      'by the answers alone: no list of leads is declared, readable and short enough to find new leads in',
    );
    return false;
  }
  if (!entries.some((entry) => recordsOf(first, entry.body).length > 0)) {
    check.observe(
      question,
      `by the answers alone: the declared list shows none of the leads made here (pages read: ${first.exchanges.length})`,
    );
    return false;
  }
  check.observe(
    question,
    `in the declared list of leads (pages read: ${first.exchanges.length}${first.complete ? '' : ', not to its end'})`,
  );
  const wrong = miscounts(entries, first);
  const gone = neverMade(entries, first);
  if (wrong.length === 0 && gone.length < 2) return true;
  // A list may lag behind, and others may write: only what a second reading shows as well counts.
  await sleep(lagMs);
  const again = await readLeads(check, pages, party);
  if (again === null) return true;
  const still = miscounts(entries, again);
  for (const one of wrong.filter((before) => still.some((after) => after.about === before.about)).slice(0, 5)) {
    check.fail({
      code: 'several-leads',
      expected: 'at most one lead for one key',
      actual: one.actual,
      exchanges: [...one.entries.slice(0, 8).map((entry) => entry.exchange), ...again.exchanges.slice(-1)],
    });
  }
  const stillGone = neverMade(entries, again);
  // One lead might have been deleted by somebody; two, and only after refusals, were never there.
  if (gone.length >= 2 && stillGone.length >= 2) {
    check.fail({
      code: 'phantom-lead',
      expected: 'a lead shown after a refused request to exist',
      actual: `${stillGone.length} keys were answered with a lead after a refusal, and the list shows none of these leads, but shows later ones`,
      exchanges: [
        ...entries.filter((entry) => entry.key === stillGone[0]).map((entry) => entry.exchange),
        ...again.exchanges.slice(-1),
      ],
    });
  }
  return true;
}
