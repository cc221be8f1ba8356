import { expect, test } from '@playwright/test';
import { anyWindow, everyWindow, type Limiter } from './compose.js';
import { fixedByClock, fixedByFirstRequest, slidingCounter, slidingLog, tokenBucket } from './window.js';

/** How many of `count` requests at one instant are allowed. */
function burst(limiter: Limiter, count: number, atMs: number): number {
  return Array.from({ length: count }, () => limiter.decide(atMs).allowed).filter(Boolean).length;
}

const kinds = {
  'fixed by first request': fixedByFirstRequest,
  'fixed by clock': fixedByClock,
  'sliding log': slidingLog,
  'sliding counter': slidingCounter,
};

for (const [name, make] of Object.entries(kinds)) {
  test(`${name}: exactly the limit from idle, and again after two windows`, () => {
    const limiter = everyWindow([make(10, 6)], false);
    expect(burst(limiter, 15, 60_000)).toBe(10);
    expect(limiter.decide(60_001)).toMatchObject({ allowed: false, remaining: 0, limit: 10 });
    expect(burst(limiter, 15, 72_000)).toBe(10);
  });

  test(`${name}: accepted again once the advertised reset has passed`, () => {
    for (const startMs of [60_000, 61_234, 65_999]) {
      const limiter = everyWindow([make(10, 6)], false);
      burst(limiter, 4, startMs);
      burst(limiter, 20, startMs + 700);
      const refused = limiter.decide(startMs + 800);
      if (refused.allowed) continue;
      expect(limiter.decide(startMs + 800 + Math.ceil(refused.resetSeconds) * 1_000).allowed).toBe(true);
    }
  });
}

test('fixed by first request: the window is anchored at its first request', () => {
  const limiter = everyWindow([fixedByFirstRequest(2, 10)], false);
  expect(
    [limiter.decide(7_000), limiter.decide(16_999), limiter.decide(16_999), limiter.decide(17_000)].map(
      (one) => one.allowed,
    ),
  ).toEqual([true, true, false, true]);
});

test('fixed by clock: a full limit on either side of the border', () => {
  const limiter = everyWindow([fixedByClock(5, 1)], false);
  expect(burst(limiter, 9, 1_999)).toBe(5);
  expect(burst(limiter, 9, 2_000)).toBe(5);
});

test('sliding log: never more than the limit in any window, and each slot returns by itself', () => {
  const limiter = everyWindow([slidingLog(3, 10)], false);
  expect([0, 4_000, 8_000, 9_999, 10_000, 10_001, 14_000].map((at) => limiter.decide(at).allowed)).toEqual([
    true,
    true,
    true,
    false,
    true,
    false,
    true,
  ]);
});

test('sliding log: refused requests count where they are said to', () => {
  const limiter = everyWindow([slidingLog(1, 10)], true);
  expect([0, 9_000, 18_000, 28_000].map((at) => limiter.decide(at).allowed)).toEqual([true, false, false, true]);
});

test('sliding counter: the last window fades', () => {
  const limiter = everyWindow([slidingCounter(10, 10)], false);
  expect(burst(limiter, 20, 99_000)).toBe(10);
  expect(burst(limiter, 20, 100_000)).toBe(0);
  expect(burst(limiter, 20, 105_000)).toBe(5);
});

test('token bucket: the capacity at once, then the refill', () => {
  const limiter = everyWindow([tokenBucket(600, 100, 60)], false);
  expect(burst(limiter, 700, 1_000)).toBe(600);
  expect(burst(limiter, 700, 1_500)).toBe(50);
  expect(limiter.decide(1_500)).toMatchObject({ allowed: false, remaining: 0 });
  expect(limiter.decide(1_511).allowed).toBe(true);
});

test('several windows: all have to allow, and the tightest is advertised', () => {
  const limiter = everyWindow([slidingLog(6, 60), slidingLog(2, 1)], false);
  expect(limiter.decide(0)).toMatchObject({ allowed: true, limit: 2, remaining: 1 });
  expect(burst(limiter, 3, 0)).toBe(1);
  expect(burst(limiter, 3, 1_000)).toBe(2);
  expect(burst(limiter, 3, 2_000)).toBe(2);
  expect(limiter.decide(3_000)).toMatchObject({ allowed: false, limit: 6, remaining: 0, resetSeconds: 57 });
});

test('spare capacity: the second window is spent when the first is exhausted', () => {
  const limiter = anyWindow([fixedByFirstRequest(100, 1), fixedByFirstRequest(600, 60)]);
  expect(burst(limiter, 800, 5_000)).toBe(700);
  expect(burst(limiter, 800, 6_000)).toBe(100);
});
