import { expect, test } from '@playwright/test';
import { repeatDrives, type PlanSession } from './plan-session.js';
import type { PlanTrace } from '../limit-traces.js';
import { baseSteps, repeatSteps } from './scenario.js';
import { costOf } from './steps.js';
import { atMost, planTraceOf } from '../../../testing/limiter-simulators/test-kit.js';

const limits = [atMost(600, 60), atMost(100, 1)];

function session(plan: 'independent' | 'franchise', unusable: string | null = null): PlanSession {
  const { subject, ...blank } = planTraceOf(limits, { unusable });
  return { trace: { ...blank, subject: { ...subject, plan } }, template: { url: subject.url, headers: {} } };
}

/** Takes a repeat down instead of driving. */
async function again({ trace, template }: PlanSession, why: string): Promise<PlanSession> {
  await Promise.resolve();
  return { template, trace: { ...trace, repeats: [...(trace.repeats ?? []), { firstStep: 0, why }] } };
}

const repeatsOf = (sessions: readonly PlanSession[]): number[] =>
  sessions.map(({ trace }) => trace.repeats?.length ?? 0);

test('a drive is repeated while there is a reason to, and twice at most', async () => {
  const [one, other, silent] = [session('independent'), session('franchise'), session('independent', 'status 401')];
  const still = (times: number) => (trace: PlanTrace) =>
    trace.subject.plan === 'independent' && (trace.repeats?.length ?? 0) < times ? 'late' : null;
  for (const times of [0, 1, 2, 3]) {
    const sessions = await repeatDrives([one, other, silent], still(times), again, () => 0);
    expect(repeatsOf(sessions)).toEqual([Math.min(times, 2), 0, 0]);
  }
});

test('nothing is driven again where that would take too long', async () => {
  for (const [seconds, repeats] of [
    [799, 2],
    [801, 0],
  ] as const) {
    const sessions = [session('independent')];
    const driven = repeatDrives(
      sessions,
      () => 'late',
      again,
      () => seconds,
    );
    expect(repeatsOf(await driven)).toEqual([repeats]);
  }
});

test('a repeat begins when no window looks back to the drive before, and costs that as well', () => {
  const [rest, ...steps] = repeatSteps(limits);
  expect(rest).toMatchObject({ kind: 'gap' });
  expect(rest?.kind === 'gap' ? rest.seconds : 0).toBeGreaterThanOrEqual(120);
  expect(steps).toEqual(baseSteps(limits));
  const cost = costOf(repeatSteps(limits)).floorSeconds - costOf(baseSteps(limits)).floorSeconds;
  expect(cost).toBeGreaterThanOrEqual(120);
});
