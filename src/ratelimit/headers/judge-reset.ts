import { wholeNumber } from './fields.js';
import { draft, findingOf, type AnswerCheck, type HeaderFinding } from './header-finding.js';
import { resetSeconds } from './judge-form.js';
import { quotaOf } from './judge-remaining.js';
import { lowerBound, type RequestIntervals, upperBound } from '../request-intervals.js';
import type { PlanNumbers } from '../model.js';
import type { Trace, TraceRecord } from '../trace.js';

/** Whole seconds on either side, and a little for servers that spread their resets. */
const roundingSeconds = 2;

const breach = { id: 'LIMIT-07', severity: 'fail' } as const;
const warning = { id: 'LIMIT-10', severity: 'warn' } as const;

const tell = ({ reset, sentMs }: TraceRecord): string =>
  `RateLimit-Reset: ${reset ?? ''} at ${(sentMs / 1000).toFixed(2)} s of the client's clock`;

/** A reset that lies far beyond any window. */
export function distantReset({ burst: { windowSeconds } }: PlanNumbers): AnswerCheck {
  return {
    ...breach,
    code: 'distant-reset',
    expected: `RateLimit-Reset is in seconds, and no window is longer than ${windowSeconds} s (${draft}, section 3.4)`,
    shows: (record) => (resetSeconds(record) ?? 0) > 10 * windowSeconds + 10,
    tell,
  };
}

/** Whether the limiter's windows are fixed: the operator says so, what was seen allows it, or nothing does. */
export type FixedWindows = 'pinned' | 'possible' | 'excluded';

/** This many equal answers about the long window show that its reset is constant. */
const enoughConstant = 10;

/**
 * Two answers about one window, where every answer about the long window names the same number of seconds: the later one came well before the
 * end that the earlier one named, and names an end as far ahead. Fixed windows do not move.
 */
function constantResets(inOrder: readonly TraceRecord[], trace: Trace, { sustained }: PlanNumbers): TraceRecord[] {
  const least = sustained === null ? 0 : Math.ceil(sustained.windowSeconds) + 1;
  const long = inOrder.filter((record) => (resetSeconds(record) ?? 0) > least);
  const [first] = long;
  const seconds = first === undefined ? null : resetSeconds(first);
  if (seconds === null || long.length < enoughConstant || long.some((record) => resetSeconds(record) !== seconds))
    return [];
  const roundingMs = roundingSeconds * 1000 + trace.quantumMs;
  let later = 0;
  for (const began of long) {
    while ((long[later]?.sentMs ?? Infinity) <= began.receivedMs + roundingMs) later += 1;
    const record = long[later];
    if (record === undefined) break;
    if (record.receivedMs < began.sentMs + 1000 * seconds - roundingMs) return [began, record];
  }
  return [];
}

/**
 * Resets too far in the future. In every model the quota is whole again at the reset or later. So an answer that shows it whole, well
 * before the instant advertised last, proves that instant wrong; a reset that never counts down is one cause. Answers are in the order of
 * their requests; `written` holds all requests by the client's clock.
 */
export function judgeReset(
  trace: Trace,
  written: RequestIntervals,
  inOrder: readonly TraceRecord[],
  numbers: PlanNumbers,
  fixed: FixedWindows,
): HeaderFinding[] {
  const early = earlyRestorations(trace, inOrder);
  const certain = fixed === 'pinned' || early.length > 0;
  const stuck = stuckResets(inOrder, trace, certain ? () => false : movable(written, numbers));
  const proven = certain && stuck.length > 0;
  const constant = stuck.length > 0 || fixed === 'excluded' ? [] : constantResets(inOrder, trace, numbers);
  return [
    ...findingOf(
      {
        ...(proven ? breach : warning),
        code: 'reset-stuck',
        expected: `RateLimit-Reset counts down to the instant at which the quota is whole again (${draft}, section 3.4)`,
      },
      stuck,
      (record) => {
        const later = ((stuck.at(-1)?.sentMs ?? 0) - record.sentMs) / 1000;
        return `${tell(record)}, and the same ${later.toFixed(2)} s later, while all requests were refused`;
      },
    ),
    ...findingOf(
      {
        ...(fixed === 'pinned' ? breach : warning),
        code: 'reset-constant',
        expected: `RateLimit-Reset counts down within a fixed window (${draft}, section 3.4)${fixed === 'pinned' ? '' : '; set LIMIT_MODEL=fixed where windows are fixed'}`,
      },
      constant,
      (record) => {
        const later = ((constant.at(-1)?.sentMs ?? 0) - record.sentMs) / 1000;
        return `${tell(record)}, and the same ${later.toFixed(2)} s later, as in every answer about that window`;
      },
    ),
    ...findingOf(
      {
        ...warning,
        code: 'reset-early',
        expected: `RateLimit-Reset names the instant at which the quota is whole again (${draft}, section 3.4)`,
      },
      stuck.length > 0 ? [] : early,
      (record) => `${tell(record)}, yet the quota was whole long before`,
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
function movable({ sent, receivedSorted: received }: RequestIntervals, { burst, sustained }: PlanNumbers): Movable {
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
function stuckResets(inOrder: readonly TraceRecord[], trace: Trace, mayMove: Movable): TraceRecord[] {
  let began: TraceRecord | null = null;
  for (const record of inOrder) {
    const reset = resetSeconds(record);
    if (
      record.outcome !== 'refused' ||
      reset === null ||
      reset < 2 ||
      (began !== null && resetSeconds(began) !== reset)
    ) {
      began = record.outcome === 'refused' && reset !== null && reset >= 2 ? record : null;
      continue;
    }
    began ??= record;
    const passedMs = record.sentMs - began.receivedMs;
    if (passedMs > roundingSeconds * 1000 + trace.quantumMs && !mayMove(began, record)) return [began, record];
  }
  return [];
}

/** Answers whose reset lay well beyond a later answer with nothing spent but the requests since. */
function earlyRestorations(trace: Trace, inOrder: readonly TraceRecord[]): TraceRecord[] {
  return inOrder.filter((record, k) => {
    const next = inOrder[k + 1];
    const reset = resetSeconds(record);
    const quota = next === undefined ? null : quotaOf(next);
    if (next === undefined || reset === null || quota === null || next.sentMs <= record.receivedMs) return false;
    // With several windows, the fields may describe a different one in each answer.
    if (record.limit !== next.limit) return false;
    const left = wholeNumber(record.remaining ?? '');
    const whole = (wholeNumber(next.remaining ?? '') ?? -1) >= quota - 1;
    const advertisedMs = record.sentMs + 1000 * reset;
    const marginMs = 1000 * Math.max(roundingSeconds, 0.1 * reset) + trace.quantumMs;
    return whole && left !== null && left < quota / 2 && next.receivedMs < advertisedMs - marginMs;
  });
}
