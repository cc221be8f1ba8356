import { expect, test } from '@playwright/test';
import type { Limit } from '../../src/settings/limits.js';
import { bucketMachine, feasible, fixedMachine, slidingMachine } from './brute-force.test-kit.js';
import { judgeTrace, longProofs, record, randomFrom, traceOf } from './test-kit.js';
import type { Trace } from '../../src/ratelimit/trace.js';

const limit: Limit = { count: 2, windowSeconds: 0.4 };
const grid = 50;

const machines = {
  sliding: { model: 'sliding', machine: slidingMachine(limit), idleBeforeMs: undefined, atLeast: 0.9 },
  fixed: { model: 'fixed', machine: fixedMachine(limit, grid), idleBeforeMs: undefined, atLeast: 0.5 },
  bucket: { model: 'bucket', machine: bucketMachine(limit), idleBeforeMs: undefined, atLeast: 0.9 },
  'a bucket that was in use': { model: 'bucket', machine: bucketMachine(limit, grid), idleBeforeMs: 0, atLeast: 0.5 },
} as const;

function tinyTrace(random: () => number, idleBeforeMs?: number): Trace {
  const records = Array.from({ length: 3 + Math.floor(random() * 4) }, (_, index) => {
    const sentMs = Math.floor(random() * 20) * grid;
    return record(index, sentMs, sentMs + Math.floor(random() ** 2 * 4) * grid, {
      outcome: random() < 0.7 ? 'accepted' : 'refused',
    });
  });
  // The exact limiter of the enumeration has neither drift nor a quantum.
  return traceOf(records, {
    clockErrorRate: 0,
    quantumMs: 0,
    ...(idleBeforeMs === undefined ? {} : { idleBeforeMs }),
  });
}

for (const [name, { model, machine, idleBeforeMs, atLeast }] of Object.entries(machines)) {
  test(`${name}: of all tiny traces, none that the limiter can produce is convicted, and most of the others are`, () => {
    test.setTimeout(300_000);
    const random = randomFrom(11);
    const rounds = longProofs ? 6_000 : 300;
    const wronged: string[] = [];
    let infeasible = 0;
    let convicted = 0;
    for (let round = 0; round < rounds; round += 1) {
      const trace = tinyTrace(random, idleBeforeMs);
      const { explained, models } = judgeTrace(trace, [limit], { model });
      const possible = feasible(trace, machine, grid);
      if (possible && !explained) wronged.push(`${JSON.stringify(trace.records)} ${models[0]?.reason ?? ''}`);
      if (!possible) infeasible += 1;
      if (!explained) convicted += 1;
    }
    expect(wronged).toEqual([]);
    const rate = convicted / infeasible;
    if (longProofs)
      console.info(`${name}: ${convicted} of ${infeasible} infeasible traces convicted (${(100 * rate).toFixed(1)} %)`);
    expect(rate).toBeGreaterThan(atLeast);
  });
}
