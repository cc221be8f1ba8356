import { lowerBound, type TraceRecord, upperBound } from '../trace.js';
import { countingUnit, leftOf, quotaOf } from './fields.js';
import { type Answers, draft, findingOf, type HeaderFinding, quoting, truth } from './header-rules.js';
import { formatCount } from '../violation.js';

/** Several processes may share a count that is up to this old when it is sent, although the limit itself is exact. */
const mostLaggingMs = 1_000;
/** How old a count may be: processes that share windows of seconds exchange counts more often than this. */
const laggingMs = (windowMs: number): number => Math.min(mostLaggingMs, windowMs / 30);

/** The same, of answers that are known to say what is left. */
const left = (record: TraceRecord): number => leftOf(record) ?? 0;

const tell = quoting('remaining');
const falls = {
  ...truth,
  code: 'remaining-stuck',
  expected: `RateLimit-Remaining falls as requests are spent (${draft}, section 3.3)`,
};

/** Untrue values of RateLimit-Remaining: of accepted requests, of refused ones, and one beside the others. */
export function judgeRemaining(answers: Answers): HeaderFinding[] {
  return [
    ...judgeSpent(answers),
    ...(answers.numbers.sustained === null ? judgeUntrue(answers) : []),
    ...judgeRefused(answers),
  ];
}

/** Answers that lie close together, in four parts of about equal size by the order of sending. */
interface DenseRun {
  readonly chunks: readonly (readonly TraceRecord[])[];
  /** From the first sending to the last answer. */
  readonly lengthMs: number;
}

/**
 * For several lengths, each at most a quarter of the window, the stretch with the most requests both sent and answered within it. A window
 * of the burst limit, one of the sustained limit and one slow timer can each restart at most once, so in at least one of its four parts only
 * the steady refill can return requests.
 */
function denseRuns(inOrder: readonly TraceRecord[], windowMs: number): DenseRun[] {
  return [4, 16, 64].flatMap((share) => densest(inOrder, windowMs / share));
}

function densest(inOrder: readonly TraceRecord[], lengthMs: number): DenseRun[] {
  let first = 0;
  let best = { first: 0, last: -1 };
  for (let last = 0; last < inOrder.length; last += 1) {
    const untilMs = inOrder[last]?.receivedMs ?? Infinity;
    while (first < last && untilMs - (inOrder[first]?.sentMs ?? 0) > lengthMs) first += 1;
    if (last - first > best.last - best.first) best = { first, last };
  }
  const fromMs = inOrder[best.first]?.sentMs ?? 0;
  const inside = inOrder.slice(best.first, best.last + 1).filter((record) => record.receivedMs <= fromMs + lengthMs);
  if (inside.length < 12) return [];
  const part = Math.ceil(inside.length / 4);
  const chunks = [0, 1, 2, 3].map((quarter) => inside.slice(quarter * part, (quarter + 1) * part));
  const untilMs = inside.reduce((latest, record) => Math.max(latest, record.receivedMs), 0);
  return chunks.some((chunk) => chunk.length === 0) ? [] : [{ chunks, lengthMs: untilMs - fromMs }];
}

/** Among this many accepted requests, some followed a pause. */
const enoughAnswers = 20;

/** A count that stays while requests are certainly being spent. */
function judgeSpent({ inOrder, numbers: { burst, sustained } }: Answers): HeaderFinding[] {
  const refill = sustained ?? burst;
  const accepted = inOrder.filter((record) => record.outcome === 'accepted' && leftOf(record) !== null);
  const said = new Set(accepted.map(left));
  const leavesSome = Math.min(burst.count, sustained?.count ?? Infinity) > 1;
  if (said.size === 1 && accepted.length >= enoughAnswers && (leavesSome || !said.has(0)))
    return findingOf(falls, accepted, (record) => `${tell(record)} on each of ${accepted.length} accepted requests`);
  /** The amount that may be refilled within a run: continuously, or by a timer with a shorter period than the run. */
  const refilled = ({ lengthMs }: DenseRun): number =>
    (2 * refill.count * lengthMs) / (refill.windowSeconds * 1000) + 2;
  const isFrozen = (run: DenseRun): boolean => {
    const values = new Set(run.chunks.flat().map(left));
    const isCertain = run.lengthMs > 2 * mostLaggingMs && values.size === 1 && !values.has(0);
    return isCertain && run.chunks.every((chunk) => chunk.length - 1 > refilled(run));
  };
  const isInflated = (run: DenseRun): boolean =>
    run.chunks.every((chunk) => {
      const received = Float64Array.from(chunk, ({ receivedMs }) => receivedMs).sort();
      return chunk.some((record) => {
        const before = lowerBound(received, record.sentMs - mostLaggingMs);
        return left(record) > (quotaOf(record) ?? Infinity) - before - 1 + refilled(run);
      });
    });
  const runs = denseRuns(accepted, refill.windowSeconds * 1000);
  const run = runs.find(isFrozen) ?? runs.find(isInflated);
  const shown = run?.chunks.flat() ?? [];
  return findingOf(
    falls,
    shown,
    (record) =>
      `${shown.length} requests accepted within ${formatCount(Math.round(run?.lengthMs ?? 0))} ms, still ${tell(record)}`,
  );
}

