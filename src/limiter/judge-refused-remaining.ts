import { wholeNumber } from './fields.js';
import { findingOf, type HeaderFinding } from './header-finding.js';
import type { Trace, TraceRecord } from './trace.js';

/**
 * Refusals that claim more requests are left than were in flight around them. One alone may have been told just as a window began
 * anew, so a single one counts only where nothing else was refused.
 */
export function judgeRefusedRemaining(trace: Trace, refused: readonly TraceRecord[]): HeaderFinding[] {
  const written = trace.records.filter(({ outcome }) => outcome !== 'unsent');
  const sent = Float64Array.from(written, (record) => record.sentMs).sort();
  const received = Float64Array.from(written, (record) => record.receivedMs).sort();
  const lies = refused.filter((record) => {
    const left = wholeNumber(record.remaining ?? '');
    if (left === null || left === 0) return false;
    const inFlight = below(sent, record.receivedMs, true) - below(received, record.sentMs, false);
    return left > inFlight + 1;
  });
  const certain = lies.length >= Math.min(2, refused.length);
  return findingOf(
    { id: 'LIMIT-07', severity: 'breach', expected: 'RateLimit-Remaining is 0 when a request is refused' },
    certain ? lies : [],
    ({ remaining }) => `refused with RateLimit-Remaining: ${remaining ?? ''}`,
  );
}

/** How many of the sorted values lie below a bound, or at it. */
function below(sorted: Float64Array, bound: number, inclusive: boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const value = sorted[middle] ?? 0;
    if (value < bound || (inclusive && value === bound)) low = middle + 1;
    else high = middle;
  }
  return low;
}
