import type { AnswerCheck } from './header-finding.js';
import { isRetryAfter } from './http-date.js';
import { formatCount } from '../format-units.js';
import { resetSeconds, retrySeconds } from './judge-form.js';
import { upperBound } from '../rank.js';
import type { PlanNumbers } from '../models/model.js';
import type { TraceRecord } from '../trace.js';

const breach = { id: 'LIMIT-05', severity: 'fail' } as const;
const advice = { id: 'LIMIT-10', severity: 'warn' } as const;

/** Judges the `Retry-After` of each refusal. The answers are in the order of their requests. */
export function retryAfterChecks(
  inOrder: readonly TraceRecord[],
  { burst: { windowSeconds } }: PlanNumbers,
): AnswerCheck[] {
  const acceptedAfter = acceptances(inOrder);
  return [
    {
      ...breach,
      code: 'odd-retry-after',
      expected: 'Retry-After is a number of seconds or an HTTP date',
      shows: ({ retryAfter }) => retryAfter !== undefined && !isRetryAfter(retryAfter),
      tell: ({ retryAfter }) => `Retry-After: ${retryAfter ?? ''}`,
    },
    {
      ...breach,
      code: 'distant-retry-after',
      expected: `Retry-After is in seconds from now, and no window is longer than ${windowSeconds} s`,
      // Far beyond any window, and requests were accepted before that all the same.
      shows: (record) => (retrySeconds(record) ?? 0) > 10 * windowSeconds + 10 && acceptedAfter(record) !== null,
      tell: (record) =>
        `Retry-After: ${record.retryAfter ?? ''}, although a request was accepted ${formatCount(acceptedAfter(record) ?? 0)} s later`,
    },
    {
      ...advice,
      code: 'no-retry-after',
      expected: 'Retry-After on a 429',
      shows: ({ status, retryAfter }) => status === 429 && retryAfter === undefined,
      tell: () => 'status 429 without Retry-After',
    },
    {
      ...advice,
      code: 'two-instants',
      expected: 'RateLimit-Reset and Retry-After name the same instant',
      shows: (record) => {
        const reset = resetSeconds(record);
        const retry = retrySeconds(record);
        return reset !== null && retry !== null && Math.abs(reset - retry) > 1.5;
      },
      tell: ({ reset, retryAfter }) => `RateLimit-Reset: ${reset ?? ''}, Retry-After: ${retryAfter ?? ''}`,
    },
  ];
}

/** How many seconds after a refusal a request was accepted, or null where none was before the refusal's word was over. */
function acceptances(inOrder: readonly TraceRecord[]): (refusal: TraceRecord) => number | null {
  const accepted = inOrder.filter(({ outcome }) => outcome === 'accepted');
  const sentMs = Float64Array.from(accepted, (record) => record.sentMs);
  return (refusal) => {
    const next = accepted[upperBound(sentMs, refusal.receivedMs)];
    const overMs = refusal.receivedMs + 1000 * (retrySeconds(refusal) ?? 0);
    return next === undefined || next.receivedMs >= overMs ? null : (next.sentMs - refusal.receivedMs) / 1000;
  };
}
