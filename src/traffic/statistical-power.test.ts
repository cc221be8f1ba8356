import { expect, test } from '@playwright/test';
import { conformingKinds, keptLimits } from '../../testing/limiter-simulators/conforming-kinds.test-kit.js';
import { all, fixedAnchored, slidingLog } from '../../testing/limiter-simulators/simulated-limiters.test-kit.js';
import { atMost, randomFrom, type Decide } from '../../testing/limiter-simulators/test-kit.js';
import type { Limit } from '../settings/limits.js';
import type { PlanTrace } from './limit-traces.js';
import { judgePlan, repeatReason } from './limit-verdicts.js';
import { windowProbe } from './scenario/scenario.js';
import { joined } from './scenario/run-steps.js';
import { simulateDrive } from '../../testing/simulated-drives/simulated-drive.test-kit.js';

const sold: readonly [Limit, Limit] = [atMost(120, 6), atMost(40, 0.5)];

/** A drive whose answers take seconds, and whose requests were due long before they left. */
function stalled(drive: PlanTrace): PlanTrace {
  const records = drive.conducted.records.map((record) => ({ ...record, dueMs: record.sentMs - 2_000 }));
  const steps = drive.conducted.steps.map((one) => ({ ...one, step: { ...one.step, ratePerSecond: 1 } }));
  return { ...drive, conducted: { records, steps } };
}

const fixed = (share: number, which = 0): Decide =>
  all(sold.map((limit, at) => fixedAnchored(at === which ? { ...limit, count: limit.count * share } : limit)));

/** How many of these drives convict a service, and how many are called too weak to. */
function tally(drives: readonly PlanTrace[]): { readonly convicted: number; readonly weak: number } {
  const verdicts = drives.map((drive) => judgePlan(drive, 'fixed'));
  const open = verdicts.filter(({ violations }) => violations.length === 0);
  return { convicted: drives.length - open.length, weak: open.filter(({ weak }) => weak.beyond !== null).length };
}

test('a limit a fifth too large is convicted, or the drive that hid it is called too weak', () => {
  const drives = [0, 1].flatMap((which) =>
    Array.from({ length: 10 }, (_, round) => {
      const service = { decide: fixed(1.2, which), jitterMs: 300 * round, random: randomFrom(round) };
      return stalled(simulateDrive(sold, service));
    }),
  );
  const { convicted, weak } = tally(drives);
  expect(convicted + weak).toBe(20);
  expect(convicted).toBeGreaterThan(0);
  expect(weak).toBeGreaterThan(0);
});

test('where all goes as planned, or what came of it is clear, nothing is called weak', () => {
  for (const kind of [fixedAnchored, slidingLog]) {
    const random = randomFrom(1);
    const decide = all(sold.map(kind));
    const drive = simulateDrive(sold, { decide, jitterMs: 5, random });
    for (const each of [drive, stalled(drive)])
      expect(judgePlan(each, 'auto').weak).toEqual({ within: null, beyond: null });
  }
});

/** The same drive, whose last burst took long, and what was driven further began late. */
function draggedOut(drive: PlanTrace, planned: number): PlanTrace {
  const steps = drive.conducted.steps.map((step, at) => {
    if (at === planned - 1) return { ...step, endedMs: step.endedMs + 30_000 };
    return at < planned ? step : { ...step, turnMs: step.startedMs - 700 };
  });
  return { ...drive, conducted: { ...drive.conducted, steps } };
}

test('how fast the last burst went, and how punctual what was driven further, makes no drive weak', () => {
  for (const [seed, [name, { build }]] of Object.entries(conformingKinds).entries()) {
    const random = randomFrom(seed);
    let planned = 0;
    const service = { decide: build(random), jitterMs: 200, random };
    const drive = simulateDrive(keptLimits, service, ({ conducted }) => {
      planned = conducted.steps.length;
      return { why: 'always', steps: windowProbe(keptLimits) };
    });
    expect(drive.conducted.steps[planned - 1]?.step).toMatchObject({ ratePerSecond: null });
    expect(drive.conducted.steps.length).toBeGreaterThan(planned);
    expect(judgePlan(draggedOut(drive, planned), 'auto').weak, name).toEqual({ within: null, beyond: null });
  }
});

