import type { Limit } from '../../src/settings/limits.js';
import type { LimitModel } from '../../src/settings/target.js';
import {
  all,
  fixedAnchored,
  fixedByClock,
  gcra,
  segmented,
  slidingCounter,
  slidingLog,
  spilling,
  stacked,
  tokenBucket,
} from './simulated-limiters.test-kit.js';
import { atMost, type Decide } from './test-kit.js';

/** A way to keep a plan's numbers that conforms, with freedoms drawn at random, and the model that a person would pin for it. */
export interface ConformingKind {
  readonly build: (random: () => number) => Decide;
  readonly model: LimitModel;
}

/** The numbers that the limiters below keep: 60 a minute, 10 a second. */
export const keptLimits: readonly [Limit, Limit] = [atMost(60, 60), atMost(10, 1)];

const [long, short] = keptLimits;
const either = (random: () => number): boolean => random() < 0.5;

/** Every kind by its name. */
export const conformingKinds: Readonly<Record<string, ConformingKind>> = {
  'fixed windows from the first hit': {
    build: (random) => all([fixedAnchored(long), fixedAnchored(short)], either(random)),
    model: 'fixed',
  },
  'fixed windows by the clock': {
    build: (random) => all([fixedByClock(long, random() * 6e4), fixedByClock(short, random() * 1e3)], either(random)),
    model: 'fixed',
  },
  'stacked fixed windows': {
    build: (random) =>
      stacked(
        either(random)
          ? [fixedAnchored(short), fixedAnchored(long)]
          : [fixedByClock(long, random() * 6e4), fixedAnchored(short)],
      ),
    model: 'fixed',
  },
  'sliding logs': { build: (random) => all([slidingLog(long), slidingLog(short)], either(random)), model: 'sliding' },
  'stacked sliding logs': { build: () => stacked([slidingLog(short), slidingLog(long)]), model: 'sliding' },
  'sliding counters': {
    build: (random) =>
      all([slidingCounter(long, random() * 6e4), slidingCounter(short, random() * 1e3)], either(random)),
    model: 'auto',
  },
  'segmented windows': {
    build: (random) =>
      all([segmented(long, 2 + Math.floor(random() * 10)), slidingCounter(short, random() * 1e3)], either(random)),
    model: 'auto',
  },
  'a bucket for each number': {
    build: (random) =>
      all([
        either(random) ? fixedAnchored(long) : tokenBucket(60, 1),
        either(random) ? gcra(10, 10) : tokenBucket(10, 10),
      ]),
    model: 'auto',
  },
  'a token bucket': { build: () => all([tokenBucket(60, 10)]), model: 'bucket' },
  'a token bucket that charges refusals': { build: () => all([tokenBucket(60, 10)], true), model: 'bucket' },
  'a ticked token bucket': {
    build: (random) => all([tokenBucket(60, 10, [1000, 500, 250, 100, 200, 50][Math.floor(random() * 6)])]),
    model: 'auto',
  },
  GCRA: { build: () => all([gcra(60, 10)]), model: 'bucket' },
  'a slow bucket beside a window': {
    build: (random) => all([tokenBucket(60, 1), either(random) ? fixedAnchored(short) : slidingLog(short)]),
    model: 'bucket-slow',
  },
  'a bursty pair': {
    build: (random) => spilling(fixedAnchored(short), fixedAnchored(long), either(random)),
    model: 'spill',
  },
};
