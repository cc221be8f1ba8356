import type { Settled } from '../engine/connection.js';
import { abortGraceMs } from '../engine/send-evenly.js';

/** The outcome of a request. */
export interface SoakOutcome {
  /** The answer's status, or `failed`, `timeout`, `unsent` or `called off`. */
  readonly status: string;
  /** From the due time; null where nothing was waited for to its end. */
  readonly latencyMs: number | null;
  readonly error: boolean;
  readonly bare: boolean;
}

/** The state of a request at the end of the soak. */
export interface Ending {
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
