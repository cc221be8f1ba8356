import { isSuccess, quote } from '../../service/index.js';
import { blockRefusedKey } from '../../api/index.js';
import { type Check, describe } from '../../run/index.js';
import type { Exchange } from '../../http/index.js';
import { freshBody } from '../lead-body.js';
import { identityOf } from '../lead-answer.js';
import { home, type RequestLog, type Party } from '../request-log.js';
import { openRequestLog } from '../probe-traits.js';
import { unlisted } from '../unlisted.js';
import { judgeReplay } from './replays.js';

/** Uses one key for a lead in each of two tenants, in both orders: each tenant gets its own lead. */
export async function judgeSharedKeys(check: Check, other: Party): Promise<void> {
  const { log, known } = await openRequestLog(check);
  const control = await log.settle(
    check.fresh('control key'),
    await freshBody(check, 'a control lead of tenant B', other.options),
    other,
  );
  if (!isSuccess(control)) {
    blockRefusedKey(check, control);
    check.blocked(
      `an ordinary lead could not be created with OTHER_API_KEY: ${describe(control)} ${quote(control.response?.json)}`,
    );
  }
  let keyDecidesId = false;
  const oneId: Exchange[] = [];
  for (const [one, two] of [
    [home, other],
    [other, home],
  ] as const) {
    const key = check.fresh('shared key');
    const body = await freshBody(check, `the lead of ${one.name}, which came first`, one.options);
    const own = await freshBody(check, `the lead of ${two.name}, which came second`, two.options);
    const first = await log.settle(key, body, one);
    if (!isSuccess(first)) check.blocked(`a lead of ${one.name} could not be created: ${describe(first)}`);
    const answer = await log.settle(key, own, two);
    const expected = `a key that ${one.name} used to make ${two.name} its own lead`;
    if (!isSuccess(answer)) {
      check.fail({
        code: 'key-refused',
        expected,
        actual: `${describe(answer)}: ${quote(answer.response?.json)}`,
        exchanges: [first, answer],
      });
      return;
    }
    if (!log.judge('unexplained', expected)) return;
    const id = identityOf(first);
    if (id !== null && id === identityOf(answer)) {
      keyDecidesId = true;
      if (id.toLowerCase() !== key) oneId.push(first, answer);
    }
    if (known.replays) {
      judgeReplay(
        check,
        known,
        body,
        first,
        await log.settle(key, body, one),
        `by ${one.name}, after ${two.name} used its key,`,
      );
      judgeReplay(check, known, own, answer, await log.settle(key, own, two), `by ${two.name}`);
    }
    if (!log.judge('unexplained', expected)) return;
    // If the answers show nothing of the lead, only the list of the tenant shows whether it was created.
    const lacking = known.echoes ? [] : await unlisted(log, two, [own]);
    if (lacking === null && known.shows === 'no id')
      check.blocked(`it cannot be observed: neither the answers nor a list show the leads of ${two.name}`);
    if (lacking !== null && lacking.length > 0) {
      check.fail({
        code: 'key-lost',
        expected,
        actual: `it was answered with a success, and the list of ${two.name} does not have the lead`,
        exchanges: [first, answer],
      });
      return;
    }
    // Ids may count up in each tenant: the counters are moved apart before the second direction.
    if (one === home)
      await log.settle(check.fresh('counter key'), await freshBody(check, 'a lead between the directions'), home);
    else if (oneId.length > 2 && lacking === null && !known.echoes) {
      check.fail({
        code: 'key-shared',
        expected,
        actual: `both tenants were shown lead ${quote(id)}, and another such pair before`,
        exchanges: oneId,
      });
      return;
    }
  }
  await judgeEqualBodies(check, log, other, keyDecidesId);
}

/**
 * One key and one body in both tenants. Equal ids alone prove nothing: they may count up in each tenant, or follow from the key or
 * the content. So it is done twice with the counters moved apart, and the content tried under another key.
 */
async function judgeEqualBodies(check: Check, log: RequestLog, other: Party, keyDecidesId: boolean): Promise<void> {
  let equal = 0;
  let listTells = true;
  let last: readonly Exchange[] = [];
  for (const round of [1, 2]) {
    const key = check.fresh('key and body shared');
    const body = await freshBody(check, `the lead of both tenants, ${round}`);
    // A unit of one tenant may rightly be unknown to the other: then no body can be equal in both.
    if (
      round === 1 &&
      !isSuccess(
        await log.settle(
          check.fresh('equal body'),
          await freshBody(check, 'a lead of tenant B for a unit of tenant A'),
          other,
        ),
      )
    ) {
      check.observe('Can a lead be about a unit of another tenant?', 'no');
      return;
    }
    const first = await log.settle(key, body, home);
    const second = await log.settle(key, body, other);
    if (isSuccess(first) && !isSuccess(second)) {
      // A body that tenant B may not send under any key says nothing of the key.
      if (!isSuccess(await log.settle(check.fresh('the same body alone'), body, other))) return;
      check.fail({
        code: 'pair-refused',
        expected: `a key and body that tenant A used to make tenant B its own lead`,
        actual: `${describe(second)}: ${quote(second.response?.json)}`,
        exchanges: [first, second],
      });
      return;
    }
    const lacking = isSuccess(second) ? await unlisted(log, other, [body]) : null;
    listTells &&= lacking !== null;
    if (lacking !== null && lacking.length > 0) {
      check.fail({
        code: 'pair-lost',
        expected: 'a key and body that tenant A used to make tenant B its own lead',
        actual: `${describe(second)} shows a lead that tenant B's list does not have`,
        exchanges: [first, second],
      });
      return;
    }
    const id = identityOf(first);
    if (id === null || id !== identityOf(second)) return;
    equal += 1;
    last = [first, second];
    const again = await log.settle(check.fresh('content key'), body, home);
    if (identityOf(again) === id) {
      check.observe(
        'Do equal bodies of two tenants show one id?',
        'yes, and so do equal bodies of one tenant: content decides it',
      );
      return;
    }
    await log.settle(check.fresh('counter key'), await freshBody(check, `a lead between, ${round}`), home);
  }
  if (equal < 2 || keyDecidesId || listTells) return;
  check.fail({
    code: 'pair-shared',
    expected: 'a key and body that tenant A used to make tenant B its own lead',
    actual: `both tenants were shown lead ${quote(identityOf(last[0] ?? never()))}, twice in a row`,
    exchanges: last,
  });
}

function never(): never {
  throw new Error('a pair of answers was expected');
}
