import { isSuccess } from '../api/envelope.js';
import { describe } from '../run/check.js';
import type { Check } from '../run/check.js';
import { audit, blockUnlessSeen } from './audit.js';
import { freshBody } from './lead-body.js';
import { judgeOptionalField } from './optional-field.js';
import { openLedger } from './subject.js';
import { judgeReplay, judgeSameAnswer } from './replays.js';

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
