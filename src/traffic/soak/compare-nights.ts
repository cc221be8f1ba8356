import { randomFrom } from '../../run/random.js';
import { comparableNights, tooManyErrors } from './comparable-nights.js';
import type { Night } from './history.js';
import type { SoakReport } from './run-soak.js';

/** What a night's latency is, held against the nights before. */
export interface Comparison {
  readonly verdict: 'slower' | 'faster' | 'cannot tell';
  /** Share by which the 95th percentile changed once the machine's own change is taken out; 0.1 is 10 % slower. */
  readonly effect: number;
  /** How often a difference like this comes up where there is none. */
  readonly probability: number;
  readonly nights: number;
  readonly reason: string;
}

const rounds = 4_000;
const certain = 0.01;
const smallestEffect = 0.05;
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

/** A night's windows with the control's median taken out, in blocks. */
function blocksOf(night: Night): number[][] {
  const machine = night.control === null ? 0 : median(logs(night.control));
  const values = logs(night.service).map((value) => value - machine);
  const blocks: number[][] = [];
  for (let at = 0; at + blockWindows <= values.length; at += blockWindows)
    blocks.push(values.slice(at, at + blockWindows));
  return blocks;
}

/** Two-sided 1 % points of Student's t by degrees of freedom, from 2 on. */
const studentT = [9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.25];

/** How far one more night may lie from the earlier ones by what those differ among themselves; the fewer they are, the further. */
function nightlySpread(centres: readonly number[]): number {
  const mean = centres.reduce((sum, one) => sum + one, 0) / centres.length;
  const variance = centres.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (centres.length - 1);
  return (studentT[centres.length - 3] ?? 3.25) * Math.sqrt(variance * (1 + 1 / centres.length));
}

/**
 * Compares tonight with up to ten nights before under the same conditions. Two things must agree before a word is said: a permutation
 * test over blocks of windows, and that tonight lies outside the 99 % prediction interval of the earlier nights' medians. Without a
 * control the machine may be the reason, and then nothing is said; nor is it of nights in which a good part went wrong.
 */
export function compareNights(tonight: Night, earlier: readonly Night[], seed = 1): Comparison {
  const { nights, leftOut } = comparableNights(tonight, earlier);
  const others = nights.map(blocksOf).filter((blocks) => blocks.length > 0);
  const without = leftOut === 0 ? '' : ` (${leftOut} more left out for their errors)`;
  const mine = blocksOf(tonight);
  const silent = (reason: string, effect = 0, probability = 1): Comparison => ({
    verdict: 'cannot tell',
    effect,
    probability,
    nights: others.length,
    reason,
  });
  if (tonight.service.ended !== 'complete') return silent('tonight was ended early');
  const wrong = tooManyErrors(tonight);
  if (wrong !== null) return silent(`${wrong}, and how long an error takes is not how fast a service is`);
  if (others.length < 3)
    return silent(`${others.length} comparable nights before this one${without}, where 3 are needed`);
  if (mine.length < 5)
    return silent(
      `${mine.length} blocks of ${blockWindows} windows (${tonight.service.windowSeconds} s each) tonight, where 5 are needed`,
    );
  const centres = others.map((blocks) => median(blocks.flat()));
  const before = median(centres);
  const shift = median(mine.flat()) - before;
  const effect = Math.exp(shift) - 1;
  const pool = [...mine, ...others.flat()].map(median);
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
  const probability = asLarge / (rounds + 1);
  const percent = `${effect >= 0 ? '+' : ''}${(100 * effect).toFixed(1)} %`;
  const against = `against ${others.length} nights${without}`;
  if (tonight.control === null)
    return silent(
      `${percent} ${against}, but without the reference service as control it may be the machine`,
      effect,
      probability,
    );
  if (probability > certain)
    return silent(
      `${percent} ${against}, which chance gives with probability ${probability.toFixed(3)}`,
      effect,
      probability,
    );
  if (Math.abs(shift) < Math.max(nightlySpread(centres), Math.log(1 + smallestEffect))) {
    return silent(`${percent} ${against}, within what nights differ among themselves`, effect, probability);
  }
  const reason = `${percent} in the 95th percentile ${against}, the control taken out (p = ${probability.toFixed(4)})`;
  return { verdict: shift > 0 ? 'slower' : 'faster', effect, probability, nights: others.length, reason };
}
