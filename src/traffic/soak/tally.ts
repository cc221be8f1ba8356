import type { Settled } from '../engine/connections.js';
import { abortGraceMs } from '../engine/send-load.js';
import { build, type Histogram } from 'hdr-histogram-js';
import type { Figures } from './thresholds.js';

/** The outcome of a request. */
interface SoakOutcome {
  /** The answer's status, or `failed`, `timeout`, `unsent` or `called off`. */
  readonly status: string;
  /** From the due time; null where nothing was waited for to its end. */
  readonly latencyMs: number | null;
  readonly error: boolean;
  readonly bare: boolean;
}

/** The state of a request at the end of the soak. */
interface Ending {
  /** Null where it never was sent. */
  readonly settled: Settled | null;
  /** Whether its answer lacks the envelope that it owes. */
  readonly bare: boolean;
  readonly dueMs: number;
  readonly nowMs: number;
  readonly timeoutMs: number;
  /** Whether the soak is over, so that a connection ends because this side closes it. */
  readonly over: boolean;
  /** When the soak was ended early, or null. */
  readonly abortedMs: number | null;
}

/** The outcome of one request: answered, failed, timed out, unsent for want of a connection, or cancelled with the soak. */
export function outcomeOf({ settled, bare, dueMs, nowMs, timeoutMs, over, abortedMs }: Ending): SoakOutcome {
  if (settled?.kind === 'answered') {
    const { status } = settled;
    return { status: String(status), latencyMs: settled.endMs - dueMs, error: status >= 400 || bare, bare };
  }
  // A request that was due just as the soak ended says nothing about the service; one that had waited before does.
  if (abortedMs !== null && abortedMs - dueMs < abortGraceMs(timeoutMs))
    return { status: 'called off', latencyMs: null, error: false, bare: false };
  const status = settled === null ? 'unsent' : over ? 'timeout' : settled.kind;
  const latencyMs = status === 'failed' ? null : Math.min(timeoutMs, nowMs - dueMs);
  return { status, latencyMs, error: true, bare: false };
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
