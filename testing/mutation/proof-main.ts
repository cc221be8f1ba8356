import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Regrading } from './bundle-case.test-kit.js';
import { allCases } from './cases.js';
import { keyOf, type Case } from './judge-service.js';
import { isHidden, problemsOf, type CaseOutcome } from './outcome.js';
import type { ProofPlan } from './proof-shard.js';
import { proofDocument, proofTable, type CommandResult } from './proof-report.js';
import { statedCodes } from './stated-codes.js';
import { pairwiseVariants } from './variants.js';
import { differencesFrom, readTable, tableFile, tableOf, writeTable } from './verdict-table.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const shard = fileURLToPath(new URL('proof-shard.js', import.meta.url));

const longTests = ['node_modules/@playwright/test/cli.js', 'test', '--reporter=list'];

/** Keeps both cores busy while limiters are judged beside it; with more workers they could send too little. */
const simulations: Command = {
  name: 'simulations with many seeds',
  args: [...longTests, '--project=simulations', '--workers=2'],
};

/** Measures real time, so nothing else runs beside it. */
const slowTests: Command = { name: 'tests that take minutes', args: [...longTests, '--project=proof'] };

interface Command {
  readonly name: string;
  readonly args: readonly string[];
}

/** Runs a Node program; its output passes through, and what failed is kept. */
async function run({ name, args }: Command): Promise<CommandResult> {
  const startedMs = performance.now();
  const env = { ...process.env, PROOF: '1' };
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'], env });
  const failures: string[] = [];
  const exit = once(child, 'exit') as Promise<[number | null]>;
  for await (const line of createInterface({ input: child.stdout })) {
    process.stdout.write(`${line}\n`);
    if (/^\s*(✘|Error: )/.test(line)) failures.push(line.trim());
  }
  const [status] = await exit;
  return { name, status, failures, seconds: (performance.now() - startedMs) / 1000 };
}

/** The most cases that may differ from the table of verdicts by chance; more of them are a change. */
const mostNoise = 20;

/** What a shard writes of a case. */
type Outcome = CaseOutcome | Regrading;

