import type { Envelope, LineEnvelope, Slack, StepEnvelope } from '../models/envelope.js';
import type { RequestIntervals } from '../request-intervals.js';

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
export function premature(intervals: RequestIntervals, envelope: Envelope, slack: Slack): Premature | null {
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
