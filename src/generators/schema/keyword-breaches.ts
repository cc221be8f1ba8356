import type { ApplicableSchema } from './applicable-subschemas.js';
import { valuesOutside, type Candidate } from './boundary-values.js';
import { isRecord, stringList, type JsonSchema } from './schema.js';

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

/** One way of breaking one keyword. */
export interface Breach {
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

/** Every way of breaking one keyword of a schema that applies to a value. */
export function breachesAt({ schema, value }: ApplicableSchema): readonly Breach[] {
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