/** Runs `proof-shard.js INDEX COUNT PLAN` in `count` processes side by side; `done` hears what each line of them holds. Throws where a process fails. */
async function runShards(count: number, planFile: string, done: (result: Outcome) => void): Promise<void> {
  const one = async (index: number): Promise<void> => {
    const child = spawn(process.execPath, [shard, String(index), String(count), planFile], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const exit = once(child, 'exit');
    for await (const line of createInterface({ input: child.stdout })) done(JSON.parse(line) as Outcome);
    const [code] = (await exit) as [number | null];
    if (code !== 0) throw new Error(`shard ${index} ended with ${String(code)}: ${said.slice(0, 2000)}`);
  };
  await Promise.all(Array.from({ length: count }, (_, index) => one(index)));
}

/** The first fault of each requirement. */
function regradedOf(faults: readonly Case[]): string[] {
  const seen = new Set<string | null>();
  return faults.filter(({ requirement }) => !seen.has(requirement) && seen.add(requirement)).map(keyOf);
}

/**
 * The full proof: judges every fault, every independent breach, every conforming variant and every constant server, grades evidence
 * again offline, and runs the long tests. Writes `reports/proof.json` and `reports/proof.md`. Ends with 1 where anything is not as it
 * should be, or has no result. `--only TEXT[,…]` takes the cases whose key (`fault:ID`, `variant:NAME`) or requirement contains one of the texts, and no command;
 * A verdict other than in `testing/mutation/proof-table.json` is a problem, unless its case names the requirement under `varies`, and so is a breach that is reported
 * by none of the codes there (`by`), and a fault that no request reached; `--accept` writes the
 * verdicts of the judged cases there instead.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      processes: { type: 'string', default: '4' },
      accept: { type: 'boolean', default: false },
    },
  });
  const startedMs = performance.now();
  const { only, accept } = values;
  const committed = readTable();
  const table = accept ? null : committed;
  if (table === null && !accept)
    process.stdout.write(`proof: ${tableFile} is missing, so no verdict is compared; --accept writes it\n`);
  const combinations = pairwiseVariants();
  const cases = allCases(combinations).filter(
    (one) =>
      only === undefined ||
      only.split(',').some((text) => keyOf(one).includes(text) || one.requirement?.includes(text) === true),
  );
  if (cases.length === 0) throw new RangeError(`--only ${only ?? ''}: no case has that in its key or its requirement`);
  const plan: ProofPlan = {
    combinations,
    judged: cases.map(keyOf),
    // A fault that is new is judged by all sections first; its evidence is graded again once it is known.
    regraded: accept ? [] : regradedOf(cases.filter(({ kind }) => kind === 'fault')),
  };
  const folder = mkdtempSync(join(tmpdir(), 'dealership-conformance-proof-'));
  const file = join(folder, 'plan.json');
  const total = plan.judged.length + plan.regraded.length;
  const found: Outcome[] = [];
  const hear = (result: Outcome): void => {
    found.push(result);
    const problems = 'problems' in result ? result.problems : problemsOf(result);
    if (problems.length > 0) process.stdout.write(`${result.name}: ${problems.join('; ')}\n`);
    if (found.length % 50 === 0) {
      const minutes = (performance.now() - startedMs) / 60_000;
      process.stdout.write(`proof: ${found.length} of ${total} judged after ${minutes.toFixed(1)} min\n`);
    }
  };
  // A process that ends early leaves cases without a result, each of which fails.
  const judge = async (asked: ProofPlan, processes: number): Promise<void> => {
    writeFileSync(file, JSON.stringify(asked));
    await runShards(processes, file, hear).catch((error: unknown) => {
      process.stdout.write(`${String(error)}\n`);
    });
  };
  const isBusy = (key: string): boolean => key.startsWith('busy:');
  const waiting = new Set(cases.filter(({ waits }) => waits === true).map(keyOf));
  // What measures time comes when nothing else works.
  for (const isWaiting of [false, true]) {
    const isMeant = (key: string): boolean => !isBusy(key) && waiting.has(key) === isWaiting;
    const [judged, regraded] = [plan.judged.filter(isMeant), plan.regraded.filter(isMeant)];
    if (judged.length + regraded.length > 0) await judge({ ...plan, judged, regraded }, Number(values.processes));
  }
  const outcomes = (): CaseOutcome[] => found.filter((result): result is CaseOutcome => !('problems' in result));
  // Judged again, with nothing else beside it: once, real windows where noise may have hidden what they show; up to three times, the few that differ from the table.
  const again = new Set<string>();
  for (let round = 0; round < 3; round += 1) {
    const different = outcomes().filter(
      // What the table does not have is no chance.
      (one) =>
        problemsOf(one).length === 0 && table?.[keyOf(one)] !== undefined && differencesFrom(table, one).length > 0,
    );
    const doubtful = [
      ...(round === 0 ? outcomes().filter(isHidden) : []),
      ...(different.length <= mostNoise ? different : []),
    ];
    if (doubtful.length === 0) break;
    for (const one of doubtful) found.splice(found.indexOf(one), 1);
    const judged = doubtful.map(keyOf);
    for (const key of judged) again.add(key);
    await judge({ ...plan, judged, regraded: [] }, 1);
  }
  process.stdout.write(`proof: judged after ${((performance.now() - startedMs) / 60_000).toFixed(1)} min\n`);
  const busy = { ...plan, judged: plan.judged.filter(isBusy), regraded: [] };
  const [, ...results] = await Promise.all([judge(busy, 2), ...(only === undefined ? [run(simulations)] : [])]);
  if (only === undefined) results.push(await run(slowTests));
  rmSync(folder, { recursive: true });
  const expected =
    only === undefined && table !== null ? [...new Set([...plan.judged, ...Object.keys(table)])] : plan.judged;
  const seconds = (performance.now() - startedMs) / 1000;
  const codes = only === undefined ? statedCodes(join(root, 'dist')) : [];
  const document = proofDocument({ ...plan, judged: expected }, found, results, seconds, again, table, codes);
  mkdirSync(join(root, 'reports'), { recursive: true });
  writeTable(join(root, 'reports', 'proof-table.json'), tableOf(outcomes(), committed));
  if (accept) writeTable(tableFile, { ...(only === undefined ? {} : committed), ...tableOf(outcomes(), committed) });
  writeFileSync(join(root, 'reports', 'proof.json'), `${JSON.stringify(document, null, 2)}\n`);
  writeFileSync(join(root, 'reports', 'proof.md'), proofTable(document));
  const { passed, failed } = document.counts;
  process.stdout.write(
    `${document.failures.join('\n')}\nproof: ${document.seconds.toFixed(0)} s, see reports/proof.md\n`,
  );
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exitCode = failed === 0 ? 0 : 1;
}

await main();
