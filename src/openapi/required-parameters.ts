import { asList, asObject, objectsIn } from './values.js';
import { follow, member } from './schema/resolve.js';
import { sample } from './schema/example-instance.js';
import { jsonContent, type Operation, type Parameter } from './operations.js';
import { serialized, type Pairs } from './parameter-style.js';

/** The schema for values, if the declaration gives none. */
export interface ValueSources {
  /** Records that the service showed, by the role of one of them (`unit`, `deal`, `lead`). */
  readonly records: ReadonlyMap<string, readonly Record<string, unknown>[]>;
  /** The service's own day, as `2026-01-31`. */
  readonly today: string;
  /** Text that no other run has. */
  readonly unique: string;
}

/** A required parameter and values for it as they are sent, the likeliest first; none where nothing could be made. */
export interface RequiredParameter {
  readonly in: string;
  readonly name: string;
  readonly values: readonly Pairs[];
}

/** Headers that OpenAPI keeps out of parameters, and the one that comes from the settings. */
const ownHeaders = /^(accept|content-type|authorization|x-tenant)$/i;

/**
 * The required query and header parameters to add to a request. Excludes the idempotency key: checks send creates without it on purpose.
 */
export function requiredParameters(operation: Operation): Parameter[] {
  return operation.parameters.filter(
    ({ in: place, name, required }) =>
      required &&
      (place === 'query' ||
        (place === 'header' &&
          !ownHeaders.test(name) &&
          !(operation.method === 'POST' && /^idempotency-key$/i.test(name)))),
  );
}

const day = 86_400_000;

/** Days for a parameter that takes one: a wide range first, then a month. */
function days(name: string, schema: Record<string, unknown>, today: string): string[] {
  const plain = schema['format'] === undefined && schema['pattern'] === undefined && schema['type'] === 'string';
  const byName = /date|^day$|^(from|to|since|until|start|end|before|after)$|_(from|to|since|until|start|end)$/i;
  const isInstant = schema['format'] === 'date-time';
  if (schema['format'] !== 'date' && !isInstant && !(plain && byName.test(name))) return [];
  const at = (shift: number): string => new Date(Date.parse(today) + shift * day).toISOString().slice(0, 10);
  const found = /to$|until|end|before|max/i.test(name)
    ? [at(1), today]
    : /from|since|start|after|min/i.test(name)
      ? ['2000-01-01', at(-30)]
      : [today, at(-1)];
  return isInstant ? found.map((one) => `${one}T00:00:00Z`) : found;
}

/** Values of records that a parameter may ask for: ids by its name, else a field that is called as it is. */
function known(name: string, role: string, { records }: ValueSources): unknown[] {
  const named = /^(unit|vehicle|deal|lead)s?(?:[-_]?id)?$/i.exec(name)?.[1]?.toLowerCase();
  const kind = /^id$/i.test(name) ? role.replace(/s$/, '') : named === 'vehicle' ? 'unit' : named;
  const all = [...(records.get(role.replace(/s$/, '')) ?? []), ...[...records.values()].flat()];
  const values = kind === undefined ? all.map((one) => one[name]) : (records.get(kind) ?? []).map((one) => one['id']);
  return [...new Set(values)].slice(0, 3);
}

/** Values for one parameter: as declared, then as records have them, then made by its schema. */
export function valuesFor(
  document: unknown,
  { role }: Operation,
  parameter: Parameter,
  sources: ValueSources,
  isValid: (pointer: string, value: unknown) => boolean,
): RequiredParameter['values'] {
  const { name, node } = parameter;
  const media = jsonContent(document, parameter);
  const whole = member(document, media ?? parameter, 'schema');
  const isList = asList([whole?.node['type']].flat()).includes('array');
  const here = isList ? member(document, whole, 'items') : whole;
  const schema = here?.node ?? {};
  const examples = (one: Record<string, unknown>): unknown[] => [
    one['example'],
    ...asList(one['examples']),
    ...objectsIn(asObject(one['examples'])).map(([, raw]) => follow(document, raw, '')?.node['value']),
    one['default'],
  ];
  const declared = [
    ...[
      ...examples(node),
      ...examples(media?.node ?? {}),
      ...(whole === null ? [] : examples(whole.node)),
      ...(isList ? examples(schema) : []),
    ].flat(),
    schema['const'],
    ...asList(schema['enum']),
  ];
  const context = { document, unique: sources.unique, budget: { left: 500 } };
  const year = /year/i.test(name) ? [Number(sources.today.slice(0, 4)), Number(sources.today.slice(0, 4)) - 1] : [];
  const made = [
    ...known(name, role, sources),
    ...days(name, schema, sources.today),
    ...[...year, ...year.map(String)],
    here === null ? undefined : sample(here.node, here.pointer, context, name),
  ].filter((one) => here === null || isValid(here.pointer, one));
  const sent = [...declared, ...made]
    .filter((one) => one !== undefined && one !== null && one !== '')
    .map((one) => serialized(document, parameter, isList ? [one] : one))
    .filter((one) => one !== null);
  return [...new Map(sent.map((one) => [JSON.stringify(one), one])).values()].slice(0, 6);
}
