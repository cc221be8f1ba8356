import { SettingsError } from '../../settings/index.js';
import { figuresOf, type Tally } from './tally.js';

/** The metric of a threshold: a percentile of the latency, its mean or extremes, or the share of errors. */
type Measure =
  { readonly kind: 'percentile'; readonly percentile: number } | { readonly kind: 'mean' | 'max' | 'min' | 'errors' };

/** One promise about a soak; the bound is in milliseconds, or a share from 0 to 1 for errors. */
export interface Threshold {
  readonly text: string;
  readonly measure: Measure;
  readonly comparison: '<' | '<=';
  readonly bound: number;
}

/** The figures that thresholds are held against; latencies in milliseconds. */
export interface Figures {
  percentileMs(percentile: number): number;
  readonly meanMs: number;
  readonly maxMs: number;
  readonly minMs: number;
  /** Share of requests, 0 to 1. */
  readonly errorRate: number;
}

const form =
  /^(?:(http_req_duration|http_req_failed)\s*(?::\s*)?)?(p(?:(\d{1,3}(?:\.\d+)?)|\((\d{1,3}(?:\.\d+)?)\))|avg|mean|med|max|min|errors|rate)\s*(<=|>=|<|>)\s*(\d+(?:\.\d+)?)\s*(ms|s|%)?$/;

/** Parses `p95<200ms`, `p(99)<500`, `errors<0.1%` or k6's `http_req_failed: rate<0.01`; throws SettingsError. */
export function parseThreshold(text: string): Threshold {
  const wrong = (): SettingsError =>
    new SettingsError(
      `the threshold "${text}" cannot be read: expected one such as p95<200ms, p(99)<500, max<2s or errors<0.1%.`,
    );
  const match = form.exec(text.trim());
  const [, metric, word = '', bare, inBrackets, comparison, number, unit] = match ?? [];
  const percentile = bare ?? inBrackets;
  if (match === null || comparison === undefined) throw wrong();
  if (comparison.startsWith('>'))
    throw new SettingsError(
      `the threshold "${text}" is kept by a slow or failing service: expected an upper bound, such as p95<200ms or errors<0.1%.`,
    );
  const errors = word === 'errors' || word === 'rate';
  if (
    errors
      ? unit === 'ms' || unit === 's' || metric === 'http_req_duration'
      : unit === '%' || metric === 'http_req_failed'
  )
    throw wrong();
  const measure: Measure =
    percentile !== undefined
      ? { kind: 'percentile', percentile: Number(percentile) }
      : word === 'med'
        ? { kind: 'percentile', percentile: 50 }
        : { kind: errors ? 'errors' : word === 'max' || word === 'min' ? word : 'mean' };
  if (measure.kind === 'percentile' && (measure.percentile <= 0 || measure.percentile > 100)) throw wrong();
  // As a decimal: 1.1 % is the double next to 0.011, as 11 of 1,000 are, and 1.1 × 0.01 or 0.7 / 100 need not be.
  const bound = Number(`${number ?? ''}${unit === 's' ? 'e3' : unit === '%' ? 'e-2' : ''}`);
  if (errors && (bound > 1 || (bound === 0 && comparison === '<')))
    throw new SettingsError(
      `the threshold "${text}" ${bound > 1 ? 'is kept by a service that answers nothing' : 'can never be kept'}: expected a share of errors such as errors<0.1%, or errors<=0 for none.`,
    );
  return {
    text: text.trim(),
    measure,
    comparison: comparison as Threshold['comparison'],
    bound,
  };
}

/** Parses a list parted by commas. */
export function parseThresholds(text: string): readonly Threshold[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
    .map(parseThreshold);
}

/** The value a threshold speaks of. */
function measured({ measure }: Threshold, figures: Figures): number {
  if (measure.kind === 'percentile') return figures.percentileMs(measure.percentile);
  if (measure.kind === 'errors') return figures.errorRate;
  return { mean: figures.meanMs, max: figures.maxMs, min: figures.minMs }[measure.kind];
}

/** Whether it is kept. */
export function isKept(threshold: Threshold, figures: Figures): boolean {
  const value = measured(threshold, figures);
  return threshold.comparison === '<' ? value < threshold.bound : value <= threshold.bound;
}

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
