import { build, type Histogram } from 'hdr-histogram-js';
import { SettingsError } from '../../settings/index.js';
import type { Settled } from '../engine/connections.js';
import { abortGraceMs } from '../engine/drive.js';

/** What became of a request of a soak. */
interface SoakOutcome {
  /** The answer's status, or `failed`, `timeout`, `unsent` or `called off`. */
  readonly status: string;
  /** From the due time; null where nothing was waited for to its end. */
  readonly latencyMs: number | null;
  readonly error: boolean;
  /** Whether its answer lacks the envelope that it owes. */
  readonly bare: boolean;
}

/**
 * What became of a request that was due then: answered, failed, timed out, unsent for want of a connection (null), or cancelled with the soak
 * at `abortedMs`.
 */
export function outcomeOf(
  settled: Settled | null,
  dueMs: number,
  bare: boolean,
  timeoutMs: number,
  abortedMs: number | null,
): SoakOutcome {
  if (settled?.kind === 'answered') {
    const { status, endMs } = settled;
    return { status: String(status), latencyMs: endMs - dueMs, error: status >= 400 || bare, bare };
  }
  // A request that was due just as the soak ended says nothing about the service; one that had waited before does.
  if (abortedMs !== null && abortedMs - dueMs < abortGraceMs(timeoutMs))
    return { status: 'called off', latencyMs: null, error: false, bare };
  const latencyMs = settled?.kind === 'failed' ? null : Math.min(timeoutMs, performance.now() - dueMs);
  return { status: settled?.kind ?? 'unsent', latencyMs, error: true, bare };
}

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

/** A percentile of the latency in milliseconds; a bin may reach beyond the longest one, a percentile does not. */
const percentileMs = ({ latency }: Tally, percentile: number): number =>
  latency.totalCount === 0 ? 0 : Math.min(latency.getValueAtPercentile(percentile), latency.maxValue) / 1000;

/** Requests that were due within one stretch of time; latencies in milliseconds from the due time. */
export interface SoakWindow {
  readonly startSeconds: number;
  readonly due: number;
  readonly errors: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Figures of all requests, or of one operation's. */
export interface SoakSummary extends Omit<SoakWindow, 'startSeconds'> {
  readonly name: string;
  readonly bareEnvelopes: number;
  readonly statuses: Readonly<Record<string, number>>;
}

/** The figures of a tally. */
export function summaryOf(name: string, tally: Tally): SoakSummary {
  const { bareEnvelopes, statuses } = tally;
  return { name, ...figuresOf(tally), bareEnvelopes, statuses: Object.fromEntries([...statuses].sort()) };
}

function figuresOf(tally: Tally): Omit<SoakWindow, 'startSeconds'> {
  const [p50Ms = 0, p95Ms = 0, p99Ms = 0, maxMs = 0] = [50, 95, 99, 100].map((one) => percentileMs(tally, one));
  return { due: tally.due, errors: tally.errors, p50Ms, p95Ms, p99Ms, maxMs };
}

/** The figures of a window. */
export const windowOf = (tally: Tally, startSeconds: number): SoakWindow => ({ startSeconds, ...figuresOf(tally) });

/** One promise about a soak: an upper bound of a percentile of the latency in milliseconds, or of the share of errors (null), 0 to 1. */
export interface Threshold {
  readonly text: string;
  readonly percentile: number | null;
  readonly comparison: '<' | '<=';
  readonly bound: number;
}

const form = /^(errors|max|p(\d{1,3}(?:\.\d+)?))\s*(<=?)\s*(\d+(?:\.\d+)?)\s*(ms|s|%)?$/;

/** Parses `p95<200ms`, `max<2s` or `errors<0.1%`; throws SettingsError. */
export function parseThreshold(given: string): Threshold {
  const text = given.trim();
  const [, word, digits = '100', comparison, number = '', unit = ''] = form.exec(text) ?? [];
  const percentile = word === 'errors' ? null : Number(digits);
  const isUnit = percentile === null ? /^%?$/.test(unit) : unit !== '%' && percentile > 0 && percentile <= 100;
  if (comparison === undefined || !isUnit)
    throw new SettingsError(
      `the threshold "${text}" cannot be read: expected an upper bound, such as p95<200ms, max<2s or errors<0.1%.`,
    );
  // As a decimal: 1.1 % is the double next to 0.011, as 11 of 1,000 are, and 1.1 × 0.01 or 0.7 / 100 need not be.
  const bound = Number(`${number}${unit === 's' ? 'e3' : unit === '%' ? 'e-2' : ''}`);
  if (percentile === null && (bound > 1 || (bound === 0 && comparison === '<')))
    throw new SettingsError(
      `the threshold "${text}" ${bound > 1 ? 'is kept by a service that answers nothing' : 'can never be kept'}: expected a share of errors such as errors<0.1%, or errors<=0 for none.`,
    );
  return { text, percentile, comparison: comparison as Threshold['comparison'], bound };
}

/** Parses a list parted by commas. */
export function parseThresholds(text: string): readonly Threshold[] {
  return text
    .split(',')
    .filter((part) => part.trim() !== '')
    .map(parseThreshold);
}

/** Whether a value keeps it. */
export const isKept = ({ comparison, bound }: Threshold, value: number): boolean =>
  comparison === '<' ? value < bound : value <= bound;

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
  const { text, percentile } = threshold;
  const isMeasured = answeredOf(tally.statuses) > 0 || (percentile === null && tally.errors > 0);
  if (!isMeasured) return { text, value: null, kept: false };
  const value = percentile === null ? tally.errors / tally.due : percentileMs(tally, percentile);
  return { text, value, kept: isKept(threshold, value) };
}
