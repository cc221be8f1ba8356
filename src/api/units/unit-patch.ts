import { follow, readOnlyNames } from '../../openapi/index.js';
import type { Exchange } from '../../http/index.js';
import type { Check } from '../../run/index.js';
import { asArray, asObject, paths, quote, sameJson } from '../../service/index.js';

/** A change of one field that can be seen afterwards. */
export interface VisiblePatch {
  readonly field: string;
  readonly value: unknown;
  readonly body: Record<string, unknown>;
  /** Whether the value was drawn, so that nobody else is likely to write the same at the same time. */
  readonly isDrawn: boolean;
}

/** Other values of the same kind as `old`, best first: a number that is larger by a drawn one or by one, a text with a mark, another member of an enumeration. */
function othersThan(
  old: unknown,
  schema: Record<string, unknown> | null,
  draw: () => string,
  mark = ` ${draw().slice(0, 4)}`,
): readonly unknown[] {
  const choices = asArray(schema?.['enum']);
  if (choices !== null) return choices.filter((choice) => choice !== old && choice !== null).slice(0, 1);
  if (typeof old === 'number') {
    const step = Number.isInteger(old) ? 1 : 0.5;
    return [old + step + Number.parseInt(draw().slice(0, 4), 16), old + step];
  }
  if (typeof old === 'string' && !/^\d{4}-\d\d-\d\d|^https?:|@/.test(old))
    return [`${old}${mark}`.slice(0, Math.max(40, old.length))];
  return [];
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
  const schemas = await inputSchemas(check, 'PATCH', path);
  // Numbers are easy to draw, and fractions are easy to lose.
  const rank = (name: string): number =>
    typeof record[name] !== 'number' ? 0 : Number.isInteger(record[name]) ? 1 : 2;
  const numbersFirst = [...schemas.keys()].sort((a, b) => rank(b) - rank(a));
  for (const field of numbersFirst) {
    if (isKept(field) || record[field] === undefined) continue;
    const schema = schemas.get(field) ?? null;
    for (const [at, value] of othersThan(record[field], schema, () => check.fresh('change')).entries()) {
      const body = { ...named, [field]: value };
      if (value !== record[field] && contract.validateRequest('PATCH', path, body).length === 0)
        return { field, value, body, isDrawn: at === 0 && schema?.['enum'] === undefined };
    }
  }
  return null;
}

/** A change leaves alone what was sent before and it does not name, as far as one operation shows it before and after. */
export function judgeLeftAlone(
  check: Check,
  { field }: VisiblePatch,
  record: Readonly<Record<'sent' | 'before' | 'now', Readonly<Record<string, unknown>> | null>>,
  exchanges: readonly Exchange[],
): void {
  const { sent, before, now } = record;
  for (const [name, value] of Object.entries(now === null ? {} : (sent ?? {}))) {
    const [old, left] = [before?.[name], now?.[name]];
    if (name === field || name === 'status' || !/^(string|number|boolean)$/.test(typeof value)) continue;
    if (!sameJson(old, value) || sameJson(old, left)) continue;
    check.fail({
      expected: `${name} to stay ${quote(old)}, as the change named ${field} only`,
      actual: left === undefined ? 'it is not shown any more' : quote(left),
      exchanges,
    });
  }
}

/** The fields that an operation declares in its body, with their schemas. */
export async function inputSchemas(
  check: Check,
  method: 'POST' | 'PATCH',
  path: string,
): Promise<ReadonlyMap<string, Record<string, unknown> | null>> {
  const { contract } = await check.contract();
  const operation = contract.operation(method, path);
  if (operation?.requestPointer == null) return new Map();
  const schema = follow(contract.document, operation.requestSchema, operation.requestPointer)?.node;
  const hidden = readOnlyNames(contract.document, operation.requestSchema);
  return new Map(
    Object.entries(asObject(schema?.['properties']) ?? {})
      .filter(([name]) => !hidden.has(name))
      .map(([name, property]) => [name, follow(contract.document, property, '')?.node ?? null]),
  );
}

/** Changes of these texts of a unit that the declared PATCH allows: of all with a letter beyond ASCII, of all without one, and of each. */
export async function textChanges(
  check: Check,
  id: string,
  record: Record<string, unknown>,
  names: readonly string[],
): Promise<readonly Record<string, unknown>[]> {
  const { contract } = await check.contract();
  const path = paths.unit(id);
  const schemas = await inputSchemas(check, 'PATCH', path);
  const withMark = (mark: string): Record<string, unknown> => {
    const body: Record<string, unknown> = {};
    for (const name of names.filter((one) => schemas.has(one))) {
      const [value = record[name]] = othersThan(record[name], schemas.get(name) ?? null, () => '', mark);
      if (value !== record[name] && contract.validateRequest('PATCH', path, { [name]: value }).length === 0)
        body[name] = value;
    }
    return body;
  };
  const plain = withMark(' changed');
  const bodies = [withMark(' \u00e9'), plain, ...Object.entries(plain).map(([name, value]) => ({ [name]: value }))];
  return bodies.filter((body) => Object.keys(body).length > 0);
}
