import type { Limit } from '../../settings/index.js';
import { leftOf } from './fields.js';
import {
  agreement,
  type Answers,
  findingOf,
  findingsOf,
  form,
  formRules,
  type HeaderFinding,
  planRules,
  presenceRules,
  refusalRules,
} from './header-rules.js';
import { judgeRemaining } from './judge-remaining.js';
import { judgePromises, judgeReset } from './judge-waits.js';
import { planNumbers } from '../model.js';
import { intervalsOf, type Trace, type TraceRecord } from '../trace.js';

/** Reports certainly incorrect headers as failures, and departures from the drafts' advice as warnings. */
export function judgeHeaders(
  trace: Trace,
  limits: readonly Limit[],
  { alone, fixed = 'excluded' }: Pick<Answers, 'alone'> & Partial<Pick<Answers, 'fixed'>>,
): readonly HeaderFinding[] {
  const numbers = planNumbers(limits);
  const inOrder = trace.records
    .filter(({ outcome }) => outcome === 'accepted' || outcome === 'refused')
    .sort((a, b) => a.sentMs - b.sentMs);
  const answers: Answers = { trace, numbers, written: intervalsOf(trace, 0), inOrder, alone, fixed };
  return [
    ...findingsOf(inOrder, [...presenceRules, ...formRules, ...planRules(numbers), agreement]),
    ...judgeCountedFailures(trace.records),
    ...judgeRemaining(answers),
    ...judgeReset(answers),
    ...(alone ? judgePromises(answers) : []),
    ...findingsOf(
      inOrder.filter(({ outcome }) => outcome === 'refused'),
      refusalRules(inOrder, numbers),
    ),
  ];
}

const spentTo = (record: TraceRecord | undefined): number | null =>
  record?.outcome === 'accepted' ? leftOf(record) : null;

/**
 * Failures without the three fields that the limiter counted all the same: RateLimit-Remaining of one limit fell by them between the accepted
 * answers just before and just after. What the limiter did not decide is not asked for the fields.
 */
export function judgeCountedFailures(records: readonly TraceRecord[]): HeaderFinding[] {
  const first = records.findIndex(({ asked }) => asked === 'missing');
  if (first < 0) return [];
  const failures = records.filter(({ asked }) => asked === 'missing');
  const [before, after] = [records[first - 1], records[first + failures.length]];
  const [more, less] = [spentTo(before), spentTo(after)];
  const counted = more !== null && less !== null && before?.limit === after?.limit && more - less > failures.length;
  const bare = failures.filter(({ limit, remaining, reset }) => [limit, remaining, reset].includes(undefined));
  return findingOf(
    {
      ...form,
      code: 'uncounted-failure',
      expected: 'the three RateLimit headers on a failure that the limiter counted (§8, response headers)',
    },
    counted ? bare : [],
    ({ status }) =>
      `status ${status ?? 'none'} without all of them, for a unit that does not exist; RateLimit-Remaining fell from ${more ?? ''} to ${less ?? ''} over ${failures.length} such requests and one more`,
  );
}
