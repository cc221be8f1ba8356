import type { Check } from '../../run/index.js';
import { asObject } from '../../service/index.js';

/** The query of the list filtered by status=available. */
export const onlyAvailable = [['status', 'available']] as const;

/** A status that no unit has. */
export const unknownStatus = (check: Check): string => `no-such-${check.fresh('status').slice(0, 8)}`;

/** The status that a record shows, or null. */
export function statusOf(record: unknown): string | null {
  const status = asObject(record)?.['status'];
  return typeof status === 'string' ? status : null;
}
