import { isSuccess } from '../api/envelope.js';
import { quote } from '../api/json.js';
import type { Exchange } from '../http/exchange.js';
import { describe } from '../run/check.js';
import type { Check } from '../run/check.js';
import { randomFrom, seedFor } from '../run/random.js';
import { breakages, brokenBody, freshBody } from './lead-body.js';
import { identityOf } from './lead-answer.js';
import { openConnections } from './connections.js';
import { volley } from './races.js';
import { openLedger } from './subject.js';

const draft = 'draft-ietf-httpapi-idempotency-key-header-07';

/** What the IETF draft on the Idempotency-Key header recommends. */
export async function judgeConventions(check: Check): Promise<void> {
  const { ledger } = await openLedger(check);
  await openConnections(check, 3);
  const raced: Exchange[] = [];
  for (let round = 0; round < 3; round += 1) {
    raced.push(
      ...(await volley(ledger, check.fresh('raced key'), await freshBody(check, `raced lead ${round + 1}`), [0, 0, 0])),
    );
  }
  const refusals = raced.filter((one) => one.response !== null && !isSuccess(one));
  const odd = refusals.find((one) => one.response?.status !== 409);
  if (odd !== undefined)
    check.breach({
      expected: `409 for a key whose first request is in progress (${draft}, section 2.7)`,
      actual: describe(odd),
      exchanges: [odd],
    });
  check.observe(
    'How is a key in progress answered?',
    refusals.length === 0
      ? 'never refused: the requests waited, or were never seen to overlap'
      : [...new Set(refusals.map(describe))].join(', '),
  );
  const key = check.fresh('contested key');
  const first = await ledger.settle(key, await freshBody(check, 'the first body'));
  const conflict = await ledger.post(key, await freshBody(check, 'the other body'));
  if (isSuccess(first) && conflict.response !== null && ![409, 422].includes(conflict.response.status)) {
    check.breach({
      expected: `422 or 409 for another body under a used key (${draft}, section 2.7)`,
      actual: describe(conflict),
      exchanges: [first, conflict],
    });
  }
  const loose = await ledger.post(
    `not a uuid ${check.fresh('loose key').slice(0, 8)}`,
    await freshBody(check, 'the lead of a loose key'),
  );
  if (isSuccess(loose))
    check.breach({
      expected: `a key that is no UUID to be refused (a UUID is recommended: ${draft}, section 2.2)`,
      actual: describe(loose),
      exchanges: [loose],
    });
  // Longer than most columns for keys; it may be accepted or refused, and ENV judges how.
  const length = 257 + Math.floor(randomFrom(seedFor(check.run.seed, 'long key'))() * 256);
  await ledger.post(
    check.fresh('long key').repeat(15).slice(0, length),
    await freshBody(check, 'the lead of a long key'),
  );
}

/** What the specification leaves open about keys. */
export async function observeKeys(check: Check): Promise<void> {
  const { ledger, known } = await openLedger(check);
  const body = await freshBody(check, 'the lead of both cases');
  const key = `${check.fresh('case key').slice(0, -1)}a`;
  const lower = await ledger.settle(key, body);
  const upper = await ledger.settle(key.toUpperCase(), body);
  const same = identityOf(lower) !== null && identityOf(lower) === identityOf(upper);
  const said =
    known.shows === 'no id'
      ? 'it cannot be told: the answers show no id'
      : `${same ? 'yes, or equal bodies are one lead' : 'no'}: ${quote(identityOf(lower))} and ${quote(identityOf(upper))}`;
  check.observe(
    'Are upper and lower case one key?',
    isSuccess(upper) ? said : `the upper-case form was refused: ${describe(upper)}`,
  );
  const respelt = await ledger.post(key, {
    ...body,
    label: 'the same lead in another spelling',
    bytes: Buffer.from(JSON.stringify(Object.fromEntries(Object.entries(body.fields).reverse()), null, 1)),
  });
  check.observe(
    'Are the same fields in another order and spacing the same body?',
    isSuccess(respelt) ? 'yes' : `no: ${describe(respelt)}`,
  );
  for (const breakage of breakages) {
    const used = check.fresh('refused key');
    const refused = await ledger.post(used, await brokenBody(check, `a lead with ${breakage}`, breakage));
    if (refused.response === null || isSuccess(refused)) continue;
    const corrected = await ledger.post(used, await freshBody(check, `the lead after ${breakage}`));
    check.observe(
      `Does a refused request use up its key (${breakage})?`,
      isSuccess(corrected) ? 'no' : `yes: ${describe(refused)}, then ${describe(corrected)}`,
    );
  }
  const replay = await ledger.settle(key, body);
  check.observe(
    'How long is a key kept?',
    isSuccess(replay) && identityOf(replay) === identityOf(lower)
      ? `longer than this check could wait (${((replay.receivedAtMs - lower.receivedAtMs) / 1000).toFixed(1)} s); see IDEM-02 for the number of creates`
      : `not known: ${describe(replay)}`,
  );
}
