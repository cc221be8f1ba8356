import { createHash } from 'node:crypto';

/** The trace of a run (W3C Trace Context): one trace id, and a span id for each request, by which the service's own logs know it. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The number of the next request: its span id. No two requests of a run have the same. */
  next(): number;
  /** The value of `traceparent` for that number. */
  header(span: number): string;
}

/** The trace id of a run, which its nonce decides: another one in every run, whatever the seed. */
export function traceIdOf(nonce: string): string {
  return createHash('sha256').update(`traceparent:${nonce}`).digest('hex').slice(0, 32);
}

/** A trace context whose numbers begin after `offset`. */
export function createTraceContext(nonce: string, offset = 0): TraceContext {
  const traceId = traceIdOf(nonce);
  let span = offset;
  return {
    traceId,
    next: () => (span += 1),
    // Flag 01: sampled, so that a service that traces a share of its requests traces these.
    header: (number) => `00-${traceId}-${number.toString(16).padStart(16, '0')}-01`,
  };
}
