import type { Exchange } from '../http/exchange.js';

/** As many failures of one kind in a row as made the live client give the target up. */
const fatalAfter: Readonly<Record<string, number>> = { refused: 2, dns: 1, tls: 1, timeout: 4, reset: 18 };

/** When and why a recorded run took its target to be gone; null where it never did. */
export function findGone(exchanges: readonly Exchange[]): { readonly seq: number; readonly reason: string } | null {
  const lastSentMs = exchanges.reduce((latest, one) => Math.max(latest, one.sentAtMs), -Infinity);
  const inARow = new Map<string, number>();
  for (const { response, failure, receivedAtMs, seq } of exchanges) {
    if (response !== null || failure === null) {
      inARow.clear();
      continue;
    }
    const count = (inARow.get(failure.kind) ?? 0) + 1;
    inARow.set(failure.kind, count);
    // Nothing is sent any more once the target is given up: a later request shows that it was not, as the answer had begun.
    if (count >= (fatalAfter[failure.kind] ?? Infinity) && lastSentMs <= receivedAtMs) {
      return { seq, reason: `the target stopped answering (${failure.kind}: ${failure.message}; ${count} in a row)` };
    }
  }
  return null;
}
