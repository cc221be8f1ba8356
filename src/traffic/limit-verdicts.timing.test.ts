import type { TraceRecord } from '../ratelimit/trace.js';
import { expect, test } from '@playwright/test';
import { tokenBucket } from '../../testing/limiter-simulators/simulated-limiters.test-kit.js';
import {
  judgeTrace,
  randomFrom,
  simulate,
  driveOf,
  planTraceOf,
  record as recordAt,
} from '../../testing/limiter-simulators/test-kit.js';
import type { Limit } from '../settings/limits.js';
import { advertisedSeconds, createMutex, runSteps } from './scenario/run-steps.js';
import { limitSubjects } from './limit-traces.js';
import { gatewayAnswers, judgePlan, type PlanVerdict, refusalStatuses, withRefusals } from './limit-verdicts.js';
import { startLimited } from '../../testing/real-limiters/limited-server.test-kit.js';
import { baseSteps, fast } from './scenario/scenario.js';
import { doubtOf } from './limit-rules.js';
import { readTarget } from '../settings/read-target.js';

const sold: readonly Limit[] = [{ count: 20, windowSeconds: 1 }];

async function judge(real: readonly Limit[], kind?: 'sliding'): Promise<PlanVerdict> {
  await using server = await startLimited({ demo: real }, kind);
  const url = `${server.url}/api/demo/units?limit=1`;
  const conducted = await runSteps(baseSteps(sold), { url, headers: {} }, createMutex());
  return judgePlan(planTraceOf(sold, { conducted }), 'auto');
}

test('a service that keeps its limit, whichever way it counts, passes; one that keeps another fails', async () => {
  test.setTimeout(60_000);
  const [fixed, sliding, half, none] = await Promise.all([
    judge(sold),
    judge(sold, 'sliding'),
    judge([{ count: 10, windowSeconds: 1 }]),
    judge([{ count: 100_000, windowSeconds: 1 }]),
  ]);
  expect(fixed.violations).toEqual([]);
  expect(sliding.violations).toEqual([]);
  expect(fixed.headers.filter((one) => one.severity === 'fail')).toEqual([]);
  expect(half.violations.map((one) => one.id)).toEqual(['LIMIT-01']);
  expect(none.violations.map((one) => one.id)).toEqual(['LIMIT-02']);
});

const record = { index: 0, dueMs: 0, sentMs: 0, receivedMs: 1, hasEnvelope: null } as const;

test('another status counts as a refusal only where it alternates with acceptances', () => {
  const accepted = { ...record, outcome: 'accepted', status: 200 } as const;
  const busy = { ...record, outcome: 'other', status: 503 } as const;
  expect(refusalStatuses([accepted, busy, busy, busy, accepted])).toEqual([503]);
  expect(refusalStatuses([accepted, busy, busy, busy])).toEqual([]);
  expect(refusalStatuses([busy, accepted])).toEqual([]);
  const answered = (status: number) => ({ ...record, outcome: 'other', status }) as const;
  const thrice = (status: number) => [answered(status), answered(status), answered(status)];
  expect(refusalStatuses([accepted, ...thrice(302), accepted])).toEqual([302]);
  const refused = { ...record, outcome: 'refused', status: 429 } as const;
  const beside = (status: number, said: Partial<TraceRecord> = {}) =>
    refusalStatuses([accepted, ...thrice(status).map((one) => ({ ...one, ...said })), refused, accepted]);
  expect(beside(403)).toEqual([429, 403]);
  expect(beside(503), 'the load’s doing').toEqual([429]);
  expect(beside(503, { limit: '600' }), 'signed by the limiter').toEqual([429, 503]);
  expect(beside(400, { limit: '600', remaining: '7' }), 'the request’s doing').toEqual([429]);
  expect(beside(400, { limit: '600', remaining: '0' })).toEqual([429, 400]);
  const trace = planTraceOf(sold, { conducted: { records: [busy], steps: [] } });
  expect(withRefusals(trace, [503]).conducted.records.at(0)?.outcome).toBe('refused');
});

test('what a gateway answers in one stretch is not the service’s; what it mixes with answers of the service may be', () => {
  const record = (status: number | null, hasEnvelope: boolean | null): TraceRecord =>
    recordAt(0, 0, 0, { outcome: 'other', status, hasEnvelope });
  const [fine, lost, gone] = [record(200, null), record(null, null), record(502, false)];
  expect(gatewayAnswers([fine, gone, lost, gone, gone, fine])).toHaveLength(3);
  expect(gatewayAnswers([fine, gone, fine, gone, fine])).toEqual([]);
  expect(gatewayAnswers([fine, record(500, false), record(502, true), fine])).toEqual([]);
});