test('a limiter that only models other than windows explain is not called weak for what windows leave open', () => {
  let elsewise = 0;
  for (const [seed, [name, { build }]] of Object.entries(conformingKinds).entries()) {
    const random = randomFrom(seed);
    const drive = simulateDrive(keptLimits, { decide: build(random), jitterMs: 5, random });
    const { violations, weak, models } = judgePlan(drive, 'auto');
    expect({ violations, weak }, name).toEqual({ violations: [], weak: { within: null, beyond: null } });
    const windows = models.filter((limiter) => limiter.name === 'sliding' || limiter.name === 'fixed');
    if (!windows.some(({ admitted }) => admitted)) elsewise += 1;
  }
  expect(elsewise).toBeGreaterThan(0);
});

/** A drive, and the same steps taken again a minute later by the same service. */
function driveTwice(decide: Decide, first: (drive: PlanTrace) => PlanTrace, jitterMs: number): PlanTrace {
  const random = randomFrom(3);
  const before = first(simulateDrive(sold, { decide, jitterMs, random }));
  const { records, steps } = before.conducted;
  const laterMs = 60_000 + Math.max(...records.map((record) => record.receivedMs));
  const then = simulateDrive(sold, { decide: (atMs) => decide(atMs + laterMs), jitterMs: 5, random });
  const again = then.conducted.records.map((record) => ({
    ...record,
    dueMs: record.dueMs + laterMs,
    sentMs: record.sentMs + laterMs,
    receivedMs: record.receivedMs + laterMs,
  }));
  return {
    ...before,
    conducted: joined(before.conducted, { ...then.conducted, records: again }),
    additions: [{ how: 'repeated', firstStep: steps.length, why: 'it went badly' }],
  };
}

test('a drive that hid a limit a fifth too large asks for another one; a fair one asks for none', () => {
  const random = randomFrom(3);
  const weak = simulateDrive(sold, { decide: fixed(1.2), jitterMs: 2_700, random });
  expect(judgePlan(stalled(weak), 'fixed').violations).toEqual([]);
  expect(repeatReason(judgePlan(stalled(weak), 'fixed'))).toMatch(/would have looked the same/);

  const fair = driveTwice(fixed(1), stalled, 2_700);
  expect(judgePlan(fair, 'fixed')).toMatchObject({ violations: [], weak: { within: null, beyond: null } });
  expect(repeatReason(judgePlan(fair, 'fixed'))).toBeNull();
});

test('after a drive that went badly, another one convicts either limit of being a fifth off either way', () => {
  for (const which of [0, 1])
    for (const share of [0.8, 1.2]) {
      const verdict = judgePlan(driveTwice(fixed(share, which), stalled, 2_700), 'fixed');
      expect(verdict.violations, `limit ${which} × ${share}`).not.toEqual([]);
      expect(repeatReason(verdict)).toBeNull();
    }
});

test('what an earlier drive showed stays in evidence', () => {
  let drives = 0;
  const [strict, right] = [fixed(0.8), fixed(1)];
  const decide: Decide = (atMs) => (drives === 0 ? strict : right)(atMs);
  const both = driveTwice(
    decide,
    (drive) => {
      drives += 1;
      return drive;
    },
    5,
  );
  expect(judgePlan(both, 'fixed').violations).not.toEqual([]);
});

test('where the service leaves requests without an answer, nothing is driven again', () => {
  const random = randomFrom(3);
  const drive = stalled(simulateDrive(sold, { decide: fixed(1), jitterMs: 2_700, random }));
  const records = drive.conducted.records.map((record, index) =>
    index % 10 === 0 ? { ...record, outcome: 'timeout' as const, status: null, receivedMs: Infinity } : record,
  );
  expect(repeatReason(judgePlan({ ...drive, conducted: { ...drive.conducted, records } }, 'fixed'))).toBeNull();
});

test('a service that is gone is not driven again', () => {
  const drive = stalled(simulateDrive(sold, { decide: fixed(1.2), jitterMs: 2_700, random: randomFrom(3) }));
  expect(repeatReason(judgePlan(drive, 'fixed'))).not.toBeNull();
  const from = drive.conducted.steps.at(-1)?.firstIndex ?? 0;
  const records = drive.conducted.records.map((record, at) =>
    at < from ? record : { ...record, outcome: 'unsent' as const, status: null, receivedMs: Infinity },
  );
  const steps = drive.conducted.steps.map((one) =>
    one.firstIndex < from ? one : { ...one, trouble: 'connect ECONNREFUSED' },
  );
  expect(repeatReason(judgePlan({ ...drive, conducted: { records, steps } }, 'fixed'))).toBeNull();
});

