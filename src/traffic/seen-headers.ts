import { setTimeout as sleep } from 'node:timers/promises';
import { demoApi, plainLead, postLead } from '../api/index.js';
import { dataOf, mayMean, paths, quote } from '../service/index.js';
import { isFailure } from '../expect/index.js';
import { type Exchange, header, succeeded } from '../http/index.js';
import {
  draft,
  findingsOf,
  formRules,
  judgeCountedFailures,
  leftOf,
  planNumbers,
  planRules,
  presenceRules,
  remainingRules,
  type TraceRecord,
} from '../ratelimit/index.js';
import { exchanges, invariant } from '../judge/index.js';
import { type Check, describe } from '../run/index.js';
import { limitHeaders } from './engine/drive.js';
import { limitSubjects } from './limit-traces.js';
import { type KeyName, type Limit, type PlanName, tenantsOf } from '../settings/index.js';

/** Whether what was asked was done: answers of the demo have no envelope. */
const isDone = (exchange: Exchange): boolean =>
  exchange.surface === 'demo' ? succeeded(exchange) : dataOf(exchange) !== null;

/** An exchange of this run as a limiter's judge reads it. */
function recordOf(exchange: Exchange): TraceRecord {
  const { seq, sentAtMs, receivedAtMs, response } = exchange;
  const times = { dueMs: sentAtMs, sentMs: sentAtMs, receivedMs: receivedAtMs };
  const outcome = isDone(exchange) ? 'accepted' : 'other';
  const headers = limitHeaders(response?.headers ?? []);
  return { index: seq, ...times, outcome, status: response?.status ?? null, ...headers, hasEnvelope: null };
}

/** A success that the service itself gave: an answer with `Age` comes from a cache. */
const isCounted = (exchange: Exchange): boolean => isDone(exchange) && header(exchange, 'age') === undefined;

/** Every exchange under a key, or with the demo. */
const limitedExchanges = exchanges(
  ({ surface, request }, { target }) =>
    surface === 'demo' || (surface === 'production' && Object.hasOwn(target.keys, request.credential ?? '')),
);

/**
 * What the rate-limit headers of each answer show by themselves. Only a success must have them: otherwise there is no plan, and a failure may
 * come from a component before the limiter.
 */
export function hasLimitHeaders(id: 'LIMIT-06' | 'LIMIT-07'): ReturnType<typeof invariant> {
  const says = {
    'LIMIT-06': 'every limited answer has the three RateLimit headers, written as the draft says',
    'LIMIT-07': 'no limited answer has a RateLimit-Remaining below 0 or above RateLimit-Limit',
  };
  return invariant(says[id], limitedExchanges, ({ exchange }) => {
    const isOwed = isCounted(exchange) && exchange.request.method !== 'HEAD';
    const record = recordOf(exchange);
    return [...(isOwed ? presenceRules : []), ...formRules, ...remainingRules]
      .filter((one) => one.id === id)
      .map((one) => ({ pass: !one.shows(record), code: one.code, expected: one.expected, actual: one.tell(record) }));
  });
}

/**
 * A 429 of a production operation, wherever it was met, is a failure as any other: it comes with the envelope. A page (HTML) without RateLimit fields
 * may be that of a gateway for a limit of its own; whether it is the service's is judged under load.
 */
export const refusalsHaveEnvelope = invariant(
  'every 429 is a failure envelope',
  exchanges(({ surface, response }) => surface === 'production' && response?.status === 429),
  ({ exchange }) => ({
    ...isFailure(exchange),
    expected: '{ok: false, error} in every answer that is not a success',
    actual: quote(exchange.response?.json ?? exchange.response?.text),
    soft: /html/i.test(header(exchange, 'content-type') ?? '') && header(exchange, 'ratelimit-limit') === undefined,
  }),
);

/** The headers of one answer to each plan's key, and of one of the demo: they are of that plan. */
export async function judgePlanHeaders(check: Check): Promise<void> {
  for (const { plan, keyName, limits } of limitSubjects(check.target).subjects) {
    if (plan === 'sandbox') continue;
    const exchange = await (keyName === null ? demoApi.read(check, oneUnit.query) : askWithPlan(check, plan, keyName));
    if (keyName === null) await judgeDemoCount(check, exchange, planNumbers(limits).burst);
    for (const { code, expected, actual } of findingsOf([recordOf(exchange)], planRules(planNumbers(limits))))
      check.fail({
        code,
        expected: `${expected}, for ${keyName ?? `the ${plan}`}`,
        actual: `${describe(exchange)}: ${actual}`,
        exchanges: [exchange],
      });
  }
}

