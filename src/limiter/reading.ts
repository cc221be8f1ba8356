import type { Limit } from '../target/limits.js';
import { coarsenessMs } from './coarseness.js';
import type { Envelope, StepEnvelope } from './envelope.js';
import type { Refill } from './refill-excess.js';

/**
 * Ways to read a plan's numbers. Two are never pinned: `mixed` enforces both numbers, each by any windowed mechanism (interpolated
 * counters included); `bucket-ticked` refills the bucket in steps.
 */
export type ReadingName = 'sliding' | 'fixed' | 'mixed' | 'bucket' | 'bucket-ticked' | 'bucket-slow' | 'spill';

/** What a reader calls each way to count; the values of LIMIT_MODEL in brackets. */
export const modelLabels: Readonly<Record<ReadingName, string>> = {
  sliding: 'sliding windows (sliding)',
  fixed: 'fixed windows (fixed)',
  mixed: 'windows of different kinds',
  bucket: 'token bucket (bucket)',
  'bucket-ticked': 'token bucket, refilled in steps',
  'bucket-slow': 'token bucket refilled at the burst rate (bucket-slow)',
  spill: 'sustained rate, with the burst as an extra allowance (spill)',
};

/** Which of a plan's numbers an envelope speaks for; `both` where they are one mechanism. */
export type Part = 'burst' | 'sustained' | 'both';

/** What bounds acceptances from above. */
export interface Ceiling {
  readonly part: Part;
  readonly envelope: Envelope;
}

/** A window as full as its limit, or a count interpolated between two windows. */
export interface WindowExcuse {
  readonly kind: 'window' | 'counter';
  readonly part: Part;
  readonly count: number;
  readonly lookBackMs: number;
}

/**
 * A state of the limiter that explains a refusal: a window as full as its limit, a count interpolated between two windows, a bucket
 * without a token, or nothing left to spare above another limit.
 */
export type Excuse =
  | WindowExcuse
  | {
      /** What is beyond `base` counts, and as many as `count` did within `lookBackMs`. */
      readonly kind: 'spare';
      readonly part: Part;
      readonly count: number;
      readonly lookBackMs: number;
      readonly base: WindowExcuse;
    }
  | {
      readonly kind: 'bucket';
      readonly part: Part;
      readonly capacity: number;
      readonly perMs: number;
      readonly tickMs: number;
    };

