import { constantCases, faultCases, variantCases } from './cases.js';
import { judgeService } from './judge-service.js';
import { outcomeOfCase } from './outcome.js';

/** Runs every n-th case and prints one JSON line for each: `node shard.js INDEX COUNT [KIND[:NAME]]`. */
async function main(): Promise<void> {
  const [index = '0', count = '1', only = ''] = process.argv.slice(2);
  const [kind = '', name = ''] = only.split(/:(.*)/s);
  const all = [...faultCases(), ...variantCases(), ...constantCases()].filter(
    (one) => (kind === '' || one.kind === kind) && one.name.includes(name),
  );
  for (const [at, one] of all.entries()) {
    if (at % Number(count) !== Number(index)) continue;
    const judged = await judgeService(await one.start(), one.options);
    process.stdout.write(`${JSON.stringify(outcomeOfCase(one, judged))}\n`);
  }
}

await main();
