import {
  type AdmissionBound,
  type Envelope,
  type LimiterModel,
  type LimitRole,
  type LineEnvelope,
  mostAcceptancesWithin,
  type Slack,
  type StepEnvelope,
} from './model.js';
import {
  earliestAnswers,
  indexOf,
  lowerBound,
  once,
  type RequestGroups,
  type RequestIntervals,
  upperBound,
} from './trace.js';
import type { Limit } from '../settings/index.js';
import { against, type Counterevidence, decided, formatCount, formatDuration, formatInstant } from './violation.js';

/** A set of certain acceptances that an envelope has no room for. Positions are those of the columns judged. */
interface Excess {
  readonly first: number;
  readonly last: number;
  readonly accepted: number;
  readonly lengthMs: number;
}

type Answered = Pick<RequestGroups, 'accepted' | 'refused'>;

/** Absorbs rounding of products of times and rates, so that it never causes a failure. */
const roundingMargin = 1e-6;

/** The longest that an interval can have been by the service's clock. */
function longest(lengthMs: number, slack: Slack): number {
  return lengthMs * (1 + slack.clockErrorRate) + slack.quantumMs;
}

/**
 * The interval from the sending `first` to the answer `last`, where sendings and answers are each counted in their own order: it certainly
 * contains as many decisions as there are numbers from one to the other.
 */
function intervalBetween(accepted: RequestIntervals, slack: Slack, first: number, last: number): Excess {
  const lengthMs = longest((accepted.receivedSorted[last] ?? 0) - (accepted.sent[first] ?? 0), slack);
  return { first, last: accepted.byReceived[last] ?? 0, accepted: last + 1 - first, lengthMs };
}

/** The first interval that certainly contains more acceptances than a line allows, or null. */
function lineExcess(accepted: RequestIntervals, slack: Slack, { capacity, perMs }: LineEnvelope): Excess | null {
  let first = 0;
  let leastMs = Infinity;
  for (let last = 0; last < accepted.count; last += 1) {
    // Of the sendings so far, the one since which the most was accepted above the line.
    const aheadMs = last / perMs - (accepted.sent[last] ?? 0) * (1 + slack.clockErrorRate);
    if (aheadMs < leastMs) [first, leastMs] = [last, aheadMs];
    const found = intervalBetween(accepted, slack, first, last);
    if (found.accepted > capacity + perMs * found.lengthMs + roundingMargin) return found;
  }
  return null;
}

/** An interval that certainly contains more acceptances than a step function of its length allows, one of the shortest; or null. */
function stepExcess(accepted: RequestIntervals, slack: Slack, envelope: StepEnvelope): Excess | null {
  for (let windows = 0; ; windows += 1) {
    const allowed = Math.floor(envelope.base + envelope.perWindow * windows);
    for (let last = allowed; last < accepted.count; last += 1) {
      const found = intervalBetween(accepted, slack, last - allowed, last);
      if (
        envelope.rounding === 'floor'
          ? found.lengthMs < (windows + 1) * envelope.windowMs
          : found.lengthMs <= windows * envelope.windowMs
      )
        return found;
    }
    if (accepted.count <= allowed) return null;
  }
}

/** How a bucket fills: by tokens a millisecond, all the time or all that is due every `tickMs`, and up to how many. */
export interface Refill {
  readonly perMs: number;
  readonly tickMs: number;
  /** Its timer is no faster than this: `tickMs` unless the granularity gives it. */
  readonly leastTickMs: number;
  readonly capacity: number;
  /** The number of the plan that sets the refill rate. */
  readonly part: LimitRole;
}

/**
 * A bucket that refuses holds less than one token, so it can admit afterwards only what was refilled since. Finds the refusal with the
 * largest certain excess over that; null where there is none.
 */
