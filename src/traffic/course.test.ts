import { expect, test } from '@playwright/test';
import { driveWanted } from './course.js';
import type { Course } from './course.js';
import type { PlanTrace } from './limit-traces.js';
import { costOf, planSteps, repeatSteps } from './plan.js';

const limits = [
  { count: 600, windowSeconds: 60 },
  { count: 100, windowSeconds: 1 },
];

function course(plan: 'independent' | 'franchise', unusable: string | null = null): Course {
  const subject = { plan, keyName: null, limits, url: 'http://127.0.0.1/' };
  const trace: PlanTrace = { subject, conducted: { records: [], steps: [] }, idleBeforeMs: 0, unusable };
  return { trace, stimulus: { url: subject.url, headers: {} } };
}

/** Takes a repeat down instead of driving. */
async function again({ trace, stimulus }: Course, why: string): Promise<Course> {
  await Promise.resolve();
  return { stimulus, trace: { ...trace, repeats: [...(trace.repeats ?? []), { firstStep: 0, why }] } };
}

const repeatsOf = (courses: readonly Course[]): number[] => courses.map(({ trace }) => trace.repeats?.length ?? 0);

test('only what is wanted is driven again, until it is not, and twice at most', async () => {
  const [one, other, silent] = [course('independent'), course('franchise'), course('independent', 'status 401')];
  const still = (times: number) => (trace: PlanTrace) =>
    trace.subject.plan === 'independent' && (trace.repeats?.length ?? 0) < times ? 'late' : null;
  for (const times of [0, 1, 2, 3]) {
    const courses = await driveWanted([one, other, silent], still(times), again, () => 0);
    expect(repeatsOf(courses)).toEqual([Math.min(times, 2), 0, 0]);
  }
});

test('nothing is driven again where that would take too long', async () => {
  for (const [seconds, repeats] of [
    [799, 2],
    [801, 0],
  ] as const) {
    const courses = [course('independent')];
    const driven = driveWanted(
      courses,
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
  expect(steps).toEqual(planSteps(limits));
  const cost = costOf(repeatSteps(limits)).floorSeconds - costOf(planSteps(limits)).floorSeconds;
  expect(cost).toBeGreaterThanOrEqual(120);
});
