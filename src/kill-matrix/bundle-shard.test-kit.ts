import { readFileSync } from 'node:fs';
import { regradeCase } from './bundle-case.test-kit.js';
import { faultCases } from './cases.js';
import { judgeShare } from './judge-share.js';

/** Bundles every n-th named fault, grades it again and prints one JSON line for each: `node bundle-shard.test-kit.js INDEX COUNT NAMES`, NAMES a file. */
async function main(): Promise<void> {
  const [index = '0', count = '1', namesFile = ''] = process.argv.slice(2);
  const names = new Set(JSON.parse(readFileSync(namesFile, 'utf8')) as string[]);
  const named = faultCases({ allLimits: true }).filter((one) => names.has(one.name));
  await judgeShare(named, Number(index), Number(count), async (one) => {
    process.stdout.write(`${JSON.stringify(await regradeCase(one))}\n`);
  });
}

await main();
