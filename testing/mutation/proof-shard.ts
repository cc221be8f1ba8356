import { readFileSync } from 'node:fs';
import { regradeCase } from './bundle-case.test-kit.js';
import { allCases } from './cases.js';
import { judgeService, keyOf, type Case } from './judge-service.js';
import { outcomeOfCase } from './outcome.js';

/** What a proof judges, shared with its processes in a file. */
export interface ProofPlan {
  /** Combinations of the reference service's options. */
  readonly combinations: readonly Readonly<Record<string, string>>[];
  /** Keys of the cases to judge. */
  readonly judged: readonly string[];
  /** Keys of the faults whose evidence is graded again offline. */
  readonly regraded: readonly string[];
}

/** How many cases a process judges at the same time: most wait now and then, limits wait more than they work. */
const atOnce = { working: 2, waiting: 4 };

const isLong = ({ kind }: Case): boolean => /variant|busy/.test(kind);

/** Does `work` with every `count`-th case, from the one at `index`, the longest first; prints a line of JSON for each. */
async function doShare(
  cases: readonly Case[],
  [index, count]: readonly [number, number],
  workers: number,
  work: (one: Case) => Promise<unknown>,
): Promise<void> {
  const inOrder = cases.toSorted((a, b) => Number(isLong(b)) - Number(isLong(a)));
  const queue = inOrder.filter((_, at) => at % count === index);
  const worker = async (): Promise<void> => {
    for (let one = queue.shift(); one !== undefined; one = queue.shift())
      process.stdout.write(`${JSON.stringify(await work(one))}\n`);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

const judgeCase = async (one: Case): Promise<unknown> =>
  outcomeOfCase(one, await judgeService(await one.start(), one.options));

/** Does one share of a proof and prints one JSON line a case: `node proof-shard.js INDEX COUNT PLAN`, PLAN a file with a ProofPlan. */
async function main(): Promise<void> {
  const [index = '0', count = '1', file = ''] = process.argv.slice(2);
  const plan = JSON.parse(readFileSync(file, 'utf8')) as ProofPlan;
  const cases = allCases(plan.combinations);
  const share = [Number(index), Number(count)] as const;
  const judged = cases.filter((one) => plan.judged.includes(keyOf(one)));
  const workers = judged.some(({ waits }) => waits === true) ? atOnce.waiting : atOnce.working;
  await doShare(judged, share, workers, judgeCase);
  // One by one, as no connection can be opened from a process while it grades evidence.
  const regraded = cases.filter((one) => plan.regraded.includes(keyOf(one)));
  await doShare(regraded, share, 1, regradeCase);
}

await main();
