import type { Receiver } from './receiver.js';

/** How long to wait for deliveries. */
export interface Patience {
  /** The longest wait in all. */
  readonly totalMs: number;
  /** Enough silence after something came. */
  readonly quietMs: number;
}

/** Waits until `done`, until nothing came for a while after something did, or until the patience ends; true where `done` held. */
export async function settle(receiver: Receiver, done: () => boolean, patience: Patience): Promise<boolean> {
  const started = performance.now();
  const before = receiver.deliveries.length;
  for (;;) {
    if (done()) return true;
    const leftMs = patience.totalMs - (performance.now() - started);
    if (leftMs <= 0) return false;
    const count = receiver.deliveries.length;
    const came = await receiver.waitFor(
      (deliveries) => deliveries.length > count || done(),
      Math.min(leftMs, patience.quietMs),
    );
    if (!came && count > before) return done();
  }
}
