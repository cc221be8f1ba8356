import { setTimeout as sleep } from 'node:timers/promises';
import { idIn, isRefusal, isSuccess, quote } from '../../service/index.js';
import type { Exchange } from '../../http/index.js';
import { type Check, describe } from '../../run/index.js';
import { countLeads, blockUnlessSeen } from '../count-leads.js';
import { isBusy } from '../lead-answer.js';
import { freshBody, type LeadBody } from '../lead-body.js';
import { home, type RequestLog } from '../request-log.js';
import { openRequestLog } from '../probe-traits.js';
import { judgeReplay } from './replays.js';
import { requestBudget } from '../model/request-budget.js';
import { unitMaker } from '../unit-maker.js';

/** How old a key is at least when it is replayed in the deep run, in milliseconds. */
const leastAgeMs = 5_000;

async function manyCreates(log: RequestLog, count: number): Promise<void> {
  const { check } = log;
  for (let done = 0; done < count; done += 4) {
    const bodies = await Promise.all(
      Array.from({ length: Math.min(4, count - done) }, (_, at) => freshBody(check, `other lead ${done + at + 1}`)),
    );
    const create = (body: LeadBody): Promise<Exchange> => log.post(check.fresh('idempotency key'), body);
    const answers = await Promise.all(bodies.map(create));
    // If the service accepts one create at a time, repeat the refused ones one by one.
    for (const [at, answer] of answers.entries()) {
      const body = bodies[at];
      if (body !== undefined && isBusy(answer)) await create(body);
    }
  }
}

/** Replays the first of many creates, for leads and for units where their creation is declared to take a key. */
export async function judgeLateReplays(check: Check): Promise<void> {
  const { log, known } = await openRequestLog(check);
  const { laterCreates } = requestBudget(check);
  const key = check.fresh('idempotency key');
  const body = await freshBody(check, 'the early lead');
  const first = await log.settle(key, body);
  if (!isSuccess(first)) check.blocked(`the lead to replay could not be created: ${describe(first)}`);
  const contested = check.fresh('contested key');
  const contestedBody = await freshBody(check, 'the early contested lead');
  await log.settle(contested, contestedBody);
  const rival = await freshBody(check, 'another lead under the early contested key');
  await log.post(contested, rival);
  await log.settle(contested, contestedBody);
  // If the key does not stop another body even now, time is not the cause (see IDEM-04).
  const held = log.anomaly() === null;
  await manyCreates(log, laterCreates);
  if (check.run.depth === 'certify') {
    // Keys that are kept for a short time only show after a while, which the units' creations fill in part.
    const ageMs = (log.entries.at(-1)?.exchange ?? first).receivedAtMs - first.receivedAtMs;
    await Promise.all([judgeUnits(check), sleep(Math.max(0, leastAgeMs - ageMs))]);
  }
  const made = log.entries.filter((entry) => ![key, contested].includes(entry.key) && isSuccess(entry.exchange)).length;
  if (made < laterCreates / 2) check.blocked(`only ${made} of ${laterCreates} further leads could be created`);
  const replay = await log.settle(key, body);
  let holds = judgeReplay(check, known, body, first, replay, `after ${made} other creates`);
  // A forgotten key would take this for a new lead, where its replay might be saved by a comparison of contents.
  if (held) await log.post(contested, rival);
  let counted = true;
  if (holds) {
    // A fresh lead that was refused may have many reasons that no key has part in.
    const about = log.entries.filter(
      (entry) =>
        entry.key === key ||
        (held && entry.key === contested) ||
        (entry.key !== contested && isSuccess(entry.exchange)),
    );
    const anomaly = log.anomaly(about);
    if (anomaly !== null)
      holds = check.fail({
        code: 'unexplained',
        expected: 'every key to show its own lead',
        actual: anomaly.reason,
        exchanges: anomaly.about.map((at) => about[at]?.exchange).filter((one) => one !== undefined),
      });
    else
      counted = await countLeads(
        log,
        home,
        log.entries.filter((entry) => entry.key !== contested),
      );
  }
  check.observe(
    'How many other creates does a key outlive, and for how long?',
    holds ? `at least ${made}` : `fewer than ${made}`,
    { detail: `${((replay.sentAtMs - first.receivedAtMs) / 1000).toFixed(1)} s` },
  );
  if (check.run.depth === 'gate') await judgeUnits(check);
  blockUnlessSeen(check, known, counted);
}

async function judgeUnits(check: Check): Promise<void> {
  const maker = await unitMaker(check);
  if (maker === null) {
    check.observe('Which other create takes a key?', 'none is declared');
    return;
  }
  const key = check.fresh('unit key');
  const body = maker.body();
  const first = await maker.post(key, body);
  const id = idIn(first);
  if (!isSuccess(first) || id === null) {
    check.observe(
      'Which other create takes a key?',
      `units, by declaration; it could not be tried: ${describe(first)}${isSuccess(first) ? ' shows no id' : ''}`,
    );
    return;
  }
  const judge = async (when: string): Promise<boolean> => {
    const answer = await maker.post(key, body);
    // One that was lost on the way is asked for again: that is a replay as well.
    const replay = answer.response === null ? await maker.post(key, body) : answer;
    const shown = idIn(replay);
    const exchanges = [first, replay];
    if (!isSuccess(replay) && !isRefusal(replay))
      return check.fail({
        code: 'unit-replay-failed',
        expected: `the replay of a unit's creation ${when} to be answered with a success, or refused`,
        actual: `${describe(replay)}: ${quote(replay.response?.json)}`,
        exchanges,
      });
    if (isSuccess(replay) && shown !== null && shown !== id)
      return check.fail({
        code: 'other-unit',
        expected: `the replay of a unit's creation ${when} to show the same unit`,
        actual: `${quote(id)}, then ${quote(shown)}`,
        exchanges,
      });
    return true;
  };
  if (await judge('at once')) {
    let others = 0;
    for (; others < requestBudget(check).unitCreates; others += 1)
      await maker.post(check.fresh('unit key'), maker.body());
    if (await judge(`after ${others} other units`)) {
      const listed = await maker.listed(body);
      if (listed.ids.length > 1)
        check.fail({
          code: 'several-units',
          expected: "the replays of a unit's creation to make no second unit",
          actual: `the list shows units ${listed.ids.map(quote).join(', ')} of one body`,
          exchanges: [first, ...listed.exchanges],
        });
    }
  }
  await maker.clear();
}
