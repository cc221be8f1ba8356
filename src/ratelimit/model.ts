import type { Limit } from '../settings/index.js';
import type { Refill } from './admission.js';

/** At most `base + perWindow · round(D / windowMs)` acceptances in any closed interval of D milliseconds, D > 0. */
export interface StepEnvelope {
  readonly kind: 'step';
  readonly base: number;
  readonly perWindow: number;
  readonly windowMs: number;
  readonly rounding: 'floor' | 'ceil';
}

/** At most `capacity + perMs · D` acceptances in any closed interval of D milliseconds. */
export interface LineEnvelope {
  readonly kind: 'line';
  readonly capacity: number;
  readonly perMs: number;
}

/** The most that a limiter may accept within a length of time. */
export type Envelope = StepEnvelope | LineEnvelope;

/** The most acceptances in a closed interval of `lengthMs`. */
export function mostAcceptancesWithin(envelope: Envelope, lengthMs: number): number {
  if (envelope.kind === 'line') return envelope.capacity + envelope.perMs * lengthMs;
  const windows = lengthMs / envelope.windowMs;
  const whole = envelope.rounding === 'floor' ? Math.floor(windows) : Math.ceil(windows);
  return envelope.base + envelope.perWindow * whole;
}

/** The uncertainty of the clocks of the trace. */
export interface Slack {
  readonly clockErrorRate: number;
  readonly quantumMs: number;
}

/** Windows of at least this many seconds are often kept in whole seconds; shorter ones by timers that fire a little late. */
const longSeconds = 20;

/** Whether a window may be kept in whole seconds, and is long enough to show how it is kept. */
export function isLong(limit: Limit): boolean {
  return limit.windowSeconds >= longSeconds;
}

/** How far a window's begin and end may be off, in milliseconds. */
export function granularityMs(limit: Limit): number {
  return isLong(limit) ? 1000 : 5;
}

/** How late a limiter may look at its window of `windowMs` where the process that keeps it is busy. */
export function latenessMs(windowMs: number): number {
  return windowMs >= longSeconds * 1000 ? 1000 : Math.min(50, windowMs / 20);
}

/**
 * Ways to read a plan's numbers. Two are never pinned: `mixed` enforces both numbers, each by any windowed mechanism (interpolated
 * counters included); `bucket-ticked` refills the bucket in steps.
 */
export type ModelName = 'sliding' | 'fixed' | 'mixed' | 'bucket' | 'bucket-ticked' | 'bucket-slow' | 'spill';

/** The name of each way to count, for readers; the value of LIMIT_MODEL in brackets. */
export const modelLabels: Readonly<Record<ModelName, string>> = {
  sliding: 'sliding windows (sliding)',
  fixed: 'fixed windows (fixed)',
  mixed: 'mixed windows, one fixed and one sliding',
  bucket: 'token bucket (bucket)',
  'bucket-ticked': 'token bucket, refilled at intervals',
  'bucket-slow': 'token bucket refilled at the burst rate (bucket-slow)',
  spill: 'sustained rate, with the burst as an extra allowance (spill)',
};

/** The numbers of a plan that an envelope covers; `both` if one mechanism keeps them. */
export type LimitRole = 'burst' | 'sustained' | 'both';

/** The upper bound of acceptances. */
export interface AdmissionBound {
  readonly part: LimitRole;
  readonly envelope: Envelope;
}

/** A window as full as its limit, or a count interpolated between two windows. */
export interface WindowJustification {
  readonly kind: 'window' | 'counter';
  readonly part: LimitRole;
  readonly count: number;
  readonly lookBackMs: number;
}

/**
 * A state of the limiter that explains a refusal: a window as full as its limit, a count interpolated between two windows, a bucket
 * without a token, or a used-up allowance above another limit.
 */
export type Justification =
  | WindowJustification
  | {
      /** Only requests beyond `base` count, up to `count` within `lookBackMs`. */
      readonly kind: 'spare';
      readonly part: LimitRole;
      readonly count: number;
      readonly lookBackMs: number;
      readonly base: WindowJustification;
    }
  | {
      readonly kind: 'bucket';
      readonly part: LimitRole;
      readonly capacity: number;
      readonly perMs: number;
      readonly tickMs: number;
    };

/** One model of one plan: every bound holds, and a refusal needs every justification of at least one group. */
export interface LimiterModel {
  readonly name: ModelName;
  readonly bounds: readonly AdmissionBound[];
  readonly justifications: readonly (readonly Justification[])[];
  /** What flows in after a refusal, where the whole model is one bucket. */
  readonly refill?: Refill;
  /** What there is to spare above another limit, where that is how the two are read. */
  readonly spare?: { readonly base: Limit; readonly spare: Limit };
}

/** The plan's limit over the longest window, and the one over the shortest where there are two. */
export interface PlanNumbers {
  readonly burst: Limit;
  readonly sustained: Limit | null;
}

/** Tells the two numbers of a plan apart by their windows; one number is a burst limit. */
export function planNumbers(limits: readonly Limit[]): PlanNumbers {
  const sorted = [...limits].sort((a, b) => b.windowSeconds - a.windowSeconds);
  const [burst, sustained] = sorted;
  if (burst === undefined) throw new RangeError('A plan without limits cannot be judged');
  return { burst, sustained: sustained ?? null };
}

const msOf = (limit: Limit): number => limit.windowSeconds * 1000;
const perMs = (limit: Limit): number => limit.count / msOf(limit);

function steps(limit: Limit, rounding: StepEnvelope['rounding']): StepEnvelope {
  return { kind: 'step', base: limit.count, perWindow: limit.count, windowMs: msOf(limit), rounding };
}

