import type { Check } from '../../run/index.js';
import { asObject, idOf } from '../../service/index.js';

/** The query of the list filtered by status=available. */
export const onlyAvailable = [['status', 'available']] as const;

/** A status that no unit has. */
export const unknownStatus = (check: Check): string => `no-such-${check.fresh('status').slice(0, 8)}`;

/** Ids of the records that have a status, or one that is not `status`. */
export function idsWithStatus(items: readonly unknown[], status: string, isNot = false): string[] {
  return items.flatMap((item) => {
    const [id, shown] = [idOf(item), asObject(item)?.['status']];
    return id !== null && typeof shown === 'string' && (shown === status) !== isNot ? [id] : [];
  });
}
