import { setTimeout as sleep } from 'node:timers/promises';
import type { Check } from '../run/index.js';

/**
 * Pause before each try, in milliseconds. Reads may lag a few seconds behind writes: the first three tries outlast a record that is new, and the last
 * one a record that was deleted meanwhile.
 */
const confirmWaitsMs = [0, 2_000, 2_000, 4_000];

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
  for (let round = 1; round < confirmWaitsMs.length && found.length > 0; round += 1) {
    await sleep((confirmWaitsMs[round] ?? 0) * run.patience);
    const before = new Set(found.map(keyOf));
    found = (await look(round)).filter((one) => before.has(keyOf(one)));
  }
  return found;
}

/** Pause before each try, in milliseconds: the specification leaves open how soon a read shows a write. */
const settleWaitsMs = [0, 300, 700, 2000, 3000, 4000];

/** How long {@link settled} waits in all, in seconds. */
export const patienceSeconds = settleWaitsMs.reduce((sum, ms) => sum + ms, 0) / 1000;

/** Reads again, over ten seconds, until a reading shows what was written; the first reading that does, or else the last. */
export async function settled<T>(
  { run }: { readonly run: Pick<Check['run'], 'patience'> },
  read: () => Promise<T>,
  showsIt: (reading: T) => boolean,
): Promise<T> {
  for (let round = 0; ; round += 1) {
    await sleep((settleWaitsMs[round] ?? 0) * run.patience);
    const reading = await read();
    if (showsIt(reading) || round === settleWaitsMs.length - 1) return reading;
  }
}
