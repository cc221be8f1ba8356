import type { AdmissionBound, Envelope, Excess, LimitRole, LineEnvelope, Slack, StepEnvelope } from '../model.js';
import type { RequestIntervals } from '../request-intervals.js';
import { type Counterevidence, tooEarly, tooMany } from '../counterevidence.js';
import { lineExcess } from './line-excess.js';
import { type Refill, refillExcess } from './refill.js';
import { stepExcess } from './step-excess.js';
import { type Ticks, ticksOf } from './ticks.js';
import type { Trace } from '../trace.js';

/** An acceptance that came before the earliest instant at which a limiter could have granted it. */
export interface Premature {
  /** Position in the columns. */
  readonly last: number;
  /** Its rank among the acceptances, from 1. */
  readonly rank: number;
  readonly earliestMs: number;
}

/**
 * Sorts the ends of the intervals independently: the k-th decision lies between the k-th sending and the k-th answer, whatever the order
 * in between. Carries the earliest possible instants forward, and names the first acceptance that was answered before its own.
 */
function premature(intervals: RequestIntervals, envelope: Envelope, slack: Slack): Premature | null {
  return envelope.kind === 'step' ? afterSteps(intervals, envelope, slack) : afterLine(intervals, envelope, slack);
}

function afterSteps(intervals: RequestIntervals, envelope: StepEnvelope, slack: Slack): Premature | null {
  const windowMs = Math.max(0, (envelope.windowMs - slack.quantumMs) / (1 + slack.clockErrorRate));
  const lag = Math.ceil(envelope.rounding === 'floor' ? envelope.base : envelope.base + envelope.perWindow);
  const stride = Math.ceil(envelope.perWindow);
  if (intervals.count <= lag) return null;
  const earliest = new Float64Array(intervals.count);
  const barred = new Float64Array(intervals.count).fill(-Infinity);
  let before = -Infinity;
  for (let k = 0; k < intervals.count; k += 1) {
    if (k >= lag) {
      const chained = k >= stride ? (barred[k - stride] ?? 0) + windowMs : -Infinity;
      barred[k] = Math.max((earliest[k - lag] ?? 0) + windowMs, chained);
    }
    before = Math.max(intervals.sent[k] ?? 0, before, barred[k] ?? 0);
    earliest[k] = before;
    if (before > (intervals.receivedSorted[k] ?? 0))
      return { last: intervals.byReceived[k] ?? 0, rank: k + 1, earliestMs: before };
  }
  return null;
}

function afterLine(intervals: RequestIntervals, envelope: LineEnvelope, slack: Slack): Premature | null {
  const msEach = 1 / (envelope.perMs * (1 + slack.clockErrorRate));
  const capacity = Math.ceil(envelope.capacity);
  const earliest = new Float64Array(intervals.count);
  let before = -Infinity;
  let latestDebt = -Infinity;
  for (let k = 0; k < intervals.count; k += 1) {
    const opener = k - capacity;
    if (opener >= 0) latestDebt = Math.max(latestDebt, (earliest[opener] ?? 0) - opener * msEach);
    const granted = latestDebt + (k + 1 - capacity) * msEach - slack.quantumMs;
    before = Math.max(intervals.sent[k] ?? 0, before, granted);
    earliest[k] = before;
    if (before > (intervals.receivedSorted[k] ?? 0))
      return { last: intervals.byReceived[k] ?? 0, rank: k + 1, earliestMs: before };
  }
  return null;
}

/** Columns in ticks, made once for each slack. */
export type TickMemo = Map<string, Ticks>;

/** The first acceptances that a bound has no room for, by counting certain ones and by carrying earliest instants forward. */
export function boundExceeded(
  trace: Trace,
  accepted: RequestIntervals,
  bound: AdmissionBound,
  slack: Slack,
  memo: TickMemo,
): Counterevidence | null {
  const { envelope } = bound;
  const key = `${slack.clockErrorRate} ${slack.quantumMs}`;
  const ticks = memo.get(key) ?? ticksOf(accepted, slack);
  // Models follow one another with the same slack.
  memo.clear();
  memo.set(key, ticks);
  const excess = excessOver(accepted, ticks, envelope);
  if (excess !== null) return tooMany(trace, accepted, { ...bound, part: partOf(accepted, ticks, bound) }, excess);
  const early = premature(accepted, envelope, slack);
  return early === null ? null : tooEarly(trace, accepted, bound, early);
}

/**
 * Whether a bound that is broken would hold if the second number were larger, by a factor that explains what flowed in after refusals, too:
 * the first one is then not exceeded.
 */
export function holdsAtPace(
  accepted: RequestIntervals,
  refused: RequestIntervals,
  { envelope }: AdmissionBound,
  refill: Refill,
  slack: Slack,
): boolean {
  if (accepted.count + refused.count > affordable) return false;
  const ticks = ticksOf(accepted, slack);
  const explains = (factor: number): boolean =>
    refillExcess(accepted, refused, { ...refill, perMs: factor * refill.perMs }, slack) === null;
  return factors.some((factor) => explains(factor) && excessOver(accepted, ticks, grown(envelope, 1, factor)) === null);
}

function excessOver(accepted: RequestIntervals, ticks: Ticks, envelope: Envelope): Excess | null {
  return envelope.kind === 'step' ? stepExcess(accepted, ticks, envelope) : lineExcess(accepted, ticks, envelope);
}

/** By how much a number is tried larger, in ascending order. */
const factors = [1.02, 1.11, 1.25, 1.6, 2.5];

/** Longer traces are not tried again and again. */
const affordable = 200_000;

/** If one mechanism keeps both numbers, the one whose smallest change explains the excess counts as exceeded. */
function partOf(accepted: RequestIntervals, ticks: Ticks, { part, envelope }: AdmissionBound): LimitRole {
  if (part !== 'both' || accepted.count > affordable) return part;
  for (const factor of factors) {
    if (excessOver(accepted, ticks, grown(envelope, factor, 1)) === null) return 'burst';
    if (excessOver(accepted, ticks, grown(envelope, 1, factor)) === null) return 'sustained';
  }
  return 'both';
}

function grown(envelope: Envelope, burst: number, sustained: number): Envelope {
  if (envelope.kind === 'line') {
    return { ...envelope, capacity: burst * envelope.capacity, perMs: sustained * envelope.perMs };
  }
  return { ...envelope, base: burst * envelope.base, perWindow: sustained * envelope.perWindow };
}
