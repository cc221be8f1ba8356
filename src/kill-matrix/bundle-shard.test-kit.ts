import { readFileSync } from 'node:fs';
import { faultCases } from './cases.js';
import type { Case } from './cases.js';
import { regradeCase } from './bundle-case.test-kit.js';

/** Limits are judged a few at a time: they wait more than they work. */
const limitsAtOnce = 2;

const isLimit = (one: Case): boolean => one.options.sections?.includes('LIMIT') === true;

/** Bundles every n-th named fault, grades it again and prints one JSON line for each: `node bundle-shard.test-kit.js INDEX COUNT NAMES`, NAMES a file. */
async function main(): Promise<void> {
  const [index = '0', count = '1', namesFile = ''] = process.argv.slice(2);
  const names = new Set(JSON.parse(readFileSync(namesFile, 'utf8')) as string[]);
  const mine = faultCases({ allLimits: true })
    .filter((one) => names.has(one.name))
    .sort((a, b) => Number(isLimit(a)) - Number(isLimit(b)))
    .filter((_, at) => at % Number(count) === Number(index));
  const judge = async (one: Case): Promise<void> => {
    process.stdout.write(`${JSON.stringify(await regradeCase(one))}\n`);
  };
  for (const one of mine.filter((each) => !isLimit(each))) await judge(one);
  const queue = mine.filter(isLimit);
  await Promise.all(
    Array.from({ length: limitsAtOnce }, async () => {
      for (let one = queue.shift(); one !== undefined; one = queue.shift()) await judge(one);
    }),
  );
}

await main();
