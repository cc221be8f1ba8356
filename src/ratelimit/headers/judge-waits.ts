import { leftOf, quotaOf, resetSeconds, retrySeconds } from './fields.js';
import { advice, type Answers, draft, findingOf, type HeaderFinding, resetAt, truth, waits } from './header-rules.js';
import { lowerBound, type RequestIntervals, type Trace, type TraceRecord, upperBound } from '../trace.js';

/** Whole seconds on either side, and a little for servers that spread their resets. */
const roundingSeconds = 2;

/** This many equal answers about the long window show that its reset is constant. */
const enoughConstant = 10;

/**
 * Two answers about one window, where every answer about the long window names the same number of seconds: the later one came well before the
 * end that the earlier one named, and names an end as far ahead. Fixed windows do not move.
 */
function constantResets({ inOrder, trace, numbers: { sustained } }: Answers): TraceRecord[] {
  const least = sustained === null ? 0 : Math.ceil(sustained.windowSeconds) + 1;
  const long = inOrder.filter((record) => (resetSeconds(record) ?? 0) > least);
  const [first] = long;
  const seconds = first === undefined ? null : resetSeconds(first);
  if (seconds === null || long.length < enoughConstant || long.some((record) => resetSeconds(record) !== seconds))
    return [];
  const roundingMs = roundingSeconds * 1000 + trace.quantumMs;
  const sent = Float64Array.from(long, ({ sentMs }) => sentMs);
  for (const began of long) {
    const record = long[upperBound(sent, began.receivedMs + roundingMs)];
    if (record !== undefined && record.receivedMs < began.sentMs + 1000 * seconds - roundingMs) return [began, record];
  }
  return [];
}

/**
 * Resets too far in the future. In every model the quota is whole again at the reset or later. So an answer that shows it whole, well
 * before the instant advertised last, proves that instant wrong; a reset that never counts down is one cause.
 */
export function judgeReset(answers: Answers): HeaderFinding[] {
  const { fixed } = answers;
  const early = earlyRestorations(answers);
  const certain = fixed === 'pinned' || early.length > 0;
  const stuck = stuckResets(answers, certain ? () => false : movable(answers));
  const constant = stuck.length > 0 || fixed === 'excluded' ? [] : constantResets(answers);
  const pinned = fixed === 'pinned' ? '' : '; set LIMIT_MODEL=fixed where windows are fixed';
  const later =
    (shown: readonly TraceRecord[], where: string) =>
    (record: TraceRecord): string =>
      `${resetAt(record)}, and the same ${(((shown.at(-1)?.sentMs ?? 0) - record.sentMs) / 1000).toFixed(2)} s later, ${where}`;
  return [
    ...findingOf(
      {
        ...(certain ? truth : advice),
        code: 'reset-stuck',
        expected: `RateLimit-Reset counts down to the instant at which the quota is whole again (${draft}, section 3.4)`,
      },
      stuck,
      later(stuck, 'while all requests were refused'),
    ),
    ...findingOf(
      {
        ...(fixed === 'pinned' ? truth : advice),
        code: 'reset-constant',
        expected: `RateLimit-Reset counts down within a fixed window (${draft}, section 3.4)${pinned}`,
      },
      constant,
      later(constant, 'as in every answer about that window'),
    ),
    ...findingOf(
      {
        ...advice,
        code: 'reset-early',
        expected: `RateLimit-Reset names the instant at which the quota is whole again (${draft}, section 3.4)`,
      },
      stuck.length > 0 ? [] : early,
      (record) => `${resetAt(record)}, yet the quota was whole long before`,
    ),
  ];
}

/** Whether what was sent between two refusals may have put off the reset by as much as time brought it nearer. */
type Movable = (began: TraceRecord, record: TraceRecord) => boolean;

/** Of what flows back meanwhile, requests this many can hold up a reset for good: counters and buckets do not count evenly. */
const holdingShare = 0.5;

/**
 * A limiter that counts refused requests moves its reset with each of them. A sliding log names the instant at which the oldest counted
 * request leaves; counters and buckets recover later under requests sent at about their refill rate.
 */
function movable({ written: { sent, receivedSorted: received }, numbers: { burst, sustained } }: Answers): Movable {
  const limits = sustained === null ? [burst] : [burst, sustained];
  return (began, record) => {
    const passedMs = record.sentMs - began.receivedMs;
    const between = upperBound(sent, record.receivedMs) - lowerBound(received, began.sentMs);
    return limits.some(({ count, windowSeconds }) => {
      if (between >= (holdingShare * passedMs * count) / (windowSeconds * 1000)) return true;
      // The oldest of the last `count` requests: the earliest it can have been at first, and the latest in the end.
      const first = sent[Math.max(0, lowerBound(received, began.sentMs) - count)] ?? -Infinity;
      const last = received[upperBound(sent, record.receivedMs) - count] ?? -Infinity;
      return last - first >= passedMs - roundingSeconds * 1000;
    });
  };
}

