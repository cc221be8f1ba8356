import type { TraceRecord } from './trace.js';

/** One write in each block of this many requests; the others are reads. */
export const blockSize = 21;
/** A service that counts writes like reads shows this pattern by chance in less than one of this many runs. */
const chance = 1e5;

/**
 * Writes that are accepted where the reads around them are refused. Each stands at a random place in a block of reads: were it counted like
 * them, it would be accepted as rarely as they are. Null where that may be chance, or where any such write was refused.
 */
export function judgeUncountedWrites(records: readonly TraceRecord[]): string | null {
  let odds = 1;
  let accepted = 0;
  let reads = 0;
  for (let from = 0; from < records.length; from += blockSize) {
    const block = records.slice(from, from + blockSize);
    const write = block.find(({ asked }) => asked === 'create');
    const others = block.filter((one) => one !== write && (one.outcome === 'accepted' || one.outcome === 'refused'));
    const passed = others.filter(({ outcome }) => outcome === 'accepted').length;
    if (write === undefined || others.length < blockSize / 2 || passed > others.length / 2) continue;
    if (write.outcome === 'refused') return null;
    if (write.outcome !== 'accepted') continue;
    accepted += 1;
    reads += others.length - passed;
    odds *= (others.length + 1) / (passed + 1);
  }
  return odds < chance
    ? null
    : `all ${accepted} creates were accepted while the limit was used up: ${reads} reads with the same key around them were refused`;
}
