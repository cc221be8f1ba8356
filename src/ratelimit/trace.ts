/**
 * The outcome of one request: `accepted` is a 2xx, `refused` a 429 (or another status that the scenario counts as a refusal), `other` any
 * different answer, `failed` a broken connection, `unsent` a slot without a free connection, so that nothing was written.
 */
export type TraceOutcome = 'accepted' | 'refused' | 'other' | 'failed' | 'timeout' | 'unsent';

/** One request of a scenario; instants in milliseconds on one monotonic client clock, headers as they were received. */
export interface TraceRecord {
  readonly index: number;
  readonly dueMs: number;
  /** Just before the bytes were written. */
  readonly sentMs: number;
  /** The number of its span in the trace of the run; absent where it had none, and in records of earlier versions. */
  readonly span?: number;
  /** After the head of the response; Infinity where none came. */
  readonly receivedMs: number;
  readonly outcome: TraceOutcome;
  readonly status: number | null;
  readonly limit?: string;
  readonly policy?: string;
  /** The single field `RateLimit` of later drafts. */
  readonly combined?: string;
  readonly remaining?: string;
  readonly reset?: string;
  readonly retryAfter?: string;
  readonly cacheControl?: string;
  readonly cdnCacheControl?: string;
  readonly expires?: string;
  readonly date?: string;
  /** The kind of request, unless it is a plain read: a record that does not exist, or a create. */
  readonly asked?: 'missing' | 'create';
  /** Whether the body was the failure envelope; null where nobody looked. */
  readonly hasEnvelope: boolean | null;
}

/** Every request one scenario made with one key, or with several that may share a counter. */
export interface Trace {
  readonly records: readonly TraceRecord[];
  /** How far the two clocks may drift apart, as a fraction: 0.001 unless something better is known. */
  readonly clockErrorRate: number;
  /** The coarsest step in which the limiter is assumed to tell time: 1 or 1000. */
  readonly quantumMs: number;
  /** How long the key had certainly been unused, by this run, before the first record. */
  readonly idleBeforeMs: number;
}
