import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const counter = fileURLToPath(new URL('../dist/src/count-steps.test-kit.js', import.meta.url));

/**
 * The number of code blocks that a task executes at each size: unlike time, the same in every run and on every machine. Work inside V8
 * (sorting without a comparator, regular expressions, copying) is not counted, but the whole must end within 90 s.
 * @param name a module `NAME.cost.test-kit.ts` below `src`, such as `ratelimit/oracle`
 * @param work an export `(size) => () => void`; preparation in the outer function is not counted
 */
async function stepsOf(name: string, work: string, sizes: readonly number[]): Promise<number[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [counter, name, work, ...sizes.map(String)], {
    timeout: 90_000,
    killSignal: 'SIGKILL',
  });
  return JSON.parse(stdout) as number[];
}

/** How many times more steps four times the size takes: about 4 where they are proportional, 16 where they are quadratic. */
export async function growth(name: string, work: string, size: number): Promise<number> {
  const [small = 0, large = 0] = await stepsOf(name, work, [size, 4 * size]);
  return large / small;
}
