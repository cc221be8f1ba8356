import { expect, test } from '@playwright/test';
import { nextDrive } from './drive-limits.js';
import type { Addition } from './limit-traces.js';
import { onlySpill, type PlanVerdict } from './limit-verdicts.js';
import { baseSteps, costOf, repeatSteps } from './scenario/scenario.js';
import { atMost, planTraceOf } from '../../testing/limiter-simulators/test-kit.js';

const limits = [atMost(600, 60), atMost(100, 1)];
const late: Addition = { how: 'repeated', why: 'late', firstStep: 0 };

/** A verdict that nothing explains, on a plan that was driven so often before, and badly the last time. */
function verdictAfter(additions: readonly Addition[], weak: PlanVerdict['weak'], sold = limits): PlanVerdict {
  const nothing = { violations: [], headers: [], models: [], refusals: [], foreign: null, lowered: null };
  return { ...nothing, uncounted: null, weak, trace: planTraceOf(sold, { additions }) };
}

test('a drive is repeated while there is a reason to, twice at most and not for too long, and then extended', () => {
  const howOf = (times: number, seconds = 0, weak: PlanVerdict['weak'] = { within: null, beyond: 'late' }) =>
    nextDrive(
      verdictAfter(
        Array.from({ length: times }, () => late),
        weak,
      ),
      null,
      seconds,
    )?.how;
  expect([0, 1, 2].map((times) => howOf(times))).toEqual(['repeated', 'repeated', 'extended']);
  expect(howOf(0, 0, { within: null, beyond: null })).toBe('extended');
  const most = 800 - costOf(repeatSteps(limits)).floorSeconds;
  expect([howOf(0, most - 1), howOf(0, most + 1)]).toEqual(['repeated', 'extended']);
});

test('a drive is extended once, and once more where that left only what servers look like', () => {
  const after = (...reasons: string[]): PlanVerdict =>
    verdictAfter(
      reasons.map((why) => ({ how: 'extended', why, firstStep: 0 })),
      { within: 'late', beyond: 'late' },
    );
  const spill = { name: 'spill', admitted: true, reason: null, counterevidence: [] } as const;
  const models = [{ ...spill, needsRefusalsCounted: false, needsClock: false, needsTimer: false, tickMs: null }];
  expect(nextDrive(after('unclear'), null, 0)).toBeNull();
  expect(nextDrive({ ...after('unclear'), models }, null, 0)).toMatchObject({ how: 'extended', why: onlySpill });
  expect(nextDrive({ ...after('unclear', onlySpill), models }, null, 0)).toBeNull();
});

test('a scenario of its own is not extended, and owes what stays within the limits in one case only', () => {
  const verdict = verdictAfter([], { within: 'late', beyond: null });
  expect(nextDrive(verdict, null, 0)?.how).toBe('repeated');
  expect(nextDrive(verdict, 'boundary', 0)?.how).toBe('repeated');
  expect(nextDrive(verdict, 'burst', 0)).toBeNull();
  const large = verdictAfter([], { within: null, beyond: null }, [atMost(4_500_000, 60)]);
  expect(nextDrive(large, null, 0), 'more than may be sent').toBeNull();
});

test('a repeat begins when no window looks back to the drive before, and costs that as well', () => {
  const [rest, ...steps] = repeatSteps(limits);
  expect(rest).toMatchObject({ kind: 'gap' });
  expect(rest?.kind === 'gap' ? rest.seconds : 0).toBeGreaterThanOrEqual(120);
  expect(steps).toEqual(baseSteps(limits));
  const cost = costOf(repeatSteps(limits)).floorSeconds - costOf(baseSteps(limits)).floorSeconds;
  expect(cost).toBeGreaterThanOrEqual(120);
});
