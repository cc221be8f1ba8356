import { expect, test } from '@playwright/test';
import type { Limit } from '../target/limits.js';
import type { LimitModel } from '../target/target.js';
import { judgeTrace } from './judge-trace.js';
import { all, fixedAnchored, slidingLog, tokenBucket } from './simulated-limiters.js';
import { longProofs, seededRandom, simulate, type Decide, type Plan } from './test-kit.js';

const burst: Limit = { count: 600, windowSeconds: 60 };
const sustained: Limit = { count: 100, windowSeconds: 1 };
const limits = [burst, sustained];

const times = (limit: Limit, factor: number): Limit => ({ ...limit, count: Math.round(limit.count * factor) });
const plus = (limit: Limit, more: number): Limit => ({ ...limit, count: limit.count + more });
const stretch = (limit: Limit, factor: number): Limit => ({ ...limit, windowSeconds: limit.windowSeconds * factor });

/** Even sendings from `fromMs`. */
const paced = (fromMs: number, count: number, perSecond: number): number[] =>
  Array.from({ length: count }, (_, index) => fromMs + (index * 1000) / perSecond);

const scenarios: Record<string, Plan> = {
  /** Below the sustained limit until the burst is spent and beyond, a trickle through the window, and once more. */
  boundary: [...paced(0, 750, 90), ...paced(9_000, 52, 1), ...paced(62_000, 750, 90)],
  /** As fast as connections go. */
  burst: paced(0, 1_600, 4_000),
  /** Fast for some seconds. */
  rush: paced(0, 2_500, 400),
};

type Build = (limits: readonly [Limit | null, Limit | null]) => Decide;
const windows =
  (kind: (limit: Limit) => ReturnType<typeof slidingLog>): Build =>
  (numbers) =>
    all(numbers.filter((limit) => limit !== null).map(kind), false);
const bucket: Build = ([capacity, refill]) => all([tokenBucket(capacity?.count ?? 0, refill?.count ?? 0)], false);

interface Mutant {
  readonly name: string;
  readonly numbers: readonly [Limit | null, Limit | null];
  readonly blames: string;
}
const mutants: readonly Mutant[] = [
  { name: 'burst + 1', numbers: [plus(burst, 1), sustained], blames: 'LIMIT-02' },
  { name: 'burst - 1', numbers: [plus(burst, -1), sustained], blames: 'LIMIT-01' },
  { name: 'burst + 10 %', numbers: [times(burst, 1.1), sustained], blames: 'LIMIT-02' },
  { name: 'burst - 10 %', numbers: [times(burst, 0.9), sustained], blames: 'LIMIT-01' },
  { name: 'burst + 20 %', numbers: [times(burst, 1.2), sustained], blames: 'LIMIT-02' },
  { name: 'burst - 20 %', numbers: [times(burst, 0.8), sustained], blames: 'LIMIT-01' },
  { name: 'sustained + 1', numbers: [burst, plus(sustained, 1)], blames: 'LIMIT-03' },
  { name: 'sustained - 1', numbers: [burst, plus(sustained, -1)], blames: 'LIMIT-01' },
  { name: 'sustained + 10 %', numbers: [burst, times(sustained, 1.1)], blames: 'LIMIT-03' },
  { name: 'sustained - 10 %', numbers: [burst, times(sustained, 0.9)], blames: 'LIMIT-01' },
  { name: 'sustained + 20 %', numbers: [burst, times(sustained, 1.2)], blames: 'LIMIT-03' },
  { name: 'sustained - 20 %', numbers: [burst, times(sustained, 0.8)], blames: 'LIMIT-01' },
  { name: 'burst window x 1.5', numbers: [stretch(burst, 1.5), sustained], blames: 'LIMIT-01' },
  { name: 'sustained window x 1.5', numbers: [burst, stretch(sustained, 1.5)], blames: 'LIMIT-01' },
  { name: 'no sustained limit', numbers: [burst, null], blames: 'LIMIT-03' },
  { name: 'no burst limit', numbers: [null, sustained], blames: 'LIMIT-02' },
  { name: 'no limit', numbers: [null, null], blames: 'LIMIT-02,LIMIT-03' },
];

const kinds: Record<string, { build: Build; model: LimitModel }> = {
  sliding: { build: windows(slidingLog), model: 'sliding' },
  fixed: { build: windows(fixedAnchored), model: 'fixed' },
  bucket: { build: bucket, model: 'bucket' },
};

const rounds = longProofs ? 40 : 3;

test('mutants of each kind: how many are convicted, and for what', () => {
  test.setTimeout(600_000);
  const table: string[] = [];
  const rates = new Map<string, number>();
  for (const [kind, { build, model }] of Object.entries(kinds)) {
    for (const mutant of mutants) {
      if (kind === 'bucket' && (mutant.numbers.includes(null) || mutant.name.includes('window'))) continue;
      for (const reading of ['auto', model] as const) {
        for (const jitterMs of [5, 50]) {
          let convicted = 0;
          const blamed = new Map<string, number>();
          for (let round = 0; round < rounds; round += 1) {
            const random = seededRandom(round);
            const ids = Object.values(scenarios).flatMap((plan) => {
              const trace = simulate(plan, build(mutant.numbers), jitterMs, random);
              return judgeTrace(trace, limits, { model: reading }).blames.map(({ id }) => id);
            });
            if (ids.length > 0) convicted += 1;
            const name = [...new Set(ids)].sort().join();
            blamed.set(name, (blamed.get(name) ?? 0) + 1);
          }
          rates.set(`${kind} ${mutant.name} ${reading} ${jitterMs}`, convicted / rounds);
          const how = [...blamed].map(([name, count]) => `${name || 'none'} ${count}`).join('; ');
          table.push(`${kind.padEnd(8)} ${mutant.name.padEnd(22)} ${reading.padEnd(8)} ${jitterMs} ms: ${how} (want ${mutant.blames})`);
        }
      }
    }
  }
  if (longProofs || process.env['SHOW_RATES'] === '1') console.log(table.join('\n'));
  expect(rates.size).toBeGreaterThan(100);
});
