import { figuresOf, type Tally } from './latency.js';
import { isKept, measured, type Threshold } from './thresholds.js';

/** A threshold held against what was seen. */
export interface JudgedThreshold {
  readonly text: string;
  /** Null where there was nothing to measure; then it is neither kept nor broken. */
  readonly value: number | null;
  readonly kept: boolean;
}

/** How many of the requests that are counted by status had an answer. */
export function answeredOf(statuses: Iterable<readonly [string, number]>): number {
  return [...statuses].reduce((sum, [status, count]) => sum + (/^\d+$/.test(status) ? count : 0), 0);
}

/** Holds a threshold against a tally; without an answer there is no latency, and no share of errors either where nothing went wrong. */
export function judge(threshold: Threshold, tally: Tally): JudgedThreshold {
  const { text } = threshold;
  const seen = answeredOf(tally.statuses) > 0 || (threshold.measure.kind === 'errors' && tally.errors > 0);
  if (!seen) return { text, value: null, kept: false };
  const figures = figuresOf(tally);
  return { text, value: measured(threshold, figures), kept: isKept(threshold, figures) };
}