/**
 * Refusals that claim more requests are left than were in flight around them. One alone may have been sent just as a window began
 * anew, so a single one counts only where nothing else was refused.
 */
function judgeRefused({ inOrder, written }: Answers): HeaderFinding[] {
  const refused = inOrder.filter(({ outcome }) => outcome === 'refused');
  const contradicted = refused.filter((record) => {
    const inFlight = upperBound(written.sent, record.receivedMs) - lowerBound(written.receivedSorted, record.sentMs);
    return left(record) > Math.max(0, inFlight + 1);
  });
  const expected = `RateLimit-Remaining is 0 when a request is refused: the fields MUST describe the window with the lowest RateLimit-Remaining (${draft}, section 4)`;
  return findingOf(
    { ...truth, code: 'remaining-left', expected },
    contradicted.length >= Math.min(2, refused.length) ? contradicted : [],
    (record) => `refused with ${tell(record)}`,
  );
}

/**
 * Impossible values, for a plan with one limit: a count that rises with use, more returned than any limiter returns, or more left than is then
 * accepted. Where others may use the key, the last counts only where this run alone has spent the limit.
 */
function judgeUntrue({ inOrder, written, numbers: { burst }, alone }: Answers): HeaderFinding[] {
  const withRemaining = inOrder.filter((record) => leftOf(record) !== null);
  const accepted = withRemaining.filter(({ outcome }) => outcome === 'accepted');
  // Whichever of several requests at once is decided first, its answer comes first.
  const claims = accepted
    .filter(({ receivedMs }) => Number.isFinite(receivedMs))
    .sort((a, b) => a.receivedMs - b.receivedMs);
  const windowMs = burst.windowSeconds * 1000;
  const rising = countsUp(claims, burst.count / windowMs, windowMs);
  if (rising.length > 0)
    return findingOf(
      { ...falls, code: 'remaining-rises' },
      rising,
      (record) => `${tell(record)}, and one more with every request that was accepted next`,
    );
  const quota = accepted.reduce((most, record) => Math.max(most, quotaOf(record) ?? 0), burst.count);
  const back = givenBack(accepted, quota, windowMs);
  if (back !== null)
    return findingOf(
      {
        ...truth,
        code: 'remaining-untrue',
        expected: `RateLimit-Remaining follows what is left (${draft}, section 3.3)`,
      },
      back.records,
      (record) =>
        `${tell(record)}; within ${formatCount(Math.round(back.lengthMs))} ms it rose by ${formatCount(Math.round(back.rise))} in all, of a limit of ${formatCount(quota)} in ${formatCount(windowMs)} ms`,
    );
  const unit = countingUnit(withRemaining.map(left));
  const answered = Float64Array.from(claims, ({ receivedMs }) => receivedMs);
  // Refusals that came before as many requests as had been said to be left.
  const tooEarly: { readonly claim: TraceRecord; readonly refusal: TraceRecord }[] = [];
  let heard = 0;
  let best: { readonly claim: TraceRecord; readonly until: number } | null = null;
  for (const refusal of withRemaining) {
    if (refusal.outcome !== 'refused') continue;
    for (let claim = claims[heard]; claim !== undefined && claim.receivedMs < refusal.sentMs; claim = claims[heard]) {
      heard += 1;
      // The server may have known only of answers from so long ago.
      const known = lowerBound(written.receivedSorted, claim.sentMs - laggingMs(windowMs));
      const until = known + left(claim) - (unit - 1);
      if (best === null || until > best.until) best = { claim, until };
    }
    const spent = heard - lowerBound(answered, refusal.sentMs - windowMs);
    const sent = upperBound(written.sent, refusal.receivedMs);
    if (best !== null && sent < best.until - 1 && (alone || spent >= burst.count))
      tooEarly.push({ claim: best.claim, refusal });
  }
  const [first] = tooEarly;
  const apartMs = (tooEarly.at(-1)?.refusal.sentMs ?? 0) - (first?.refusal.sentMs ?? 0);
  if (first === undefined || apartMs < windowMs / 2) return [];
  const after = upperBound(written.sent, first.refusal.receivedMs) - upperBound(written.sent, first.claim.sentMs);
  const expected = `as many requests to be accepted as RateLimit-Remaining says are left (${draft}, section 3.3)`;
  return findingOf(
    { ...truth, code: 'refused-too-early', expected },
    [first.claim, ...tooEarly.map(({ refusal }) => refusal)],
    (record) =>
      `${tell(record)}, yet request ${first.refusal.index} was refused, one of ${formatCount(after)} sent since`,
  );
}

