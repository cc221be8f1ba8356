import { expect, test } from '@playwright/test';
import { variantOptions } from '../../src/reference/variant-options.js';
import type { LimitModel } from '../../src/settings/target.js';
import type { PlanVerdict } from '../../src/traffic/limit-verdicts.js';
import { judgeParts } from '../../src/traffic/parts/judge-parts.js';
import { conformingKinds, keptLimits } from '../limiter-simulators/conforming-kinds.test-kit.js';
import { all, fixedAnchored } from '../limiter-simulators/simulated-limiters.test-kit.js';
import { longProofs, randomFrom } from '../limiter-simulators/test-kit.js';
import { referenceLimiter, simulateParts, type DecideFor } from './simulated-parts.test-kit.js';

const rounds = longProofs ? 6 : 1;
const numbers = longProofs ? [1, 2, 3, 8] : [2, 3];
/** Clocks that are wrong by up to so much, and slow or fast by up to 0.01 %. */
const skewsMs = longProofs ? [0, 100, 500, 2000] : [2000];

/** The verdicts of several generators on a service, by each model; every seed is another network, in every other one clocks are read once only. */
function verdictsOn(
  decide: DecideFor,
  models: readonly LimitModel[],
  drawn: { readonly parts: number; readonly skewMs: number; readonly seed: number },
): PlanVerdict[] {
  const { parts, skewMs, seed } = drawn;
  const network = { jitterMs: [5, 50, 300][seed % 3] ?? 5, looks: seed % 2 === 0 ? 1 : 12, drift: 1e-4 };
  const traces = simulateParts({ limits: keptLimits, parts, decide, skewMs, ...network, random: randomFrom(seed) });
  return models.map((model) => judgeParts(traces, { model, lateMs: 100 }));
}

function* combinations(parts: number): Generator<{ parts: number; skewMs: number; seed: number }> {
  let seed = 1000 * parts;
  for (let round = 0; round < rounds; round += 1)
    for (const skewMs of skewsMs) yield { parts, skewMs, seed: (seed += 1) };
}

/** Tries a service with each number of generators; prints a row of the table in docs/nightly-load.md. */
function tried(
  name: string,
  make: (seed: number) => DecideFor,
  models: readonly LimitModel[],
  look: (verdict: PlanVerdict, where: string, parts: number) => void,
): Map<number, { passed: number; notShown: number; found: number }> {
  test.setTimeout(1_200_000);
  const tallies = new Map(numbers.map((parts) => [parts, { passed: 0, notShown: 0, found: 0 }]));
  for (const [parts, tally] of tallies)
    for (const drawn of combinations(parts))
      for (const verdict of verdictsOn(make(drawn.seed), models, drawn)) {
        look(verdict, `${verdict.models.length} models, ${JSON.stringify(drawn)}`, parts);
        const isWeak = verdict.weak.within !== null || verdict.weak.beyond !== null;
        tally[verdict.violations.length > 0 ? 'found' : isWeak ? 'notShown' : 'passed'] += 1;
      }
  const cells = [...tallies.values()].map(({ passed, notShown, found }) => `${passed} / ${notShown} / ${found}`);
  if (longProofs) process.stdout.write(`| ${[name, ...cells].join(' | ')} |\n`);
  return tallies;
}

const pinned = (model: LimitModel): readonly LimitModel[] => (model === 'auto' ? ['auto'] : ['auto', model]);
const nothing = ({ violations }: PlanVerdict, where: string): void =>
  expect(violations.map(({ actual }) => actual).join('\n'), where).toBe('');

for (const [name, { build, model }] of Object.entries(conformingKinds))
  test(`${name} are never convicted by several generators, however wrong their clocks`, () => {
    const make = (seed: number): DecideFor => {
      const decide = build(randomFrom(seed));
      return (atMs) => decide(atMs);
    };
    tried(name, make, pinned(model), nothing);
  });

const modelOf: Readonly<Record<string, LimitModel>> = {
  'sliding-log': 'sliding',
  'sliding-counter': 'auto',
  'token-bucket': 'bucket',
  'token-bucket-slow': 'bucket-slow',
  spill: 'spill',
};

for (const limiter of variantOptions.find(({ name }) => name === 'limiter')?.values ?? [])
  test(`servers with ${limiter} that learn of each other within 50 ms are never convicted`, () => {
    const variant = { limiter, 'limit-counters': 'exchanged' };
    const make = (): DecideFor => referenceLimiter(keptLimits, { variant });
    tried(`${limiter}, 50 ms late`, make, pinned(modelOf[limiter] ?? 'fixed'), nothing);
  });

const halfMore = (): DecideFor => {
  const decide = all(keptLimits.map((limit) => fixedAnchored({ ...limit, count: limit.count * 1.5 })));
  return (atMs) => decide(atMs);
};

/** What a single generator cannot see, or can. */
const defects: readonly (readonly [name: string, make: () => DecideFor, alone: boolean])[] = [
  ['a counter for each server', () => referenceLimiter(keptLimits, { faults: ['limits-by-source'] }), false],
  ['a counter for each region', () => referenceLimiter(keptLimits, { faults: ['limits-by-region'] }), false],
  ['counters exchanged every 5 s', () => referenceLimiter(keptLimits, { faults: ['limits-exchanged-late'] }), false],
  ['limits half as large again', halfMore, true],
];

for (const [name, make, alone] of defects)
  test(`${name}: found by several generators${alone ? ' and by one' : ', and not by one'}`, () => {
    const tallies = tried(name, make, ['auto', 'fixed'], ({ violations }, where, parts) => {
      if (parts === 1) expect(violations.length > 0, where).toBe(alone);
      // What is told too late counts in the next window, which refuses too early: to two generators that may be all that shows.
      if (parts > 2) for (const { id } of violations) expect(id, where).toMatch(/LIMIT-0[23]/);
    });
    const three = tallies.get(3);
    expect(three?.found).toBeGreaterThan(0);
    expect(three).toMatchObject({ passed: 0, notShown: 0 });
  });

test('a counter for each server is named as such, by as many generators as eight', () => {
  for (const parts of [3, 4, 8]) {
    const decide = referenceLimiter(keptLimits, { faults: ['limits-by-source'] });
    const [verdict] = verdictsOn(decide, ['auto'], { parts, skewMs: 500, seed: 3 * parts });
    const actual = (verdict?.violations ?? []).map((one) => one.actual).join('\n');
    expect(actual).toContain('the service counts generators apart');
    expect(actual).toMatch(/^(?:after the longest pause, )?too many requests accepted/);
  }
});
