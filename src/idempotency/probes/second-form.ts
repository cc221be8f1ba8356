import { isRefusal, isSuccess } from '../../api/envelope.js';
import type { Exchange } from '../../http/exchange.js';
import { freshBody, type LeadBody } from '../lead-body.js';
import type { RequestLog } from '../request-log.js';
import { judgeReplay } from './replays.js';

/**
 * The second address form shows the same resources (§4), so a key that made a lead under the first form makes none under the second, and its
 * replay shows that lead. Where the second form refuses every lead, that is another requirement's matter (VER-01).
 */
export async function judgeSecondForm(log: RequestLog, key: string, body: LeadBody, first: Exchange): Promise<void> {
  const { check, traits } = log;
  const base = check.target.apiBaseUrl;
  if (base === null) return;
  const post = (sent: LeadBody, under: string): Promise<Exchange> =>
    check.send({
      method: 'POST',
      base,
      path: '/v1/leads',
      body: sent.bytes,
      headers: [
        ['content-type', 'application/json'],
        ['idempotency-key', under],
      ],
    });
  const isRefusedNow = async (): Promise<Exchange | null> => {
    const replay = await post(body, key);
    const control = await post(await freshBody(check, 'a lead at API_BASE_URL'), check.fresh('key at API_BASE_URL'));
    return isRefusal(replay) && isSuccess(control) ? replay : null;
  };
  const replay = await post(body, key);
  if (!isSuccess(replay) && ((await isRefusedNow()) === null || (await isRefusedNow()) === null)) return;
  judgeReplay(check, traits, body, first, replay, 'at API_BASE_URL');
}
