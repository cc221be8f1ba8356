import type { Excess, StepEnvelope } from './envelope.js';
import { mostWithin } from './envelope.js';
import type { Limit } from '../target/limits.js';
import { amount, length, ordinal, seconds } from './instants.js';
import type { Premature } from './order-excess.js';
import type { Ceiling, Excuse, Part } from './reading.js';
import type { RefillExcess } from './refill-excess.js';
import type { Interlude } from './refill-shortage.js';
import type { SpareExcess } from './spare-excess.js';
import type { Spans } from './spans.js';
import type { Trace } from './trace.js';

/** Why a reading cannot have produced a trace: one sentence, and the records it speaks of (their `index`, the decisive one last). */
export interface Contradiction {
  readonly part: Part | 'refusal';
  readonly sentence: string;
  /** The same for the vendor, without the trace. */
  readonly plain?: string;
  readonly records: readonly number[];
  /** When the decisive answer was in, for telling which contradiction came first. */
  readonly atMs: number;
  /** Whatever the numbers are, they are not kept in this way. */
  readonly whateverNumbers?: true;
}

function decided(trace: Trace, spans: Spans, k: number): string {
  const index = indexOf(trace, spans, k);
  return `request ${index}, sent at ${seconds(spans.sent[k] ?? 0)} and answered at ${seconds(spans.received[k] ?? 0)}`;
}

/** The record's own number behind a position in columns. */
export function indexOf(trace: Trace, spans: Spans, k: number): number {
  return trace.records[spans.position[k] ?? 0]?.index ?? -1;
}

function allowance(ceiling: Ceiling): string {
  const { envelope } = ceiling;
  if (envelope.kind === 'line') return `${amount(envelope.capacity)} and ${amount(envelope.perMs * 1000)} a second`;
  return `${amount(mostWithin(envelope, 1e-9))} and ${amount(envelope.perWindow)} more every ${length(envelope.windowMs)}`;
}

/** The sentence for acceptances that certainly lie too close together. */
export function tooMany(trace: Trace, accepted: Spans, ceiling: Ceiling, excess: Excess): Contradiction {
  const rank = ordinal(Math.floor(excess.allowed) + 1);
  const within = withinWindow(ceiling, excess) ?? `within ${length(excess.lengthMs)}`;
  const { envelope } = ceiling;
  const wherever = envelope.kind === 'step' && envelope.rounding === 'ceil' ? ', wherever its windows begin' : '';
  const limit =
    envelope.kind === 'step'
      ? `${amount(envelope.perWindow)} in ${length(envelope.windowMs)}`
      : `a bucket of ${amount(envelope.capacity)} and ${amount(envelope.perMs * 1000)} a second`;
  return {
    part: ceiling.part,
    plain: `You let ${excess.accepted} requests through in ${length(excess.lengthMs)}; ${limit} allows at most ${Math.floor(excess.allowed)}${wherever}`,
    sentence:
      `the ${rank} acceptance ${within}: ${decided(trace, accepted, excess.last)}; ${excess.accepted} were accepted ` +
      `since ${seconds(accepted.sent[excess.first] ?? 0)}, where ${allowance(ceiling)} allow ${amount(excess.allowed)}`,
    records: [indexOf(trace, accepted, excess.first), indexOf(trace, accepted, excess.last)],
    atMs: accepted.received[excess.last] ?? 0,
  };
}

/** An interval shorter than the limit's own window is named by that window. */
function withinWindow(ceiling: Ceiling, excess: Excess): string | null {
  const { envelope } = ceiling;
  const own = (step: StepEnvelope): boolean => step.rounding === 'floor' && excess.allowed === step.perWindow;
  return envelope.kind === 'step' && own(envelope) ? `within ${length(envelope.windowMs)}` : null;
}

/** The sentence for an acceptance answered before any order of decisions could have granted it. */
export function tooEarly(trace: Trace, accepted: Spans, ceiling: Ceiling, early: Premature): Contradiction {
  return {
    part: ceiling.part,
    sentence:
      `the ${ordinal(early.rank)} acceptance came too early: ${decided(trace, accepted, early.last)}, ` +
      `where ${allowance(ceiling)} grant it at ${seconds(early.earliestMs)} at the soonest`,
    records: [indexOf(trace, accepted, early.last)],
    atMs: accepted.received[early.last] ?? 0,
  };
}

