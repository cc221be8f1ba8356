import { randomFrom } from '../../../run/random.js';
import { comparableRuns, tooManyErrors } from './comparable-runs.js';
import type { SoakRun } from './history.js';
import { latencyShift, type RunLevel } from './ancova.js';
import type { SoakReport } from '../run-soak.js';

/** The latency of a soak run compared with earlier runs. */
export interface SoakComparison {
  readonly verdict: 'slower' | 'faster' | 'cannot tell';
  readonly reason: string;
}

const rounds = 4_000;
const certain = 0.01;
const smallestEffect = 0.05;
/** Two runs give a level and a share; with only one more, only certain changes could be reported. */
const fewestRuns = 4;
/** Neighbouring windows are correlated, so the permutation test moves blocks of them. */
const blockWindows = 6;

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length === 0 ? 0 : ((sorted[Math.floor(middle - 0.5)] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

function logs(report: SoakReport): number[] {
  return report.windows
    .filter((window) => window.p95Ms > 0 && window.due > window.errors)
    .map((window) => Math.log(window.p95Ms));
}

/** Windows of a soak run in blocks, and the level of its control. */
type Blocked = ReturnType<typeof blocksOf>;

function blocksOf(run: SoakRun) {
  const values = logs(run.service);
  const blocks: number[][] = [];
  for (let at = 0; at + blockWindows <= values.length; at += blockWindows)
    blocks.push(values.slice(at, at + blockWindows));
  return { blocks, control: run.control === null ? 0 : median(logs(run.control)) };
}

function levelOf({ blocks, control }: Blocked): RunLevel {
  return { service: median(blocks.flat()), control };
}

/** Permutation test: the share of random assignments of blocks to the current and earlier runs whose medians differ at least as much. */
function byChance(mine: readonly number[], others: readonly number[], seed: number): number {
  const pool = [...mine, ...others];
  const gap = (values: readonly number[]): number =>
    Math.abs(median(values.slice(0, mine.length)) - median(values.slice(mine.length)));
  const seen = gap(pool);
  const random = randomFrom(seed);
  let asLarge = 1;
  for (let round = 0; round < rounds; round += 1) {
    const shuffled = [...pool];
    for (let at = shuffled.length - 1; at > 0; at -= 1) {
      const other = Math.floor(random() * (at + 1));
      [shuffled[at], shuffled[other]] = [shuffled[other] ?? 0, shuffled[at] ?? 0];
    }
    if (gap(shuffled) >= seen - 1e-12) asLarge += 1;
  }
  return asLarge / (rounds + 1);
}

/**
 * Compares the current run with up to ten earlier runs under the same conditions. Reports a change only where two tests agree: an analysis
 * of covariance over runs, which subtracts the machine's change, and a permutation test over blocks of windows. Reports none without a
 * control, because the machine may be the cause, and none for runs with many errors.
 */
export function compareSoakRuns(current: SoakRun, earlier: readonly SoakRun[], seed = 1): SoakComparison {
  const { runs, leftOut, otherControl } = comparableRuns(current, earlier);
  const others = runs.map(blocksOf).filter(({ blocks }) => blocks.length > 0);
  const without = leftOut === 0 ? '' : ` (${leftOut} more left out for their errors)`;
  const mine = blocksOf(current);
  const silent = (reason: string): SoakComparison => ({ verdict: 'cannot tell', reason });
  if (current.service.ended !== 'complete') return silent('this run was ended early');
  const wrong = tooManyErrors(current);
  if (wrong !== null) return silent(`${wrong}, and how long an error takes is not how fast a service is`);
  if (others.length < fewestRuns)
    return silent(
      `${others.length} comparable earlier runs${without}, where ${fewestRuns} are needed${otherControl === 0 ? '' : `; the history starts again, as ${otherControl} earlier runs loaded the reference service for another length of time`}`,
    );
  if (mine.blocks.length < 5)
    return silent(
      `${mine.blocks.length} blocks of ${blockWindows} windows (${current.service.windowSeconds} s each) in this run, where 5 are needed`,
    );
  const { shift, share, probability: amongRuns } = latencyShift(levelOf(mine), others.map(levelOf));
  // The share by which the 95th percentile changed once the machine's own change is taken out.
  const effect = Math.exp(shift) - 1;
  const plain = ({ blocks, control }: Blocked): number[] => blocks.map((block) => median(block) - share * control);
  // The permutation test is slow, so it runs only where the first test found a change.
  const amongBlocks = amongRuns > certain ? 0 : byChance(plain(mine), others.flatMap(plain), seed);
  // The upper bound of the p value.
  const probability = Math.max(amongRuns, amongBlocks);
  const percent = `${effect >= 0 ? '+' : ''}${(100 * effect).toFixed(1)} %`;
  const against = `against ${others.length} earlier runs${without}`;
  if (current.control === null)
    return silent(`${percent} ${against}, but without the same load on the reference service it may be the machine`);
  if (probability > certain)
    return silent(`${percent} ${against}, which runs of one service give with probability ${probability.toFixed(3)}`);
  if (Math.abs(shift) < Math.log(1 + smallestEffect)) return silent(`${percent} ${against}, too little to speak of`);
  const reason = `${percent} in the 95th percentile ${against}, the machine's own change taken out (p = ${probability.toFixed(4)})`;
  return { verdict: shift > 0 ? 'slower' : 'faster', reason };
}
