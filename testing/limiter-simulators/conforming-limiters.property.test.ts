import { test } from '@playwright/test';
import { conformingKinds, keptLimits } from './conforming-kinds.test-kit.js';
import { judgeTrace, longProofs, randomPlan, randomFrom, simulate } from './test-kit.js';

const rounds = longProofs ? 100 : 15;

for (const [name, { build, model }] of Object.entries(conformingKinds)) {
  test(`${name} are never convicted, whatever the noise`, () => {
    test.setTimeout(600_000);
    for (const jitterMs of [5, 50, 300]) {
      for (let round = 0; round < rounds; round += 1) {
        const random = randomFrom(round * 1000 + jitterMs);
        const trace = simulate(randomPlan(keptLimits, random), build(random), jitterMs, random);
        for (const each of model === 'auto' ? (['auto'] as const) : (['auto', model] as const)) {
          const judgement = judgeTrace(trace, keptLimits, { model: each });
          if (judgement.explained) continue;
          const why = judgement.models.map((limiter) => `${limiter.name}: ${limiter.reason ?? ''}`);
          throw new Error(`${each}, round ${round}, jitter ${jitterMs}\n${why.join('\n')}`);
        }
      }
    }
  });
}
