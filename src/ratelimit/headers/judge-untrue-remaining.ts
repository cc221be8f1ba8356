import { countingUnit, wholeNumber } from './fields.js';
import { draft, findingOf, type HeaderFinding } from './header-finding.js';
import { formatCount } from '../violation.js';
import { laggingMs as mostLaggingMs, quotaOf } from './judge-remaining.js';
import { lowerBound, type RequestIntervals, upperBound } from '../request-intervals.js';
import type { PlanNumbers } from '../model.js';
import type { TraceRecord } from '../trace.js';

/** How old a count may be: processes that share windows of seconds exchange counts more often than this. */
const laggingMs = (windowMs: number): number => Math.min(mostLaggingMs, windowMs / 30);

const breach = { id: 'LIMIT-07', severity: 'fail' } as const;

/**
 * Impossible values of RateLimit-Remaining, for a plan with one limit: more left than is then accepted, more returned than any limiter
 * returns, or a count that rises with use. `written` holds all requests; answers are in the order of their requests. Where others may use
 * the key, it counts only where this run alone has spent the limit.
 */
export function judgeUntrueRemaining(
  written: RequestIntervals,
  inOrder: readonly TraceRecord[],
  numbers: PlanNumbers,
  alone: boolean,
): HeaderFinding[] {
  if (numbers.sustained !== null) return [];
  const withRemaining = inOrder.filter((record) => leftOf(record) !== null);
  const accepted = withRemaining.filter(({ outcome }) => outcome === 'accepted');
  const { count, windowSeconds } = numbers.burst;
  const windowMs = windowSeconds * 1000;
  const quota = accepted.reduce((most, record) => Math.max(most, quotaOf(record) ?? 0), count);
  // Whichever of several requests at once is decided first, its answer comes first.
  const rising = countsUp(inOrderOfAnswers(accepted), count / windowMs, windowMs);
  if (rising.length > 0)
    return findingOf(
      {
        ...breach,
        code: 'remaining-rises',
        expected: `RateLimit-Remaining falls as requests are spent (${draft}, section 3.3)`,
      },
      rising,
      ({ remaining }) =>
        `RateLimit-Remaining: ${remaining ?? ''}, and one more with every request that was accepted next`,
    );
  const back = givenBack(accepted, quota, windowMs);
  if (back !== null)
    return findingOf(
      {
        ...breach,
        code: 'remaining-untrue',
        expected: `RateLimit-Remaining follows what is left (${draft}, section 3.3)`,
      },
      back.records,
      ({ remaining }) =>
        `RateLimit-Remaining: ${remaining ?? ''}; within ${formatCount(Math.round(back.lengthMs))} ms it rose by ${formatCount(Math.round(back.rise))} in all, of a limit of ${formatCount(quota)} in ${formatCount(windowMs)} ms`,
    );
  return overstated(written, withRemaining, { count, windowMs, alone });
}

const leftOf = ({ remaining }: TraceRecord): number | null => (remaining === undefined ? null : wholeNumber(remaining));

const inOrderOfAnswers = (records: readonly TraceRecord[]): TraceRecord[] =>
  records.filter(({ receivedMs }) => Number.isFinite(receivedMs)).sort((a, b) => a.receivedMs - b.receivedMs);

/** Where others may use the key, a refusal counts only if this run alone has spent the limit. */
interface Promises {
  readonly count: number;
  readonly windowMs: number;
  readonly alone: boolean;
}

/** Refusals that came before as many requests as had been said to be left, in two places at least. */
function overstated(
  written: RequestIntervals,
  withRemaining: readonly TraceRecord[],
  { count, windowMs, alone }: Promises,
): HeaderFinding[] {
  const unit = countingUnit(withRemaining.map((record) => leftOf(record) ?? 0));
  const claims = inOrderOfAnswers(withRemaining.filter(({ outcome }) => outcome === 'accepted'));
  const refusedTooEarly: { readonly claim: TraceRecord; readonly refusal: TraceRecord }[] = [];
  const answered = Float64Array.from(claims, ({ receivedMs }) => receivedMs);
  let heard = 0;
  let best: { readonly claim: TraceRecord; readonly until: number } | null = null;
  for (const refusal of withRemaining) {
    if (refusal.outcome !== 'refused') continue;
    for (; (claims[heard]?.receivedMs ?? Infinity) < refusal.sentMs; heard += 1) {
      const claim = claims[heard];
      if (claim === undefined) break;
      // The server may have known only of answers from so long ago.
      const known = lowerBound(written.receivedSorted, claim.sentMs - laggingMs(windowMs));
      const until = known + (leftOf(claim) ?? 0) - (unit - 1);
      if (best === null || until > best.until) best = { claim, until };
    }
    const sent = upperBound(written.sent, refusal.receivedMs);
    const spent = heard - lowerBound(answered, refusal.sentMs - windowMs);
    if (best !== null && sent < best.until - 1 && (alone || spent >= count))
      refusedTooEarly.push({ claim: best.claim, refusal });
  }
  const [first] = refusedTooEarly;
  const last = refusedTooEarly.at(-1);
  if (first === undefined || last === undefined || last.refusal.sentMs - first.refusal.sentMs < windowMs / 2) return [];
  const after = upperBound(written.sent, first.refusal.receivedMs) - upperBound(written.sent, first.claim.sentMs);
  return findingOf(
    {
      ...breach,
      code: 'refused-too-early',
      expected: `as many requests to be accepted as RateLimit-Remaining says are left (${draft}, section 3.3)`,
    },
    [first.claim, ...refusedTooEarly.map(({ refusal }) => refusal)],
    ({ remaining }) =>
      `RateLimit-Remaining: ${remaining ?? ''}, yet request ${first.refusal.index} was refused, one of ${formatCount(after)} sent since`,
  );
}