/** This many consecutive answers show the direction of a count. */
const enoughInRow = 20;

/**
 * Intervals in which the count rises by one with each request, faster than three times the refill; empty unless this happens in two places.
 */
function countsUp(claims: readonly TraceRecord[], perMs: number, windowMs: number): TraceRecord[] {
  const found: TraceRecord[] = [];
  const mostMs = Math.min(enoughInRow / (3 * perMs), windowMs / 4);
  for (let at = 0; at + enoughInRow <= claims.length; at += 1) {
    const [first, last] = [claims[at], claims[at + enoughInRow - 1]];
    if (first === undefined || last === undefined || last.receivedMs - first.sentMs > mostMs) continue;
    if (left(last) <= left(first) || !isConsecutive(claims.slice(at, at + enoughInRow).map(left))) continue;
    found.push(first);
    at += enoughInRow - 1;
  }
  const apartMs = (found.at(-1)?.sentMs ?? 0) - (found[0]?.sentMs ?? 0);
  return apartMs >= windowMs / 2 ? found : [];
}

/** Whether counts are consecutive numbers, in whatever order requests at the same time were answered, and rise. */
function isConsecutive(counts: readonly number[]): boolean {
  const half = counts.length / 2;
  const sum = (some: readonly number[]): number => some.reduce((one, two) => one + two, 0);
  return (
    Math.max(...counts) - Math.min(...counts) === counts.length - 1 &&
    new Set(counts).size === counts.length &&
    sum(counts.slice(half)) - sum(counts.slice(0, half)) > 0.8 * half * half
  );
}

/** Windows after which a stretch is long enough. */
const mostWindows = 4;

/** An interval in which the count rose by more than any limiter returns: its limit once for each window, and once more. */
function givenBack(accepted: readonly TraceRecord[], quota: number, windowMs: number) {
  const rises = risesOf(accepted, laggingMs(windowMs));
  for (const [at, { fromMs }] of rises.entries()) {
    let rise = 0;
    for (let last = at; last < rises.length; last += 1) {
      const lengthMs = (rises[last]?.toMs ?? 0) - fromMs;
      if (lengthMs > mostWindows * windowMs) break;
      rise += rises[last]?.by ?? 0;
      if (rise > 1.1 * quota * (Math.ceil(lengthMs / windowMs) + 1))
        return { records: rises.slice(at, last + 1).map(({ record }) => record), rise, lengthMs };
    }
  }
  return null;
}

/**
 * The rises from the least that was said in one second to the most that was said in a later one: several processes may answer with old
 * counts.
 */
function risesOf(accepted: readonly TraceRecord[], lagMs: number) {
  const rises: { readonly fromMs: number; readonly toMs: number; readonly by: number; readonly record: TraceRecord }[] =
    [];
  let at = 0;
  const binFrom = (fromMs: number): readonly TraceRecord[] => {
    while (at < accepted.length && (accepted[at]?.sentMs ?? 0) < fromMs) at += 1;
    const begin = at;
    const untilMs = (accepted[at]?.sentMs ?? 0) + lagMs;
    while (at < accepted.length && (accepted[at]?.sentMs ?? 0) < untilMs) at += 1;
    return accepted.slice(begin, at);
  };
  const endOf = (bin: readonly TraceRecord[]): number => Math.max(...bin.map(({ receivedMs }) => receivedMs)) + lagMs;
  for (let low = binFrom(-Infinity); low.length > 0;) {
    const high = binFrom(endOf(low));
    if (high.length === 0) break;
    const least = low.reduce((one, two) => (left(two) < left(one) ? two : one));
    const most = high.reduce((one, two) => (left(two) > left(one) ? two : one));
    const by = Math.max(0, left(most) - left(least));
    rises.push({ fromMs: least.sentMs - lagMs, toMs: most.receivedMs, by, record: most });
    low = binFrom(endOf(high));
  }
  return rises;
}
