import type { Limit } from '../target/limits.js';
import { quotaItems } from './fields.js';
import { findingOf, type HeaderFinding } from './header-finding.js';
import { isRetryAfter } from './http-date.js';
import { amount } from './instants.js';
import { judgeCacheable } from './judge-cacheable.js';
import { judgeForm, resetSeconds, retrySeconds } from './judge-form.js';
import { judgePromises } from './judge-promises.js';
import { judgeRefusedRemaining } from './judge-refused-remaining.js';
import { judgeRemaining } from './judge-remaining.js';
import { judgeReset } from './judge-reset.js';
import { countUpTo } from './rank.js';
import { planNumbers, type PlanNumbers } from './reading.js';
import type { Trace, TraceRecord } from './trace.js';

/** What may be assumed of the service whose headers are judged. */
export interface HeaderOptions {
  /** The three fields are asked for on every accepted and every refused response. */
  readonly required: boolean;
  /** `RateLimit-Limit` must be one of the numbers given. */
  readonly identicalPlan: boolean;
  /** Nobody else uses the key: without it, promises of acceptance are not judged. */
  readonly alone: boolean;
  /** The operator says that windows are fixed: resets must then count down. */
  readonly pinnedFixed?: boolean;
}

/** Certain lies in the headers of a trace as breaches, departures from the drafts' advice as warnings. */
export function judgeHeaders(trace: Trace, limits: readonly Limit[], options: HeaderOptions): readonly HeaderFinding[] {
  const numbers = planNumbers(limits);
  const answers = trace.records.filter(({ outcome }) => outcome === 'accepted' || outcome === 'refused');
  const refused = answers.filter(({ outcome }) => outcome === 'refused');
  return [
    ...judgeForm(answers, options.required),
    ...(options.identicalPlan ? judgeLimit(answers, numbers) : []),
    ...judgeRemaining(answers, numbers),
    ...judgeRefusedRemaining(trace, refused),
    ...judgeReset(trace, answers, numbers, options.pinnedFixed ?? false),
    ...(options.alone ? judgePromises(trace, numbers) : []),
    ...judgeCacheable(refused),
    ...judgeRetryAfter(answers, refused, numbers),
  ];
}

/** Either number of the plan will do, and their sum where the one comes on top of the other. */
function judgeLimit(answers: readonly TraceRecord[], { burst, sustained }: PlanNumbers): HeaderFinding[] {
  const both = sustained === null ? [] : [sustained.count, burst.count + sustained.count];
  const allowed = new Set([burst.count, ...both]);
  return findingOf(
    {
      id: 'LIMIT-07',
      severity: 'breach',
      expected: `RateLimit-Limit is the plan's: ${[burst, sustained].flatMap((each) => each?.count ?? []).join(' or ')}`,
    },
    answers.filter(({ limit }) => {
      const items = limit === undefined ? null : quotaItems(limit);
      return items?.[0] !== undefined && !allowed.has(items[0].count);
    }),
    ({ limit }) => `RateLimit-Limit: ${limit ?? ''}`,
  );
}

function judgeRetryAfter(
  answers: readonly TraceRecord[],
  refused: readonly TraceRecord[],
  { burst: { windowSeconds } }: PlanNumbers,
): HeaderFinding[] {
  const advice = { id: 'LIMIT-10', severity: 'warning' } as const;
  const accepted = answers.filter(({ outcome }) => outcome === 'accepted').sort((a, b) => a.sentMs - b.sentMs);
  const sentMs = Float64Array.from(accepted, (record) => record.sentMs);
  /** How many seconds after a refusal a request was accepted, or null where none was before the refusal's word was over. */
  const acceptedAfter = (record: TraceRecord): number | null => {
    const next = accepted[countUpTo(sentMs, record.receivedMs)];
    const overMs = record.receivedMs + 1000 * (retrySeconds(record) ?? 0);
    return next === undefined || next.receivedMs >= overMs ? null : (next.sentMs - record.receivedMs) / 1000;
  };
  return [
    ...findingOf(
      { id: 'LIMIT-05', severity: 'breach', expected: 'Retry-After is a number of seconds or an HTTP date' },
      refused.filter(({ retryAfter }) => retryAfter !== undefined && !isRetryAfter(retryAfter)),
      ({ retryAfter }) => `Retry-After: ${retryAfter ?? ''}`,
    ),
    ...findingOf(
      {
        id: 'LIMIT-05',
        severity: 'breach',
        expected: `Retry-After is in seconds from now, and no window is longer than ${windowSeconds} s`,
      },
      // Far beyond any window, and requests were accepted before that all the same.
      refused.filter(
        (record) => (retrySeconds(record) ?? 0) > 10 * windowSeconds + 10 && acceptedAfter(record) !== null,
      ),
      (record) =>
        `Retry-After: ${record.retryAfter ?? ''}, although a request was accepted ${amount(acceptedAfter(record) ?? 0)} s later`,
    ),
    ...findingOf(
      { ...advice, expected: 'Retry-After on a 429' },
      refused.filter(({ status, retryAfter }) => status === 429 && retryAfter === undefined),
      () => 'status 429 without Retry-After',
    ),
    ...findingOf(
      { ...advice, expected: 'RateLimit-Reset and Retry-After name the same instant' },
      refused.filter((record) => {
        const reset = resetSeconds(record);
        const retry = retrySeconds(record);
        return reset !== null && retry !== null && Math.abs(reset - retry) > 1.5;
      }),
      ({ reset, retryAfter }) => `RateLimit-Reset: ${reset ?? ''}, Retry-After: ${retryAfter ?? ''}`,
    ),
  ];
}
