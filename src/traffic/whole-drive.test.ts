import { expect, test } from '@playwright/test';
import { conformingKinds, keptLimits } from '../limiter/conforming-kinds.test-kit.js';
import { all, fixedAnchored, fixedByClock, slidingLog } from '../limiter/simulated-limiters.js';
import { longProofs, seededRandom } from '../limiter/test-kit.js';
import type { Decide } from '../limiter/test-kit.js';
import type { Limit } from '../target/limits.js';
import { judgePlan } from './limit-verdicts.js';
import { simulateDrive } from './simulated-drive.test-kit.js';

const rounds = longProofs ? 300 : 2;
/** A run that has just begun knows nothing of what the key did before; a long one knows that it rested. */
const restsMs = [1e9, 500];

for (const [name, { build, model }] of Object.entries(conformingKinds)) {
  test(`${name} explain a whole drive by one reading and one mechanism`, () => {
    test.setTimeout(1_800_000);
    for (const jitterMs of [5, 50, 300]) {
      for (let round = 0; round < rounds; round += 1) {
        const random = seededRandom(round * 1000 + jitterMs);
        const drive = simulateDrive(keptLimits, { decide: build(random), jitterMs, random });
        const idleBeforeMs = restsMs[round % 2] ?? 0;
        for (const each of new Set(['auto', model] as const)) {
          const { blames } = judgePlan({ ...drive, idleBeforeMs }, each);
          expect(blames, `${each}, round ${round}, jitter ${jitterMs}, idle for ${idleBeforeMs} ms`).toEqual([]);
        }
      }
    }
  });
}

const [burst, sustained] = [
  { count: 120, windowSeconds: 60 },
  { count: 20, windowSeconds: 1 },
];
const scaled = (limit: Limit, factor: number): Limit => ({ ...limit, count: Math.round(limit.count * factor) });
const stretched = (limit: Limit): Limit => ({ ...limit, windowSeconds: 1.5 * limit.windowSeconds });

type Kind = (limit: Limit, random: () => number) => ReturnType<typeof slidingLog>;
const kinds: Readonly<Record<string, Kind>> = {
  'windows from the first hit': fixedAnchored,
  'windows by the clock': (limit, random) => fixedByClock(limit, random() * limit.windowSeconds * 1000),
  'sliding logs': slidingLog,
};

/** What each kind is convicted of under the open reading, at the least: a share of the drives. The rest needs the reading pinned. */
const faults: readonly (readonly [string, readonly Limit[], Readonly<Record<string, number>>])[] = [
  ['burst - 10 %', [scaled(burst, 0.9), sustained], { 'windows from the first hit': 1, 'sliding logs': 1 }],
  ['burst + 10 %', [scaled(burst, 1.1), sustained], { 'windows from the first hit': 1 }],
  ['burst + 20 %', [scaled(burst, 1.2), sustained], { 'windows from the first hit': 1 }],
  ['sustained - 10 %', [burst, scaled(sustained, 0.9)], { 'windows by the clock': 0.75, 'sliding logs': 1 }],
  ['sustained + 20 %', [burst, scaled(sustained, 1.2)], { 'windows from the first hit': 1 }],
  ['windows x 1.5', [stretched(burst), stretched(sustained)], { 'windows by the clock': 0.25 }],
  ['no sustained limit', [burst], { 'windows from the first hit': 1, 'windows by the clock': 1, 'sliding logs': 1 }],
  ['no burst limit', [sustained], { 'windows from the first hit': 1, 'windows by the clock': 1, 'sliding logs': 1 }],
];

test('other numbers are told by the whole drive, though each scenario by itself may have an explanation', () => {
  test.setTimeout(600_000);
  const drives = longProofs ? 60 : 4;
  const table: string[] = [];
  for (const [fault, numbers, wanted] of faults) {
    for (const [kind, make] of Object.entries(kinds)) {
      let convicted = 0;
      for (let round = 0; round < drives; round += 1) {
        const random = seededRandom(round);
        const decide: Decide = all(
          numbers.map((limit) => make(limit, random)),
          false,
        );
        const drive = simulateDrive([burst, sustained], { decide, jitterMs: 5, random });
        if (judgePlan(drive, 'auto').blames.length > 0) convicted += 1;
      }
      const line = `${fault} | ${kind} | ${convicted} of ${drives}`;
      table.push(line);
      expect.soft(convicted, line).toBeGreaterThanOrEqual((wanted[kind] ?? 0) * drives);
    }
  }
  if (longProofs || process.env['SHOW_RATES'] === '1') console.info(table.join('\n'));
});