export function refillExcess({ accepted, refused }: Answered, refill: Refill, slack: Slack): Counterevidence | null {
  const perMs = refill.perMs * (1 + slack.clockErrorRate);
  // A tick may fall right after the refusal.
  const spare = 1 + refill.perMs * refill.tickMs;
  const beyond = new Float64Array(accepted.count + 1).fill(-Infinity);
  const at = new Uint32Array(accepted.count + 1);
  for (let k = accepted.count - 1; k >= 0; k -= 1) {
    const here = k + 1 - perMs * (accepted.receivedSorted[k] ?? 0);
    const isMost = here > (beyond[k + 1] ?? -Infinity);
    beyond[k] = isMost ? here : (beyond[k + 1] ?? -Infinity);
    at[k] = isMost ? k : (at[k + 1] ?? 0);
  }
  let found: { refusal: number; rank: number; before: number; emptyMs: number } | null = null;
  let most = 1e-6;
  for (let j = 0; j < refused.count; j += 1) {
    const receivedMs = refused.received[j] ?? 0;
    const from = upperBound(accepted.receivedSorted, receivedMs);
    const before = upperBound(accepted.sent, receivedMs);
    const emptyMs = (refused.sent[j] ?? 0) - slack.quantumMs;
    const excess = (beyond[from] ?? -Infinity) - before + perMs * emptyMs - spare;
    if (excess <= most) continue;
    most = excess;
    found = { refusal: indexOf(refused, j), rank: at[from] ?? 0, before, emptyMs };
  }
  if (found === null) return null;
  const last = accepted.byReceived[found.rank] ?? 0;
  const lengthMs = (accepted.receivedSorted[found.rank] ?? 0) - found.emptyMs;
  return against(
    refill.part,
    accepted,
    last,
    `${found.rank + 1 - found.before} requests accepted within ${formatDuration(lengthMs)} after request ${found.refusal} was refused, ` +
      `where the bucket can have refilled by ${Math.floor(spare + perMs * lengthMs)}; the last was ${decided(accepted, last)}`,
    {},
    [found.refusal],
  );
}

/** The acceptance that stands between two refusals with the fewest requests between them, refused or not; null where none certainly does. */
function shortestInterlude({ accepted, refused, everything }: RequestGroups) {
  const earliest = earliestAnswers(refused);
  let found: { accepted: number; before: number; next: number; most: number } | null = null;
  let answered = 0;
  let before = -1;
  for (let k = 0; k < accepted.count; k += 1) {
    const sentMs = accepted.sent[k] ?? 0;
    for (; answered < refused.count && (refused.receivedSorted[answered] ?? 0) < sentMs; answered += 1)
      before = Math.max(before, refused.byReceived[answered] ?? -1);
    const next = upperBound(refused.sent, accepted.received[k] ?? Infinity);
    const nextMs = earliest[next] ?? Infinity;
    if (before < 0 || nextMs === Infinity) continue;
    const fromMs = refused.sent[before] ?? 0;
    const most = upperBound(everything.sent, nextMs) - lowerBound(everything.receivedSorted, fromMs) - 2;
    if (found === null || most < found.most) found = { accepted: k, before, next, most };
  }
  return found && { ...found, after: refused.received.indexOf(earliest[found.next] ?? 0, found.next) };
}

/**
 * A bucket refilled in steps holds less than one token at a refusal, and an acceptance proves a step: until it refuses again, nearly all
 * of that step was spent. Refusals that may take tokens count as spending. Null where enough may have been spent between any two refusals.
 */
export function emptyTooSoon(groups: RequestGroups, { perMs, leastTickMs, capacity }: Refill): Counterevidence | null {
  const least = Math.min(perMs * leastTickMs, capacity) - 1;
  const found = least > 0 ? once(groups.memo, 'shortest interlude', () => shortestInterlude(groups)) : null;
  if (found === null || found.most >= least - 1e-6) return null;
  const { accepted, refused } = groups;
  const [before, after] = [indexOf(refused, found.before), indexOf(refused, found.after)];
  return against(
    'both',
    accepted,
    found.accepted,
    `refused too soon again: requests ${before} and ${after} were refused, and at most ${found.most} can have counted between them ` +
      `(${decided(accepted, found.accepted)}, was accepted); a bucket refilled in steps accepts ${formatCount(least)} before it is empty again`,
    { atMs: refused.received[found.after] ?? 0, whateverNumbers: true },
    [before, after],
  );
}

/** Acceptances that follow one another closely. */
interface Burst {
  readonly first: number;
  readonly last: number;
  readonly fromMs: number;
  readonly untilMs: number;
  /** Certainly beyond the base. */
  readonly spared: number;
}

/** Bursts of acceptances, separated by half a base window, that exceed what the base limit admits. */
function burstsOf(accepted: RequestIntervals, base: Limit, slack: Slack): Burst[] {
  const baseMs = base.windowSeconds * 1000;
  const found: Burst[] = [];
  for (let first = 0; first < accepted.count;) {
    let last = first;
    let next = first;
    let untilMs = -Infinity;
    while (next < accepted.count && (next === first || (accepted.sent[next] ?? 0) - untilMs < baseMs / 2)) {
      if ((accepted.received[next] ?? 0) > untilMs) last = next;
      untilMs = Math.max(untilMs, accepted.received[next] ?? 0);
      next += 1;
    }
    const fromMs = accepted.sent[first] ?? 0;
    const windows = Math.ceil(longest(untilMs - fromMs, slack) / baseMs) + 1;
    const spared = next - first - windows * base.count;
    if (spared > 0) found.push({ first, last, fromMs, untilMs, spared });
    first = next;
  }
  return found;
}

/** Bursts further apart than this many windows are not added up: an excess shows within fewer. */
const mostWindows = 4;

