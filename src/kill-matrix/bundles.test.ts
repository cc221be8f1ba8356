import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { faults } from '../reference/faults/faults.js';
import { randomFrom } from '../run/random.js';
import type { Regrading } from './bundle-case.test-kit.js';
import { runShards } from './run-shards.js';

const root = new URL('../../', import.meta.url);
const shard = fileURLToPath(new URL('dist/src/kill-matrix/bundle-shard.test-kit.js', root));

/** How many faults of each kind a sample has. */
const sampled: readonly (readonly [RegExp, number])[] = [
  [/^(?!LIMIT|HOOK)/, 4],
  [/^HOOK/, 1],
  [/^LIMIT/, 1],
];

/** The faults whose bundles are graded again: all, those of one requirement, or a sample. */
function chosen(): string[] {
  const wanted = process.env['BUNDLES'];
  if (wanted !== undefined)
    return faults
      .filter(({ id, requirement }) => wanted === 'all' || id.includes(wanted) || requirement.startsWith(wanted))
      .map(({ id }) => id);
  const seed = Number(process.env['BUNDLES_SEED'] ?? randomInt(1_000_000));
  process.stdout.write(`  BUNDLES_SEED=${seed}\n`);
  const random = randomFrom(seed);
  return sampled.flatMap(([kind, count]) => {
    const of = faults.filter(({ requirement }) => kind.test(requirement));
    return Array.from({ length: count }, () => of.splice(Math.floor(random() * of.length), 1)[0]?.id ?? '');
  });
}

test('the bundle of a faulty service, graded again with the service switched off, gives every verdict, reason and finding of the run', async () => {
  test.setTimeout(process.env['BUNDLES'] === undefined ? 240_000 : 7_200_000);
  expect(existsSync(shard), 'the compiled suite is missing: run "npm run build" first, as "npm test" does').toBe(true);
  mkdirSync(new URL('reports/', root), { recursive: true });
  const names = chosen();
  const file = fileURLToPath(new URL('reports/bundles-names.json', root));
  writeFileSync(file, JSON.stringify(names));
  const found = await runShards<Regrading>(shard, 2, [file], ({ name, problems }) => {
    if (problems.length > 0) process.stdout.write(`  ${name}: ${problems.join('; ')}\n`);
  });
  const sum = (pick: (one: Regrading) => number): string =>
    found.reduce((total, one) => total + pick(one), 0).toLocaleString('en');
  process.stdout.write(
    `  ${found.length} faults, ${sum((one) => one.compared)} verdicts found again out of ${sum((one) => one.requests)} exchanges\n`,
  );
  writeFileSync(new URL('reports/bundles.json', root), `${JSON.stringify(found, null, 2)}\n`);
  expect(found.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`))).toEqual([]);
  expect(found.map(({ name }) => name).sort()).toEqual([...names].sort());
});