test('a service too far away for its limits to be measured is not driven again', () => {
  const random = randomFrom(3);
  const drive = simulateDrive(sold, { decide: fixed(1), jitterMs: 5, random });
  const awayMs = 0.3 * 1000 * Math.min(...sold.map((limit) => limit.windowSeconds));
  const seenFrom = (atMs: number): PlanTrace => {
    const records = drive.conducted.records.map((record) => ({
      ...record,
      dueMs: record.dueMs - atMs,
      sentMs: record.sentMs - atMs,
    }));
    return { ...drive, conducted: { ...drive.conducted, records } };
  };
  const distant = judgePlan(seenFrom(awayMs), 'fixed');
  expect(distant.weak.beyond ?? distant.weak.within).toMatch(/answers took more than/);
  expect(repeatReason(distant)).toBeNull();
  // One quick answer shows that the others are not slow because of the way.
  const [first, ...others] = distant.trace.conducted.records;
  const records = first === undefined ? [] : [{ ...first, receivedMs: first.sentMs + 2 }, ...others];
  const busy = judgePlan({ ...drive, conducted: { ...drive.conducted, records } }, 'fixed');
  expect(repeatReason(busy)).toMatch(/answers took more than/);
});

test('a stream whose steps begin seconds late is called too weak where that hid a limit a fifth too large', () => {
  const drives = Array.from({ length: 10 }, (_, round) => {
    const stallMs = (step: { scenario: string }): number =>
      /boundary|sustained/.test(step.scenario) ? 1_200 * (round + 1) : 0;
    return simulateDrive(sold, { decide: fixed(1.2), jitterMs: 5, random: randomFrom(round), stallMs });
  });
  const { convicted, weak } = tally(drives);
  expect(convicted + weak).toBe(10);
  expect(weak).toBeGreaterThan(0);
});

test('one number that is too large does not pass off the other: it is convicted as well, or left open', () => {
  const seen = { both: 0, open: 0 };
  for (let round = 0; round < 20; round += 1) {
    const random = randomFrom(round);
    const kept = sold.map((limit) => ({ ...limit, count: limit.count * 1.2 }));
    const decide = all(kept.map(fixedAnchored));
    const drive = simulateDrive(sold, { decide, jitterMs: 20 * round, random });
    const { violations, weak } = judgePlan(drive, 'fixed');
    const ids = violations.map(({ id }) => id);
    expect(ids).not.toContain('LIMIT-01');
    if (ids.length === 2) seen.both += 1;
    else if (weak.beyond !== null) seen.open += 1;
  }
  expect(seen.both + seen.open).toBe(20);
  expect(seen.both).toBeGreaterThan(0);
  expect(seen.open).toBeGreaterThan(0);
});

test('where answers take a good part of the shortest window, what that hides is not passed, and the reason says so', () => {
  const limits = [atMost(600, 60), atMost(100, 1)] as const;
  const far = (oneWayMs: number): string | null => {
    const decide = all(limits.map(fixedAnchored));
    const drive = simulateDrive(limits, { decide, jitterMs: oneWayMs, random: () => 1 });
    const { violations, weak } = judgePlan(drive, 'fixed');
    expect(violations).toEqual([]);
    return weak.beyond;
  };
  expect(far(20)).toBeNull();
  expect(far(140)).toMatch(/answers took more than 250 ms; .* would have looked the same/);
});

test('one number that is too large leaves the other one passed where the drive has shown it', () => {
  for (const [which, share, id] of [
    [0, 1.2, 'LIMIT-02'],
    [0, 1e6, 'LIMIT-02'],
    [1, 1.2, 'LIMIT-03'],
    [1, 1e6, 'LIMIT-03'],
  ] as const)
    // A run that has just begun knows nothing of what the key did before.
    for (const idleBeforeMs of [1e9, 500]) {
      const drive = simulateDrive(sold, { decide: fixed(share, which), jitterMs: 5, random: randomFrom(1) });
      const { violations, weak } = judgePlan({ ...drive, idleBeforeMs }, 'fixed');
      const ids = violations.map((one) => one.id);
      expect({ ids, weak }, `limit ${which} × ${share}`).toEqual({ ids: [id], weak: { within: null, beyond: null } });
    }
});