/** The sentence for acceptances that cannot have flowed into a bucket since it refused. */
export function tooSoonFull(
  trace: Trace,
  { accepted, refused }: TooSoon,
  part: Part,
  excess: RefillExcess,
): Contradiction {
  return {
    part,
    sentence:
      `the ${ordinal(excess.allowed + 1)} acceptance within ${length(excess.lengthMs)} after a refusal: ${decided(trace, accepted, excess.last)}; ` +
      `${excess.accepted} were accepted since request ${indexOf(trace, refused, excess.refusal)} was refused, where ${excess.allowed} can have flowed in`,
    records: [indexOf(trace, refused, excess.refusal), indexOf(trace, accepted, excess.last)],
    atMs: accepted.received[excess.last] ?? 0,
  };
}

/** The sentence for refusals that lie too close together for a bucket to have been filled up, and emptied again, in between. */
export function tooSoonEmpty(
  trace: Trace,
  { accepted, refused }: TooSoon,
  interlude: Interlude,
  least: number,
): Contradiction {
  const [before, after] = [indexOf(trace, refused, interlude.before), indexOf(trace, refused, interlude.after)];
  return {
    part: 'both',
    sentence:
      `an acceptance between two refusals, ${decided(trace, accepted, interlude.accepted)}: at most ${interlude.most} can have been counted between requests ` +
      `${before} and ${after}, which were refused, where a bucket filled up in steps has ${amount(least)} to spend before it is empty again`,
    records: [before, after, indexOf(trace, accepted, interlude.accepted)],
    atMs: refused.received[interlude.after] ?? 0,
    whateverNumbers: true,
  };
}

/** The sentence for bursts that took more than there was to spare. */
export function overSpent(
  trace: Trace,
  accepted: Spans,
  base: Limit,
  spare: Limit,
  excess: SpareExcess,
): Contradiction {
  const each = (limit: Limit): string => `${amount(limit.count)} every ${length(limit.windowSeconds * 1000)}`;
  return {
    part: 'burst',
    sentence:
      `${amount(excess.spared)} acceptances beyond ${each(base)} in ${excess.bursts} bursts within ${length(excess.lengthMs)}, the last of them ` +
      `${decided(trace, accepted, excess.last)}: ${each(spare)} leave ${amount(excess.allowed)} to spare`,
    records: [indexOf(trace, accepted, excess.first), indexOf(trace, accepted, excess.last)],
    atMs: accepted.received[excess.last] ?? 0,
    whateverNumbers: true,
  };
}

interface TooSoon {
  readonly accepted: Spans;
  readonly refused: Spans;
}

function stateOf(excuse: Excuse): string {
  if (excuse.kind === 'bucket')
    return `an empty bucket of ${amount(excuse.capacity)} refilled by ${amount(excuse.perMs * 1000)} a second`;
  const counted = `${amount(excuse.count)} requests`;
  return `${excuse.kind === 'spare' ? `${counted} above the other limit` : counted} within ${length(excuse.lookBackMs)}`;
}

/** The sentence for a refusal that nothing counted so far can explain. */
export function tooStrict(
  trace: Trace,
  refused: Spans,
  refusals: Uint32Array,
  excuses: readonly Excuse[],
): Contradiction {
  const k = refusals.reduce((best, next) =>
    (refused.received[next] ?? 0) < (refused.received[best] ?? 0) ? next : best,
  );
  const state = excuses.map(stateOf);
  const others = refusals.length === 1 ? '' : `, the first of ${refusals.length} such refusals`;
  return {
    part: 'refusal',
    plain: `You refused request ${indexOf(trace, refused, k)}${others}, although the requests before it cannot have used up ${state.join(' or ')}`,
    sentence: `a refusal without cause: ${decided(trace, refused, k)}${others}; nothing sent before it can have made up ${state.join(' or ')}`,
    records: [...refusals.subarray(0, 10).filter((other) => other !== k), k].map((each) =>
      indexOf(trace, refused, each),
    ),
    atMs: refused.received[k] ?? 0,
  };
}
