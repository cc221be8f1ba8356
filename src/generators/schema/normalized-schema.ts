import { isDeepStrictEqual } from 'node:util';
import { at, localPointer } from '../../openapi/index.js';
import { isSchema, schemaEntries, schemaList, stringList, type JsonSchema, type SchemaObject } from './schema.js';

type TypeName = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

/** A conjunction of keywords without applicators in place, as far as leads are made from it. */
export interface NormalizedSchema {
  readonly types: ReadonlySet<TypeName>;
  /** The listed values, or null where any are allowed. */
  readonly values: readonly unknown[] | null;
  readonly minimum: number;
  readonly maximum: number;
  readonly minLength: number;
  readonly maxLength: number;
  readonly properties: ReadonlyMap<string, JsonSchema>;
  readonly additional: JsonSchema;
  readonly examples: readonly unknown[];
}

const allTypes: readonly TypeName[] = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];
const most = 32;

/** The keywords that stand in one schema object; applicators in place are left out. */
function normalize(source: SchemaObject): NormalizedSchema {
  const listed = typeof source['type'] === 'string' ? [source['type']] : stringList(source['type']);
  const number = (keyword: string, otherwise: number): number =>
    typeof source[keyword] === 'number' ? source[keyword] : otherwise;
  const values = Array.isArray(source['enum']) ? (source['enum'] as unknown[]) : null;
  return {
    types: new Set(listed.length > 0 ? allTypes.filter((name) => listed.includes(name)) : allTypes),
    values: Object.hasOwn(source, 'const') ? [source['const']] : values,
    minimum: number('minimum', -Infinity),
    maximum: number('maximum', Infinity),
    minLength: number('minLength', 0),
    maxLength: number('maxLength', Infinity),
    properties: new Map(schemaEntries(source['properties'])),
    additional: isSchema(source['additionalProperties']) ? source['additionalProperties'] : true,
    examples: [
      ...(Array.isArray(source['examples']) ? (source['examples'] as unknown[]) : []),
      ...['example', 'default'].flatMap((keyword) => (Object.hasOwn(source, keyword) ? [source[keyword]] : [])),
    ],
  };
}

function both(a: JsonSchema, b: JsonSchema): JsonSchema {
  if (a === true) return b;
  if (b === true) return a;
  return a === false || b === false ? false : { allOf: [a, b] };
}

/** The schema of the property with this name. */
export function propertySchema(schema: NormalizedSchema, name: string): JsonSchema {
  return schema.properties.get(name) ?? schema.additional;
}

/** The conjunction of two, or null when no value can meet both. */
function meet(a: NormalizedSchema, b: NormalizedSchema): NormalizedSchema | null {
  const allows = ({ types }: NormalizedSchema, name: TypeName): boolean =>
    types.has(name) || (name === 'integer' && types.has('number'));
  const types = new Set(allTypes.filter((name) => allows(a, name) && allows(b, name)));
  const values =
    a.values && b.values
      ? a.values.filter((value) => b.values?.some((other) => isDeepStrictEqual(value, other)))
      : (a.values ?? b.values);
  if (types.size === 0 || values?.length === 0) return null;
  const names = [...new Set([...a.properties.keys(), ...b.properties.keys()])];
  return {
    types,
    values,
    minimum: Math.max(a.minimum, b.minimum),
    maximum: Math.min(a.maximum, b.maximum),
    minLength: Math.max(a.minLength, b.minLength),
    maxLength: Math.min(a.maxLength, b.maxLength),
    properties: new Map(names.map((name) => [name, both(propertySchema(a, name), propertySchema(b, name))] as const)),
    additional: both(a.additional, b.additional),
    examples: [...a.examples, ...b.examples],
  };
}

/**
 * The ways in which a self-contained schema can be met: references, `allOf`, `anyOf` and `oneOf` are multiplied out, up to a limit. Together they
 * may allow too much (`not`, `if`, the exclusiveness of `oneOf`), which Ajv filters afterwards.
 */
export function alternatives(
  schema: JsonSchema,
  whole: JsonSchema,
  trail: readonly string[] = [],
): readonly NormalizedSchema[] {
  if (schema === false) return [];
  if (schema === true) return [normalize({})];
  const ref = typeof schema['$ref'] === 'string' ? schema['$ref'] : null;
  if (ref !== null && trail.includes(ref)) return [];
  const target = ref === null ? true : at(whole, localPointer(ref) ?? '');
  const of = (part: JsonSchema): readonly NormalizedSchema[] => alternatives(part, whole, trail);
  const factors = [
    ...(isSchema(target) && ref !== null ? [alternatives(target, whole, [...trail, ref])] : []),
    ...schemaList(schema['allOf']).map(of),
    ...['anyOf', 'oneOf'].flatMap((keyword) =>
      Array.isArray(schema[keyword]) ? [schemaList(schema[keyword]).flatMap(of)] : [],
    ),
  ];
  return factors.reduce<readonly NormalizedSchema[]>(
    (found, others) => spread(found.flatMap((a) => others.flatMap((b) => meet(a, b) ?? []))),
    [normalize(schema)],
  );
}

/** At most `most` elements, evenly spaced over the list. */
function spread<T>(list: readonly T[]): readonly T[] {
  return list.length <= most ? list : list.filter((_, index) => index % Math.ceil(list.length / most) === 0);
}

/** The names and schemas of the properties that an object may have, whatever branch they stand in. */
export function propertiesOf(schema: JsonSchema, whole: JsonSchema): ReadonlyMap<string, JsonSchema> {
  const found = new Map<string, JsonSchema>();
  for (const one of alternatives(schema, whole))
    for (const [name, property] of one.properties) if (!found.has(name)) found.set(name, property);
  return found;
}
