import { expect, test } from '@playwright/test';
import { longProofs } from '../limiter-simulators/test-kit.js';
import { variantOptions } from '../../src/reference/variant-options.js';
import { extensionFor, judgePlan } from '../../src/traffic/limit-verdicts.js';
import { simulateDrive } from './simulated-drive.test-kit.js';
import { referenceLimiter } from './advertising-service.test-kit.js';

const limit = { count: 100, windowSeconds: 60 };
const all = variantOptions.find(({ name }) => name === 'limiter')?.values ?? [];
/** Those of another kind, where time is short. */
const limiters = longProofs ? all : all.filter((_, at) => at % 3 === 0);

/** RateLimit-Remaining of a simulated service that has `left` of `of` requests left after `answered` answers. */
type Tell = (left: number, of: number, answered: number) => number;

/** The findings about the headers of a limiter that reports its remaining count with `tell`. */
function findings(limiter: string, tell: Tell, seed: number): string[] {
  let answered = 0;
  const service = referenceLimiter({ limiter }, [limit], 5, seed, (ruling) => {
    const remaining = ruling.allowed ? tell(ruling.remaining, ruling.limit, answered) : 0;
    answered += 1;
    return { remaining: String(remaining) };
  });
  const drive = simulateDrive([limit], service, (trace) => extensionFor(judgePlan(trace, 'auto')));
  return judgePlan(drive, 'auto').headers.flatMap(({ id, severity, actual }) =>
    severity === 'fail' ? [`${id}: ${actual}`] : [],
  );
}

const seeds = Array.from({ length: longProofs ? 5 : 1 }, (_, seed) => seed);

const honest: Readonly<Record<string, Tell>> = {
  'in tens': (left) => 10 * Math.floor(left / 10),
  'in tens, rounded up': (left) => 10 * Math.ceil(left / 10),
  'by two processes, one of them behind': (left, of, answered) => Math.min(of - 1, left + (answered % 2 === 0 ? 7 : 0)),
};

for (const [how, tell] of Object.entries(honest))
  test(`a remaining count sent ${how} is no violation`, () => {
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
const leastReported = 0.6;

for (const [what, tell] of Object.entries(untrue))
  test(`${what} is reported for every limiter that shows it`, () => {
    test.setTimeout(600_000);
    // Of a bucket, which gives back all the time, one place alone shows that less was left.
    for (const limiter of what === 'twice what is left' ? limiters.filter(keepsWindows) : limiters) {
      const found = seeds.map((seed) => findings(limiter, tell, seed));
      expect
        .soft(found.filter(({ length }) => length > 0).length, limiter)
        .toBeGreaterThanOrEqual(leastReported * seeds.length);
      expect(found.flat().filter((each) => !each.startsWith('LIMIT-07'))).toEqual([]);
    }
  });
