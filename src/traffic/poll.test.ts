import { expect, test } from '@playwright/test';
import { record } from '../limiter/test-kit.js';
import { createTurnstile } from './conduct.js';
import { driveFurther } from './course.js';
import type { Course } from './course.js';
import type { Drive } from './drive.js';
import type { Step } from './plan.js';
import { takeSteps } from './take-steps.js';
import type { Conducted } from './take-steps.js';

const steps: readonly Step[] = [
  { kind: 'poll', scenario: 'probe', everySeconds: 2, mostSeconds: 20 },
  { kind: 'even', scenario: 'probe', count: 3, ratePerSecond: 10, connections: 1 },
];

/** Takes the steps with a clock of its own; the service accepts from an instant on. */
function take(acceptsFromMs: number): Conducted {
  let nowMs = 0;
  const taken = takeSteps(steps, () => nowMs);
  let next = taken.next();
  while (next.done !== true) {
    const action = next.value;
    if (action.kind === 'wait') {
      nowMs = Math.max(nowMs, action.untilMs);
      next = taken.next(null);
      continue;
    }
    const outcome = nowMs >= acceptsFromMs ? 'accepted' : 'refused';
    const records = Array.from({ length: action.step.count }, (_, k) => record(k, nowMs, nowMs + 1, { outcome }));
    const drive: Drive = {
      records,
      ratePerSecond: null,
      connections: 1,
      startedMs: nowMs,
      endedMs: nowMs + 1,
      sent: records.length,
      answered: records.length,
      ...{ failed: 0, timedOut: 0, unsent: 0, trouble: null, late: { p50Ms: 0, p99Ms: 0, maxMs: 0 } },
    };
    nowMs += 1;
    next = taken.next(drive);
  }
  return next.value;
}

test('polling ends with the first request that is accepted, and the next step follows', () => {
  const { records } = take(7_000);
  expect(records.map(({ outcome }) => outcome).join(' ')).toBe(
    'refused refused refused accepted accepted accepted accepted',
  );
  expect(records.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

test('where polling ends without one, nothing follows', () => {
  const { records } = take(Infinity);
  expect(records.length).toBeGreaterThanOrEqual(9);
  expect(records.length).toBeLessThanOrEqual(11);
  expect(records.every(({ outcome }) => outcome === 'refused')).toBe(true);
});

test('nothing is driven further where nothing is wanting, nothing could be driven, or it would be more than may be sent', async () => {
  const course = (count: number, unusable: string | null): Course => ({
    trace: {
      subject: { plan: 'demo', keyName: null, limits: [{ count, windowSeconds: 60 }], url: 'http://127.0.0.1:1/' },
      conducted: { records: [], steps: [] },
      idleBeforeMs: 0,
      unusable,
    },
    stimulus: { url: 'http://127.0.0.1:1/', headers: {} },
  });
  const [few, unusable, many] = [course(100, null), course(100, 'status 401'), course(4_000_000, null)];
  for (const [one, why] of [
    [few, null],
    [unusable, 'unclear'],
    [many, 'unclear'],
  ] as const)
    expect(await driveFurther(one, () => why, createTurnstile())).toBe(one);
});
