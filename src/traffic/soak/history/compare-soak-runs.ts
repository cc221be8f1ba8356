import { randomFrom } from '../../../run/random.js';
import { comparableRuns, tooManyErrors } from './comparable-runs.js';
import type { SoakRun } from './history.js';
import { latencyShift, type RunLevel } from './ancova.js';
import type { SoakReport } from '../run-soak.js';

/** What a night's latency is, held against the nights before. */
export interface SoakComparison {
  readonly verdict: 'slower' | 'faster' | 'cannot tell';
  /** Share by which the 95th percentile changed once the machine's own change is taken out; 0.1 is 10 % slower. */
  readonly effect: number;
  /** How often a difference like this comes up where there is none, at most. */
  readonly probability: number;
  readonly runs: number;
  readonly reason: string;
}

const rounds = 4_000;
const certain = 0.01;
const smallestEffect = 0.05;
/** Two runs give a level and a share; with only one more, only certain changes could be reported. */
const fewestNights = 4;
/** Neighbouring windows resemble each other: they change places in blocks only. */
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

/** A night's windows in blocks, and the level of its control. */
interface Blocked {
  readonly blocks: readonly (readonly number[])[];
  readonly control: number;
}

function blocksOf(night: SoakRun): Blocked {
  const values = logs(night.service);
  const blocks: number[][] = [];
  for (let at = 0; at + blockWindows <= values.length; at += blockWindows)
    blocks.push(values.slice(at, at + blockWindows));
  return { blocks, control: night.control === null ? 0 : median(logs(night.control)) };
}

function levelOf({ blocks, control }: Blocked): RunLevel {
  return { service: median(blocks.flat()), control };
}

/** How often blocks that change places at random between tonight and the earlier nights differ as much as they do. */
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
 * Compares tonight with up to ten nights before under the same conditions. Two things must agree before a word is said: that
 * nights of one service seldom lie so far apart, the machine's changes taken out as far as the service shares them, and a permutation test
 * over blocks of windows. Without a control the machine may be the reason, and then nothing is said; nor is it of nights in which a good
 * part went wrong.
 */
export function compareSoakRuns(tonight: SoakRun, earlier: readonly SoakRun[], seed = 1): SoakComparison {
  const { nights, leftOut, otherControl } = comparableRuns(tonight, earlier);
  const others = nights.map(blocksOf).filter(({ blocks }) => blocks.length > 0);
  const without = leftOut === 0 ? '' : ` (${leftOut} more left out for their errors)`;
  const mine = blocksOf(tonight);
  const silent = (reason: string, effect = 0, probability = 1): SoakComparison => ({
    verdict: 'cannot tell',
    effect,
    probability,
    runs: others.length,
    reason,
  });
  if (tonight.service.ended !== 'complete') return silent('this run was ended early');
  const wrong = tooManyErrors(tonight);
  if (wrong !== null) return silent(`${wrong}, and how long an error takes is not how fast a service is`);
  if (others.length < fewestNights)
    return silent(
      `${others.length} comparable earlier runs${without}, where ${fewestNights} are needed${otherControl === 0 ? '' : `; the history starts again, as ${otherControl} earlier runs loaded the reference service for another length of time`}`,
    );
  if (mine.blocks.length < 5)
    return silent(
      `${mine.blocks.length} blocks of ${blockWindows} windows (${tonight.service.windowSeconds} s each) in this run, where 5 are needed`,
    );
  const { shift, share, probability: amongNights } = latencyShift(levelOf(mine), others.map(levelOf));
  const effect = Math.exp(shift) - 1;
  const plain = ({ blocks, control }: Blocked): number[] => blocks.map((block) => median(block) - share * control);
  // What nights do by themselves needs no second opinion.
  const amongBlocks = amongNights > certain ? 0 : byChance(plain(mine), others.flatMap(plain), seed);
  const probability = Math.max(amongNights, amongBlocks);
  const percent = `${effect >= 0 ? '+' : ''}${(100 * effect).toFixed(1)} %`;
  const against = `against ${others.length} earlier runs${without}`;
  if (tonight.control === null)
    return silent(
      `${percent} ${against}, but without the same load on the reference service it may be the machine`,
      effect,
      probability,
    );
  if (probability > certain)
    return silent(
      `${percent} ${against}, which runs of one service give with probability ${probability.toFixed(3)}`,
      effect,
      probability,
    );
  if (Math.abs(shift) < Math.log(1 + smallestEffect))
    return silent(`${percent} ${against}, too little to speak of`, effect, probability);
  const reason = `${percent} in the 95th percentile ${against}, the machine's own change taken out (p = ${probability.toFixed(4)})`;
  return { verdict: shift > 0 ? 'slower' : 'faster', effect, probability, runs: others.length, reason };
}
