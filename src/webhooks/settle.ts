import type { Delivery } from './delivery.js';
import type { Receiver } from './receiver.js';

/** How long to wait for deliveries. */
export interface Patience {
  /** The longest wait in all. */
  readonly totalMs: number;
  /** Enough silence after something came. */
  readonly quietMs: number;
  /** Selects the deliveries to count: all, unless given. */
  readonly of?: (delivery: Delivery) => boolean;
}

/** Waits until `done`, until nothing came for a while after something did, or until the patience ends; true where `done` held. */
export async function settle(receiver: Receiver, done: () => boolean, patience: Patience): Promise<boolean> {
  const started = performance.now();
  const counted = (): number => receiver.deliveries.filter(patience.of ?? (() => true)).length;
  const before = counted();
  for (;;) {
    if (done()) return true;
    const leftMs = patience.totalMs - (performance.now() - started);
    if (leftMs <= 0) return false;
    const count = counted();
    const came = await receiver.waitFor(() => counted() > count || done(), Math.min(leftMs, patience.quietMs));
    if (!came && count > before) return done();
  }
}
