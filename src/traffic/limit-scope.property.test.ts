import { expect, test } from '@playwright/test';
import { conformingKinds, keptLimits } from '../limiter/conforming-kinds.test-kit.js';
import { longProofs, seededRandom } from '../limiter/test-kit.js';
import { judgePlan } from './limit-verdicts.js';
import type { PlanVerdict } from './limit-verdicts.js';
import { simulateDrive } from './simulated-drive.test-kit.js';

const rounds = longProofs ? 12 : 2;
const jitters = longProofs ? [5, 50, 300] : [5, 300];

/** What a drive with two keys shows, one service after the other, with limits for each key or for both together. */
function drives(name: string, by: 'key' | 'tenant', scope: 'auto' | 'key' | 'tenant'): PlanVerdict[] {
  const kind = conformingKinds[name];
  if (kind === undefined) throw new RangeError(name);
  return jitters.flatMap((jitterMs) =>
    Array.from({ length: rounds }, (_, round) => {
      const random = seededRandom(round * 1000 + jitterMs);
      const decide = kind.build(random);
      const second = by === 'tenant' ? decide : kind.build(random);
      const drive = simulateDrive(keptLimits, { decide, jitterMs, random }, second);
      return judgePlan(drive, round % 2 === 0 ? 'auto' : kind.model, scope);
    }),
  );
}

const table: string[] = [];
/** Kinds that a second key's acceptances do not tell from one that both keys share. */
const generous = new Set(['a ticked token bucket', 'a bursty pair']);

for (const name of Object.keys(conformingKinds)) {
  test(`${name}: by key and by tenant are never taken for each other, and neither is blamed where it is sold`, () => {
    test.setTimeout(1_800_000);
    for (const by of ['key', 'tenant'] as const) {
      const told = drives(name, by, 'auto');
      expect(told.filter(({ scope }) => ![by, null].includes(scope?.countsBy ?? null))).toEqual([]);
      expect([...told, ...drives(name, by, by)].flatMap(({ scope }) => scope?.blames ?? [])).toEqual([]);
      const certain = told.filter(({ scope }) => scope?.countsBy === by).length;
      // A second key that is let in shows nothing where its plan saves up, or spares, as much as two keys spend.
      const least = by === 'tenant' ? 0.9 * told.length : generous.has(name) ? 0 : 1;
      expect(certain, `${name} by ${by}`).toBeGreaterThanOrEqual(least);
      table.push(`${name} | by ${by} | told ${certain} of ${told.length}`);
    }
  });
}

test('what is sold otherwise is blamed: shared limits for refusing, limits for each key for letting in too much', () => {
  const name = 'fixed windows from the first hit';
  for (const { scope } of drives(name, 'tenant', 'key'))
    expect(scope?.blames.map(({ id }) => id)).toEqual(['LIMIT-01']);
  for (const { scope } of drives(name, 'key', 'tenant'))
    expect(scope?.blames.map(({ id }) => id)).toContain('LIMIT-02');
  if (longProofs || process.env['SHOW_RATES'] === '1') console.info(table.join('\n'));
});
