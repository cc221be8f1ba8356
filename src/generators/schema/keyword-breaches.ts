import type { ApplicableSchema } from './applicable-subschemas.js';
import { decimals, isRecord, stringList, type JsonSchema, type SchemaObject } from './schema.js';
import { matchesOfLength } from './strings.js';
import { codePoints, cut, stretch } from './text.js';

/** A value proposed for a place, and a short description; whether it does what it is meant for is proven afterwards. */
interface Candidate {
  readonly value: unknown;
  readonly label: string;
}

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

const applicators = new Set('allOf $ref properties patternProperties items prefixItems if then else $defs'.split(' '));

const ofType: Readonly<Record<string, readonly unknown[]>> = {
  null: [null],
  boolean: [true, false],
  integer: [0, 1, 12345],
  number: [0.5, 0, 12345.5],
  string: ['Ana Example', '', '7', 'x'],
  array: [[], ['x'], [1]],
  object: [{}, { x: 'y' }],
};

const labelled = (values: readonly unknown[], label: (shown: string) => string): readonly Candidate[] =>
  values.map((value) => ({ value, label: label(JSON.stringify(value)) }));

const ofTypes = (types: readonly string[]): readonly Candidate[] =>
  labelled(
    types.flatMap((type) => ofType[type] ?? []),
    (shown) => `${shown}, which has another type`,
  );

const beside = (texts: readonly string[]): readonly Candidate[] =>
  labelled(texts, (shown) => `${shown}, which is beside the pattern`);

/** Texts of a length in code points: of the pattern where it allows some, then like the text itself. */
function ofLength(text: string, length: number, pattern: unknown): readonly Candidate[] {
  if (length < 0 || length > 1_000_000) return [];
  const [count, points] = [codePoints(text), Array.from(text)];
  const texts = [
    ...(typeof pattern === 'string' ? matchesOfLength(pattern, length) : []),
    count >= length ? cut(text, length) : stretch(text === '' ? 'x' : text, length),
    ...(length > count ? [text + (points.at(-1) ?? 'x').repeat(length - count)] : []),
    ...['Ana Example ', '木村é', '😀𝒜', '7'].map((filler) => stretch(filler, length)),
  ];
  return labelled(
    [...new Set(texts)].filter((one) => codePoints(one) === length),
    () => `${String(length)} characters`,
  );
}

/** Numbers beyond a bound: by the smallest difference that counts, by one, and by far. */
function beyond(schema: SchemaObject, limit: number, sign: 1 | -1): readonly Candidate[] {
  const step = schema['type'] === 'integer' ? 1 : 10 ** -decimals(limit);
  return labelled(
    [step, 1, 1000].map((by) => Number((limit + sign * by).toFixed(9))),
    (shown) => `${shown} where the bound is ${String(limit)}`,
  );
}

/** Values just outside the boundary of a keyword of one field; none for keywords that nothing is aimed at. */
function valuesOutside(schema: SchemaObject, keyword: string, here: unknown): readonly Candidate[] {
  const limit = schema[keyword];
  const text = typeof here === 'string' ? here : '';
  const number = typeof limit === 'number' ? limit : NaN;
  switch (keyword) {
    case 'minLength':
      return ofLength(text, number - 1, schema['pattern']);
    case 'maxLength':
      return ofLength(text, number + 1, schema['pattern']);
    case 'format':
      return labelled(
        ['not a value of the format', 'x', '!!', '12', `${text}!`, ` ${text}`, ''],
        (shown) => `${shown}, which is not of the format`,
      );
    case 'minimum':
      return beyond(schema, number, -1);
    case 'maximum':
      return beyond(schema, number, 1);
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return labelled([limit], () => `exactly ${String(limit)}`);
    case 'minProperties':
      return [{ value: {}, label: 'no member' }];
    case 'enum':
    case 'const':
      return labelled(
        typeof here === 'number'
          ? [here + 1, here - 1, 987654]
          : [`${text}x`, 'not-a-listed-value', 'nichtgelistet', 'ZZ', ''],
        () => 'a value that is not listed',
      );
    default:
      return [];
  }
}

/** Every way of breaking one keyword of a schema that applies to a value. */
export function breachesAt({ schema, value }: ApplicableSchema): readonly Breach[] {
  return Object.keys(schema).flatMap((keyword): readonly Breach[] => {
    const breach = { keyword, detail: '', without: omit(schema, keyword) };
    if (applicators.has(keyword)) return [];
    if (keyword === 'required') return isRecord(value) ? missing(schema, value) : [];
    if (keyword === 'type') return otherTypes(breach, value);
    if (keyword === 'pattern') return besidePatterns(breach, schema, typeof value === 'string' ? value : '');
    if (keyword === 'anyOf' || keyword === 'oneOf')
      return [{ ...breach, candidates: [...withoutEachMember(value), ...ofTypes(Object.keys(ofType))] }];
    if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties')
      return isRecord(value) && schema[keyword] === false ? [{ ...breach, candidates: furtherMembers(value) }] : [];
    const alone = { ...breach, candidates: valuesOutside(schema, keyword, value) };
    return /^(min|max)Length$/.test(keyword) && typeof value === 'string' && Object.hasOwn(schema, 'pattern')
      ? [alone, besideLengthAndPattern(keyword, schema, value)]
      : [alone];
  });
}

