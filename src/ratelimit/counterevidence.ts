import {
  type AdmissionBound,
  type Excess,
  type Justification,
  type LimitRole,
  mostAcceptancesWithin,
  type StepEnvelope,
} from './model.js';
import type { Limit } from '../settings/index.js';
import { formatCount, formatDuration, ordinal, formatInstant } from './format-units.js';
import type { Premature } from './admission/admission-bound.js';
import type { Interlude, RefillExcess } from './admission/refill.js';
import type { SpareExcess } from './admission/spare-excess.js';
import type { RequestIntervals } from './request-intervals.js';
import type { Trace } from './trace.js';

/** Why a model cannot have produced a trace: one sentence, and the records it speaks of (their `index`, the decisive one last). */
export interface Counterevidence {
  readonly part: LimitRole | 'refusal';
  readonly sentence: string;
  /** The same for the vendor, without the trace. */
  readonly plain?: string;
  readonly records: readonly number[];
  /** When the decisive answer was in, for telling which contradiction came first. */
  readonly atMs: number;
  /** How many refusals it has no explanation for. */
  readonly refusals?: number;
  /** Whatever the numbers are, they are not kept in this way. */
  readonly whateverNumbers?: true;
}

/** `request 7, sent at 1.000 s and answered at 1.005 s`. */
export function decided(trace: Trace, intervals: RequestIntervals, k: number): string {
  const index = indexOf(trace, intervals, k);
  return `request ${index}, sent at ${formatInstant(intervals.sent[k] ?? 0)} and answered at ${formatInstant(intervals.received[k] ?? 0)}`;
}

/** The record's own number behind a position in columns. */
export function indexOf(trace: Trace, intervals: RequestIntervals, k: number): number {
  return trace.records.at(intervals.position[k] ?? 0)?.index ?? -1;
}

function allowance(bound: AdmissionBound): string {
  const { envelope } = bound;
  if (envelope.kind === 'line')
    return `${formatCount(envelope.capacity)} and ${formatCount(envelope.perMs * 1000)} a second`;
  return `${formatCount(mostAcceptancesWithin(envelope, 1e-9))} and ${formatCount(envelope.perWindow)} more every ${formatDuration(envelope.windowMs)}`;
}

/** The sentence about acceptances that are certainly too close together. */
export function tooMany(
  trace: Trace,
  accepted: RequestIntervals,
  bound: AdmissionBound,
  excess: Excess,
): Counterevidence {
  const within = withinWindow(bound, excess) ?? `within ${formatDuration(excess.lengthMs)}`;
  const { envelope } = bound;
  const wherever = envelope.kind === 'step' && envelope.rounding === 'ceil' ? ', wherever its windows begin' : '';
  const limit =
    envelope.kind === 'step'
      ? `${formatCount(envelope.perWindow)} in ${formatDuration(envelope.windowMs)}`
      : `a bucket of ${formatCount(envelope.capacity)} and ${formatCount(envelope.perMs * 1000)} a second`;
  return {
    part: bound.part,
    plain: `You let ${excess.accepted} requests through in ${formatDuration(excess.lengthMs)}; ${limit} allows at most ${Math.floor(excess.allowed)}${wherever}`,
    sentence:
      `too many requests accepted: ${excess.accepted} ${within}, from ${formatInstant(accepted.sent[excess.first] ?? 0)} on; ` +
      `the limit (${allowance(bound)}) allows ${formatCount(excess.allowed)}; the last was ${decided(trace, accepted, excess.last)}`,
    records: [indexOf(trace, accepted, excess.first), indexOf(trace, accepted, excess.last)],
    atMs: accepted.received[excess.last] ?? 0,
  };
}

/** An interval shorter than the limit's own window is named by that window. */
function withinWindow(bound: AdmissionBound, excess: Excess): string | null {
  const { envelope } = bound;
  const own = (step: StepEnvelope): boolean => step.rounding === 'floor' && excess.allowed === step.perWindow;
  return envelope.kind === 'step' && own(envelope) ? `within ${formatDuration(envelope.windowMs)}` : null;
}

/** The sentence for an acceptance answered before any order of decisions could have granted it. */
export function tooEarly(
  trace: Trace,
  accepted: RequestIntervals,
  bound: AdmissionBound,
  early: Premature,
): Counterevidence {
  return {
    part: bound.part,
    sentence:
      `accepted too early: ${decided(trace, accepted, early.last)}, was the ${ordinal(early.rank)} accepted request; ` +
      `the limit (${allowance(bound)}) allows it at ${formatInstant(early.earliestMs)} at the earliest`,
    records: [indexOf(trace, accepted, early.last)],
    atMs: accepted.received[early.last] ?? 0,
  };
}

