import { isSuccess } from '../api/envelope.js';
import type { Exchange } from '../http/exchange.js';
import { describe } from '../run/check.js';
import type { Check } from '../run/check.js';
import { audit, blockUnlessSeen } from './audit.js';
import { freshBody } from './lead-body.js';
import type { LeadBody } from './lead-body.js';
import { judgeOptionalField } from './optional-field.js';
import { openLedger } from './subject.js';
import type { Subject } from './subject.js';
import { judgeReplay, judgeSameAnswer } from './replays.js';

/**
 * The second address form shows the same resources (§4), so a key that made a lead under the first form makes none under the second. One that is
 * refused there is another requirement's matter (VER-01).
 */
async function judgeSecondForm(
  check: Check,
  known: Subject,
  key: string,
  body: LeadBody,
  first: Exchange,
): Promise<void> {
  const base = check.target.apiBaseUrl;
  if (base === null) return;
  const replay = await check.send({
    method: 'POST',
    base,
    path: '/v1/leads',
    body: body.bytes,
    headers: [
      ['content-type', 'application/json'],
      ['idempotency-key', key],
    ],
  });
  if (isSuccess(replay)) judgeReplay(check, known, body, first, replay, 'at API_BASE_URL');
}

/** Replays a create at once and again: the same lead each time. */
export async function judgePlainReplays(check: Check): Promise<void> {
  const { ledger, known } = await openLedger(check);
  const key = check.fresh('replayed key');
  const body = await freshBody(check, 'the lead');
  const first = await ledger.settle(key, body);
  if (!isSuccess(first)) check.blocked(`the lead to replay could not be created: ${describe(first)}`);
  const second = await ledger.settle(key, body);
  judgeReplay(check, known, body, first, second, 'at once');
  if (check.breaches.length === 0) judgeSameAnswer(check, body, first, second, 'at once');
  for (const when of ['for the second time', 'for the third time']) {
    if (check.breaches.some((one) => !one.soft)) return;
    const replay = await ledger.settle(key, body);
    judgeReplay(check, known, body, first, replay, when);
    // A fresh time stamp can be the old one still where the first replay came within the same tick.
    if (check.breaches.length === 0) judgeSameAnswer(check, body, first, replay, when);
  }
  await judgeSecondForm(check, known, key, body, first);
  if (check.breaches.some((one) => !one.soft)) return;
  await judgeOptionalField(check, ledger);
  if (!ledger.judge('every replay to show the lead of the first create')) return;
  const counted = await audit(ledger);
  blockUnlessSeen(check, known, counted);
  if (!counted && known.shows === 'no id') {
    check.observe(
      'Can a second lead be told from the first?',
      'only by what the answers show of the fields sent: they show no id, and there is no list to count in',
    );
  }
}