/** Refusals, with no acceptance among them, that kept naming the same number of seconds for longer than rounding can hide. */
function stuckResets({ inOrder, trace }: Answers, mayMove: Movable): TraceRecord[] {
  let began: TraceRecord | null = null;
  for (const record of inOrder) {
    const reset = record.outcome === 'refused' ? (resetSeconds(record) ?? 0) : 0;
    if (began === null || resetSeconds(began) !== reset) began = reset < 2 ? null : record;
    if (began === null) continue;
    const passedMs = record.sentMs - began.receivedMs;
    if (passedMs > roundingSeconds * 1000 + trace.quantumMs && !mayMove(began, record)) return [began, record];
  }
  return [];
}

/** Answers whose reset lay well beyond a later answer with nothing spent but the requests since. */
function earlyRestorations({ trace, inOrder }: Answers): TraceRecord[] {
  return inOrder.filter((record, k) => {
    const next = inOrder[k + 1];
    const reset = resetSeconds(record);
    const quota = next === undefined ? null : quotaOf(next);
    if (next === undefined || reset === null || quota === null || next.sentMs <= record.receivedMs) return false;
    // With several windows, the fields may describe a different one in each answer.
    if (record.limit !== next.limit) return false;
    const left = leftOf(record);
    const whole = (leftOf(next) ?? -1) >= quota - 1;
    const advertisedMs = record.sentMs + 1000 * reset;
    const marginMs = 1000 * Math.max(roundingSeconds, 0.1 * reset) + trace.quantumMs;
    return whole && left !== null && left < quota / 2 && next.receivedMs < advertisedMs - marginMs;
  });
}

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
 * Needs the key to be used by nobody else.
 */
export function judgePromises(answers: Answers): HeaderFinding[] {
  const { trace, written } = answers;
  const broken = quiets(trace, written).filter(({ last, next }) => [...last, ...next].every(isRefused));
  const mayBeSustained = sustainedGuard(answers);
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
        ...truth,
        code: 'refused-after-reset',
        expected: `after RateLimit-Reset seconds requests are accepted again (${draft}, section 3.4)`,
      },
      after(resetSeconds),
      () => `${refusedAgain} (RateLimit-Reset)`,
    ),
    ...findingOf(
      {
        ...waits,
        code: 'refused-after-retry',
        expected: 'after Retry-After seconds requests are accepted again',
      },
      after(retrySeconds),
      () => `${refusedAgain} (Retry-After)`,
    ),
    ...findingOf(
      {
        ...advice,
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

/** This many requests at most are in flight together. */
const most = 1_000;

/** The moments of silence between two refusals, of which the first names an instant. */
function quiets({ records }: Trace, { count, sent, received, position }: RequestIntervals): Quiet[] {
  const found: Quiet[] = [];
  const recordsAt = (places: Uint32Array): TraceRecord[] => [...places].flatMap((place) => records.at(place) ?? []);
  let latestMs = received[0] ?? Infinity;
  for (let at = 1; at < count; at += 1) {
    const [beforeMs = 0, sentMs = 0, receivedMs = 0] = [sent[at - 1], sent[at], received[at]];
    const isSilent = sentMs > latestMs;
    latestMs = Math.max(latestMs, receivedMs);
    if (!isSilent) continue;
    const [before, first] = recordsAt(position.subarray(at - 1, at + 1));
    if (before === undefined || first === undefined || !isRefused(before) || !isRefused(first)) continue;
    if (before.reset === undefined && before.retryAfter === undefined) continue;
    // Only what was answered after the last sending can have been decided last, and only what was sent before the first answer first.
    const last = recordsAt(
      position
        .subarray(Math.max(0, at - most), at)
        .filter((_, k, all) => (received[at - all.length + k] ?? 0) >= beforeMs),
    );
    const next = recordsAt(position.subarray(at, at + most).filter((_, k) => (sent[at + k] ?? 0) <= receivedMs));
    found.push({ first, at, last, next });
  }
  return found;
}

/**
 * With two limits both may be spent at once, and the answer may speak of the shorter one while the longer one refuses next: then
 * nothing was promised about the longer one.
 */
function sustainedGuard({
  written: { sent, receivedSorted },
  numbers: { sustained },
  trace,
}: Answers): (quiet: Quiet) => boolean {
  if (sustained === null) return () => false;
  const lookBackMs = 2 * sustained.windowSeconds * 1000 * (1 + trace.clockErrorRate) + trace.quantumMs;
  return ({ first, last }) => {
    const expired = lowerBound(receivedSorted, (last[0]?.sentMs ?? 0) - lookBackMs);
    return lowerBound(sent, first.sentMs) - expired >= sustained.count;
  };
}
