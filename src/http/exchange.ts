/** The failure of a request without a complete answer. */
export type FailureKind =
  | 'refused'
  | 'unreachable'
  | 'reset'
  | 'timeout'
  | 'too-large'
  | 'decoding'
  | 'malformed'
  | 'dns'
  | 'tls'
  /** The server speaks no HTTP/1.1. */
  | 'http2'
  /** The forward proxy failed, so that the request never reached the target. */
  | 'proxy'
  /** The proxy asks for a password, or does not accept the one it gets. */
  | 'proxy-login'
  | 'aborted'
  | 'other'
  /** The target as a whole was away, and came back. */
  | 'away'
  /** The target as a whole was away, and did not come back in time: nothing is sent any more. */
  | 'gone';

/** The part of the API that a request went to; only production answers must have the envelope. */
export type Surface = 'production' | 'planned' | 'demo' | 'sandbox' | 'document' | 'other';

/** One header line as `[name in lower case, value]`, in the order received. */
export type HeaderLine = readonly [string, string];

/** Why a request has no complete answer. */
export interface Failure {
  readonly kind: FailureKind;
  readonly message: string;
  /** Codes of the error, such as `CERT_HAS_EXPIRED`, in the order of its causes. */
  readonly codes?: readonly string[];
  /** How a request failed that found the target away. */
  readonly cause?: FailureKind;
}

/** The request half of an exchange, already redacted. */
export interface RecordedRequest {
  readonly method: string;
  /** Absolute URL, secrets redacted. */
  readonly url: string;
  /** Path with query, as sent. */
  readonly path: string;
  readonly headers: readonly HeaderLine[];
  /** Exact bytes sent, or null without a body. */
  readonly body: Buffer | null;
  /** The setting that holds the key, or null for none. */
  readonly credential: string | null;
}

/** The answer half of an exchange, already redacted. */
export interface RecordedResponse {
  readonly status: number;
  readonly headers: readonly HeaderLine[];
  /** Exact bytes after content-encoding was undone. */
  readonly body: Buffer;
  /** The body as text, or null when it is no valid UTF-8. */
  readonly text: string | null;
  /** The parsed JSON, or undefined when it is none. */
  readonly json: unknown;
}

/** One request and what came of it; the unit of evidence. Instants are milliseconds on the run's monotonic clock. */
export interface Exchange {
  /** 1-based, unique in a run. */
  readonly seq: number;
  /** The requirement (or set-up step) that asked. */
  readonly asker: string;
  readonly surface: Surface;
  readonly request: RecordedRequest;
  readonly response: RecordedResponse | null;
  readonly failure: Failure | null;
  readonly sentAtMs: number;
  readonly receivedAtMs: number;
  /** The number of earlier tries that this answer replaces: 429s that were waited out, and lost answers. */
  readonly throttled: number;
}

/** The part of an answer that a breach is about: its status, a header, a value of its JSON (the very one), or what stands at a pointer in that. */
export type AnswerPart =
  'status' | { readonly header: string } | { readonly value: unknown; readonly pointer?: string };

/** The Accept header of every request: the specification names no media type, and a service may offer JSON under its own name only. */
export const acceptedTypes = 'application/json, */*;q=0.5';

/** The first value of a response header, or undefined. */
export function header(exchange: Exchange, name: string): string | undefined {
  const lowerCased = name.toLowerCase();
  return exchange.response?.headers.find(([key]) => key === lowerCased)?.[1];
}

/** Whether the answer's status is 2xx. */
export function succeeded(exchange: Exchange): boolean {
  return exchange.response !== null && exchange.response.status >= 200 && exchange.response.status < 300;
}
