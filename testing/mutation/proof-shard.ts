import { readFileSync } from 'node:fs';
import { regradeCase } from './bundle-case.test-kit.js';
import { allCases, faultCases, keyOf, type Case } from './cases.js';
import { judgeService } from './judge-service.js';
import { outcomeOfCase } from './outcome.js';

/** What a proof judges, shared with its processes in a file. */
export interface ProofPlan {
  /** Combinations of the reference service's options. */
  readonly combinations: readonly Readonly<Record<string, string>>[];
  /** Which faults all sections judge: the first of each requirement, or every one. */
  readonly faultsBy: 'first' | 'all';
  /** Keys of the cases to judge. */
  readonly judged: readonly string[];
  /** Keys of the faults whose evidence is graded again offline. */
  readonly regraded: readonly string[];
}

/** How many cases a process judges at the same time: most wait now and then, limits wait more than they work. */
const atOnce = { working: 2, waiting: 4 };

/** Judges every `count`-th case, from the one at `index`. What waits is counted after all others and comes last. */
async function judgeShare(
  cases: readonly Case[],
  index: number,
  count: number,
  judge: (one: Case) => Promise<void>,
): Promise<void> {
  const waits = ({ waits: isWaiting }: Case): boolean => isWaiting === true;
  const works = (one: Case): boolean => !waits(one);
  const share = [...cases.filter(works), ...cases.filter(waits)].filter((_, at) => at % count === index);
  const judgeAll = async (queue: Case[], workers: number): Promise<void> => {
    const worker = async (): Promise<void> => {
      for (let one = queue.shift(); one !== undefined; one = queue.shift()) await judge(one);
    };
    await Promise.all(Array.from({ length: workers }, worker));
  };
  await judgeAll(share.filter(works), atOnce.working);
  await judgeAll(share.filter(waits), atOnce.waiting);
}

async function judge(one: Case): Promise<void> {
  const judged = await judgeService(await one.start(), one.options);
  process.stdout.write(`${JSON.stringify(outcomeOfCase(one, judged))}\n`);
}

/** Judges one share of a proof and prints one JSON line a case: `node proof-shard.js INDEX COUNT PLAN`, PLAN a file with a ProofPlan. */
async function main(): Promise<void> {
  const [index = '0', count = '1', file = ''] = process.argv.slice(2);
  const plan = JSON.parse(readFileSync(file, 'utf8')) as ProofPlan;
  const chosen = (cases: readonly Case[], keys: readonly string[]): Case[] =>
    cases.filter((one) => keys.includes(keyOf(one)));
  await judgeShare(
    chosen(allCases(plan.combinations, plan.faultsBy), plan.judged),
    Number(index),
    Number(count),
    judge,
  );
  await judgeShare(chosen(faultCases('own'), plan.regraded), Number(index), Number(count), async (one) => {
    process.stdout.write(`${JSON.stringify(await regradeCase(one))}\n`);
  });
}

await main();
