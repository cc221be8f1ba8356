import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Runs `shard INDEX COUNT …args` in `count` processes side by side; `done` hears what each line of them holds. Throws where a process fails. */
export async function runShards<Outcome>(
  shard: string,
  count: number,
  args: readonly string[],
  done: (outcome: Outcome) => void = () => undefined,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const one = async (index: number): Promise<void> => {
    const child = spawn(process.execPath, [shard, String(index), String(count), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const exit = once(child, 'exit');
    for await (const line of createInterface({ input: child.stdout })) {
      const outcome = JSON.parse(line) as Outcome;
      outcomes.push(outcome);
      done(outcome);
    }
    const [code] = (await exit) as [number | null];
    if (code !== 0) throw new Error(`shard ${index} ended with ${String(code)}: ${said.slice(0, 2000)}`);
  };
  await Promise.all(Array.from({ length: count }, (_, index) => one(index)));
  return outcomes;
}
