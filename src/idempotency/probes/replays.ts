import { dataOf, differences, isRefusal, isSuccess, quote, recordIn } from '../../service/index.js';
import { lives } from '../../generators/index.js';
import type { Exchange } from '../../http/index.js';
import { type Check, describe } from '../../run/index.js';
import type { TargetTraits } from '../model/history.js';
import { identityOf, searchable, showsBody } from '../lead-answer.js';
import type { LeadBody } from '../lead-body.js';
import type { RequestLog } from '../request-log.js';

/** Compares a replay of the same key and body with the first answer: the same lead, the fields sent unchanged. It may be refused. Returns whether that holds. */
export function judgeReplay(
  check: Check,
  traits: TargetTraits,
  body: LeadBody,
  first: Exchange,
  replay: Exchange,
  when: string,
): boolean {
  const exchanges = [first, replay];
  if (isRefusal(replay)) return true;
  if (!isSuccess(replay))
    return check.fail({
      code: 'replay-failed',
      expected: `the replay ${when} to be answered with a success, or refused`,
      actual: `${describe(replay)}: ${quote(replay.response?.json)}`,
      exchanges,
    });
  const [before, after] = [identityOf(first), identityOf(replay)];
  if (traits.shows === 'id' && before !== null && after !== null && before !== after)
    return check.fail({
      code: 'other-lead',
      expected: `the replay ${when} to show the same lead`,
      actual: `lead ${quote(before)}, then lead ${quote(after)}`,
      exchanges,
    });
  const shown = [first, replay].map((exchange) => showsBody(searchable(dataOf(exchange)), body));
  if (after === null && shown[1] === false && (before !== null || shown[0] === true))
    return check.fail({
      code: 'no-lead',
      expected: `the replay ${when} to show the lead that the first answer showed`,
      actual: `neither its id nor anything that was sent: ${quote(replay.response?.json)}`,
      exchanges,
    });
  let holds = true;
  const [one, two] = [recordIn(first), recordIn(replay)];
  for (const [name, sent] of Object.entries(body.fields)) {
    if (one === null || two === null || !(name in one) || !(name in two)) continue;
    const found = differences(one[name], two[name]);
    if (found.length === 0) continue;
    // Shown as it was sent, where the first answer had it tidied, is still what was sent.
    const isSoft = differences(sent, two[name]).length === 0;
    check[isSoft ? 'warn' : 'fail']({
      code: 'field-changed',
      field: name,
      expected: `the replay ${when} to show ${name} unchanged`,
      actual: `${quote(one[name])}, then ${quote(two[name])}`,
      exchanges,
    });
    holds &&= isSoft;
  }
  return holds;
}

/** Warns of the first refusal of a replay: no sentence of the specification promises the first answer, but the draft for the header recommends it. */
export function recommendReplays({ check, entries }: RequestLog): void {
  for (const [at, { key, body, party, exchange, overtaken }] of entries.entries()) {
    const made = entries.find(
      (one, before) =>
        before < at &&
        one.key === key &&
        one.party.name === party.name &&
        one.body.label === body.label &&
        isSuccess(one.exchange),
    );
    if (made === undefined || overtaken || !isRefusal(exchange)) continue;
    check.warn({
      code: 'replay-refused',
      expected: `the replay of ${body.label} to be answered with a success (draft-ietf-httpapi-idempotency-key-header-07, section 2.6)`,
      actual: `${describe(exchange)}: ${quote(exchange.response?.json)}`,
      exchanges: [made.exchange, exchange],
    });
    return;
  }
}

/** Whether a replay also keeps the status and every other field, as it should. Changes of fields that are not the client's are only recorded. */
export function judgeSameAnswer(
  check: Check,
  body: LeadBody,
  first: Exchange,
  replay: Exchange,
  when: string,
): boolean {
  const exchanges = [first, replay];
  if (!isSuccess(replay)) return true;
  const isSameStatus = first.response?.status === replay.response?.status;
  if (!isSameStatus) {
    check.warn({
      code: 'status-changed',
      expected: `the replay ${when} to have the same status`,
      actual: `${describe(first)}, then ${describe(replay)}`,
      exchanges,
    });
  }
  const sent = new Set(Object.keys(body.fields));
  const own = (pointer: string): boolean => sent.has(pointer.split('/').at(-1) ?? '');
  const moved = differences(dataOf(first), dataOf(replay)).filter((one) => !own(one.pointer));
  const dead = moved.filter((each) => !lives(each.pointer));
  for (const one of dead.slice(0, 3)) {
    check.warn({
      code: 'value-changed',
      field: one.pointer,
      expected: `the replay ${when} to show ${one.pointer} as the first answer did`,
      actual: `${quote(one.left)}, then ${quote(one.right)}`,
      exchanges,
    });
  }
  const alive = moved.filter((each) => lives(each.pointer));
  if (alive.length > 0)
    check.observe('Which fields of a replay show the lead as it is now?', alive.map((one) => one.pointer).join(', '));
  const missing = Object.keys(dataOf(first) ?? {}).filter((name) => !(name in (dataOf(replay) ?? {})));
  if (missing.length > 0) check.observe('Which fields does a replay leave out?', missing.join(', '));
  return isSameStatus && dead.length === 0;
}