/** The sentence for acceptances that cannot have flowed into a bucket since it refused. */
export function describeEarlyAcceptances(
  trace: Trace,
  { accepted, refused }: TooSoon,
  part: LimitRole,
  excess: RefillExcess,
): Counterevidence {
  return {
    part,
    sentence:
      `too many requests accepted after a refusal: ${excess.accepted} within ${formatDuration(excess.lengthMs)} after request ` +
      `${indexOf(trace, refused, excess.refusal)} was refused; the bucket can have refilled by ${excess.allowed}; the last was ${decided(trace, accepted, excess.last)}`,
    records: [indexOf(trace, refused, excess.refusal), indexOf(trace, accepted, excess.last)],
    atMs: accepted.received[excess.last] ?? 0,
  };
}

/** The sentence about two refusals too close together for a bucket to be refilled and emptied again in between. */
export function tooSoonEmpty(
  trace: Trace,
  { accepted, refused }: TooSoon,
  interlude: Interlude,
  least: number,
): Counterevidence {
  const [before, after] = [indexOf(trace, refused, interlude.before), indexOf(trace, refused, interlude.after)];
  return {
    part: 'both',
    sentence:
      `refused too soon again: requests ${before} and ${after} were refused, and at most ${interlude.most} can have counted between them ` +
      `(${decided(trace, accepted, interlude.accepted)}, was accepted); a bucket refilled in steps accepts ${formatCount(least)} before it is empty again`,
    records: [before, after, indexOf(trace, accepted, interlude.accepted)],
    atMs: refused.received[interlude.after] ?? 0,
    whateverNumbers: true,
  };
}

/** The sentence for bursts that took more than there was to spare. */
export function overSpent(
  trace: Trace,
  accepted: RequestIntervals,
  base: Limit,
  spare: Limit,
  excess: SpareExcess,
): Counterevidence {
  const each = (limit: Limit): string =>
    `${formatCount(limit.count)} every ${formatDuration(limit.windowSeconds * 1000)}`;
  return {
    part: 'burst',
    sentence:
      `${formatCount(excess.spared)} requests accepted above ${each(base)}, in ${excess.bursts} bursts within ${formatDuration(excess.lengthMs)}; ` +
      `the extra allowance of ${each(spare)} permits ${formatCount(excess.allowed)}; the last was ${decided(trace, accepted, excess.last)}`,
    records: [indexOf(trace, accepted, excess.first), indexOf(trace, accepted, excess.last)],
    atMs: accepted.received[excess.last] ?? 0,
    whateverNumbers: true,
  };
}

interface TooSoon {
  readonly accepted: RequestIntervals;
  readonly refused: RequestIntervals;
}

function stateOf(justification: Justification): string {
  if (justification.kind === 'bucket')
    return `a bucket of ${formatCount(justification.capacity)} requests that refills by ${formatCount(justification.perMs * 1000)} a second`;
  const counted = `${formatCount(justification.count)} requests`;
  return `${justification.kind === 'spare' ? `${counted} above the other limit` : counted} within ${formatDuration(justification.lookBackMs)}`;
}

/** The sentence for a refusal that nothing counted so far can explain. */
export function tooStrict(
  trace: Trace,
  refused: RequestIntervals,
  refusals: Uint32Array,
  justifications: readonly Justification[],
): Counterevidence {
  const k = refusals.reduce((best, next) =>
    (refused.received[next] ?? 0) < (refused.received[best] ?? 0) ? next : best,
  );
  const state = justifications.map(stateOf);
  const others = refusals.length === 1 ? '' : `, the first of ${refusals.length} such refusals`;
  return {
    part: 'refusal',
    refusals: refusals.length,
    plain: `You refused request ${indexOf(trace, refused, k)}${others}, although the requests before it cannot have used up ${state.join(' or ')}`,
    sentence: `refused although the limit was not used up: ${decided(trace, refused, k)}${others}; the requests before it cannot have used up ${state.join(' or ')}`,
    records: [...refusals.subarray(0, 10).filter((other) => other !== k), k].map((each) =>
      indexOf(trace, refused, each),
    ),
    atMs: refused.received[k] ?? 0,
  };
}
