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

/** A case, and what is done with it. */
interface Task {
  readonly one: Case;
  /** A line of JSON. */
  readonly work: (one: Case) => Promise<unknown>;
}

const isLong = ({ one, work }: Task): boolean => /variant|busy/.test(one.kind) || work === regradeCase;

/** Does every `count`-th task, from the one at `index`, the longest first. */
async function doShare(tasks: readonly Task[], index: number, count: number): Promise<void> {
  const inOrder = tasks.toSorted((a, b) => Number(isLong(b)) - Number(isLong(a)));
  const queue = inOrder.filter((_, at) => at % count === index);
  const worker = async (): Promise<void> => {
    for (let task = queue.shift(); task !== undefined; task = queue.shift())
      process.stdout.write(`${JSON.stringify(await task.work(task.one))}\n`);
  };
  const workers = queue.some(({ one }) => one.waits === true) ? atOnce.waiting : atOnce.working;
  await Promise.all(Array.from({ length: workers }, worker));
}

const judgeCase = async (one: Case): Promise<unknown> =>
  outcomeOfCase(one, await judgeService(await one.start(), one.options));

/** Does one share of a proof and prints one JSON line a case: `node proof-shard.js INDEX COUNT PLAN`, PLAN a file with a ProofPlan. */
async function main(): Promise<void> {
  const [index = '0', count = '1', file = ''] = process.argv.slice(2);
  const plan = JSON.parse(readFileSync(file, 'utf8')) as ProofPlan;
  const cases = allCases(plan.combinations);
  const tasks = (keys: readonly string[], work: Task['work']): Task[] =>
    cases.filter((one) => keys.includes(keyOf(one))).map((one) => ({ one, work }));
  await doShare([...tasks(plan.judged, judgeCase), ...tasks(plan.regraded, regradeCase)], Number(index), Number(count));
}

await main();
