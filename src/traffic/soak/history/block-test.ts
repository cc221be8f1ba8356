import { randomFrom } from '../../../run/random.js';
import type { SoakReport, SoakWindow } from '../run-soak.js';

const rounds = 4_000;
/** Neighbouring windows are correlated, so the permutation test moves blocks of them. */
export const blockWindows = 6;

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length === 0 ? 0 : ((sorted[Math.floor(middle - 0.5)] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, one) => sum + one, 0) / values.length;
}

/** The mean of the middle half: as robust as a median against a few slow windows, and closer to the level of all others. */
export function midmean(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const cut = Math.floor(sorted.length / 4);
  return mean(sorted.slice(cut, sorted.length - cut));
}

/** A figure of each window of a soak, in whole blocks; windows without the figure (null) are left out. */
export function blocksOf(report: SoakReport, figure: (window: SoakWindow) => number | null): number[][] {
  const values = report.windows.filter(({ due }) => due > 0).flatMap((window) => figure(window) ?? []);
  const blocks: number[][] = [];
  for (let at = 0; at + blockWindows <= values.length; at += blockWindows)
    blocks.push(values.slice(at, at + blockWindows));
  return blocks;
}

/** Permutation test: the share of random assignments of blocks to the latest and earlier runs whose centres differ at least as much. */
export function byChance(
  mine: readonly number[],
  others: readonly number[],
  centre: (values: readonly number[]) => number,
  seed: number,
): number {
  const pool = [...mine, ...others];
  const gap = (values: readonly number[]): number =>
    Math.abs(centre(values.slice(0, mine.length)) - centre(values.slice(mine.length)));
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
