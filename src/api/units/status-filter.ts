import type { Check } from '../../run/index.js';
import { asObject, idOf } from '../../service/index.js';

/** The query of the list filtered by status=available. */
export const onlyAvailable = [['status', 'available']] as const;

/** A status that no unit has. */
export const unknownStatus = (check: Check): string => `no-such-${check.fresh('status').slice(0, 8)}`;

/** The status that a record shows, or null. */
export function statusOf(record: unknown): string | null {
  const status = asObject(record)?.['status'];
  return typeof status === 'string' ? status : null;
}

/** Ids of the records that have a status, or one that is not `status`. */
export function idsWithStatus(items: readonly unknown[], status: string, isNot = false): string[] {
  return items.flatMap((item) => {
    const [id, shown] = [idOf(item), statusOf(item)];
    return id !== null && shown !== null && (shown === status) !== isNot ? [id] : [];
  });
}
