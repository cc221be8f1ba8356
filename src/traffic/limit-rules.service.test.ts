import { expect, test } from '@playwright/test';
import { LIMIT_02 } from '../../load/burst.load.js';
import { all, fixedAnchored } from '../../testing/limiter-simulators/simulated-limiters.test-kit.js';
import { atMost, randomFrom } from '../../testing/limiter-simulators/test-kit.js';
import { startReferenceService } from '../../testing/mutation/reference-service.js';
import { simulateDrive } from '../../testing/simulated-drives/simulated-drive.test-kit.js';
import { openRun } from '../run/open-run.js';
import { runChecks } from '../run/run-checks.js';
import { readTarget } from '../settings/read-target.js';
import type { Limit } from '../settings/limits.js';
import { judgePlan } from './limit-verdicts.js';
import { scenarioSteps } from './scenario/scenario.js';
import { closing } from '../loopback.test-kit.js';

const [long, short]: readonly [Limit, Limit] = [atMost(600, 60), atMost(100, 1)];

/** LIMIT-02, judged by what a burst shows of a limiter that keeps some of the limits. */
async function judgeBurst(limits: readonly Limit[], kept: readonly Limit[]) {
  const limiter = { decide: all(kept.map(fixedAnchored)), jitterMs: 5, random: randomFrom(1) };
  const steps = scenarioSteps(limits, 'burst');
  const verdicts = [
    judgePlan(
      simulateDrive(limits, limiter, () => null, steps),
      'auto',
    ),
  ];
  const plans = verdicts.map(({ trace }) => trace);
  await using service = await startReferenceService({});
  await using run = closing(
    openRun(readTarget(service.settings, true), {
      seed: 1,
      depth: 'certify',
      scenario: 'burst',
    }),
  );
  await run.once('limit verdicts', () => Promise.resolve({ plans, leftOut: [], verdicts }));
  const [result] = await runChecks({ stages: [[LIMIT_02]] }, run);
  return result;
}

test('a burst that only the limit per second refuses does not show the limit per minute', async () => {
  expect(await judgeBurst([long, short], [long, short])).toMatchObject({ verdict: 'pass' });
  expect(await judgeBurst([long, short], [short])).toMatchObject({ verdict: 'fail' });
  expect(await judgeBurst([{ ...long, count: 5_000 }, short], [short])).toMatchObject({
    verdict: 'blocked',
    reason: expect.stringMatching(/100 in 1 s explains every answer.*without --scenario sends enough$/),
  });
});