function windowed(
  name: ModelName,
  numbers: PlanNumbers,
  rounding: StepEnvelope['rounding'],
  kind: 'window' | 'counter',
): LimiterModel {
  const parts = [
    { part: 'burst' as const, limit: numbers.burst },
    ...(numbers.sustained === null ? [] : [{ part: 'sustained' as const, limit: numbers.sustained }]),
  ];
  return {
    name,
    bounds: parts.map(({ part, limit }) => ({ part, envelope: steps(limit, rounding) })),
    justifications: parts.map(({ part, limit }) => [{ kind, part, count: limit.count, lookBackMs: msOf(limit) }]),
  };
}

/** A bucket that is topped up all the time, or once every `tickMs`. */
function bucket({ burst, sustained }: PlanNumbers, tickMs: number): LimiterModel {
  const capacity = burst.count;
  const rate = perMs(sustained ?? burst);
  const perTick = rate * tickMs;
  return {
    name: tickMs === 0 ? 'bucket' : 'bucket-ticked',
    bounds: [
      {
        part: 'both',
        envelope:
          tickMs === 0
            ? { kind: 'line', capacity, perMs: rate }
            : { kind: 'step', base: capacity + perTick, perWindow: perTick, windowMs: tickMs, rounding: 'floor' },
      },
    ],
    justifications: [[{ kind: 'bucket', part: 'both', capacity, perMs: rate, tickMs }]],
    refill: { perMs: rate, tickMs, leastTickMs: tickMs, capacity, part: sustained === null ? 'both' : 'sustained' },
  };
}

function bucketSlow(numbers: PlanNumbers, sustained: Limit): LimiterModel {
  const { burst } = numbers;
  return {
    name: 'bucket-slow',
    bounds: [
      { part: 'burst', envelope: { kind: 'line', capacity: burst.count, perMs: perMs(burst) } },
      { part: 'sustained', envelope: steps(sustained, 'ceil') },
    ],
    justifications: [
      [{ kind: 'bucket', part: 'burst', capacity: burst.count, perMs: perMs(burst), tickMs: 0 }],
      [{ kind: 'counter', part: 'sustained', count: sustained.count, lookBackMs: msOf(sustained) }],
    ],
  };
}

/**
 * `sustained` a second for everyone, and `burst` more a minute above it. The minute's steps are replaced by the steps of their slope,
 * which never lie below: the envelope is exact for short intervals and up to one burst too generous for long ones.
 */
function spill(numbers: PlanNumbers, sustained: Limit): LimiterModel {
  const { burst } = numbers;
  const perWindow = sustained.count + perMs(burst) * msOf(sustained);
  const base = { kind: 'counter', part: 'sustained', count: sustained.count, lookBackMs: msOf(sustained) } as const;
  return {
    name: 'spill',
    bounds: [
      {
        part: 'both',
        envelope: {
          kind: 'step',
          base: sustained.count + 2 * burst.count,
          perWindow,
          windowMs: msOf(sustained),
          rounding: 'ceil',
        },
      },
    ],
    spare: { base: sustained, spare: burst },
    justifications: [[base, { kind: 'spare', part: 'burst', count: burst.count, lookBackMs: 2 * msOf(burst), base }]],
  };
}

/** Both limits enforced, each by any kind of window: the bounds for windows that may be short by their granularity. */
function mixed(numbers: PlanNumbers): LimiterModel {
  const limiter = windowed('mixed', numbers, 'ceil', 'counter');
  return { ...limiter, bounds: withGranularity(limiter, numbers).bounds };
}

/** A plan's numbers under one model. With a single number the compound models fall back on its one-window form. */
export function modelOf(name: ModelName, numbers: PlanNumbers, tickMs = 0): LimiterModel {
  const { sustained } = numbers;
  if (name === 'sliding') return windowed(name, numbers, 'floor', 'window');
  if (name === 'fixed') return windowed(name, numbers, 'ceil', 'window');
  if (name === 'mixed') return mixed(numbers);
  if (name === 'bucket-slow' && sustained !== null) return bucketSlow(numbers, sustained);
  if (name === 'spill')
    return sustained === null ? windowed(name, numbers, 'ceil', 'window') : spill(numbers, sustained);
  return { ...bucket(numbers, tickMs), name };
}

/** The same model kept as coarsely as is usual for windows of each length: in whole seconds where they are long. */
export function withGranularity(limiter: LimiterModel, { burst, sustained }: PlanNumbers): LimiterModel {
  const coarseMs = (part: LimitRole): number => granularityMs(part === 'sustained' ? (sustained ?? burst) : burst);
  return {
    ...limiter,
    bounds: limiter.bounds.map(({ part, envelope }) => ({ part, envelope: wider(envelope, coarseMs(part)) })),
    justifications: limiter.justifications.map((group) =>
      group.map((justification) => longer(justification, coarseMs(justification.part))),
    ),
  };
}

/** Windows may be short by their coarseness, and a bucket filled up once in it. */
function wider(envelope: Envelope, coarseMs: number): Envelope {
  return envelope.kind === 'line'
    ? { ...envelope, capacity: envelope.capacity + envelope.perMs * coarseMs }
    : { ...envelope, windowMs: Math.max(1, envelope.windowMs - coarseMs) };
}

function longer(justification: Justification, coarseMs: number): Justification {
  if (justification.kind === 'bucket') return { ...justification, tickMs: Math.max(justification.tickMs, coarseMs) };
  return { ...justification, lookBackMs: justification.lookBackMs + coarseMs };
}
