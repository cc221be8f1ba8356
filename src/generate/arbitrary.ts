import fc from 'fast-check';
import { alternatives } from './alternatives.js';
import { bundle, type BundleOptions } from './bundle.js';
import { both, propertySchema, sameJson, type Flat, type TypeName } from './flat.js';
import { guarded } from './guarded.js';
import { numberArbitrary } from './numbers.js';
import { afterSerialisation, GenerationError, isRecord, type JsonSchema } from './schema.js';
import { stringArbitrary } from './strings.js';
import { textArbitrary } from './text.js';
import { isValid, partOf } from './validity.js';

/** What {@link arbitraryFor} makes of a schema. */
export interface Generated {
  readonly arbitrary: fc.Arbitrary<unknown>;
  /** Keywords (and formats, patterns, references) met on the way that the generator cannot honour. */
  readonly unknownKeywords: readonly string[];
}

interface Context {
  readonly whole: JsonSchema;
  readonly notes: Set<string>;
  readonly where: string;
  /** References followed on the way down; the third visit of one is cut, so that cycles end. */
  readonly refs: readonly string[];
}

/**
 * Turns a JSON Schema (2020-12, in a document that `#/…` points into) into values that are all valid by Ajv once
 * serialised. Throws {@link GenerationError} for a schema that does not compile, allows nothing, or cannot be aimed at.
 */
export function arbitraryFor(schema: JsonSchema, root: unknown = schema, options: BundleOptions = {}): Generated {
  const { schema: whole, unknownKeywords } = bundle(schema, root, options);
  const notes = new Set(unknownKeywords);
  const arbitrary = bundledArbitrary(whole, whole, notes);
  return { arbitrary, unknownKeywords: [...notes] };
}

/** The same for a schema that is already self-contained; `part` is the schema itself or one inside it. */
export function bundledArbitrary(whole: JsonSchema, part: JsonSchema, notes: Set<string>): fc.Arbitrary<unknown> {
  const made = build(part, { whole, notes, where: '#', refs: [] });
  if (!made) throw new GenerationError('No value was found that the schema allows.');
  const alone = partOf(whole, part);
  return guarded(made.map(afterSerialisation), (value) => isValid(alone, value), 'the schema');
}

/** Stands for values that nothing is said of. */
const anything = fc.oneof(
  fc.constantFrom(null, true, false),
  fc.integer(),
  textArbitrary(0, 12),
  fc.constant([]),
  fc.constant({}),
);

function build(schema: JsonSchema, context: Context): fc.Arbitrary<unknown> | null {
  if (schema === true) return anything;
  const found = alternatives(schema, context.whole).flatMap((alternative) => {
    const refs = [...context.refs, ...alternative.refs];
    if (alternative.refs.some((ref) => refs.filter((other) => other === ref).length > 2)) return [];
    const made = flatArbitrary(alternative.flat, { ...context, refs }, partOf(context.whole, schema));
    return made ? [made] : [];
  });
  if (found.length === 0) return null;
  const joined = found.length === 1 && found[0] ? found[0] : fc.oneof(...found);
  if (typeof schema === 'boolean' || !needsFilter(schema)) return joined;
  const alone = partOf(context.whole, schema);
  return guarded(joined, (value) => isValid(alone, value), context.where);
}

/** Applicators whose alternatives allow too much; what a generator aims at directly needs no filter of its own. */
function needsFilter(schema: Exclude<JsonSchema, boolean>): boolean {
  const loose = [
    'not',
    'oneOf',
    'if',
    'contains',
    'uniqueItems',
    'propertyNames',
    'allOf',
    '$ref',
    'patternProperties',
    'unevaluatedItems',
  ];
  return loose.some((keyword) => schema[keyword] !== undefined);
}

function flatArbitrary(flat: Flat, context: Context, alone: JsonSchema): fc.Arbitrary<unknown> | null {
  if (flat.values) {
    const allowed = flat.values.filter((value) => isValid(alone, value));
    return allowed.length > 0 ? fc.constantFrom(...allowed) : null;
  }
  const narrowed = [...flat.types].filter((type) => type !== 'integer' || !flat.types.has('number'));
  // Where no type was written, keywords of one type say which values are meant; the others are allowed as well.
  const made = narrowed.flatMap((type) => {
    try {
      const typed = typedArbitrary(type, flat, context);
      return typed ? [typed] : [];
    } catch (error) {
      if (narrowed.length === 1 || !(error instanceof GenerationError)) throw error;
      context.notes.add(`type ${type} at ${context.where} (${error.message})`);
      return [];
    }
  });
  return made.length === 0 ? null : fc.oneof(...made);
}

function typedArbitrary(type: TypeName, flat: Flat, context: Context): fc.Arbitrary<unknown> | null {
  if (type === 'null') return fc.constant(null);
  if (type === 'boolean') return fc.boolean();
  if (type === 'string')
    return flat.minLength > flat.maxLength ? null : stringArbitrary(flat, context.where, context.notes);
  if (type === 'array') return arrayArbitrary(flat, context);
  if (type === 'object') return objectArbitrary(flat, context);
  return numberArbitrary(flat, type, context.where);
}

