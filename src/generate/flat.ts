import {
  isRecord,
  schemaEntries,
  schemaList,
  stringList,
  isSchema,
  type JsonSchema,
  type SchemaObject,
} from './schema.js';
import { compilePattern, surelyMatches } from './patterns.js';

/** The types JSON Schema tells apart. */
export type TypeName = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

/** One `contains` with its counts. */
export interface Contains {
  readonly schema: JsonSchema;
  readonly min: number;
  readonly max: number;
}

/** A conjunction of keywords without applicators in place; what a single generator can aim at. */
export interface Flat {
  readonly types: ReadonlySet<TypeName>;
  readonly values: readonly unknown[] | null;
  readonly minimum: number;
  readonly maximum: number;
  readonly aboveMinimum: number;
  readonly belowMaximum: number;
  readonly multiples: readonly number[];
  readonly minLength: number;
  readonly maxLength: number;
  readonly patterns: readonly string[];
  readonly formats: readonly string[];
  readonly prefixItems: readonly JsonSchema[];
  readonly items: JsonSchema;
  readonly contains: readonly Contains[];
  readonly minItems: number;
  readonly maxItems: number;
  readonly uniqueItems: boolean;
  readonly properties: ReadonlyMap<string, JsonSchema>;
  readonly patternProperties: readonly (readonly [string, JsonSchema])[];
  readonly additional: JsonSchema;
  /** Whether a schema for further properties was written at all. */
  readonly closed: boolean;
  readonly propertyNames: JsonSchema;
  readonly required: ReadonlySet<string>;
  readonly minProperties: number;
  readonly maxProperties: number;
  readonly examples: readonly unknown[];
}

const allTypes: readonly TypeName[] = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];

function numberOf(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
}

function stringsOf(value: unknown): readonly string[] {
  return typeof value === 'string' ? [value] : [];
}

/** Reads the keywords that stand in one schema object; applicators in place are left to the caller. */
export function readFlat(source: SchemaObject): Flat {
  const type = source['type'];
  const listed = typeof type === 'string' ? [type] : stringList(type);
  const values = Array.isArray(source['enum']) ? (source['enum'] as unknown[]) : null;
  const fixed = Object.hasOwn(source, 'const') ? [source['const']] : null;
  const contains = source['contains'];
  const examples: unknown[] = Array.isArray(source['examples']) ? [...(source['examples'] as unknown[])] : [];
  for (const keyword of ['example', 'default']) if (Object.hasOwn(source, keyword)) examples.push(source[keyword]);
  const unevaluatedItems = source['unevaluatedItems'];
  return {
    types: new Set(listed.length > 0 ? allTypes.filter((name) => listed.includes(name)) : allTypes),
    values: fixed && values ? values.filter((value) => sameJson(value, source['const'])) : (fixed ?? values),
    minimum: numberOf(source['minimum'], -Infinity),
    maximum: numberOf(source['maximum'], Infinity),
    aboveMinimum: numberOf(source['exclusiveMinimum'], -Infinity),
    belowMaximum: numberOf(source['exclusiveMaximum'], Infinity),
    multiples: typeof source['multipleOf'] === 'number' && source['multipleOf'] > 0 ? [source['multipleOf']] : [],
    minLength: numberOf(source['minLength'], 0),
    maxLength: numberOf(source['maxLength'], Infinity),
    patterns: stringsOf(source['pattern']),
    formats: stringsOf(source['format']),
    prefixItems: schemaList(source['prefixItems']),
    items: isSchema(source['items']) ? source['items'] : isSchema(unevaluatedItems) ? unevaluatedItems : true,
    contains: isSchema(contains)
      ? [{ schema: contains, min: numberOf(source['minContains'], 1), max: numberOf(source['maxContains'], Infinity) }]
      : [],
    minItems: numberOf(source['minItems'], 0),
    maxItems: numberOf(source['maxItems'], Infinity),
    uniqueItems: source['uniqueItems'] === true,
    properties: new Map(schemaEntries(source['properties'])),
    patternProperties: schemaEntries(source['patternProperties']),
    additional: isSchema(source['additionalProperties']) ? source['additionalProperties'] : true,
    closed: isSchema(source['additionalProperties']) || source['unevaluatedProperties'] !== undefined,
    propertyNames: isSchema(source['propertyNames']) ? source['propertyNames'] : true,
    required: new Set(stringList(source['required'])),
    minProperties: numberOf(source['minProperties'], 0),
    maxProperties: numberOf(source['maxProperties'], Infinity),
    examples,
  };
}

