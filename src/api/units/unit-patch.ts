import { readOnlyNames } from '../../openapi/schema/read-only.js';
import { follow } from '../../openapi/schema/resolve.js';
import type { Check } from '../../run/check.js';
import { asArray, asObject } from '../json.js';
import { paths } from '../paths.js';

/** A change of one field that can be seen afterwards. */
export interface VisiblePatch {
  readonly field: string;
  readonly value: unknown;
  readonly body: Record<string, unknown>;
}

/** Another value of the same kind as `old`: a number a little larger, a text with a mark, another member of an enumeration. */
function otherThan(old: unknown, schema: Record<string, unknown> | null, mark: string): unknown {
  const choices = asArray(schema?.['enum']);
  if (choices !== null) return choices.find((choice) => choice !== old && choice !== null);
  if (typeof old === 'number') return old + (Number.isInteger(old) ? 1 : 0.5);
  if (typeof old === 'string' && !/^\d{4}-\d\d-\d\d|^https?:|@/.test(old))
    return `${old} ${mark}`.slice(0, Math.max(40, old.length));
  return undefined;
}

/** As `visibleChange`, for a unit, in a field that is not `taken`. */
export function visiblePatch(
  check: Check,
  id: string,
  record: Record<string, unknown>,
  taken?: string,
): Promise<VisiblePatch | null> {
  const isKept = (field: string): boolean => field === taken || /^(id|vin|status|.*At|year)$/i.test(field);
  return visibleChange(check, paths.unit(id), record, isKept);
}

/**
 * A partial change that the declared PATCH allows and that changes a shown field of `record`, unless `isKept` names it; null where none
 * exists. `named` identifies the record where the path does not.
 */
export async function visibleChange(
  check: Check,
  path: string,
  record: Record<string, unknown>,
  isKept: (field: string) => boolean,
  named: Readonly<Record<string, unknown>> = {},
): Promise<VisiblePatch | null> {
  const { contract } = await check.contract();
  const operation = contract.operation('PATCH', path);
  if (operation?.requestPointer == null) return null;
  const schema = follow(contract.document, operation.requestSchema, operation.requestPointer)?.node;
  const properties = asObject(schema?.['properties']) ?? {};
  const hidden = readOnlyNames(contract.document, operation.requestSchema);
  const numbersFirst = Object.keys(properties).sort(
    (a, b) => Number(typeof record[b] === 'number') - Number(typeof record[a] === 'number'),
  );
  for (const field of numbersFirst) {
    if (hidden.has(field) || isKept(field)) continue;
    const value = otherThan(record[field], follow(contract.document, properties[field], '')?.node ?? null, 'changed');
    const body = { ...named, [field]: value };
    if (value !== undefined && value !== record[field] && contract.validateRequest('PATCH', path, body).length === 0)
      return { field, value, body };
  }
  return null;
}
