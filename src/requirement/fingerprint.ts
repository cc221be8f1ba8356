import { createHash } from 'node:crypto';
import type { Finding } from './types.js';

/** A check reports at most this many findings, so a result with as many may have more. */
export const mostFindings = 20;

/** Whatever holds a digit differs from run to run (ids, times, counts). */
function withoutNumbers(text: string): string {
  return text.replace(/[\w-]+(?:\.\d+)?/g, (word) => (/\d/.test(word) ? '#' : word));
}

/**
 * Sixteen hex digits that the same breach has in every run: of the requirement, what it expects and the place, whatever was seen there. Those
 * of earlier versions had twelve.
 */
export function fingerprintOf(id: string, { expected, place = {} }: Pick<Finding, 'expected' | 'place'>): string {
  const { operation, as, way, field, status } = place;
  return createHash('sha256')
    .update(JSON.stringify([id, withoutNumbers(expected), operation, as, way, field, status]))
    .digest('hex')
    .slice(0, 16);
}
