import { readFileSync } from 'node:fs';
import { constantCases, faultCases, variantCases } from './cases.js';
import type { Case } from './cases.js';
import { judgeService } from './judge-service.js';
import type { Judged } from './judge-service.js';
import { outcomeOfCase } from './outcome.js';

/** Limits are judged a few at a time: they wait more than they work. A machine too busy for one gets a second chance. */
const limitsAtOnce = 2;

/** Whether noise kept from being judged what a case is there for. */
function isUnjudged(one: Case, { results }: Judged): boolean {
  const wanted = results.filter(({ id }) => one.kind === 'variant' || id === one.requirement);
  return isLimit(one) && wanted.some(({ verdict }) => verdict === 'blocked');
}

async function judge(one: Case): Promise<void> {
  let judged = await judgeService(await one.start(), one.options);
  const twice = isUnjudged(one, judged);
  if (twice) judged = await judgeService(await one.start(), one.options);
  process.stdout.write(`${JSON.stringify(outcomeOfCase(one, judged, twice))}\n`);
}

const isLimit = (one: Case): boolean => one.options.sections?.includes('LIMIT') === true;

/**
 * Runs every n-th case and prints one JSON line for each: `node shard.js INDEX COUNT VARIANTS [KIND[:NAME]]`, where VARIANTS is a file with
 * the combinations of dials. Limits come last, when nothing else disturbs their timing.
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
  ]
    .filter(
      (one) =>
        (kind === '' || one.kind === kind) && (one.name.includes(name) || one.requirement?.startsWith(name) === true),
    )
    .sort((a, b) => Number(isLimit(a)) - Number(isLimit(b)))
    .filter((_, at) => at % Number(count) === Number(index));
  for (const one of all.filter((each) => !isLimit(each))) await judge(one);
  const queue = all.filter(isLimit);
  await Promise.all(
    Array.from({ length: limitsAtOnce }, async () => {
      for (let one = queue.shift(); one !== undefined; one = queue.shift()) await judge(one);
    }),
  );
}

await main();
