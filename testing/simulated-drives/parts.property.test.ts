import { expect, test } from '@playwright/test';
import type { LimitModel } from '../../src/settings/target.js';
import { judgeParts } from '../../src/traffic/parts/judge-parts.js';
import { conformingKinds, keptLimits } from '../limiter-simulators/conforming-kinds.test-kit.js';
import { all, fixedAnchored } from '../limiter-simulators/simulated-limiters.test-kit.js';
import { longProofs, randomFrom, type Decide } from '../limiter-simulators/test-kit.js';
import { exchanging, perGenerator, simulateParts, type DecideFor } from './simulated-parts.test-kit.js';

const [long, short] = keptLimits;
const rounds = longProofs ? 6 : 1;
const numbers = longProofs ? [1, 2, 3, 8] : [3];
/** Clocks that are wrong by up to so much, and slow or fast by up to 0.01 %. */
const skewsMs = longProofs ? [0, 20, 300, 2000] : [2000];

interface Shown {
  readonly ids: readonly string[];
  readonly actual: string;
}

/** The verdict of several generators on a service; every combination is another seed. */
function shown(decide: DecideFor, model: LimitModel, parts: number, skewMs: number, seed: number): Shown {
  const random = randomFrom(seed);
  const jitterMs = [5, 50, 300][seed % 3] ?? 5;
  const traces = simulateParts({ limits: keptLimits, parts, decide, skewMs, drift: 1e-4, jitterMs, random });
  const { violations } = judgeParts(traces, { model, lateMs: 100 });
  const ids = violations.map(({ id }) => id);
  const actual = violations.map((one) => one.actual).join('\n');
  return { ids, actual };
}

function* combinations(): Generator<readonly [parts: number, skewMs: number, seed: number]> {
  let seed = 0;
  for (const parts of numbers)
    for (const skewMs of skewsMs) for (let round = 0; round < rounds; round += 1) yield [parts, skewMs, (seed += 1)];
}

for (const [name, { build, model }] of Object.entries(conformingKinds))
  test(`${name} are never convicted by several generators, however wrong their clocks`, () => {
    test.setTimeout(1_200_000);
    for (const [parts, skewMs, seed] of combinations())
      for (const each of model === 'auto' ? (['auto'] as const) : (['auto', model] as const)) {
        const decide = build(randomFrom(seed));
        const { actual } = shown((atMs) => decide(atMs), each, parts, skewMs, seed);
        expect(actual, `${each}, ${parts} parts, skew ${skewMs} ms, seed ${seed}`).toBe('');
      }
  });

test('servers that learn of each other within 50 ms are never convicted', () => {
  test.setTimeout(1_200_000);
  for (const [parts, skewMs, seed] of combinations())
    for (const model of ['auto', 'fixed'] as const) {
      const { actual } = shown(exchanging(keptLimits, { lateMs: 50 }), model, parts, skewMs, seed);
      expect(actual, `${model}, ${parts} parts, skew ${skewMs} ms, seed ${seed}`).toBe('');
    }
});

const windows = (factor = 1): Decide =>
  all([long, short].map((limit) => fixedAnchored({ ...limit, count: limit.count * factor })));

/** What a single generator cannot see, or can, and the share of runs in which three may miss it: answers may take up to 300 ms. */
const defects: readonly (readonly [name: string, make: () => DecideFor, alone: boolean, mostMissed: number])[] = [
  ['a counter for each server', () => perGenerator(() => windows()), false, 0],
  ['counters that are exchanged every 5 s', () => exchanging(keptLimits, { lateMs: 5_000, every: true }), false, 0.15],
  [
    'limits that are half as large again',
    () => {
      const decide = windows(1.5);
      return (atMs) => decide(atMs);
    },
    true,
    0,
  ],
];

for (const [name, make, alone, mostMissed] of defects)
  test(`${name}: found by three generators${alone ? ' and by one' : ', and not by one'}`, () => {
    test.setTimeout(1_200_000);
    let [judged, missed] = [0, 0];
    for (const model of ['auto', 'fixed'] as const)
      for (const skewMs of skewsMs)
        for (let seed = 1; seed <= 3 * rounds; seed += 1) {
          const where = `${model}, skew ${skewMs} ms, seed ${seed}`;
          const { ids } = shown(make(), model, 3, skewMs, seed);
          judged += 1;
          if (ids.length === 0) missed += 1;
          // Where no model is pinned, a bucket that refuses too much may come nearer.
          else if (model === 'fixed') expect(ids.join(), where).toMatch(/LIMIT-0[23]/);
          expect(shown(make(), model, 1, skewMs, seed).ids.length > 0, `${where}, one generator`).toBe(alone);
        }
    test.info().annotations.push({ type: 'missed', description: `${missed} of ${judged}` });
    expect(missed).toBeLessThanOrEqual(mostMissed * judged);
  });

test('a counter for each server is named as such, by as many generators as eight', () => {
  for (const parts of [3, 4, 8]) {
    const { actual } = shown(
      perGenerator(() => windows()),
      'auto',
      parts,
      300,
      3 * parts,
    );
    expect(actual).toContain('the service counts generators apart');
    expect(actual).toMatch(/^(?:after the longest pause, )?too many requests accepted/);
  }
});
