import { setTimeout as sleep } from 'node:timers/promises';
import type { Check } from '../run/check.js';

/**
 * Pause before each try, in milliseconds. Reads may lag a few seconds behind writes: the first three tries outlast a record that is new, and the last
 * one a record that was deleted meanwhile.
 */
const waitsMs = [0, 2_000, 2_000, 4_000];

/**
 * Repeats a search for violations up to four times and returns those found every time. This excludes changes by another user between two
 * requests and lagging reads.
 */
export async function persistent<T>(
  { run }: { readonly run: Pick<Check['run'], 'patience'> },
  look: (round: number) => Promise<readonly T[]>,
  keyOf: (one: T) => unknown = (one) => one,
): Promise<readonly T[]> {
  let found = await look(0);
  for (let round = 1; round < waitsMs.length && found.length > 0; round += 1) {
    await sleep((waitsMs[round] ?? 0) * run.patience);
    const before = new Set(found.map(keyOf));
    found = (await look(round)).filter((one) => before.has(keyOf(one)));
  }
  return found;
}