/** Both schemas at once. */
export function both(a: JsonSchema, b: JsonSchema): JsonSchema {
  if (a === true) return b;
  if (b === true) return a;
  if (a === false || b === false) return false;
  return { allOf: [a, b] };
}

/** What the keywords for properties say of the property with this name. */
export function propertySchema(flat: Flat, name: string): JsonSchema {
  const named = flat.properties.get(name);
  const matching = flat.patternProperties
    .filter(([pattern]) => surelyMatches(compilePattern(pattern), name))
    .map(([, schema]) => schema);
  const found = [...(named === undefined ? [] : [named]), ...matching];
  return found.length === 0 ? flat.additional : found.reduce(both);
}

/** The conjunction of two, or null when no value can meet both. */
export function meet(a: Flat, b: Flat): Flat | null {
  const types = new Set(allTypes.filter((name) => allows(a, name) && allows(b, name)));
  const values =
    a.values && b.values
      ? a.values.filter((value) => b.values?.some((other) => sameJson(value, other)))
      : (a.values ?? b.values);
  if (types.size === 0 || values?.length === 0) return null;
  const names = new Set([...a.properties.keys(), ...b.properties.keys()]);
  const properties = new Map(
    [...names].map((name) => [name, both(propertySchema(a, name), propertySchema(b, name))] as const),
  );
  const prefixLength = Math.max(a.prefixItems.length, b.prefixItems.length);
  return {
    types,
    values,
    minimum: Math.max(a.minimum, b.minimum),
    maximum: Math.min(a.maximum, b.maximum),
    aboveMinimum: Math.max(a.aboveMinimum, b.aboveMinimum),
    belowMaximum: Math.min(a.belowMaximum, b.belowMaximum),
    multiples: [...new Set([...a.multiples, ...b.multiples])],
    minLength: Math.max(a.minLength, b.minLength),
    maxLength: Math.min(a.maxLength, b.maxLength),
    patterns: [...new Set([...a.patterns, ...b.patterns])],
    formats: [...new Set([...a.formats, ...b.formats])],
    prefixItems: Array.from({ length: prefixLength }, (_, index) =>
      both(a.prefixItems[index] ?? a.items, b.prefixItems[index] ?? b.items),
    ),
    items: both(a.items, b.items),
    contains: [...a.contains, ...b.contains],
    minItems: Math.max(a.minItems, b.minItems),
    maxItems: Math.min(a.maxItems, b.maxItems),
    uniqueItems: a.uniqueItems || b.uniqueItems,
    properties,
    patternProperties: [...a.patternProperties, ...b.patternProperties],
    additional: both(a.additional, b.additional),
    closed: a.closed || b.closed,
    propertyNames: both(a.propertyNames, b.propertyNames),
    required: new Set([...a.required, ...b.required]),
    minProperties: Math.max(a.minProperties, b.minProperties),
    maxProperties: Math.min(a.maxProperties, b.maxProperties),
    examples: [...a.examples, ...b.examples],
  };
}

function allows(flat: Flat, name: TypeName): boolean {
  return flat.types.has(name) || (name === 'integer' && flat.types.has('number'));
}

/** Equality of JSON values; the order of members does not count. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  if (!isRecord(a) || !isRecord(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && sameJson(a[name], b[name]))
  );
}
