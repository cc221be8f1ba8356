import { isSuccess } from '../../service/index.js';
import type { Exchange } from '../../http/index.js';
import { otherForms } from '../../settings/index.js';
import { freshBody, type LeadBody } from '../lead-body.js';
import { home, RequestLog, type Party } from '../request-log.js';
import { judgeReplay } from './replays.js';

/**
 * The second address form shows the same resources (§4), so a key that made a lead under the first form makes none under the second, and its
 * replay shows that lead. Where the second form refuses every lead, that is another requirement's matter (VER-01).
 */
export async function judgeSecondForm(log: RequestLog, key: string, body: LeadBody, first: Exchange): Promise<boolean> {
  const { check, traits } = log;
  let holds = true;
  for (const form of otherForms(check.target)) {
    const there: Party = { name: home.name, options: { form } };
    const own = await freshBody(check, 'a lead at API_BASE_URL');
    const control = new RequestLog(check, traits);
    if (!isSuccess(await control.settle(check.fresh('key at API_BASE_URL'), own, there))) continue;
    // The list shows whether it made one lead.
    log.entries.push(...control.entries);
    const replay = await log.settle(key, body, there);
    holds &&= judgeReplay(check, traits, body, first, replay, 'at API_BASE_URL');
  }
  return holds;
}
