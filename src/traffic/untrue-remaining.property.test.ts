import { expect, test } from '@playwright/test';
import { longProofs, seededRandom } from '../limiter/test-kit.js';
import type { TraceRecord } from '../limiter/trace.js';
import { readBehaviour } from '../reference/behaviour.js';
import { dials } from '../reference/dials.js';
import { limitHeaders } from '../reference/limit-headers.js';
import { Limits } from '../reference/limits.js';
import { generousLimits } from '../reference/settings.js';
import { judgePlan, wantingMore } from './limit-verdicts.js';
import { simulateDrive } from './simulated-drive.test-kit.js';
import type { SimulatedService } from './simulated-drive.test-kit.js';
import { limitHeaders as readHeaders } from './trace-record.js';

const limit = { count: 100, windowSeconds: 60 };
const limiters = dials.find(({ name }) => name === 'limiter')?.values ?? [];

/** What is said to be left of `of`, where so many are, by a service that has answered `answered` requests before. */
type Tell = (left: number, of: number, answered: number) => number;

/** What is held against the headers of a limiter that tells of what is left in its own way. */
function findings(limiter: string, tell: Tell, seed: number): string[] {
  const behaviour = readBehaviour([], { limiter }, 1);
  const numbers = [{ count: limit.count, seconds: limit.windowSeconds }];
  const others = { functional: generousLimits, franchise: generousLimits, enterprise: generousLimits };
  const limits = new Limits(behaviour, { ...others, independent: numbers, demo: numbers, sandbox: numbers });
  const random = seededRandom(seed);
  const phaseMs = 1e12 + 6e4 * random();
  let told: Partial<TraceRecord> = {};
  let answered = 0;
  const service: SimulatedService = {
    jitterMs: 5,
    random,
    decide: (atMs) => {
      const ruling = limits.rule('independent', 'a key', '/', phaseMs + atMs);
      const remaining = String(ruling.allowed ? tell(ruling.remaining, ruling.limit, answered) : 0);
      told = { ...readHeaders(Object.entries(limitHeaders(ruling, behaviour)).flat()), remaining };
      answered += 1;
      return ruling.allowed;
    },
    tell: () => told,
  };
  const drive = simulateDrive([limit], service, undefined, (trace) => wantingMore(judgePlan(trace, 'auto')));
  return judgePlan(drive, 'auto').headers.flatMap(({ id, severity, actual }) =>
    severity === 'breach' ? [`${id}: ${actual}`] : [],
  );
}

const seeds = Array.from({ length: longProofs ? 8 : 1 }, (_, seed) => seed);

const honest: Readonly<Record<string, Tell>> = {
  'in ones': (left) => left,
  'in tens': (left) => 10 * Math.floor(left / 10),
  'in tens, rounded up': (left) => 10 * Math.ceil(left / 10),
  'by two processes, one of them behind': (left, of, answered) => Math.min(of - 1, left + (answered % 2 === 0 ? 7 : 0)),
};

for (const [how, tell] of Object.entries(honest))
  test(`what is left, told ${how}, is held against no limiter`, () => {
    test.setTimeout(600_000);
    for (const limiter of limiters)
      for (const seed of seeds) expect(findings(limiter, tell, seed), limiter).toEqual([]);
  });

const keepsWindows = (limiter: string): boolean => !limiter.startsWith('token-bucket');

const untrue: Readonly<Record<string, Tell>> = {
  'what is spent in place of what is left': (left, of) => of - left,
  'any number': (_left, of, answered) => (answered * 7_919) % (of + 1),
  'twice what is left': (left, of) => Math.min(of, 2 * left),
};

/** A counter that interpolates gives back all the time, and a log may be refused in one place only. */
const leastTold = 0.6;

for (const [what, tell] of Object.entries(untrue))
  test(`${what} is told of every limiter that shows it`, () => {
    test.setTimeout(600_000);
    // Of a bucket, which gives back all the time, one place alone shows that less was left.
    for (const limiter of what === 'twice what is left' ? limiters.filter(keepsWindows) : limiters) {
      const found = seeds.map((seed) => findings(limiter, tell, seed));
      expect
        .soft(found.filter(({ length }) => length > 0).length, limiter)
        .toBeGreaterThanOrEqual(leastTold * seeds.length);
      expect(found.flat().filter((each) => !each.startsWith('LIMIT-07'))).toEqual([]);
    }
  });
