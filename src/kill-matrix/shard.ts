import { readFileSync } from 'node:fs';
import { constantCases, faultCases, variantCases } from './cases.js';
import type { Case } from './cases.js';
import { judgeService } from './judge-service.js';
import type { Judged } from './judge-service.js';
import { judgeShare } from './judge-share.js';
import { outcomeOfCase } from './outcome.js';

/** Whether noise kept from being judged what a case is there for. */
function isUnjudged(one: Case, { results }: Judged): boolean {
  const wanted = results.filter(({ id }) => one.kind === 'variant' || id === one.requirement);
  return one.options.sections?.includes('LIMIT') === true && wanted.some(({ verdict }) => verdict === 'blocked');
}

/** A machine too busy for a limit gets a second chance. */
async function judge(one: Case): Promise<void> {
  let judged = await judgeService(await one.start(), one.options);
  const twice = isUnjudged(one, judged);
  if (twice) judged = await judgeService(await one.start(), one.options);
  process.stdout.write(`${JSON.stringify(outcomeOfCase(one, judged, twice))}\n`);
}

/**
 * Runs every n-th case and prints one JSON line for each: `node shard.js INDEX COUNT VARIANTS [KIND[:NAME]]`, where VARIANTS is a file with
 * the combinations of dials.
 */
async function main(): Promise<void> {
  const [index = '0', count = '1', variants = '', only = ''] = process.argv.slice(2);
  const [kind = '', name = ''] = only.split(/:(.*)/s);
  const full = process.env['KILL_MATRIX_FULL'] === '1';
  const combinations = variants === '' ? [] : (JSON.parse(readFileSync(variants, 'utf8')) as Record<string, string>[]);
  const all = [
    ...faultCases({ allSections: full, allLimits: full }),
    ...variantCases(combinations, full),
    ...constantCases(),
  ];
  const wanted = all.filter(
    (one) =>
      (kind === '' || one.kind === kind) && (one.name.includes(name) || one.requirement?.startsWith(name) === true),
  );
  await judgeShare(wanted, Number(index), Number(count), judge);
}

await main();
