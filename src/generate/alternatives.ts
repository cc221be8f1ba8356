import { meet, readFlat, type Flat } from './flat.js';
import {
  atPointer,
  isRecord,
  isSchema,
  pointerTokens,
  schemaEntries,
  schemaList,
  stringList,
  type JsonSchema,
  type SchemaObject,
} from './schema.js';

/** A way to meet a schema, with the references that were followed to get there. */
export interface Alternative {
  readonly flat: Flat;
  readonly refs: readonly string[];
}

const limit = 32;
const free: Alternative = { flat: readFlat({}), refs: [] };

/**
 * The ways in which a bundled schema can be met: applicators in place are multiplied out, up to a limit.
 * Together they may allow a little too much (`not`, the exclusiveness of `oneOf`); Ajv filters that afterwards.
 */
export function alternatives(
  schema: JsonSchema,
  whole: JsonSchema,
  trail: readonly string[] = [],
): readonly Alternative[] {
  if (schema === false) return [];
  if (schema === true) return [free];
  let found: readonly Alternative[] = [{ flat: readFlat(schema), refs: [] }];
  const and = (others: readonly Alternative[]): void => {
    found = cross(found, others);
  };
  const of = (part: JsonSchema): readonly Alternative[] => alternatives(part, whole, trail);

  const ref = schema['$ref'];
  if (typeof ref === 'string') {
    const target = atPointer(whole, pointerTokens(ref));
    if (trail.includes(ref)) return [];
    const inner = isSchema(target) ? alternatives(target, whole, [...trail, ref]) : [free];
    and(inner.map((alternative) => ({ flat: alternative.flat, refs: [ref, ...alternative.refs] })));
  }
  for (const part of schemaList(schema['allOf'])) and(of(part));
  for (const keyword of ['anyOf', 'oneOf']) {
    if (Array.isArray(schema[keyword])) and(schemaList(schema[keyword]).flatMap(of));
  }
  if (isSchema(schema['if'])) and(conditional(schema, schema['if'], of));
  for (const [name, part] of schemaEntries(schema['dependentSchemas'])) {
    and([...of(without(name)), ...of({ required: [name], allOf: [part] })]);
  }
  for (const [name, needed] of Object.entries(
    isRecord(schema['dependentRequired']) ? schema['dependentRequired'] : {},
  )) {
    and([...of(without(name)), ...of({ required: [name, ...stringList(needed)] })]);
  }
  and(of(opposite(schema['not'])));
  return found;
}

function conditional(
  schema: SchemaObject,
  condition: JsonSchema,
  of: (part: JsonSchema) => readonly Alternative[],
): readonly Alternative[] {
  const then = isSchema(schema['then']) ? schema['then'] : true;
  const otherwise = isSchema(schema['else']) ? schema['else'] : true;
  return [...cross(of(condition), of(then)), ...cross(of(opposite(condition)), of(otherwise))];
}

function without(name: string): JsonSchema {
  return { properties: { [name]: false } };
}

/** A schema that helps to miss the given one; `true` where no simple one is known. */
function opposite(schema: unknown): JsonSchema {
  if (schema === true) return false;
  if (!isRecord(schema)) return true;
  const keywords = Object.keys(schema);
  const required = stringList(schema['required']);
  const [name] = required;
  if (keywords.length === 1 && required.length === 1 && name !== undefined) return without(name);
  if (keywords.length === 1 && keywords[0] === 'type') {
    const types = typeof schema['type'] === 'string' ? [schema['type']] : stringList(schema['type']);
    const others = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'].filter(
      (type) => !types.includes(type),
    );
    return { type: types.includes('number') ? others.filter((type) => type !== 'integer') : others };
  }
  return true;
}

function cross(left: readonly Alternative[], right: readonly Alternative[]): readonly Alternative[] {
  const met: Alternative[] = [];
  for (const a of left) {
    for (const b of right) {
      const flat = meet(a.flat, b.flat);
      if (flat) met.push({ flat, refs: [...a.refs, ...b.refs] });
    }
  }
  if (met.length <= limit) return met;
  const stride = met.length / limit;
  return Array.from({ length: limit }, (_, index) => met[Math.floor(index * stride)]).filter(
    (item) => item !== undefined,
  );
}
