import { expect, test } from '@playwright/test';
import { longProofs, seededRandom } from '../limiter/test-kit.js';
import type { TraceRecord } from '../limiter/trace.js';
import { readBehaviour } from '../reference/behaviour.js';
import { dials } from '../reference/dials.js';
import { limitHeaders } from '../reference/limit-headers.js';
import { Limits } from '../reference/limits.js';
import { generousLimits } from '../reference/settings.js';
import { judgePlan } from './limit-verdicts.js';
import { simulateDrive } from './simulated-drive.test-kit.js';
import type { SimulatedService } from './simulated-drive.test-kit.js';
import { limitHeaders as readHeaders } from './trace-record.js';

const plans = [
  [
    { count: 60, windowSeconds: 60 },
    { count: 10, windowSeconds: 1 },
  ],
  [
    { count: 60, windowSeconds: 6 },
    { count: 20, windowSeconds: 0.5 },
  ],
  [{ count: 30, windowSeconds: 60 }],
] as const;

/** The reference service's limiter with its headers, without the service. */
function advertising(
  variant: Readonly<Record<string, string>>,
  plan: (typeof plans)[number],
  jitterMs: number,
  seed: number,
): SimulatedService {
  const random = seededRandom(seed);
  const behaviour = readBehaviour([], variant, 1);
  const numbers = plan.map(({ count, windowSeconds }) => ({ count, seconds: windowSeconds }));
  const others = { functional: generousLimits, franchise: generousLimits, enterprise: generousLimits };
  const limits = new Limits(behaviour, { ...others, independent: numbers, demo: numbers, sandbox: numbers });
  const phaseMs = 1e12 + 6e4 * random();
  let told: Partial<TraceRecord> = {};
  return {
    jitterMs,
    random,
    decide: (atMs) => {
      const ruling = limits.rule('independent', 'a key', '/', phaseMs + atMs);
      told = readHeaders(Object.entries(limitHeaders(ruling, behaviour)).flat());
      return ruling.allowed;
    },
    tell: () => told,
  };
}

/** What is held against the service, or advised, in a few drives under the open reading. */
function findings(variant: Readonly<Record<string, string>>): string[] {
  const rounds = longProofs ? 100 : 1;
  return plans.flatMap((plan) =>
    [5, 300].flatMap((jitterMs) =>
      Array.from({ length: rounds }, (_, round) => {
        const drive = simulateDrive(plan, 'auto', advertising(variant, plan, jitterMs, round * 7 + jitterMs));
        const { blames, headers } = judgePlan(drive, 'auto');
        return [...blames, ...headers].map(({ id, expected, actual }) => `${id}: ${expected}; ${actual}`);
      }).flat(),
    ),
  );
}

const limiters = dials.find(({ name }) => name === 'limiter')?.values ?? [];

const everyForm = [
  ['no', 'bare'],
  ['no', 'policy'],
  ['yes', 'bare'],
  ['yes', 'policy'],
] as const;

for (const limiter of limiters) {
  test(`what ${limiter} advertises is neither blamed nor warned of, refusals counted or not`, () => {
    test.setTimeout(1_800_000);
    for (const [counted, form] of longProofs ? everyForm : everyForm.slice(1, 3)) {
      const found = findings({ limiter, 'refused-counted': counted, 'limit-header': form });
      expect(found, `refused-counted=${counted}, limit-header=${form}`).toEqual([]);
    }
  });
}
