import type { ErrorObject } from 'ajv/dist/2020.js';
import { applicableSubschemas, pointerOf, type ApplicableSchema } from './applicable-subschemas.js';
import { breachesAt, type Breach } from './keyword-breaches.js';
import { afterSerialisation, replaceAt, type JsonSchema } from './schema.js';
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
const relaxed = new WeakMap<object, Map<string, JsonSchema>>();

/**
 * One pair for each keyword of the self-contained schema that applies to the valid example and can be broken alone. Each is proven
 * with Ajv after serialisation: the invalid value fails, and passes as soon as that one keyword is taken away. `id`: the one pair that is wanted.
 */
export function bundledPairs(whole: JsonSchema, validExample: unknown, id?: string): readonly MinimalPair[] {
  const valid = afterSerialisation(validExample);
  if (valid === undefined || !isValid(whole, valid)) return [];
  const found = new Map<string, MinimalPair>();
  for (const occurrence of applicableSubschemas(whole, valid)) {
    for (const breach of breachesAt(occurrence)) {
      const place = `${pointerOf(occurrence.at)} ${breach.keyword}${breach.detail}`;
      // Break the length alone if that is possible.
      if (id !== undefined && id !== place) continue;
      if (found.has(place) || (breach.withPattern && found.has(`${pointerOf(occurrence.at)} ${breach.keyword}`)))
        continue;
      const pair = firstProven(whole, valid, occurrence, breach, place);
      if (pair) found.set(place, pair);
    }
  }
  return [...found.values()];
}

function firstProven(
  whole: JsonSchema,
  valid: unknown,
  occurrence: ApplicableSchema,
  breach: Breach,
  place: string,
): MinimalPair | null {
  for (const candidate of breach.candidates) {
    const invalid = afterSerialisation(replaceAt(valid, occurrence.at, candidate.value));
    if (invalid === undefined || !breaksOnly(whole, invalid, occurrence, breach)) continue;
    const pointer = pointerOf(occurrence.at);
    return {
      pointer,
      keyword: breach.keyword,
      valid,
      invalid,
      ...(breach.removes ? { remove: true as const } : { value: candidate.value }),
      description: `${pointer === '' ? 'The body' : pointer} breaks ${breach.keyword}${breach.detail}: ${candidate.label}.`,
      force:
        breach.soft || breach.keyword === 'format' || breach.keyword.startsWith('content') ? 'annotation' : 'assertion',
      id: place,
      place: `${pointerOf(occurrence.path)} ${breach.keyword}`,
      rank: breach.rank ?? 0,
    };
  }
  return null;
}

function breaksOnly(whole: JsonSchema, invalid: unknown, occurrence: ApplicableSchema, breach: Breach): boolean {
  const errors = judgeOf(whole)(invalid);
  if (errors.length === 0 || errors.includes(undecided)) return false;
  if (isOnlyDemand(whole, errors, occurrence, breach)) return true;
  const key = `${occurrence.path.join('\u0000')} ${breach.keyword}${breach.detail}`;
  if (!isValid(relaxedSchema(whole, key, occurrence.path, breach.without), invalid)) return false;
  const own = errors.filter((error) => !wrappers.has(error.keyword));
  const branching = errors.some((error) => ['anyOf', 'oneOf', 'not', 'contains'].includes(error.keyword));
  const [only] = own;
  return (
    branching ||
    (own.length === 1 && only?.keyword === breach.keyword && only.instancePath === pointerOf(occurrence.at)) ||
    (breach.withPattern === true &&
      own.some((error) => error.keyword === breach.keyword) &&
      own.every(
        (error) =>
          [breach.keyword, 'pattern'].includes(error.keyword) && error.instancePath === pointerOf(occurrence.at),
      ))
  );
}

/** Whether this keyword causes the only validation error: without it, the value is valid. */
function isOnlyDemand(
  whole: JsonSchema,
  errors: readonly ErrorObject[],
  occurrence: ApplicableSchema,
  breach: Breach,
): boolean {
  const [only] = errors;
  return (
    errors.length === 1 &&
    only?.keyword === breach.keyword &&
    only.instancePath === pointerOf(occurrence.at) &&
    only.schemaPath === `#${pointerOf([...occurrence.path, breach.keyword])}` &&
    (only.keyword !== 'required' || breach.detail === ` ${String(only.params['missingProperty'])}`) &&
    typeof whole === 'object' &&
    isMonotoneSchema(whole)
  );
}

function relaxedSchema(whole: JsonSchema, key: string, path: readonly string[], without: JsonSchema): JsonSchema {
  if (typeof whole === 'boolean') return whole;
  const cache = relaxed.get(whole) ?? new Map<string, JsonSchema>();
  relaxed.set(whole, cache);
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = replaceAt(whole, path, without) as JsonSchema;
  cache.set(key, made);
  return made;
}

/** Keywords that make a schema non-monotone: removing another constraint can make a value invalid when one of these is present. */
const nonMonotone = new Set(
  'not oneOf if contains minContains maxContains unevaluatedItems unevaluatedProperties discriminator $dynamicRef $recursiveRef'.split(
    ' ',
  ),
);
const knownMonotone = new WeakMap<object, boolean>();

/** Whether a schema never allows fewer values once one of its constraints is removed. */
function isMonotoneSchema(schema: object): boolean {
  const before = knownMonotone.get(schema);
  if (before !== undefined) return before;
  const found = Object.entries(schema).every(
    ([name, inner]) =>
      (Array.isArray(schema) || !nonMonotone.has(name)) &&
      (typeof inner !== 'object' || inner === null || isMonotoneSchema(inner as object)),
  );
  knownMonotone.set(schema, found);
  return found;
}
