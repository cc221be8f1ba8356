import { createHash } from 'node:crypto';
import type { Finding } from './types.js';

/** A check reports at most this many findings, so a result with as many may have more. */
export const mostFindings = 20;

/** Whatever holds a digit differs from run to run (ids, times, counts); statuses do not. */
function withoutNumbers(text: string): string {
  return text.replace(/[\w-]+(?:\.\d+)?/g, (word) => (/\d/.test(word) && !/^[1-5]\d\d$/.test(word) ? '#' : word));
}

/** Twelve hex digits that the same breach has in every run: of the requirement, and of what was expected and seen. */
export function fingerprintOf(id: string, { expected, actual }: Pick<Finding, 'expected' | 'actual'>): string {
  return createHash('sha256')
    .update([id, withoutNumbers(expected), withoutNumbers(actual)].join('\n'))
    .digest('hex')
    .slice(0, 12);
}
