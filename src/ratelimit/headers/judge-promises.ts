import { draft, findingOf, type HeaderFinding } from './header-finding.js';
import { resetSeconds, retrySeconds } from './judge-form.js';
import type { PlanNumbers } from '../model.js';
import { lowerBound, type RequestIntervals } from '../request-intervals.js';
import type { Trace, TraceRecord } from '../trace.js';

/** A moment without requests in flight, with the last headers before it and the first decision after it. */
interface Quiet {
  /** Every answer that may have been the last one decided. */
  readonly last: readonly TraceRecord[];
  /** Every request that may have been the first one decided. */
  readonly next: readonly TraceRecord[];
  readonly first: TraceRecord;
  /** The place of `first` among all that was written. */
  readonly at: number;
}

/** Seconds are whole: a promise may be rounded down by one. */
const roundingMs = 1000;
/** How late a timer may open a window that was promised. */
const timerMs = 50;

/**
 * Promises of acceptance that were kept waiting for in silence, and broken: all that may have been decided first afterwards was refused.
 * Needs the key to be used by nobody else. `written` is all that was written, by the client's clock.
 */
export function judgePromises(trace: Trace, written: RequestIntervals, numbers: PlanNumbers): HeaderFinding[] {
  const broken = quiets(trace, written).filter(({ last, next }) => [...last, ...next].every(isRefused));
  const mayBeSustained = sustainedGuard(written, numbers, trace);
  /** How long after the promised instant the first request left. */
  const missedMs = ({ last, first }: Quiet, seconds: (record: TraceRecord) => number | null): number => {
    const promisedMs = Math.max(...last.map((record) => record.receivedMs + 1000 * (seconds(record) ?? Infinity)));
    const silenceMs = first.sentMs - Math.max(...last.map((record) => record.receivedMs));
    return first.sentMs - promisedMs - trace.quantumMs - silenceMs * trace.clockErrorRate;
  };
  const after = (seconds: (record: TraceRecord) => number | null): TraceRecord[] =>
    broken.filter((quiet) => missedMs(quiet, seconds) > roundingMs && !mayBeSustained(quiet)).map(({ first }) => first);
  const early = broken.filter((quiet) => {
    const leftMs = roundingMs - missedMs(quiet, retrySeconds);
    return leftMs < roundingMs - timerMs && isAcceptedBy(trace, written, quiet.at, quiet.first.sentMs + leftMs);
  });
  const refusedAgain = 'refused, although all was silent for the seconds that the last answer before had asked for';
  return [
    ...findingOf(
      {
        id: 'LIMIT-07',
        severity: 'fail',
        code: 'refused-after-reset',
        expected: `after RateLimit-Reset seconds requests are accepted again (${draft}, section 3.4)`,
      },
      after(resetSeconds),
      () => `${refusedAgain} (RateLimit-Reset)`,
    ),
    ...findingOf(
      {
        id: 'LIMIT-05',
        severity: 'fail',
        code: 'refused-after-retry',
        expected: 'after Retry-After seconds requests are accepted again',
      },
      after(retrySeconds),
      () => `${refusedAgain} (Retry-After)`,
    ),
    ...findingOf(
      {
        id: 'LIMIT-10',
        severity: 'warn',
        code: 'early-retry-after',
        expected: 'Retry-After to be rounded up: to name no instant before requests are accepted again',
      },
      early.map(({ first }) => first),
      () => 'refused after the seconds that the last answer before had asked for, and accepted within a second more',
    ),
  ];
}

const isRefused = ({ outcome }: TraceRecord): boolean => outcome === 'refused';

/** Whether a request that was sent after the one at a place was certainly accepted by an instant. */
function isAcceptedBy({ records }: Trace, { count, sent, position }: RequestIntervals, at: number, untilMs: number) {
  for (let k = at + 1; k < count && (sent[k] ?? 0) < untilMs; k += 1) {
    const { outcome, receivedMs = 0 } = records[position[k] ?? 0] ?? {};
    if (outcome === 'accepted' && receivedMs <= untilMs) return true;
  }
  return false;
}

/** The moments of silence between two refusals. */
function quiets({ records }: Trace, written: RequestIntervals): Quiet[] {
  const found: Quiet[] = [];
  let latestMs = written.received[0] ?? Infinity;
  for (let k = 1; k < written.count; k += 1) {
    const silent = (written.sent[k] ?? 0) > latestMs;
    latestMs = Math.max(latestMs, written.received[k] ?? 0);
    if (!silent) continue;
    const before = records.at(written.position[k - 1] ?? 0);
    const first = records.at(written.position[k] ?? 0);
    if (before === undefined || first === undefined || !isRefused(before) || !isRefused(first)) continue;
    const recordsAt = (places: readonly number[]): TraceRecord[] =>
      places.flatMap((place) => records.at(written.position[place] ?? 0) ?? []);
    found.push({
      first,
      at: k,
      // Only what was answered after the last sending can have been decided last.
      last: recordsAt(overlapping(written, k - 1, before.sentMs, -1)),
      next: recordsAt(overlapping(written, k, first.receivedMs, 1)),
    });
  }
  return found;
}

/** Backwards: those still unanswered at `instantMs`, as far as a thousand requests back; forwards: those sent by then. */
function overlapping(
  { count, sent, received }: RequestIntervals,
  from: number,
  instantMs: number,
  step: 1 | -1,
): number[] {
  const found: number[] = [];
  for (let k = from; k >= 0 && k < count && Math.abs(k - from) < 1000; k += step) {
    if (step === 1 && (sent[k] ?? 0) > instantMs) break;
    if (step === 1 || (received[k] ?? 0) >= instantMs) found.push(k);
  }
  return found;
}

/**
 * With two limits both may be spent at once, and the answer may speak of the shorter one while the longer one refuses next: then
 * nothing was promised about the longer one.
 */
function sustainedGuard(
  { sent, receivedSorted }: RequestIntervals,
  { sustained }: PlanNumbers,
  trace: Trace,
): (quiet: Quiet) => boolean {
  if (sustained === null) return () => false;
  const lookBackMs = 2 * sustained.windowSeconds * 1000 * (1 + trace.clockErrorRate) + trace.quantumMs;
  return ({ first, last }) => {
    const expired = lowerBound(receivedSorted, (last.at(-1)?.sentMs ?? 0) - lookBackMs);
    return lowerBound(sent, first.sentMs) - expired >= sustained.count;
  };
}