/** In one round more is spent than rounding to tens hides and a minute's limit gives back, and then the servers tell each other. */
const round = { requests: 20, pauseMs: 1_100, mostBack: 8 } as const;

/**
 * Whether RateLimit-Remaining of the demo falls: if not at once, in one of two rounds, as in the other a window may begin anew. Each request
 * differs, so that no cache answers it. Of a plan with a limit per second nothing is certain here: a bucket may give back each request before
 * the next.
 */
async function judgeDemoCount(check: Check, first: Exchange, { count, windowSeconds }: Limit): Promise<void> {
  const left = leftOf(recordOf(first));
  const sent = [first];
  let asked = 1;
  const ask = async (): Promise<void> => {
    asked += 1;
    sent.push(await demoApi.read(check, [['limit', String(asked)]]));
  };
  const isStill = (): boolean => sent.every((one) => isCounted(one) && leftOf(recordOf(one)) === left);
  await ask();
  if (left === null || left === 0 || !isStill()) return;
  for (let rounds = 0; rounds < 2; rounds += 1) {
    await Promise.all(Array.from({ length: round.requests }, ask));
    await sleep(round.pauseMs * check.run.patience);
    await ask();
  }
  const back = (((sent.at(-1)?.receivedAtMs ?? 0) - first.sentAtMs) * count) / (windowSeconds * 1000);
  if (!isStill() || back > round.mostBack) return;
  const expected = `RateLimit-Remaining falls as requests are spent (${draft}, section 3.3)`;
  const actual = `RateLimit-Remaining: ${left} in each of ${sent.length} answers of the demo`;
  check.fail({ code: 'remaining-stuck', expected, actual, exchanges: sent });
}

/** One unit, asked for with a plan's key and the tenant that the service accepts with it. */
async function askWithPlan(check: Check, plan: PlanName, as: KeyName): Promise<Exchange> {
  const [tenant = null, ...others] = tenantsOf(check.target, plan);
  let exchange = await check.send({ ...oneUnit, as, tenant });
  for (const other of others)
    if (mayMean(exchange, 400, 401, 403, 404)) exchange = await check.send({ ...oneUnit, as, tenant: other });
  return exchange;
}

const oneUnit = { path: paths.units, query: [['limit', '1']] } as const;

/** Sends, once in a run, the operations that no drive uses, under a key that no drive has used up. */
export async function tryOtherOperations(check: Check): Promise<void> {
  const key = check.fresh('idempotency key');
  await check.once('operations beside the drives', async () => {
    await check.send(oneUnit);
    await check.send({ path: paths.deals });
    if (check.target.readOnly) return true;
    const make = (): Promise<Record<string, unknown>> => plainLead(check);
    // Which lead comes next depends on the leads that the drives sent, which are not made again offline.
    const lead = check.run.depth === 'gate' ? await make() : await check.recorded('lead beside the drives', make);
    await postLead(check, lead, { key });
    return true;
  });
}

/**
 * Failures that the limiter counts, one by one: two numbers of them, so that no other user of the key is the reason. Tried again where one, or a
 * window that begins meanwhile, may have hidden what was counted.
 */
export async function judgeFailureHeaders(check: Check): Promise<void> {
  let found = 0;
  for (const count of [3, 5, 4, 6]) {
    const sent = [await check.send(oneUnit)];
    for (let at = 0; at < count; at += 1) sent.push(await check.send({ path: paths.unit(check.fresh('unknown')) }));
    sent.push(await check.send(oneUnit));
    const records = sent.map((one, at): TraceRecord => ({
      ...recordOf(one),
      ...(at === 0 || at > count ? {} : { asked: 'missing' }),
    }));
    if (!records.some(({ limit, remaining, reset }) => [limit, remaining, reset].includes(undefined))) return;
    const [before, after] = [records[0], records.at(-1)].map((one) => (one === undefined ? NaN : (leftOf(one) ?? NaN)));
    const [finding] = judgeCountedFailures(records);
    if (finding === undefined || (before ?? NaN) - (after ?? NaN) !== count + 1) continue;
    found += 1;
    if (found < 2) continue;
    check.fail({ code: finding.code, expected: finding.expected, actual: finding.actual, exchanges: sent });
    return;
  }
}
