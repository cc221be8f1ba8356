import type { AdmissionBound, Envelope, Excess, LimitRole, Slack } from '../model.js';
import { once, type RequestGroups, type RequestIntervals } from '../request-intervals.js';
import { type Counterevidence, tooMany } from '../counterevidence.js';
import { lineExcess } from './line-excess.js';
import { type Refill, refillExcess } from './refill.js';
import { stepExcess } from './step-excess.js';
import { type Ticks, ticksOf } from './ticks.js';

/** The first acceptances that a bound has no room for, by counting certain ones. */
export function boundExceeded(
  { accepted, memo }: RequestGroups,
  bound: AdmissionBound,
  slack: Slack,
): Counterevidence | null {
  const { envelope } = bound;
  const ticks = once(memo, `ticks ${JSON.stringify(slack)}`, () => ticksOf(accepted, slack));
  const excess = excessOver(accepted, ticks, envelope);
  return excess === null ? null : tooMany(accepted, { ...bound, part: partOf(accepted, ticks, bound) }, excess);
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
