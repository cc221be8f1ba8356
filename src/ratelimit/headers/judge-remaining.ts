import type { TraceRecord } from '../trace.js';
import { quotaItems, wholeNumber } from './fields.js';
import { type AnswerCheck, draft, findingOf, type HeaderFinding } from './header-finding.js';
import { formatCount } from '../violation.js';
import type { PlanNumbers } from '../model.js';
import { lowerBound, type RequestIntervals, upperBound } from '../request-intervals.js';

/** Answers that lie close together, in four parts of about equal size by the order of sending. */
interface DenseRun {
  readonly chunks: readonly (readonly TraceRecord[])[];
  /** From the first sending to the last answer. */
  readonly lengthMs: number;
}

/**
 * For several lengths, each at most a quarter of the window, the stretch with the most requests both sent and answered within it. The
 * answers come in the order in which they were asked for.
 */
function denseRuns(inOrder: readonly TraceRecord[], windowMs: number): DenseRun[] {
  const bySent = inOrder.filter((record) => Number.isFinite(record.receivedMs));
  return [4, 16, 64].flatMap((share) => densest(bySent, windowMs / share));
}

function densest(bySent: readonly TraceRecord[], lengthMs: number): DenseRun[] {
  let first = 0;
  let best = { first: 0, last: -1 };
  for (let last = 0; last < bySent.length; last += 1) {
    const untilMs = bySent[last]?.receivedMs ?? Infinity;
    while (first < last && untilMs - (bySent[first]?.sentMs ?? 0) > lengthMs) first += 1;
    if (last - first > best.last - best.first) best = { first, last };
  }
  const fromMs = bySent[best.first]?.sentMs ?? 0;
  const inside = bySent.slice(best.first, best.last + 1).filter((record) => record.receivedMs <= fromMs + lengthMs);
  if (inside.length < 12) return [];
  const part = Math.ceil(inside.length / 4);
  const chunks = [0, 1, 2, 3].map((quarter) => inside.slice(quarter * part, (quarter + 1) * part));
  if (chunks.some((chunk) => chunk.length === 0)) return [];
  const untilMs = inside.reduce((latest, record) => Math.max(latest, record.receivedMs), 0);
  return [{ chunks, lengthMs: untilMs - fromMs }];
}

const breach = { id: 'LIMIT-07', severity: 'fail' } as const;

/** The quota that an answer says it counts: the largest of the numbers it names, so that nothing is held against a smaller window. */
export function quotaOf(record: TraceRecord): number | null {
  let most: number | null = null;
  for (const raw of [record.limit, record.policy])
    for (const { largest } of (raw === undefined ? null : quotaItems(raw)) ?? []) most = Math.max(most ?? 0, largest);
  return most;
}

/** A count that is below zero or above its limit. */
export const remainingChecks: readonly AnswerCheck[] = [
  {
    ...breach,
    code: 'remaining-negative',
    expected: `RateLimit-Remaining is never negative (${draft}, section 3.3)`,
    shows: ({ remaining }) => remaining?.includes('-') === true && /^\s*-\d+\s*$/.test(remaining),
    tell: ({ remaining }) => `RateLimit-Remaining: ${remaining ?? ''}`,
  },
  {
    ...breach,
    code: 'remaining-above-limit',
    expected: `RateLimit-Remaining is never above the limit (${draft}, sections 3.1 and 3.3)`,
    shows: (record) => (wholeNumber(record.remaining ?? '') ?? -1) > (quotaOf(record) ?? Infinity),
    tell: ({ limit, remaining }) => `RateLimit-Remaining: ${remaining ?? ''} of RateLimit-Limit: ${limit ?? ''}`,
  },
];

