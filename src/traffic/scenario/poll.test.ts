import { expect, test } from '@playwright/test';
import { record, driveOf } from '../../../testing/limiter-simulators/test-kit.js';
import { even, fast, type Step } from './scenario.js';
import type { TraceRecord } from '../../ratelimit/trace.js';
import { scenarioActions, type ScenarioRun } from './run-steps.js';

const steps: readonly Step[] = [{ kind: 'poll', everySeconds: 2, mostSeconds: 20 }, even('probe', 3, 10)];

/** Runs the steps on a simulated clock; `accepts` is the service's decision at an instant, `asked` the headers of its refusals. */
function take(
  accepts: (atMs: number) => boolean,
  planned = steps,
  asked: (atMs: number) => Partial<TraceRecord> = () => ({}),
): ScenarioRun {
  let nowMs = 0;
  const taken = scenarioActions(planned, () => nowMs);
  let next = taken.next();
  while (next.done !== true) {
    const action = next.value;
    if (typeof action === 'number') {
      nowMs = Math.max(nowMs, action);
      next = taken.next(null);
      continue;
    }
    const outcome = accepts(nowMs) ? 'accepted' : 'refused';
    const records = Array.from({ length: action.count }, (_, k) =>
      record(k, nowMs, nowMs + 1, { outcome, ...asked(nowMs) }),
    );
    next = taken.next(driveOf({ records, startedMs: nowMs, endedMs: nowMs + 1 }));
    nowMs += 1;
  }
  return next.value;
}

const outcomesOf = ({ records }: ScenarioRun): string => records.map(({ outcome }) => outcome[0]).join('');

test('a refusal is taken at its word where it asks for little, or its headers disagree', () => {
  const returning: readonly Step[] = [fast('burst', 1), { kind: 'return', leastSeconds: 3, mostSeconds: 24 }];
  const sent = (reset: string, retryAfter: string, opensMs = Infinity): number[] =>
    take(
      (atMs) => atMs >= opensMs,
      returning,
      () => ({ reset, retryAfter }),
    ).records.map(({ sentMs }) => Math.round(sentMs / 1000));
  expect(sent('1', '1')).toEqual([0, 3, 5, 7]);
  expect(sent('1', '1', 4_000)).toEqual([0, 3, 5]);
  expect(sent('40', '20'), 'half of what the other says').toEqual([0, 21, 42, 63]);
  expect(sent('40', '40'), 'a long wait').toEqual([0]);
  expect(sent('60', '30'), 'too long a wait').toEqual([0]);
});

test('polling ends with the second of two acceptances, which comes soon, and the next step follows', () => {
  const conducted = take((atMs) => atMs >= 7_000);
  const { records } = conducted;
  expect(outcomesOf(conducted)).toBe('rrraaaaa');
  expect(records.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect((records[4]?.sentMs ?? 0) - (records[3]?.sentMs ?? 0)).toBeLessThan(250);
});

test('one acceptance with a refusal right behind it has opened nothing', () => {
  expect(outcomesOf(take((atMs) => Math.abs(atMs - 4_002) < 50 || atMs >= 9_000))).toBe('rarrraaaaa');
});

test('where polling ends without one, nothing follows', () => {
  const { records } = take(() => false);
  expect(records.length).toBeGreaterThanOrEqual(9);
  expect(records.length).toBeLessThanOrEqual(11);
  expect(records.every(({ outcome }) => outcome === 'refused')).toBe(true);
});
