import { isSuccess, settled } from '../service/index.js';
import { freshBody, type LeadBody } from './lead-body.js';
import type { RequestLog, Party } from './request-log.js';
import { readLeads, recordsOf, type LeadList } from './lead-list.js';
import { probeTraits } from './probe-traits.js';

/**
 * Which of these bodies the party's list lacks, though it shows a lead that was made after them; null where the list cannot tell.
 * Each body must have been answered with a success.
 */
export async function unlisted(log: RequestLog, party: Party, bodies: readonly LeadBody[]): Promise<LeadBody[] | null> {
  const { check } = log;
  const { pagesPerWalk, listed, shows, echoes } = await probeTraits(check);
  if (pagesPerWalk === 0) return null;
  const control = await freshBody(check, `a lead to look for, ${log.entries.length}`, party.options);
  if (!isSuccess(await log.settle(check.fresh('control key'), control, party))) return null;
  const showsControl = (list: LeadList): boolean => recordsOf(list, control).length > 0;
  const lackingIn = (list: LeadList): LeadBody[] => bodies.filter((body) => recordsOf(list, body).length === 0);
  // If only the list shows leads, wait until it shows the control.
  const mayLag = listed && shows === 'no id' && !echoes;
  const hasSettled = (list: LeadList | null): boolean =>
    list?.complete !== true || (showsControl(list) ? lackingIn(list).length === 0 : !mayLag);
  const list = await settled(check, () => readLeads(check, pagesPerWalk, party), hasSettled);
  return list?.complete === true && showsControl(list) ? lackingIn(list) : null;
}