/** This many consecutive answers show the direction of a count. */
const enoughInRow = 20;

/**
 * Intervals in which the count rises by one with each request, faster than three times the refill; empty unless this happens in two places.
 */
function countsUp(accepted: readonly TraceRecord[], perMs: number, windowMs: number): TraceRecord[] {
  const found: TraceRecord[] = [];
  const mostMs = Math.min(enoughInRow / (3 * perMs), windowMs / 4);
  for (let at = 0; at + enoughInRow <= accepted.length; at += 1) {
    const [first, last] = [accepted[at], accepted[at + enoughInRow - 1]];
    if (first === undefined || last === undefined || last.receivedMs - first.sentMs > mostMs) continue;
    if ((leftOf(last) ?? 0) <= (leftOf(first) ?? 0) || !isConsecutive(accepted.slice(at, at + enoughInRow))) continue;
    found.push(first);
    at += enoughInRow - 1;
  }
  const apartMs = (found.at(-1)?.sentMs ?? 0) - (found[0]?.sentMs ?? 0);
  return apartMs >= windowMs / 2 ? found : [];
}

/** Whether counts are consecutive numbers, in whatever order requests at the same time were answered, and rise. */
function isConsecutive(run: readonly TraceRecord[]): boolean {
  const counts = run.map((record) => leftOf(record) ?? 0);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const half = counts.length / 2;
  const sum = (some: readonly number[]): number => some.reduce((one, two) => one + two, 0);
  return (
    most - least === counts.length - 1 &&
    new Set(counts).size === counts.length &&
    sum(counts.slice(half)) - sum(counts.slice(0, half)) > 0.8 * half * half
  );
}

/** A rise from the least that was said in one second to the most that was said in a later one. */
interface Rise {
  readonly fromMs: number;
  readonly toMs: number;
  readonly by: number;
  readonly record: TraceRecord;
}

interface Return {
  readonly records: readonly TraceRecord[];
  readonly rise: number;
  readonly lengthMs: number;
}

/** Windows after which a stretch is long enough. */
const mostWindows = 4;

/**
 * An interval in which the count rose by more than any limiter returns: its limit once for each window, and once more. Several processes
 * may answer with old counts, so rises are measured between seconds that are apart.
 */
function givenBack(accepted: readonly TraceRecord[], quota: number, windowMs: number): Return | null {
  const rises = risesOf(accepted, laggingMs(windowMs));
  for (let first = 0; first < rises.length; first += 1) {
    let sum = 0;
    for (let last = first; last < rises.length; last += 1) {
      const lengthMs = (rises[last]?.toMs ?? 0) - (rises[first]?.fromMs ?? 0);
      if (lengthMs > mostWindows * windowMs) break;
      sum += rises[last]?.by ?? 0;
      if (sum > 1.1 * quota * (Math.ceil(lengthMs / windowMs) + 1))
        return { records: rises.slice(first, last + 1).map(({ record }) => record), rise: sum, lengthMs };
    }
  }
  return null;
}

function risesOf(accepted: readonly TraceRecord[], lagMs: number): Rise[] {
  const rises: Rise[] = [];
  let at = 0;
  const binFrom = (fromMs: number): readonly TraceRecord[] => {
    while (at < accepted.length && (accepted[at]?.sentMs ?? 0) < fromMs) at += 1;
    const begin = at;
    const untilMs = (accepted[at]?.sentMs ?? 0) + lagMs;
    while (at < accepted.length && (accepted[at]?.sentMs ?? 0) < untilMs) at += 1;
    return accepted.slice(begin, at);
  };
  const endOf = (bin: readonly TraceRecord[]): number => Math.max(...bin.map(({ receivedMs }) => receivedMs)) + lagMs;
  let low = binFrom(-Infinity);
  while (low.length > 0) {
    const high = binFrom(endOf(low));
    const least = low.reduce((one, two) => ((leftOf(two) ?? 0) < (leftOf(one) ?? 0) ? two : one));
    const most =
      high.length === 0 ? null : high.reduce((one, two) => ((leftOf(two) ?? 0) > (leftOf(one) ?? 0) ? two : one));
    if (most === null) break;
    rises.push({
      fromMs: least.sentMs - lagMs,
      toMs: most.receivedMs,
      by: Math.max(0, (leftOf(most) ?? 0) - (leftOf(least) ?? 0)),
      record: most,
    });
    low = binFrom(endOf(high));
  }
  return rises;
}