const everyWindow = ({ count, windowSeconds }: Limit): string =>
  `${formatCount(count)} every ${formatDuration(windowSeconds * 1000)}`;

/**
 * Bursts that took more than `spare` allows in its windows. A burst takes from `spare` what exceeds the windows of `base` that it may
 * overlap; several bursts add up. A bound that counts every second in between as used would miss this. Null where nothing contradicts.
 */
export function spareExcess(
  accepted: RequestIntervals,
  { base, spare }: NonNullable<LimiterModel['spare']>,
  slack: Slack,
): Counterevidence | null {
  const bursts = burstsOf(accepted, base, slack);
  for (const [from, { first, fromMs }] of bursts.entries()) {
    let spared = 0;
    for (const [at, { last, untilMs, spared: more }] of bursts.slice(from).entries()) {
      const lengthMs = longest(untilMs - fromMs, slack);
      const windows = Math.ceil(lengthMs / (spare.windowSeconds * 1000));
      if (windows > mostWindows) break;
      spared += more;
      const allowed = spare.count * (windows + 1);
      if (spared <= allowed) continue;
      return against(
        'burst',
        accepted,
        last,
        `${formatCount(spared)} requests accepted above ${everyWindow(base)}, in ${at + 1} bursts within ${formatDuration(lengthMs)}, ` +
          `where ${everyWindow(spare)} allows ${formatCount(allowed)}; the last was ${decided(accepted, last)}`,
        { whateverNumbers: true },
        [indexOf(accepted, first)],
      );
    }
  }
  return null;
}

/** The first acceptances that a bound has no room for, by counting certain ones. */
export function boundExceeded(accepted: RequestIntervals, bound: AdmissionBound, slack: Slack): Counterevidence | null {
  const { envelope } = bound;
  const excess = excessOver(accepted, slack, envelope);
  if (excess === null) return null;
  const { first, last, lengthMs } = excess;
  const limit =
    envelope.kind === 'step'
      ? `${formatCount(envelope.perWindow)} in ${formatDuration(envelope.windowMs)}`
      : `a bucket of ${formatCount(envelope.capacity)} and ${formatCount(envelope.perMs * 1000)} a second`;
  const wherever = envelope.kind === 'step' && envelope.rounding === 'ceil' ? ', wherever its windows begin' : '';
  return against(
    partOf(accepted, slack, bound),
    accepted,
    last,
    `${excess.accepted} requests accepted within ${formatDuration(lengthMs)}, from ${formatInstant(accepted.sent[first] ?? 0)} on, ` +
      `where ${limit} allows at most ${Math.floor(mostAcceptancesWithin(envelope, lengthMs))}${wherever}; the last was ${decided(accepted, last)}`,
    {},
    [indexOf(accepted, first)],
  );
}

/**
 * Whether a bound that is broken would hold if the second number were larger, by a factor that explains what flowed in after refusals, too:
 * the first one is then not exceeded.
 */
export function holdsAtPace(groups: Answered, { envelope }: AdmissionBound, refill: Refill, slack: Slack): boolean {
  const { accepted, refused } = groups;
  if (accepted.count + refused.count > affordable) return false;
  const explains = (factor: number): boolean =>
    refillExcess(groups, { ...refill, perMs: factor * refill.perMs }, slack) === null;
  return factors.some((factor) => explains(factor) && excessOver(accepted, slack, grown(envelope, 1, factor)) === null);
}

/** The first acceptances that an envelope has no room for, or null. */
export function excessOver(accepted: RequestIntervals, slack: Slack, envelope: Envelope): Excess | null {
  return envelope.kind === 'step' ? stepExcess(accepted, slack, envelope) : lineExcess(accepted, slack, envelope);
}

/** By how much a number is tried larger, in ascending order. */
const factors = [1.02, 1.11, 1.25, 1.6, 2.5];

/** Longer traces are not tried again and again. */
const affordable = 200_000;

/** If one mechanism keeps both numbers, the one whose smallest change explains the excess counts as exceeded. */
function partOf(accepted: RequestIntervals, slack: Slack, { part, envelope }: AdmissionBound): LimitRole {
  if (part !== 'both' || accepted.count > affordable) return part;
  for (const factor of factors) {
    if (excessOver(accepted, slack, grown(envelope, factor, 1)) === null) return 'burst';
    if (excessOver(accepted, slack, grown(envelope, 1, factor)) === null) return 'sustained';
  }
  return 'both';
}

function grown(envelope: Envelope, burst: number, sustained: number): Envelope {
  if (envelope.kind === 'line') {
    return { ...envelope, capacity: burst * envelope.capacity, perMs: sustained * envelope.perMs };
  }
  return { ...envelope, base: burst * envelope.base, perWindow: sustained * envelope.perWindow };
}
