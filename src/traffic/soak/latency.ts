import { build, type Histogram } from 'hdr-histogram-js';
import type { SoakOutcome } from './outcome.js';
import type { Figures } from './thresholds.js';

/** Latencies and outcomes of some requests; memory does not grow with their number. */
export interface Tally {
  readonly latency: Histogram;
  readonly statuses: Map<string, number>;
  due: number;
  errors: number;
  bareEnvelopes: number;
}

const longestMicroseconds = 600_000_000;

/** An empty tally. */
export function newTally(): Tally {
  const latency = build({
    bitBucketSize: 32,
    autoResize: true,
    lowestDiscernibleValue: 1,
    highestTrackableValue: longestMicroseconds,
    numberOfSignificantValueDigits: 3,
  });
  return { latency, statuses: new Map(), due: 0, errors: 0, bareEnvelopes: 0 };
}

/** Counts one request. */
export function count(tally: Tally, outcome: SoakOutcome): void {
  tally.due += 1;
  tally.statuses.set(outcome.status, (tally.statuses.get(outcome.status) ?? 0) + 1);
  if (outcome.error) tally.errors += 1;
  if (outcome.bare) tally.bareEnvelopes += 1;
  if (outcome.latencyMs !== null)
    tally.latency.recordValue(Math.min(longestMicroseconds, Math.max(1, Math.round(outcome.latencyMs * 1000))));
}

/** The figures of a tally; a bin may reach beyond the longest latency, a percentile does not. */
export function figuresOf({ latency, due, errors }: Tally): Figures {
  const empty = latency.totalCount === 0;
  const maxMs = latency.maxValue / 1000;
  return {
    percentileMs: (percentile) => (empty ? 0 : Math.min(latency.getValueAtPercentile(percentile) / 1000, maxMs)),
    meanMs: empty ? 0 : latency.mean / 1000,
    maxMs: empty ? 0 : maxMs,
    minMs: empty ? 0 : latency.minNonZeroValue / 1000,
    errorRate: due === 0 ? 0 : errors / due,
  };
}
