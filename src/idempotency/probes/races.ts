import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { isRefusal, isSuccess } from '../../service/index.js';
import type { Exchange } from '../../http/index.js';
import { type Check, describe } from '../../run/index.js';
import { freshBody, type LeadBody } from '../lead-body.js';
import type { RequestLog } from '../request-log.js';

/** Releases the same create on as many connections at once, or spread by the given delays in milliseconds. */
export async function volley(
  log: RequestLog,
  key: string,
  body: LeadBody,
  delaysMs: readonly number[],
): Promise<Exchange[]> {
  // A connection is free again a moment after the answer on it has been read; a request before that opens another one.
  await setImmediate();
  return Promise.all(
    delaysMs.map(async (delayMs) => {
      if (delayMs > 0) await sleep(delayMs);
      return log.post(key, body);
    }),
  );
}

/** Whether at least two of the requests were under way at the same time. */
export function overlapped(exchanges: readonly Exchange[]): boolean {
  return exchanges.some((one, at) =>
    exchanges.some((two, there) => there > at && one.sentAtMs < two.receivedAtMs && two.sentAtMs < one.receivedAtMs),
  );
}

const isSpread = (round: number): boolean => round % 3 === 2;

/** Delays of one round: mostly none; every third round spread over the time that a create took before, which other windows need. */
export function delays(round: number, racers: number, before: readonly Exchange[] = []): number[] {
  if (!isSpread(round)) return Array.from({ length: racers }, () => 0);
  const took = before.filter(isSuccess).map((one) => one.receivedAtMs - one.sentAtMs);
  const span = Math.min(200, Math.max(2, Math.min(...took, 500) * (round % 2 === 0 ? 1 : 1.6)));
  return Array.from({ length: racers }, (_, at) => (span * at) / Math.max(1, racers - 1));
}

/** Each create of a race is answered with a success or an allowed refusal; where all were refused, a replay afterwards makes the lead. */
export async function judgeRace(
  log: RequestLog,
  answers: readonly Exchange[],
  key: string,
  body: LeadBody,
): Promise<boolean> {
  const { check } = log;
  const broken = answers.find((one) => one.response !== null && !isSuccess(one) && !okayRefusal(one));
  if (broken !== undefined)
    check.fail({
      code: 'race-answer',
      expected: 'each of several creates with one key at the same time to be answered with a success or a 4xx',
      actual: describe(broken),
      exchanges: [...answers.filter((one) => one !== broken), broken],
    });
  const replay = await log.settle(key, body);
  // What was lost on the way may have made it.
  const isMade = answers.some((one) => one.response === null || isSuccess(one));
  if (isSuccess(replay) || (isMade && isRefusal(replay))) return broken === undefined;
  if (!isMade) {
    const own = await freshBody(check, `a control lead for ${body.label}`);
    const control = await log.settle(check.fresh('control key'), own);
    if (!isSuccess(control)) check.blocked(`ordinary creates stopped working: ${describe(control)}`);
  }
  return check.fail({
    code: isMade ? 'no-replay' : 'no-winner',
    expected: isMade
      ? 'a replay after the race to show the lead, or to be refused'
      : 'one of the creates of the race to make a lead',
    actual: describe(replay),
    exchanges: [...answers, replay],
  });
}

/** Every create of a race is answered, apart from answers that a network loses now and then. */
export function judgeLostAnswers(
  { check, entries }: RequestLog,
  races: readonly (readonly Exchange[])[],
  planned: number,
): void {
  const isReset = (one: Exchange): boolean => one.failure?.kind === 'reset';
  const lost = races.filter((answers) => answers.some(isReset)).length;
  const silent = races.filter((answers) => answers.some((one) => one.response === null && !isReset(one))).length;
  if (silent < 2 && lost <= planned / 2) return;
  check.fail({
    code: 'race-unanswered',
    expected: 'every one of several creates with one key at the same time to be answered',
    actual: `in ${silent + lost} rounds one was not`,
    exchanges: entries.map((entry) => entry.exchange).filter((one) => one.response === null),
  });
}

/** Observes in how many races requests overlapped, and returns it. */
export function observeOverlap(check: Check, races: readonly (readonly Exchange[])[], racers: number): number {
  const raced = races.filter((answers) => overlapped(answers) && answers.every((one) => one.throttled === 0)).length;
  const spreadsMs = races
    .filter((_, round) => !isSpread(round))
    .map((answers) => answers.map((one) => one.sentAtMs))
    .map((starts) => Math.max(...starts) - Math.min(...starts));
  check.observe('How many creates overlapped?', `${racers} at a time on open connections`, {
    detail: `${raced} rounds in which requests overlapped, ${races.flat().length} requests, all sent within ${median(spreadsMs).toFixed(1)} ms (median)`,
  });
  return raced;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** A refusal that a race allows: any that is no server error, and "unavailable" from a busy service. */
function okayRefusal(exchange: Exchange): boolean {
  return isRefusal(exchange) || exchange.response?.status === 503;
}