test('one odd fall of what remains is nobody’s doing, though each of two drives has one; two in a drive are somebody else’s', () => {
  const falling = (falls: readonly string[]) => {
    const records = falls.map((remaining, k) => recordAt(k, 10 * k, 10 * k + 1, { limit: '20', remaining }));
    const step = fast('burst', 2);
    const steps = [0, 2].map((firstIndex) => ({ step, firstIndex, count: 2, ...driveOf() }));
    return planTraceOf(sold, { conducted: { records, steps } });
  };
  const odd = falling(['18', '9', '18', '9']);
  expect(judgePlan(odd, 'auto').lowered).not.toBeNull();
  expect(
    judgePlan({ ...odd, additions: [{ how: 'repeated', firstStep: 1, why: 'it went badly' }] }, 'auto').lowered,
  ).toBeNull();
  expect(judgePlan(odd, 'auto').foreign, 'nothing was refused').toBeNull();
  const conducted = {
    ...odd.conducted,
    records: odd.conducted.records.map((one, at) =>
      at === 3 ? { ...one, outcome: 'refused' as const, status: 429 } : one,
    ),
  };
  const refused = judgePlan({ ...odd, conducted, idleBeforeMs: 1e9 }, 'auto');
  expect(refused.foreign, 'a refusal that this run does not explain').not.toBeNull();
  expect(refused.lowered).toBeNull();
  expect(refused.violations).toEqual([]);
});

test('a refusal without reason says that somebody else may have been counted along only where no answer would have shown it', () => {
  const answer = { ...record, outcome: 'accepted', status: 200 } as const;
  const said = (answers: readonly (typeof answer & { remaining?: string })[]): string =>
    doubtOf({ trace: planTraceOf(sold, { conducted: { records: answers, steps: [] } }) });
  expect(said([answer, answer])).toContain('make sure that no other client uses this key');
  expect(said([answer, { ...answer, remaining: '7' }])).toBe('');
});

test('the shortest wait counts, be it a number or a date', () => {
  const refused = { ...record, outcome: 'refused', status: 429, date: 'Wed, 01 Jul 2026 10:00:00 GMT' } as const;
  expect(advertisedSeconds({ ...refused, reset: '9', retryAfter: '7' })).toBe(7);
  expect(advertisedSeconds({ ...refused, reset: '9', retryAfter: 'Wed, 01 Jul 2026 10:00:05 GMT' })).toBe(5);
  expect(advertisedSeconds({ ...refused, reset: '9', retryAfter: 'Wed, 01 Jul 2026 09:00:00 GMT' })).toBe(0);
  expect(advertisedSeconds({ ...refused, reset: '9', retryAfter: '1782900000' })).toBe(9);
  expect(advertisedSeconds({ ...refused, retryAfter: 'soon' })).toBeNull();
});

test('what cannot be tried is named with the setting that would bring it in, and no key is driven twice', () => {
  const target = readTarget({
    BASE_URL: 'http://127.0.0.1:1',
    API_KEY_INDEPENDENT: 'k',
    API_KEY_FRANCHISE: 'k',
    API_KEY_ENTERPRISE: 'e',
  });
  const { subjects, leftOut } = limitSubjects(target);
  expect(subjects.map((one) => one.plan)).toEqual(['independent', 'demo']);
  expect(leftOut.map((one) => one.why)).toEqual([
    'API_KEY_FRANCHISE is the same key as API_KEY_INDEPENDENT',
    'set LIMITS_ENTERPRISE',
    'set SANDBOX_URL',
  ]);
});

test('what somebody else takes from a bucket that is filled up in steps speaks against no model', () => {
  const bucket = tokenBucket(60, 1, 15_000);
  let filledMs = 0;
  const shared = (atMs: number): boolean => {
    // Right after each step somebody else takes half of it.
    for (; filledMs + 15_000 <= atMs; filledMs += 15_000)
      for (let k = 0; k < 8; k += 1) if (bucket.room(filledMs + 15_000)) bucket.take(filledMs + 15_000);
    const room = bucket.room(atMs);
    if (room) bucket.take(atMs);
    return room;
  };
  const plan = Array.from({ length: 360 }, (_, k) => 1_000 + 333 * k);
  const trace = simulate(plan, shared, 5, randomFrom(1), {}, 0);
  const verdictsOf = (alone: boolean): readonly string[] => {
    const { models } = judgeTrace(trace, [{ count: 60, windowSeconds: 60 }], { model: 'auto', alone });
    const { counterevidence } = models.find(({ name }) => name === 'bucket-ticked') ?? { counterevidence: [] };
    return counterevidence.filter(({ whateverNumbers }) => whateverNumbers).map(({ sentence }) => sentence);
  };
  expect(verdictsOf(true)).toHaveLength(1);
  expect(verdictsOf(false)).toEqual([]);
});