/** A count that stays while requests are certainly being spent; the answers in the order in which they were asked for. */
export function judgeRemaining(inOrder: readonly TraceRecord[], numbers: PlanNumbers): HeaderFinding[] {
  const refill = numbers.sustained ?? numbers.burst;
  const perMs = refill.count / (refill.windowSeconds * 1000);
  const withRemaining = inOrder.filter(
    (record) => record.outcome === 'accepted' && wholeNumber(record.remaining ?? '') !== null,
  );
  const falls = {
    ...breach,
    code: 'remaining-stuck',
    expected: `RateLimit-Remaining falls as requests are spent (${draft}, section 3.3)`,
  };
  const said = new Set(withRemaining.map((record) => wholeNumber(record.remaining ?? '')));
  const leavesSome = Math.min(numbers.burst.count, numbers.sustained?.count ?? Infinity) > 1;
  if (said.size === 1 && withRemaining.length >= enoughAnswers && (leavesSome || !said.has(0)))
    return findingOf(
      falls,
      withRemaining,
      ({ remaining }) => `RateLimit-Remaining: ${remaining ?? ''} on each of ${withRemaining.length} accepted requests`,
    );
  const runs = denseRuns(withRemaining, refill.windowSeconds * 1000);
  const run = runs.find((each) => isFrozen(each, perMs)) ?? runs.find((each) => isInflated(each, perMs));
  return findingOf(falls, run?.chunks.flat() ?? [], (record) => {
    const count = run?.chunks.flat().length ?? 0;
    return `${count} requests accepted within ${formatCount(Math.round(run?.lengthMs ?? 0))} ms, RateLimit-Remaining still ${record.remaining ?? ''}`;
  });
}

/** Among this many accepted requests, some followed a pause. */
const enoughAnswers = 20;

/** Several processes may share a count that is up to this old when it is sent, although the limit itself is exact. */
export const laggingMs = 1_000;

/** The amount that may be refilled within a run: continuously, or by a timer with a shorter period than the run. */
function refilled(run: DenseRun, perMs: number): number {
  return 2 * perMs * run.lengthMs + 2;
}

/**
 * Number of parts of a run. A window of the burst limit, one of the sustained limit and one slow timer can each restart at most once, so in
 * at least one of four parts only the steady refill can return requests.
 */
function isFrozen(run: DenseRun, perMs: number): boolean {
  const values = new Set(run.chunks.flat().map((record) => wholeNumber(record.remaining ?? '')));
  const lasts = run.lengthMs > 2 * laggingMs;
  return (
    lasts && values.size === 1 && !values.has(0) && run.chunks.every((chunk) => chunk.length - 1 > refilled(run, perMs))
  );
}

function isInflated(run: DenseRun, perMs: number): boolean {
  return run.chunks.every((chunk) => {
    const received = Float64Array.from(chunk, (record) => record.receivedMs).sort();
    return chunk.some((record) => {
      const before = lowerBound(received, record.sentMs - laggingMs);
      const quota = quotaOf(record);
      return quota !== null && (wholeNumber(record.remaining ?? '') ?? 0) > quota - before - 1 + refilled(run, perMs);
    });
  });
}

/**
 * Refusals that claim more requests are left than were in flight around them. One alone may have been sent just as a window began
 * anew, so a single one counts only where nothing else was refused. `written` is all that was written, by the client's clock.
 */
export function judgeRefusedRemaining(written: RequestIntervals, refused: readonly TraceRecord[]): HeaderFinding[] {
  const contradicted = refused.filter((record) => {
    const left = wholeNumber(record.remaining ?? '');
    if (left === null || left === 0) return false;
    const inFlight = upperBound(written.sent, record.receivedMs) - lowerBound(written.receivedSorted, record.sentMs);
    return left > inFlight + 1;
  });
  const certain = contradicted.length >= Math.min(2, refused.length);
  return findingOf(
    {
      ...breach,
      code: 'remaining-left',
      expected: `RateLimit-Remaining is 0 when a request is refused: the fields MUST describe the window with the lowest RateLimit-Remaining (${draft}, section 4)`,
    },
    certain ? contradicted : [],
    ({ remaining }) => `refused with RateLimit-Remaining: ${remaining ?? ''}`,
  );
}
