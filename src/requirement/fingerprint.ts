import { createHash } from 'node:crypto';
import type { Finding } from './types.js';

/** A check reports at most this many findings, so a result with as many may have more. */
export const mostFindings = 20;

/**
 * Twenty hex digits that the same breach has in every run and in every version: of the requirement, the code and the place, however it is
 * worded and whatever was seen there. Those of the wording, in earlier versions, had twelve or sixteen.
 */
export function fingerprintOf(
  id: string,
  { code, place = {} }: Pick<Finding, 'place'> & { readonly code: string },
): string {
  const { operation, as, way, field, status } = place;
  return createHash('sha256')
    .update(JSON.stringify([id, code, operation, as, way, field, status]))
    .digest('hex')
    .slice(0, 20);
}
