import { wholeNumber } from './fields.js';
import { draft, findingOf, type HeaderFinding } from './header-finding.js';
import { lowerBound, upperBound } from '../rank.js';
import type { RequestIntervals } from '../request-intervals.js';
import type { TraceRecord } from '../trace.js';

/**
 * Refusals that claim more requests are left than were in flight around them. One alone may have been sent just as a window began
 * anew, so a single one counts only where nothing else was refused. `written` is all that was written, by the client's clock.
 */
export function judgeRefusedRemaining(written: RequestIntervals, refused: readonly TraceRecord[]): HeaderFinding[] {
  const contradicted = refused.filter((record) => {
    const left = wholeNumber(record.remaining ?? '');
    if (left === null || left === 0) return false;
    const inFlight = upperBound(written.sent, record.receivedMs) - lowerBound(written.receivedSorted, record.sentMs);
    return left > inFlight + 1;
  });
  const certain = contradicted.length >= Math.min(2, refused.length);
  return findingOf(
    {
      id: 'LIMIT-07',
      severity: 'fail',
      expected: `RateLimit-Remaining is 0 when a request is refused: the fields MUST describe the window with the lowest RateLimit-Remaining (${draft}, section 4)`,
    },
    certain ? contradicted : [],
    ({ remaining }) => `refused with RateLimit-Remaining: ${remaining ?? ''}`,
  );
}
