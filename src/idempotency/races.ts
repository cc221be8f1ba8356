import type { Exchange } from '../http/index.js';
import type { Check } from '../run/index.js';
import { isSpread } from './plan.js';
import type { RequestLog } from './request-log.js';

/** Every create of a race is answered, apart from answers that a network loses now and then. */
export function judgeLostAnswers(check: Check, { entries, volleys }: RequestLog): void {
  const isReset = (one: Exchange): boolean => one.failure?.kind === 'reset';
  const lost = volleys.filter((answers) => answers.some(isReset)).length;
  const silent = volleys.filter((answers) => answers.some((one) => one.response === null && !isReset(one))).length;
  if (silent < 2 && lost <= volleys.length / 2) return;
  check.fail({
    code: 'race-unanswered',
    expected: 'every one of several creates with one key at the same time to be answered',
    actual: `in ${silent + lost} rounds one was not`,
    exchanges: entries.map((entry) => entry.exchange).filter((one) => one.response === null),
  });
}

/** Whether two requests were under way at the same time. */
export const overlap = (one: Exchange, two: Exchange): boolean =>
  one !== two && one.sentAtMs < two.receivedAtMs && two.sentAtMs < one.receivedAtMs;

/** Observes in how many races requests overlapped; blocks where none did. */
export function blockUnlessOverlapping(check: Check, { volleys }: RequestLog): void {
  const raced = volleys.filter(
    (answers) =>
      answers.every((one) => one.throttled === 0) && answers.some((one) => answers.some((two) => overlap(one, two))),
  ).length;
  const spreadsMs = volleys
    .filter((_, round) => !isSpread(round))
    .map((answers) => answers.map((one) => one.sentAtMs))
    .map((starts) => Math.max(...starts) - Math.min(...starts))
    .sort((a, b) => a - b);
  check.observe('How many creates overlapped?', `${volleys[0]?.length ?? 0} at a time on open connections`, {
    detail: `${raced} rounds in which requests overlapped, ${volleys.flat().length} requests, all sent within ${(spreadsMs[Math.floor(spreadsMs.length / 2)] ?? 0).toFixed(1)} ms (median)`,
  });
  if (raced === 0)
    check.blocked('no two requests overlapped: the target answered them one after another, or held them back with 429');
}
