import { follow, readOnlyNames } from '../../openapi/index.js';
import type { Check } from '../../run/index.js';
import { asArray, asObject, paths } from '../../service/index.js';

type Json = Record<string, unknown>;

/** A change of one field that can be seen afterwards. */
export interface VisiblePatch {
  readonly field: string;
  readonly value: unknown;
  readonly body: Json;
}

/** Other values of the same kind as `old`, best first: a number that is larger by a drawn one or by one, a text with a mark, another member of an enumeration. */
function othersThan(old: unknown, schema: Json | null, draw: () => string, mark = ` ${draw().slice(0, 4)}`): unknown[] {
  const choices = asArray(schema?.['enum']);
  if (choices !== null) return choices.filter((choice) => choice !== old && choice !== null).slice(0, 1);
  if (typeof old === 'number') {
    const step = Number.isInteger(old) ? 1 : 0.5;
    // Cents stay cents.
    return [old + step + Number.parseInt(draw().slice(0, 4), 16), old + step].map((one) => Number(one.toFixed(2)));
  }
  if (typeof old === 'string' && !/^\d{4}-\d\d-\d\d|^https?:|@/.test(old))
    return [`${old}${mark}`.slice(0, Math.max(40, old.length))];
  return [];
}

/** As `visibleChanges`, the best one for a unit; null where none exists. */
export async function visiblePatch(check: Check, id: string, record: Json): Promise<VisiblePatch | null> {
  return (await visibleChanges(check, paths.unit(id), record, isKeptOfUnit))[0] ?? null;
}

const isKeptOfUnit = (field: string): boolean => /^(id|vin|status|.*At|year)$/i.test(field);

/**
 * Partial changes that the declared PATCH allows, each of one shown field of `record` that `isKept` does not name, numbers first. `named`
 * identifies the record where the path does not; `mark` is what a text is changed by, unless by a drawn one.
 */
export async function visibleChanges(
  check: Check,
  path: string,
  record: Json,
  isKept: (field: string) => boolean,
  named: Readonly<Json> = {},
  mark?: string,
): Promise<readonly VisiblePatch[]> {
  const { contract } = await check.contract();
  const schemas = await inputSchemas(check, 'PATCH', path);
  // Numbers are easy to draw, and fractions are easy to lose.
  const rank = (name: string): number =>
    typeof record[name] !== 'number' ? 0 : Number.isInteger(record[name]) ? 1 : 2;
  const fields = [...schemas.keys()].filter((field) => !isKept(field) && record[field] !== undefined);
  return fields
    .sort((a, b) => rank(b) - rank(a))
    .flatMap((field) =>
      othersThan(record[field], schemas.get(field) ?? null, () => check.fresh('change'), mark)
        .map((value) => ({ field, value, body: { ...named, [field]: value } }))
        .filter(
          ({ value, body }) => value !== record[field] && contract.validateRequest('PATCH', path, body).length === 0,
        )
        .slice(0, 1),
    );
}

/** The fields that an operation declares in its body, with their schemas. */
export async function inputSchemas(
  check: Check,
  method: 'POST' | 'PATCH',
  path: string,
): Promise<ReadonlyMap<string, Json | null>> {
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

const isNoFreeText = /^(id|vin|status|currency|country|language|type|kind|.*(At|Id|Url|Code))$/i;

/**
 * Bodies that the declared PATCH of a unit allows, for units that show what was sent of them: a change of a number or another field each, of
 * their texts: all with a letter beyond ASCII, all without one, and each, and of one that may be null or zero to that.
 */
export async function unitChanges(
  check: Check,
  id: string,
  record: Json,
  sent: Readonly<Json>,
): Promise<readonly Json[]> {
  const isText = (name: string): boolean =>
    typeof sent[name] === 'string' && record[name] === sent[name] && !isNoFreeText.test(name);
  const changes = async (isKept: (name: string) => boolean, mark?: string): Promise<Json[]> =>
    (await visibleChanges(check, paths.unit(id), record, isKept, {}, mark)).map(({ body }) => body);
  const [first, second, ...others] = await changes((name) => isText(name) || isKeptOfUnit(name));
  const [plain, accented] = [
    await changes((name) => !isText(name), ' changed'),
    await changes((name) => !isText(name), ' \u00e9'),
  ];
  const { contract } = await check.contract();
  const schemas = await inputSchemas(check, 'PATCH', paths.unit(id));
  const to = (value: null | 0): Json[] =>
    [...schemas.keys()]
      .filter(
        (name) =>
          !isKeptOfUnit(name) &&
          record[name] != null &&
          record[name] !== value &&
          (value === null || typeof record[name] === 'number'),
      )
      .map((name) => ({ [name]: value }))
      .filter((body) => contract.validateRequest('PATCH', paths.unit(id), body).length === 0)
      .slice(0, 1);
  const texts = [accented, plain].map((ones) => Object.assign({}, ...ones) as Json);
  const bodies = [first, texts[0], ...to(null), ...to(0), second, texts[1], ...others, ...plain];
  return bodies.filter((body: Json | undefined) => Object.keys(body ?? {}).length > 0) as Json[];
}

/** Statuses other than `available` that the declared PATCH lists or that units show: those that are likely to be given up again first. */
export async function otherStatuses(check: Check, id: string, units: readonly unknown[]): Promise<readonly string[]> {
  const { contract } = await check.contract();
  const path = paths.unit(id);
  const schema = (await inputSchemas(check, 'PATCH', path)).get('status');
  if (schema === undefined) return [];
  const shown = units.map((unit) => asObject(unit)?.['status']);
  const isLast = (status: string): number => Number(/sold|delivered|delet|archiv|remov/i.test(status));
  return [...new Set(asArray(schema?.['enum']) ?? shown)]
    .filter((one): one is string => typeof one === 'string' && one !== 'available')
    .filter((status) => contract.validateRequest('PATCH', path, { status }).length === 0)
    .toSorted((a, b) => isLast(a) - isLast(b))
    .slice(0, 2);
}
