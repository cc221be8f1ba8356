import type { HeaderLine } from '../http/index.js';

/** The receiver a delivery came to: the tenant under test or the second one. */
export type HookTenant = 'main' | 'other';

/** How one delivery is answered. `slow` answers 200 after `delayMs`; `close` ends the connection without an answer. */
export type Scenario =
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'slow'; readonly delayMs: number }
  | { readonly kind: 'close' }
  | { readonly kind: 'redirect'; readonly location: string };

/** One delivery as it came over the wire. */
export interface Delivery {
  /** 1-based, in the order of arrival, over both tenants. */
  readonly seq: number;
  readonly tenant: HookTenant;
  /** Path with query, as received. */
  readonly path: string;
  /** Names in lower case, in the order received, repetitions kept. */
  readonly headers: readonly HeaderLine[];
  /** Exact bytes on the wire: what a signature over the raw body covers. */
  readonly wire: Buffer;
  /** The bytes after content-encoding was undone; the very same buffer where there was none. */
  readonly body: Buffer;
  /** Why the body could not be read or decoded, or null. */
  readonly problem: string | null;
  /** Whether `wire` holds all that was sent; false for a body over the receiver's bound. */
  readonly whole: boolean;
  /** Milliseconds on the process's monotonic clock. */
  readonly arrivedAtMs: number;
  /** The status of the answer, or null if the connection was closed. */
  readonly answered: number | null;
}

/** All values of a header of a delivery, in order. */
export function headerValues(delivery: Pick<Delivery, 'headers'>, name: string): readonly string[] {
  const lowerCased = name.toLowerCase();
  return delivery.headers.filter(([key]) => key === lowerCased).map(([, value]) => value);
}
