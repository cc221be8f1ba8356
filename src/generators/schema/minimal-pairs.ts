import type { ErrorObject } from 'ajv/dist/2020.js';
import { applicableSubschemas, pointerOf, type ApplicableSchema } from './applicable-subschemas.js';
import { valuesOutside, type Candidate } from './boundary-values.js';
import { afterSerialisation, isRecord, replaceAt, stringList, type JsonSchema } from './schema.js';
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
const applicators = new Set([
  'allOf',
  '$ref',
  'properties',
  'patternProperties',
  'items',
  'prefixItems',
  'if',
  'then',
  'else',
  '$defs',
]);
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

interface Breach {
  readonly keyword: string;
  /** The broken part of a keyword with several, e.g. one required name. */
  readonly detail: string;
  /** The schema object without the one demand. */
  readonly without: JsonSchema;
  readonly candidates: readonly Candidate[];
  /** The breach is a member taken away. */
  readonly removes?: true;
  readonly rank?: number;
  /** The length and the pattern are broken by the same text: the pattern states the length once more. */
  readonly withPattern?: true;
  /** A conforming service may correct this breach before it validates. */
  readonly soft?: true;
}

function breachesAt({ schema, value }: ApplicableSchema): readonly Breach[] {
  const found: Breach[] = [];
  for (const keyword of Object.keys(schema)) {
    if (applicators.has(keyword)) continue;
    const without = omit(schema, keyword);
    if (keyword === 'required' && isRecord(value)) found.push(...missing(schema, value));
    else if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') {
      if (isRecord(value) && schema[keyword] === false)
        found.push({ keyword, detail: '', without, candidates: furtherMembers(value) });
    } else if (keyword === 'anyOf' || keyword === 'oneOf') {
      const candidates = [...withoutEachMember(value), ...valuesOutside({}, 'type', value)];
      found.push({ keyword, detail: '', without, candidates });
    } else if (keyword === 'type') found.push(...otherTypes(without, schema, value));
    else if (keyword === 'pattern') found.push(...besidePatterns(without, schema, value));
    else {
      found.push({ keyword, detail: '', without, candidates: valuesOutside(schema, keyword, value) });
      if (/^(min|max)Length$/.test(keyword) && typeof value === 'string' && Object.hasOwn(schema, 'pattern'))
        found.push(besideLengthAndPattern(keyword, schema, value));
    }
  }
  return found;
}

/** One breach for each other type; a value that could be coerced comes before one that could not. */
function otherTypes(without: JsonSchema, schema: Readonly<Record<string, unknown>>, value: unknown): readonly Breach[] {
  const kinds = ['integer', 'object', 'null', 'array', 'boolean', 'string', 'number'];
  return kinds.map((kind, rank) => ({
    keyword: 'type',
    detail: ` ${kind}`,
    without,
    candidates: [
      ...(kind === 'array' && isRecord(value) ? [{ value: [value], label: 'an array that holds the object' }] : []),
      ...valuesOutside({ ...schema, type: kind }, 'type', undefined),
    ],
    rank: Math.max(0, rank - 1),
  }));
}

/** Several ways of missing a pattern: too much, too little, another character, far too long. */
function besidePatterns(
  without: JsonSchema,
  schema: Readonly<Record<string, unknown>>,
  value: unknown,
): readonly Breach[] {
  const text = typeof value === 'string' ? value : '';
  const points = Array.from(text);
  const last = points.at(-1) ?? 'x';
  const ways: readonly (readonly [string, readonly string[]])[] = [
    ['', []],
    [' with a nought for its first digit', [text.replace(/[1-9]/, '0')]],
    [' without its start', [points.slice(1).join('')]],
    [' with more at its end', ['!', 'x', ' ', '0'].map((more) => `${text}${more}`)],
    [' far too long', [`${text}${last.repeat(20)}`]],
    [' cut short', [3, 2, 1].map((count) => points.slice(0, count).join(''))],
    [' with more at its start', ['x', '!', ' ', '0'].map((more) => `${more}${text}`)],
  ];
  return ways.map(([detail, texts], rank) => ({
    keyword: 'pattern',
    detail,
    without,
    candidates:
      rank === 0
        ? valuesOutside(schema, 'pattern', value)
        : texts.map((other) => ({ value: other, label: `${JSON.stringify(other)}, which is beside the pattern` })),
    rank: Math.floor(rank / 2),
  }));
}

/** A text of one kind of characters throughout, one character too short or too long for the length and thereby for the pattern. */
function besideLengthAndPattern(keyword: string, schema: Readonly<Record<string, unknown>>, text: string): Breach {
  const bare = Object.fromEntries(Object.entries(schema).filter(([name]) => name !== 'pattern'));
  const points = Array.from(text);
  const most = Number(schema[keyword]) + 1;
  const more =
    points.length < most && most <= 10_000 ? [`${text}${(points.at(-1) ?? 'x').repeat(most - points.length)}`] : [];
  const like = keyword === 'maxLength' ? more : [];
  return {
    keyword,
    detail: ' and pattern',
    without: omit(bare, keyword),
    candidates: [
      ...like.map((value) => ({ value, label: `${String(most)} characters` })),
      ...valuesOutside(bare, keyword, text),
    ],
    withPattern: true,
  };
}

function omit(schema: Readonly<Record<string, unknown>>, keyword: string): JsonSchema {
  // Ajv takes no `nullable` without a `type`.
  return Object.fromEntries(
    Object.entries(schema).filter(([name]) => name !== keyword && !(keyword === 'type' && name === 'nullable')),
  );
}

function lacking(value: Record<string, unknown>, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([other]) => other !== name));
}

function missing(schema: Readonly<Record<string, unknown>>, value: Record<string, unknown>): readonly Breach[] {
  const names = stringList(schema['required']);
  return names.map((name) => ({
    keyword: 'required',
    detail: ` ${name}`,
    without: { ...schema, required: names.filter((other) => other !== name) },
    candidates: [{ value: lacking(value, name), label: `no ${JSON.stringify(name)}` }],
    removes: true as const,
    ...(hasDefault(schema, name) ? { soft: true as const } : {}),
  }));
}

/** A missing property may be filled in from its default. */
function hasDefault(schema: Readonly<Record<string, unknown>>, name: string): boolean {
  const property = isRecord(schema['properties']) ? schema['properties'][name] : undefined;
  return isRecord(property) && Object.hasOwn(property, 'default');
}

function withoutEachMember(value: unknown): readonly Candidate[] {
  if (!isRecord(value)) return [];
  return Object.keys(value).map((name) => ({ value: lacking(value, name), label: `no ${JSON.stringify(name)}` }));
}

function furtherMembers(value: Record<string, unknown>): readonly Candidate[] {
  return ['undeclaredField', 'undeclared-field', 'zz9'].flatMap((name) =>
    ['x', 7, {}, null].map((filler) => ({
      value: { ...value, [name]: filler },
      label: `a member ${JSON.stringify(name)} that the schema does not allow`,
    })),
  );
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
