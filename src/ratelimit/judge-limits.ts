import type { Limit } from '../settings/limits.js';
import type { LimitModel } from '../settings/target.js';
import { judgeTrace } from './judge-trace.js';
import { modelLabels } from './models/model.js';
import type { TraceRecord } from './trace.js';

/** One request of a client, with instants in milliseconds on one monotonic clock. */
export interface LimitedRequest {
  /** Just before its first byte was written. */
  readonly sentMs: number;
  /** After the head of the response; null where none came. */
  readonly receivedMs: number | null;
  /** 2xx counts as accepted, 429 as refused, anything else as neither; null where no response came. */
  readonly status: number | null;
}

/** How requests are judged. */
export interface JudgeLimitsOptions {
  /** The one way to count that the service says it uses, or `auto`, the default: any way will do. */
  readonly model?: LimitModel;
  /** Whether no other client used the key; true by default. If false, fewer refusals count as violations. */
  readonly alone?: boolean;
  /** How long the key had been unused before the first request, in milliseconds; 0 by default. */
  readonly idleBeforeMs?: number;
  /** How far the clocks of client and service may drift apart, as a fraction; 0.001 by default. */
  readonly clockErrorRate?: number;
  /** The coarsest step in which the service tells time, in milliseconds; 1 by default. */
  readonly resolutionMs?: 1 | 1000;
}

/** What requests show of the limits of a service. */
export interface LimitsJudgement {
  /** Whether some way to count the limits explains every acceptance and every refusal. */
  readonly conforms: boolean;
  /** Every way to count that was tried, whether it explains all requests, and if not, the first thing that it cannot explain. */
  readonly models: readonly {
    readonly name: string;
    readonly explains: boolean;
    readonly contradiction: string | null;
  }[];
  /** Empty where `conforms`; `requests` are places in the list of requests. */
  readonly breaches: readonly {
    /** `LIMIT-01`: refused within the limits; `LIMIT-02`: accepted beyond the limit of the longer window; `LIMIT-03`: of the shorter one. */
    readonly requirement: 'LIMIT-01' | 'LIMIT-02' | 'LIMIT-03';
    readonly expected: string;
    readonly actual: string;
    readonly requests: readonly number[];
  }[];
}

function outcomeOf({ status, receivedMs }: LimitedRequest): TraceRecord['outcome'] {
  if (status === null || receivedMs === null) return 'failed';
  return status >= 200 && status < 300 ? 'accepted' : status === 429 ? 'refused' : 'other';
}

/**
 * Judges from the requests of one client whether a service keeps one or two limits, such as 600 requests in 60 s and 100 in 1 s. Sends
 * nothing and reads no clock. Reports a violation only where no conforming limiter could have answered so: uncertainty makes the judgement
 * weaker, never wrong. Throws RangeError for no limit or more than two.
 */
export function judgeLimits(
  requests: readonly LimitedRequest[],
  limits: readonly Limit[],
  options: JudgeLimitsOptions = {},
): LimitsJudgement {
  if (limits.length < 1 || limits.length > 2) throw new RangeError('expected one or two limits');
  const records = requests
    .map((request, index): TraceRecord => ({
      index,
      dueMs: request.sentMs,
      sentMs: request.sentMs,
      receivedMs: request.receivedMs ?? Infinity,
      outcome: outcomeOf(request),
      status: request.status,
      hasEnvelope: null,
    }))
    .sort((a, b) => a.sentMs - b.sentMs);
  const { clockErrorRate = 0.001, resolutionMs = 1, idleBeforeMs = 0, model = 'auto', alone = true } = options;
  const trace = { records, clockErrorRate, quantumMs: resolutionMs, idleBeforeMs };
  const { explained, models, violations } = judgeTrace(trace, limits, { model, alone });
  return {
    conforms: explained,
    models: models.map(({ name, admitted, reason }) => ({
      name: modelLabels[name],
      explains: admitted,
      contradiction: reason,
    })),
    breaches: violations.map(({ id, expected, actual, records: places }) => ({
      requirement: id,
      expected,
      actual,
      requests: places,
    })),
  };
}
