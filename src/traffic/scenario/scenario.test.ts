import { expect, test } from '@playwright/test';
import { alignedStart, anchorAt } from './run-steps.js';
import { allowedToLoad, assertBounded } from '../engine/drive.js';
import {
  baseSteps,
  beyondBounds,
  costOf,
  type IdleStep,
  isFast,
  type RecoveryStep,
  scenarioSteps,
  type Step,
} from './scenario.js';
import type { TraceRecord } from '../../ratelimit/trace.js';
import { atMost, record as recordAt } from '../../../testing/limiter-simulators/test-kit.js';

const independent = [atMost(600, 60), atMost(100, 1)];

function counted(steps: readonly Step[], from: number): number {
  return steps.slice(from).reduce((sum, step) => sum + ('count' in step ? step.count : 0), 0);
}

test('idle time is longer than two of the longest windows, and its cost is printed first', () => {
  const steps = baseSteps(independent);
  const idle = steps.find((step): step is IdleStep => step.kind === 'idle');
  expect(idle?.sinceHeavySeconds).toBeGreaterThan(120);
  const { floorSeconds, requests } = costOf(steps);
  expect(floorSeconds).toBeGreaterThan(120);
  expect(floorSeconds).toBeLessThan(155);
  // One first request, six for recovery, three that return.
  expect(requests).toBe(counted(steps, 0) + 10);
});

test('plans of one tiny limit, and of windows shorter than a second, can be driven', () => {
  for (const limits of [[atMost(1, 1)], [atMost(2, 0.2), atMost(2, 0.1)], [atMost(5, 60), atMost(100, 1)]]) {
    for (const step of baseSteps(limits)) {
      if ('count' in step) expect(step.count).toBeGreaterThan(0);
      if (isFast(step)) expect(step.connections).toBeLessThanOrEqual(Math.max(1, step.count));
    }
  }
});

const record = (over: Partial<TraceRecord>): TraceRecord => recordAt(0, 0, 1, over);
const idleStep: IdleStep = {
  kind: 'idle',
  sinceHeavySeconds: 121,
  leadSeconds: 10,
  windowSeconds: 60,
  shortSeconds: 2,
};

test('a stream is timed to the end of the window that the last request opened', () => {
  expect(alignedStart([record({ sentMs: 75_000 })], idleStep, 121_000, 0)).toEqual({ atMs: 125_000, byClock: false });
  expect(alignedStart([record({ sentMs: 40_000 })], idleStep, 121_000, 0)?.atMs).toBe(150_000);
  expect(alignedStart([record({ outcome: 'refused', status: 429 })], idleStep, 0, 0)).toBeNull();
});

test('the request that opens a window does not fall into one that an earlier try may have opened', () => {
  const pace = { windowSeconds: 60, promptSeconds: 14, anchorSeconds: 74, coarsenessMs: 1_000 };
  const step: RecoveryStep = { kind: 'recovery', ...pace };
  const refusal = record({ outcome: 'refused', status: 429 });
  expect(anchorAt(refusal, step, 10_000)).toBe(84_000);
  expect(anchorAt(record({ sentMs: 20_000, receivedMs: 20_005 }), step, 10_000)).toBe(84_000);
  expect(anchorAt(record({ sentMs: 25_000, receivedMs: 25_005 }), step, 10_000)).toBe(86_175);
  expect(anchorAt(record({ receivedMs: 25_005 }), { ...step, anchorSeconds: 60 }, 10_000)).toBe(70_000);
});

test('windows on the clock are recognised by what refusals advertise', () => {
  const refusal = record({ sentMs: 5_000, receivedMs: 5_000, outcome: 'refused', status: 429, reset: '17' });
  const start = (last: Partial<TraceRecord>, openedMs = 0) =>
    alignedStart(
      [record({ sentMs: openedMs }), refusal, record({ sentMs: 75_000, ...last })],
      idleStep,
      121_000,
      openedMs,
    );
  const opened = { atMs: 75_000 + 60_000 - 10_000, byClock: false };
  expect(start({})).toEqual({ atMs: 21_500 + 120_000 - 10_000, byClock: true });
  expect(start({ reset: '59' }), 'the last request opened one itself').toEqual(opened);
  expect(start({}, -38_000), 'the end of the window that the first request opened').toEqual(opened);
});

test('load goes to loopback and to hosts that are named, and nowhere else', () => {
  for (const [url, named, isAllowed] of [
    ...['http://127.0.0.1:80/', 'http://localhost:3000', 'http://[::1]:1/', 'http://127.3.2.1'].map((own) => [
      own,
      '',
      true,
    ]),
    ...[
      'http://127.0.0.1.evil.example/',
      'https://staging.example.com',
      'http://localhost.example.com',
      'no url',
      'http://0.0.0.0',
    ].map((far) => [far, 'other.example.com', false]),
    ['https://Staging.example.com/x', 'staging.example.com', true],
    ['https://staging.example.com:8443/x', 'staging.example.com:8443', true],
  ] as const)
    expect(allowedToLoad(String(url), [String(named)]), String(url)).toBe(isAllowed);
});

test('a drive without bounds is refused', () => {
  for (const [count, seconds, connections] of [
    [0, 1, 1],
    [1.5, 1, 1],
    [1e9, 1, 1],
    [1, Infinity, 1],
    [1, 1, 0],
    [1, NaN, 1],
  ] as const) {
    expect(() => assertBounded(count, seconds, connections)).toThrow(RangeError);
  }
});

test('large numbers stay within what may be driven at all', () => {
  for (const count of [300_000, 600_000, 1_000_000])
    for (const step of baseSteps([{ count, windowSeconds: 60 }]))
      if (step.kind === 'send') expect(() => assertBounded(step.count, 1, step.connections)).not.toThrow();
  expect(beyondBounds(baseSteps(independent))).toBeNull();
  expect(beyondBounds(baseSteps([atMost(10_000_000, 60)]))).toMatch(/at most 5,000,000 are sent/);
});

test('a scenario that ends with a recovery is announced with the window that it waits for', () => {
  const [minute, whole] = [atMost(100, 60), baseSteps([atMost(100, 60)])];
  const { floorSeconds } = costOf(scenarioSteps([minute], 'recovery'));
  expect(floorSeconds).toBeGreaterThan(60);
  expect(floorSeconds).toBeLessThan(70);
  // Elsewhere the wait is part of the idle time that follows.
  expect(costOf(whole).floorSeconds - costOf(whole.filter(({ kind }) => kind !== 'recovery')).floorSeconds).toBe(0);
});
