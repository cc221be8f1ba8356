import { decimals, type SchemaObject } from './schema.js';
import { matchesOfLength } from './strings.js';
import { codePoints, cut, stretch } from './text.js';

/** A value proposed for a place; whether it does what it is meant for is proven afterwards. */
export interface Candidate {
  readonly value: unknown;
  /** A short description. */
  readonly label: string;
}

const fillers = ['Ana Example ', '木村é', '😀𝒜', '7'];
const longest = 1_000_000;

function ofLength(text: string, length: number, pattern: unknown): readonly Candidate[] {
  if (length < 0 || length > longest) return [];
  const made = typeof pattern === 'string' ? matchesOfLength(pattern, length) : [];
  const own = codePoints(text) >= length ? [cut(text, length)] : [stretch(text === '' ? 'x' : text, length)];
  const last = Array.from(text).at(-1) ?? 'x';
  const longer = length > codePoints(text) ? [`${text}${last.repeat(length - codePoints(text))}`] : [];
  const texts = [...made, ...own, ...longer, ...fillers.map((filler) => stretch(filler, length))];
  return [...new Set(texts)]
    .filter((item) => codePoints(item) === length)
    .map((value) => ({ value, label: `${String(length)} characters` }));
}

/** Numbers beyond a bound: by the smallest difference that counts, by one, and by far. */
function beyond(schema: SchemaObject, limit: number, sign: 1 | -1): readonly Candidate[] {
  const step = schema['type'] === 'integer' ? 1 : 10 ** -decimals(limit);
  return [step, 1, 1000].map((by) => {
    const value = Number((limit + sign * by).toFixed(9));
    return { value, label: `${String(value)} where the bound is ${String(limit)}` };
  });
}

const typed: Readonly<Record<string, readonly unknown[]>> = {
  null: [null],
  boolean: [true, false],
  integer: [0, 1, 12345],
  number: [0.5, 0, 12345.5],
  string: ['Ana Example', '', '7', 'x'],
  array: [[], ['x'], [1]],
  object: [{}, { x: 'y' }],
};

/** Values just outside the boundary of a keyword of one field; none for keywords that nothing is aimed at. */
export function valuesOutside(schema: SchemaObject, keyword: string, here: unknown): readonly Candidate[] {
  const limit = schema[keyword];
  const text = typeof here === 'string' ? here : '';
  const number = typeof limit === 'number' ? limit : NaN;
  const [minLength, maxLength] = [schema['minLength'] ?? 0, schema['maxLength'] ?? Infinity];
  switch (keyword) {
    case 'minLength':
      return ofLength(text, number - 1, schema['pattern']);
    case 'maxLength':
      return ofLength(text, number + 1, schema['pattern']);
    case 'pattern':
      return besidePattern(text, Number(minLength), Number(maxLength));
    case 'format':
      return ['not a value of the format', 'x', '!!', '12', `${text}!`, ` ${text}`, ''].map((value) => ({
        value,
        label: `${JSON.stringify(value)}, which is not of the format`,
      }));
    case 'minimum':
      return beyond(schema, number, -1);
    case 'maximum':
      return beyond(schema, number, 1);
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return [{ value: limit, label: `exactly ${String(limit)}` }];
    case 'enum':
    case 'const':
      return (
        typeof here === 'number'
          ? [here + 1, here - 1, 987654]
          : [`${text}x`, 'not-a-listed-value', 'nichtgelistet', 'ZZ', '']
      ).map((value) => ({ value, label: 'a value that is not listed' }));
    case 'type':
      return (typeof limit === 'string' ? [limit] : Object.keys(typed))
        .flatMap((type) => typed[type] ?? [])
        .map((value) => ({ value, label: `${JSON.stringify(value)}, which has another type` }));
    default:
      return [];
  }
}

function besidePattern(text: string, minLength: number, maxLength: number): readonly Candidate[] {
  const points = Array.from(text);
  const swapped = [points.length >> 1, 0, points.length - 1].flatMap((index) =>
    ['x', '!', ' ', '0', 'é', '\u00df'].map((other) =>
      points.map((point, at) => (at === index ? other : point)).join(''),
    ),
  );
  const longer = ['!', 'x', '0', ' '].flatMap((other) => [`${text}${other}`, `${other}${text}`]);
  const others = [
    ...longer,
    ...swapped,
    points.slice(1).join(''),
    points.slice(0, -1).join(''),
    'x',
    '!',
    '0',
    ' ',
    '',
    `${text}${text}`,
  ];
  return [...new Set([...swapped, ...others])]
    .filter((value) => value !== text && codePoints(value) >= minLength && codePoints(value) <= maxLength)
    .map((value) => ({ value, label: `${JSON.stringify(value)}, which is beside the pattern` }));
}
