import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { conformingCases, faultyCases } from './steady-cases.js';
import { isWrong, steadyTable } from './steady-table.js';
import type { SteadyOutcome } from './steady-table.js';

/**
 * Judges the limits of every conforming limiter again and again while busy loops burn the processor, and prints a table: none may be
 * blamed. `--match` takes the services whose name fits an expression. `--faults` judges faulty ones in the same noise: none may pass.
 */
const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '10' },
    'at-once': { type: 'string', default: '3' },
    burn: { type: 'string', default: '2' },
    minutes: { type: 'string', default: '30' },
    match: { type: 'string', default: '' },
    faults: { type: 'boolean', default: false },
    real: { type: 'boolean', default: false },
  },
});

const shard = fileURLToPath(new URL('steady-shard.js', import.meta.url));
const burners = Array.from({ length: Number(values.burn) }, () => new Worker('for (;;) {}', { eval: true }));
const until = performance.now() + Number(values.minutes) * 60_000;
const cases = (values.faults ? faultyCases() : conformingCases()).filter(({ name }) =>
  new RegExp(values.match).test(name),
);
const queue = Array.from({ length: Number(values.times) }, (_, round) =>
  cases.map(({ name }) => ({ name, real: values.real, round })),
).flat();
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
const atOnce = Number(values['at-once']);
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
process.stdout.write(steadyTable(outcomes));
process.exitCode = outcomes.some(isWrong) ? 1 : 0;
