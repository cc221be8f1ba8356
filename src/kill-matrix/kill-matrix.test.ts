import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { loadChecks } from '../requirement/load-checks.js';
import { faults } from '../reference/faults/faults.js';
import { problemsOf } from './outcome.js';
import type { Outcome } from './outcome.js';
import { runShards } from './run-shards.js';
import { matrixTable, summary } from './table.js';
import { pairwiseVariants } from './variants.js';

const root = new URL('../../', import.meta.url);
const shard = fileURLToPath(new URL('dist/src/kill-matrix/shard.js', root));

test('every fault turns its requirement red, every variant stays green, and constant servers pass no MUST', async () => {
  // About six minutes on two idle cores; a machine that is half as fast is no reason to fail.
  test.setTimeout(1_700_000);
  expect(existsSync(shard), 'the compiled suite is missing: run "npm run build" first, as "npm test" does').toBe(true);
  mkdirSync(new URL('reports/', root), { recursive: true });
  const variants = fileURLToPath(new URL('reports/kill-matrix-variants.json', root));
  writeFileSync(variants, JSON.stringify(pairwiseVariants()));
  // Judging waits as much as it works: three processes keep two cores busy.
  const outcomes = await runShards<Outcome>(shard, 3, [variants, process.env['KILL_MATRIX'] ?? ''], (outcome) => {
    const problems = problemsOf(outcome);
    if (problems.length > 0) process.stdout.write(`  ${outcome.kind} ${outcome.name}: ${problems.join('; ')}\n`);
  });
  writeFileSync(new URL('reports/kill-matrix.md', root), matrixTable(outcomes, faults.length));
  process.stdout.write(`  ${summary(outcomes, faults.length)}\n`);
  expect(
    outcomes.flatMap((outcome) => problemsOf(outcome).map((problem) => `${outcome.kind} ${outcome.name}: ${problem}`)),
  ).toEqual([]);
});

test('every requirement that can fail or warn has a fault, and every fault a requirement', async () => {
  const catalogue = await loadChecks();
  const broken = new Set(faults.map((fault) => fault.requirement));
  // The receiver of a webhook is not the reference service; faulty receivers prove that check beside it.
  const elsewhere = new Set(['HOOK-08']);
  const unproven = catalogue
    .filter((entry) => entry.level !== 'OBSERVE' && !broken.has(entry.id) && !elsewhere.has(entry.id))
    .map((entry) => entry.id);
  expect(unproven).toEqual([]);
  expect([...broken].filter((id) => !catalogue.some((entry) => entry.id === id))).toEqual([]);
});
