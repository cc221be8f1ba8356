import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { SettingsError } from '../target/settings-error.js';
import { conformingCases, faultyCases } from './steady-cases.js';
import { readSteadyArguments } from './steady-arguments.js';
import type { SteadyArguments } from './steady-arguments.js';
import { isWrong, steadyStatus, steadyTable } from './steady-table.js';
import type { SteadyOutcome } from './steady-table.js';

/** Ends with a sentence on what was asked wrongly. */
function refuse(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(2);
}

function asked(): SteadyArguments {
  try {
    return readSteadyArguments(process.argv.slice(2));
  } catch (error) {
    if (error instanceof SettingsError) return refuse(error.message);
    throw error;
  }
}

/**
 * Judges the limits of every conforming limiter again and again while busy loops burn the processor, and prints a table: none may be
 * blamed. `--match` takes the services whose name fits an expression. `--faults` judges faulty ones in the same noise: none may pass.
 */
const { times, atOnce, burn, minutes, match, faults, real } = asked();
const cases = (faults ? faultyCases() : conformingCases()).filter(({ name }) => match.test(name));
if (cases.length === 0)
  refuse(`--match is "${match.source}", which no service's name fits: without it, the table names them all.`);
const shard = fileURLToPath(new URL('steady-shard.js', import.meta.url));
const burners = Array.from({ length: burn }, () => new Worker('for (;;) {}', { eval: true }));
const until = performance.now() + minutes * 60_000;
const queue = Array.from({ length: times }, (_, round) => cases.map(({ name }) => ({ name, real, round }))).flat();
const outcomes: SteadyOutcome[] = [];

/** One judgement after another in a child. */
async function lane(child: ChildProcess): Promise<void> {
  for (let asked = queue.shift(); asked !== undefined && performance.now() < until; asked = queue.shift()) {
    const { name } = asked;
    const answer = once(child, 'message').then(([message]) => message as SteadyOutcome);
    child.send(asked);
    const outcome = await Promise.race([answer, once(child, 'exit').then(() => null)]);
    if (outcome === null) throw new Error(`the process that judged ${name} ended`);
    outcomes.push(outcome);
    process.stderr.write(
      `${outcomes.length}/${outcomes.length + queue.length} ${name}${isWrong(outcome) ? ' judged wrongly' : ''}\n`,
    );
  }
}

/** Each judgement has a process of its own, as in real runs, and they do not all begin at once. */
const apartMs = 10_000;
const children = Array.from({ length: atOnce }, () => fork(shard, { stdio: ['ignore', 'inherit', 'ignore', 'ipc'] }));
for (const child of children) child.setMaxListeners(0);
await Promise.all(
  children.map(async (child, at) => {
    await sleep(at * apartMs);
    await lane(child);
  }),
);
for (const child of children) child.disconnect();
for (const burner of burners) await burner.terminate();
const planned = times * cases.length;
process.stdout.write(steadyTable(outcomes, planned));
process.exitCode = steadyStatus(outcomes, planned);