/** One reading of one plan: every ceiling holds, and a refusal needs every excuse of at least one group. */
export interface Reading {
  readonly name: ReadingName;
  readonly ceilings: readonly Ceiling[];
  readonly excuses: readonly (readonly Excuse[])[];
  /** What flows in after a refusal, where the whole reading is one bucket. */
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

function steps(limit: Limit, rounding: StepEnvelope['rounding'], base = limit.count): StepEnvelope {
  return { kind: 'step', base, perWindow: limit.count, windowMs: msOf(limit), rounding };
}

function windowed(
  name: ReadingName,
  numbers: PlanNumbers,
  rounding: StepEnvelope['rounding'],
  kind: 'window' | 'counter',
): Reading {
  const parts = [
    { part: 'burst' as const, limit: numbers.burst },
    ...(numbers.sustained === null ? [] : [{ part: 'sustained' as const, limit: numbers.sustained }]),
  ];
  return {
    name,
    ceilings: parts.map(({ part, limit }) => ({ part, envelope: steps(limit, rounding) })),
    excuses: parts.map(({ part, limit }) => [{ kind, part, count: limit.count, lookBackMs: msOf(limit) }]),
  };
}

const flowsBy = (numbers: PlanNumbers): Part => (numbers.sustained === null ? 'both' : 'sustained');

function bucket(numbers: PlanNumbers): Reading {
  const refill = perMs(numbers.sustained ?? numbers.burst);
  const capacity = numbers.burst.count;
  const excuse: Excuse = { kind: 'bucket', part: 'both', capacity, perMs: refill, tickMs: 0 };
  return {
    name: 'bucket',
    ceilings: [{ part: 'both', envelope: { kind: 'line', capacity, perMs: refill } }],
    excuses: [[excuse]],
    refill: { perMs: refill, tickMs: 0, leastTickMs: 0, capacity, part: flowsBy(numbers) },
  };
}

/** The bucket that is topped up once every `tickMs` rather than all the time. */
export function tickedBucket(numbers: PlanNumbers, tickMs: number): Reading {
  const refill = perMs(numbers.sustained ?? numbers.burst);
  const perTick = refill * tickMs;
  const capacity = numbers.burst.count;
  return {
    name: 'bucket-ticked',
    ceilings: [
      {
        part: 'both',
        envelope: { kind: 'step', base: capacity + perTick, perWindow: perTick, windowMs: tickMs, rounding: 'floor' },
      },
    ],
    excuses: [[{ kind: 'bucket', part: 'both', capacity, perMs: refill, tickMs }]],
    refill: { perMs: refill, tickMs, leastTickMs: tickMs, capacity, part: flowsBy(numbers) },
  };
}

function bucketSlow(numbers: PlanNumbers, sustained: Limit): Reading {
  const { burst } = numbers;
  return {
    name: 'bucket-slow',
    ceilings: [
      { part: 'burst', envelope: { kind: 'line', capacity: burst.count, perMs: perMs(burst) } },
      { part: 'sustained', envelope: steps(sustained, 'ceil') },
    ],
    excuses: [
      [{ kind: 'bucket', part: 'burst', capacity: burst.count, perMs: perMs(burst), tickMs: 0 }],
      [{ kind: 'counter', part: 'sustained', count: sustained.count, lookBackMs: msOf(sustained) }],
    ],
  };
}

/**
 * `sustained` a second for everyone, and `burst` more a minute above it. The minute's steps are replaced by the steps of their slope,
 * which never lie below: the envelope is exact for short intervals and up to one burst too generous for long ones.
 */
function spill(numbers: PlanNumbers, sustained: Limit): Reading {
  const { burst } = numbers;
  const perWindow = sustained.count + perMs(burst) * msOf(sustained);
  const base = { kind: 'counter', part: 'sustained', count: sustained.count, lookBackMs: msOf(sustained) } as const;
  return {
    name: 'spill',
    ceilings: [
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
    excuses: [[base, { kind: 'spare', part: 'burst', count: burst.count, lookBackMs: 2 * msOf(burst), base }]],
  };
}

/** Both numbers enforced, each by whatever keeps windows: the ceilings of windows that may be short by their coarseness. */
function mixed(numbers: PlanNumbers): Reading {
  const reading = windowed('mixed', numbers, 'ceil', 'counter');
  const shortened = (ceiling: Ceiling, limit: Limit): Ceiling => ({
    ...ceiling,
    envelope: { ...steps(limit, 'ceil'), windowMs: Math.max(1, msOf(limit) - coarsenessMs(limit)) },
  });
  return {
    ...reading,
    ceilings: reading.ceilings.map((ceiling) =>
      shortened(
        ceiling,
        ceiling.part === 'sustained' && numbers.sustained !== null ? numbers.sustained : numbers.burst,
      ),
    ),
  };
}

/** A plan's numbers under one reading. With a single number the compound readings fall back on its one-window form. */
export function readingOf(name: Exclude<ReadingName, 'bucket-ticked'>, numbers: PlanNumbers): Reading {
  const { sustained } = numbers;
  if (name === 'sliding') return windowed(name, numbers, 'floor', 'window');
  if (name === 'fixed') return windowed(name, numbers, 'ceil', 'window');
  if (name === 'mixed') return mixed(numbers);
  if (name === 'bucket-slow' && sustained !== null) return bucketSlow(numbers, sustained);
  if (name === 'spill')
    return sustained === null ? { ...windowed(name, numbers, 'ceil', 'window') } : spill(numbers, sustained);
  return { ...bucket(numbers), name };
}
