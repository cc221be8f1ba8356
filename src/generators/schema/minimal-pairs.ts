import type { ErrorObject } from 'ajv/dist/2020.js';
import { applicableSubschemas, pointerOf, type ApplicableSchema } from './applicable-subschemas.js';
import { breachesAt, type Breach } from './keyword-breaches.js';
import { afterSerialisation, replaceAt, type JsonSchema, type SchemaObject } from './schema.js';
import { isValid, judgeOf, undecided } from './validity.js';

/** Two values that differ in one place: the one valid, the other in breach of exactly one keyword. */
export interface MinimalPair {
  /** JSON Pointer of the place that the broken keyword speaks of. */
  readonly pointer: string;
  readonly keyword: string;
  /** The new value at the place; absent if a value was removed (`remove`). */
  readonly value?: unknown;
  readonly remove?: true;
  /** The whole values, as they would be sent. */
  readonly valid: unknown;
  readonly invalid: unknown;
  readonly description: string;
  /** `annotation`: 2020-12 lets a validator ignore the keyword (`format`), so nothing may be demanded. */
  readonly force: 'assertion' | 'annotation';
  /** Tells the pair from others of the same schema; the same for every valid example. */
  readonly id: string;
  /** Where the broken keyword stands in the bundled schema: `/properties/name minLength`. */
  readonly place: string;
  /** 0 for the first breach of a keyword at a place, 1 and more for further ones of the same. */
  readonly rank: number;
}

const wrappers = new Set(['if', 'anyOf', 'oneOf', 'allOf', '$ref']);
const branching = new Set(['anyOf', 'oneOf', 'not', 'contains']);
const relaxed = new WeakMap<object, Map<string, JsonSchema>>();

/**
 * One pair for each keyword of the self-contained schema that applies to the valid example and can be broken alone. Each is proven
 * with Ajv after serialisation: the invalid value fails, and passes as soon as that one keyword is taken away. `id`: the one pair that is wanted.
 */
export function bundledPairs(whole: JsonSchema, validExample: unknown, id?: string): readonly MinimalPair[] {
  const valid = afterSerialisation(validExample);
  if (typeof whole === 'boolean' || valid === undefined || !isValid(whole, valid)) return [];
  const found = new Map<string, MinimalPair>();
  for (const occurrence of applicableSubschemas(whole, valid)) {
    const pointer = pointerOf(occurrence.at);
    for (const breach of breachesAt(occurrence)) {
      const place = `${pointer} ${breach.keyword}${breach.detail}`;
      // Break the length alone if that is possible.
      const isDone = found.has(place) || (breach.withPattern && found.has(`${pointer} ${breach.keyword}`));
      const pair = isDone || (id ?? place) !== place ? null : firstProven(whole, valid, occurrence, breach, place);
      if (pair) found.set(place, pair);
    }
  }
  return [...found.values()];
}

function firstProven(
  whole: SchemaObject,
  valid: unknown,
  occurrence: ApplicableSchema,
  breach: Breach,
  id: string,
): MinimalPair | null {
  const pointer = pointerOf(occurrence.at);
  const { keyword, detail, removes, soft, rank = 0 } = breach;
  const words = keyword === 'type' ? ` ${[occurrence.schema[keyword]].flat().join(' or ')}` : detail;
  for (const { value, label } of breach.candidates) {
    const invalid = afterSerialisation(replaceAt(valid, occurrence.at, value));
    if (invalid === undefined || !breaksOnly(whole, invalid, occurrence, breach)) continue;
    return {
      pointer,
      keyword,
      valid,
      invalid,
      ...(removes ? { remove: true as const } : { value }),
      description: `${pointer === '' ? 'The body' : pointer} breaks ${keyword}${words}: ${label}.`,
      force: soft || keyword === 'format' || keyword.startsWith('content') ? 'annotation' : 'assertion',
      id,
      place: `${pointerOf(occurrence.path)} ${keyword}`,
      rank,
    };
  }
  return null;
}

function breaksOnly(whole: SchemaObject, invalid: unknown, occurrence: ApplicableSchema, breach: Breach): boolean {
  const errors = judgeOf(whole)(invalid);
  if (errors.length === 0 || errors.includes(undecided)) return false;
  if (isOnlyDemand(whole, errors, occurrence, breach)) return true;
  if (!isValid(relaxedSchema(whole, occurrence.path, breach), invalid)) return false;
  if (errors.some(({ keyword }) => branching.has(keyword))) return true;
  const own = errors.filter((error) => !wrappers.has(error.keyword));
  const here = own
    .filter(({ instancePath }) => instancePath === pointerOf(occurrence.at))
    .map(({ keyword }) => keyword);
  const allowed = [breach.keyword, ...(breach.withPattern ? ['pattern'] : [])];
  return (
    here.length === own.length &&
    here.includes(breach.keyword) &&
    here.every((keyword) => allowed.includes(keyword)) &&
    (own.length === 1 || breach.withPattern === true)
  );
}

/** Whether this keyword causes the only validation error: without it, the value is valid. */
function isOnlyDemand(
  whole: SchemaObject,
  errors: readonly ErrorObject[],
  { at, path }: ApplicableSchema,
  { keyword, detail }: Breach,
): boolean {
  const [only] = errors;
  return (
    errors.length === 1 &&
    only?.keyword === keyword &&
    only.instancePath === pointerOf(at) &&
    only.schemaPath === `#${pointerOf([...path, keyword])}` &&
    (keyword !== 'required' || detail === ` ${String(only.params['missingProperty'])}`) &&
    isMonotoneSchema(whole)
  );
}

/** The whole schema without the one demand; the same object for the same demand, so that it is compiled once. */
function relaxedSchema(whole: SchemaObject, path: readonly string[], breach: Breach): JsonSchema {
  const key = `${path.join('\u0000')} ${breach.keyword}${breach.detail}`;
  const cache = relaxed.get(whole) ?? new Map<string, JsonSchema>();
  const schema = cache.get(key) ?? (replaceAt(whole, path, breach.without) as JsonSchema);
  relaxed.set(whole, cache.set(key, schema));
  return schema;
}

/** Keywords that make a schema non-monotone: removing another constraint can make a value invalid when one of these is present. */
const nonMonotone = new Set(
  'not oneOf if contains minContains maxContains unevaluatedItems unevaluatedProperties discriminator $dynamicRef $recursiveRef'.split(
    ' ',
  ),
);
const monotone = new WeakMap<object, boolean>();

/** Whether a schema never allows fewer values once one of its constraints is removed. */
function isMonotoneSchema(schema: object): boolean {
  const found =
    monotone.get(schema) ??
    Object.entries(schema).every(
      ([name, inner]) =>
        (Array.isArray(schema) || !nonMonotone.has(name)) &&
        (typeof inner !== 'object' || inner === null || isMonotoneSchema(inner as object)),
    );
  monotone.set(schema, found);
  return found;
}
