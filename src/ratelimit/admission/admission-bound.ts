import { tooEarly, tooMany, type Counterevidence } from '../counterevidence.js';
import type { Envelope, Excess, Slack } from '../models/envelope.js';
import { lineExcess } from './line-excess.js';
import { premature } from './order-excess.js';
import type { AdmissionBound, LimitRole } from '../models/model.js';
import { refillExcess, type Refill } from './refill-excess.js';
import type { RequestIntervals } from '../request-intervals.js';
import { stepExcess } from './step-excess.js';
import { ticksOf, type Ticks } from './ticks.js';
import type { Trace } from '../trace.js';

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