/** One breach for each other type; a value that could be coerced comes before one that could not. */
function otherTypes(breach: Omit<Breach, 'candidates'>, value: unknown): readonly Breach[] {
  const wrapped = { value: [value], label: 'an array that holds the object' };
  return ['integer', 'number', 'object', 'null', 'array', 'boolean', 'string'].map((kind, at) => ({
    ...breach,
    detail: ` ${kind}`,
    candidates: [...(kind === 'array' && isRecord(value) ? [wrapped] : []), ...ofTypes([kind])],
    rank: Math.max(0, at - 1),
  }));
}

/** Several ways of missing a pattern: one character changed, too much, too little, far too long. */
function besidePatterns(
  breach: Omit<Breach, 'candidates'>,
  { minLength = 0, maxLength = Infinity }: SchemaObject,
  text: string,
): readonly Breach[] {
  const points = Array.from(text);
  const swapped = [points.length >> 1, 0, points.length - 1].flatMap((index) =>
    ['x', '!', ' ', '0', 'é', '\u00df'].map((other) =>
      points.map((point, at) => (at === index ? other : point)).join(''),
    ),
  );
  const longer = ['!', 'x', '0', ' '].flatMap((other) => [`${text}${other}`, `${other}${text}`]);
  const [shifted, popped] = [points.slice(1).join(''), points.slice(0, -1).join('')];
  const near = [...swapped, ...longer, shifted, popped, 'x', '!', '0', ' ', '', `${text}${text}`].filter(
    (one) => one !== text && codePoints(one) >= Number(minLength) && codePoints(one) <= Number(maxLength),
  );
  const groups: readonly Readonly<Record<string, readonly string[]>>[] = [
    { '': [...new Set(near)], ' with a nought for its first digit': [text.replace(/[1-9]/, '0')] },
    {
      ' without its start': [shifted],
      ' with a blank in it': [`${text.slice(0, 4)} ${text.slice(4)}`],
      // In ECMA-262, unlike in other languages, `$` does not match before a line end.
      ' with a line end': [`${text}\n`],
    },
    {
      ' with more at its end': ['!', 'x', ' ', '0'].map((more) => `${text}${more}`),
      ' far too long': [`${text}${(points.at(-1) ?? 'x').repeat(20)}`],
    },
    {
      ' cut short': [3, 2, 1].map((count) => points.slice(0, count).join('')),
      ' with more at its start': ['x', '!', ' ', '0'].map((more) => `${more}${text}`),
    },
  ];
  return groups.flatMap((ways, rank) =>
    Object.entries(ways).map(([detail, texts]) => ({ ...breach, detail, candidates: beside(texts), rank })),
  );
}

/** A text of one kind of characters throughout, one character too short or too long for the length and thereby for the pattern. */
function besideLengthAndPattern(keyword: string, schema: SchemaObject, text: string): Breach {
  const bare = omit(schema, 'pattern');
  const [most, points] = [Number(schema[keyword]) + 1, Array.from(text)];
  const isLonger = keyword === 'maxLength' && points.length < most && most <= 10_000;
  const longer = isLonger ? [text + (points.at(-1) ?? 'x').repeat(most - points.length)] : [];
  return {
    keyword,
    detail: ' and pattern',
    without: omit(bare, keyword),
    candidates: [...labelled(longer, () => `${String(most)} characters`), ...valuesOutside(bare, keyword, text)],
    withPattern: true,
  };
}

/** A schema without a keyword; Ajv takes no `nullable` without a `type`. */
function omit(schema: SchemaObject, keyword: string): SchemaObject {
  return Object.fromEntries(
    Object.entries(schema).filter(([name]) => name !== keyword && !(keyword === 'type' && name === 'nullable')),
  );
}

const lacking = (value: Record<string, unknown>, name: string): Candidate => ({
  value: Object.fromEntries(Object.entries(value).filter(([other]) => other !== name)),
  label: `no ${JSON.stringify(name)}`,
});

function missing(schema: SchemaObject, value: Record<string, unknown>): readonly Breach[] {
  const names = stringList(schema['required']);
  return names.map((name) => {
    const property = isRecord(schema['properties']) ? schema['properties'][name] : undefined;
    // A missing property may be filled in from its default.
    const soft = isRecord(property) && Object.hasOwn(property, 'default') ? { soft: true as const } : {};
    const without = { ...schema, required: names.filter((other) => other !== name) };
    return {
      keyword: 'required',
      detail: ` ${name}`,
      without,
      candidates: [lacking(value, name)],
      removes: true,
      ...soft,
    };
  });
}

const withoutEachMember = (value: unknown): readonly Candidate[] =>
  isRecord(value) ? Object.keys(value).map((name) => lacking(value, name)) : [];

function furtherMembers(value: Record<string, unknown>): readonly Candidate[] {
  return ['undeclaredField', 'undeclared-field', 'zz9'].flatMap((name) =>
    labelled(
      ['x', 7, {}, null].map((filler) => ({ ...value, [name]: filler })),
      () => `a member ${JSON.stringify(name)} that the schema does not allow`,
    ),
  );
}
