import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { isRefusal, isSuccess } from '../api/envelope.js';
import type { Exchange } from '../http/exchange.js';
import { describe } from '../run/check.js';
import type { Check } from '../run/check.js';
import { audit, blockUnlessSeen } from './audit.js';
import { freshBody } from './lead-body.js';
import type { LeadBody } from './lead-body.js';
import type { Ledger } from './ledger.js';
import { openLedger } from './subject.js';
import { openConnections } from './connections.js';
import { allowance } from './spending.js';
import { judgeUnitRace } from './unit-keys.js';

/** Releases the same create on as many connections at once, or spread by the given delays in milliseconds. */
export async function volley(
  ledger: Ledger,
  key: string,
  body: LeadBody,
  delaysMs: readonly number[],
): Promise<Exchange[]> {
  // A connection is free again a moment after the answer on it has been read; a request before that opens another one.
  await setImmediate();
  return Promise.all(
    delaysMs.map(async (delayMs) => {
      if (delayMs > 0) await sleep(delayMs);
      return ledger.post(key, body);
    }),
  );
}

/** Whether at least two of the requests were under way at the same time. */
export function overlapped(exchanges: readonly Exchange[]): boolean {
  return exchanges.some((one, at) =>
    exchanges.some((two, there) => there > at && one.sentAtMs < two.receivedAtMs && two.sentAtMs < one.receivedAtMs),
  );
}

/** Delays of one round: mostly none; every third round spread over the time that a create takes, which other windows need. */
function delays(round: number, racers: number, createMs: number): number[] {
  if (round % 3 !== 2) return Array.from({ length: racers }, () => 0);
  const span = Math.min(200, Math.max(2, createMs * (round % 2 === 0 ? 1 : 1.6)));
  return Array.from({ length: racers }, (_, at) => (span * at) / Math.max(1, racers - 1));
}

/** Races creates with one key, then replays: at most one lead, which every success shows. */
export async function judgeRaces(check: Check): Promise<void> {
  const { ledger, known } = await openLedger(check);
  const { raceRounds, racers } = allowance(check);
  let raced = 0;
  let sent = 0;
  let createMs = 5;
  let silent = 0;
  let lost = 0;
  const spreadsMs: number[] = [];
  for (let round = 0; round < raceRounds && check.breaches.length === 0; round += 1) {
    const key = check.fresh('raced key');
    const body = await freshBody(check, `raced lead ${round + 1}`);
    // Idle connections are closed after a few seconds, so they are opened again now and then; last, as making a body may take a while.
    if (round % 8 === 0) await openConnections(check, racers);
    const spread = delays(round, racers, createMs);
    const answers = await volley(ledger, key, body, spread);
    sent += answers.length;
    if (overlapped(answers) && answers.every((one) => one.throttled === 0)) raced += 1;
    if (spread.every((delay) => delay === 0)) {
      const starts = answers.map((one) => one.sentAtMs);
      spreadsMs.push(Math.max(...starts) - Math.min(...starts));
    }
    createMs = Math.min(...answers.filter(isSuccess).map((one) => one.receivedAtMs - one.sentAtMs), 500);
    if (answers.some((one) => one.response === null && one.failure?.kind !== 'reset')) silent += 1;
    if (answers.some((one) => one.failure?.kind === 'reset')) lost += 1;
    const broken = answers.find((one) => one.response !== null && !isSuccess(one) && !okayRefusal(one));
    if (broken !== undefined) {
      check.breach({
        expected: 'each of several creates with one key at the same time to be answered with a success or a 4xx',
        actual: describe(broken),
        exchanges: [...answers.filter((one) => one !== broken), broken],
      });
    }
    const replay = await ledger.settle(key, body);
    if (!isSuccess(replay)) {
      const control = answers.some(isSuccess)
        ? null
        : await ledger.settle(check.fresh('control key'), await freshBody(check, `a control lead, ${round + 1}`));
      if (control !== null && !isSuccess(control))
        check.blocked(`ordinary creates stopped working: ${describe(control)}`);
      check.breach({
        expected: 'a replay after the race to show the lead',
        actual: describe(replay),
        exchanges: [...answers, replay],
      });
    }
    ledger.judge('several creates with one key at the same time to make one lead, which every success shows');
  }
  // A network loses an answer now and then.
  if (silent >= 2 || lost > raceRounds / 2)
    check.breach({
      expected: 'every one of several creates with one key at the same time to be answered',
      actual: `in ${silent + lost} rounds one was not`,
      exchanges: ledger.entries.map((entry) => entry.exchange).filter((one) => one.response === null),
    });
  check.observe(
    'How many creates overlapped?',
    `${raced} rounds in which requests overlapped, ${sent} requests, ${racers} at a time on warm connections, handed over within ${median(spreadsMs).toFixed(1)} ms (median)`,
  );
  const counted = await audit(ledger);
  await judgeUnitRace(check);
  blockUnlessSeen(check, known, counted);
  if (raced === 0 && check.breaches.length === 0)
    check.blocked('no two requests overlapped: the target answered them one after another, or held them back with 429');
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** A refusal that a race allows: any that is no server error, and "unavailable" from a busy service. */
function okayRefusal(exchange: Exchange): boolean {
  return isRefusal(exchange) || exchange.response?.status === 503;
}