function arrayArbitrary(flat: Flat, context: Context): fc.Arbitrary<unknown> | null {
  const wanted = flat.contains.reduce((sum, contains) => sum + contains.min, 0);
  const most = Math.min(flat.maxItems, Math.max(flat.minItems, wanted, flat.prefixItems.length) + 3);
  if (flat.minItems > flat.maxItems || wanted > flat.maxItems) return null;
  const prefix: fc.Arbitrary<unknown>[] = [];
  for (const [index, schema] of flat.prefixItems.entries()) {
    const made = index < most ? build(schema, { ...context, where: `${context.where}/${String(index)}` }) : null;
    if (!made) break;
    prefix.push(made);
  }
  const inner = { ...context, where: `${context.where}/items` };
  const complete = prefix.length === flat.prefixItems.length;
  const rest = complete ? build(flat.items, inner) : null;
  const needed = flat.contains.flatMap((contains) => {
    const made = build(both(flat.items, contains.schema), inner);
    return made ? Array.from({ length: contains.min }, () => made) : [];
  });
  if (needed.length < wanted && prefix.length === 0) return null;
  const least = Math.max(0, flat.minItems - prefix.length - needed.length);
  const room = Math.max(least, most - prefix.length - needed.length);
  if (least > 0 && !rest) return null;
  const distinct = flat.uniqueItems ? { comparator: sameJson } : null;
  const tail = !rest
    ? fc.constant<unknown[]>([])
    : distinct
      ? fc.uniqueArray(rest, { minLength: least, maxLength: room, ...distinct })
      : fc.array(rest, { minLength: least, maxLength: room });
  const whole = fc
    .tuple(fc.tuple(...prefix), fc.tuple(...needed), tail)
    .map(([head, middle, end]) => [...head, ...middle, ...end]);
  const shortest = Math.max(flat.minItems, wanted);
  if (prefix.length <= shortest) return whole;
  return fc
    .tuple(whole, fc.integer({ min: shortest, max: prefix.length + 3 }))
    .map(([items, length]) => items.slice(0, length));
}

function objectArbitrary(flat: Flat, context: Context): fc.Arbitrary<unknown> | null {
  const required: [string, fc.Arbitrary<unknown>][] = [];
  const optional: [string, fc.Arbitrary<unknown>][] = [];
  for (const name of new Set([...flat.required, ...flat.properties.keys()])) {
    const must = flat.required.has(name);
    const made = build(propertySchema(flat, name), { ...context, where: `${context.where}/${name}` });
    if (made) (must ? required : optional).push([name, made]);
    else if (must) return null;
  }
  if (required.length > flat.maxProperties) return null;
  const extra = extraEntries(flat, context);
  const lacking = Math.max(0, flat.minProperties - required.length);
  const fromOptional = Math.min(lacking, optional.length);
  const fromExtra = lacking - fromOptional;
  if (fromExtra > 0 && !extra) return null;
  const room = Math.max(0, flat.maxProperties - required.length);
  const chosen = fc.subarray(optional, { minLength: fromOptional, maxLength: Math.min(optional.length, room) });
  const extras = extra
    ? fc.uniqueArray(extra, {
        minLength: fromExtra,
        maxLength: fromExtra > 0 || flat.patternProperties.length > 0 || flat.closed ? fromExtra + 1 : 0,
        selector: ([name]) => name,
      })
    : fc.constant<[string, unknown][]>([]);
  return fc
    .tuple(
      fc.tuple(...required.map(([, made]) => made)),
      chosen.chain((picked) => fc.tuple(...picked.map(([name, made]) => made.map((value) => [name, value] as const)))),
      extras,
    )
    .map(([values, picked, more]) => {
      const entries: [string, unknown][] = required.map(([name], index) => [name, values[index]]);
      for (const [name, value] of picked) entries.push([name, value]);
      for (const [name, value] of more) if (entries.length < flat.maxProperties) entries.push([name, value]);
      return Object.fromEntries(entries);
    });
}

/** Properties under names that the schema does not list; null where it allows none. */
function extraEntries(flat: Flat, context: Context): fc.Arbitrary<[string, unknown]> | null {
  const inner = { ...context, where: `${context.where}/*` };
  const kinds: fc.Arbitrary<[string, unknown]>[] = [];
  const isNew = (name: string): boolean => !flat.properties.has(name) && !flat.required.has(name);
  const nameSchema = both({ type: 'string' }, flat.propertyNames);
  const add = (names: fc.Arbitrary<unknown> | null, schemaOf: JsonSchema): void => {
    const values = names ? build(schemaOf, inner) : null;
    if (names && values) kinds.push(fc.tuple(names.map(String), values));
  };
  for (const [pattern, schema] of flat.patternProperties) {
    add(build(both({ type: 'string', pattern }, flat.propertyNames), inner), schema);
  }
  const plainNames = flat.propertyNames === true ? fc.stringMatching(/^x[a-z0-9]{3,8}$/) : build(nameSchema, inner);
  if (flat.additional !== false)
    add(plainNames, isRecord(flat.additional) ? flat.additional : { type: ['string', 'integer', 'boolean'] });
  const usable = kinds.length === 0 ? null : fc.oneof(...kinds);
  return usable ? guarded(usable, ([name]) => isNew(name), inner.where) : null;
}
