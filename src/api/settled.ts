import { setTimeout as sleep } from 'node:timers/promises';
import type { Check } from '../run/check.js';

/** Pause before each try, in milliseconds: the specification leaves open how soon a read shows a write. */
const waitsMs = [0, 300, 700, 2000, 3000, 4000];

/** How long {@link settled} waits in all, in seconds. */
export const patienceSeconds = waitsMs.reduce((sum, ms) => sum + ms, 0) / 1000;

/** Reads again, over ten seconds, until a reading shows what was written; the first reading that does, or else the last. */
export async function settled<T>(
  { run }: { readonly run: Pick<Check['run'], 'patience'> },
  read: () => Promise<T>,
  showsIt: (reading: T) => boolean,
): Promise<T> {
  for (let round = 0; ; round += 1) {
    await sleep((waitsMs[round] ?? 0) * run.patience);
    const reading = await read();
    if (showsIt(reading) || round === waitsMs.length - 1) return reading;
  }
}
