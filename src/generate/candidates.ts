import fc from 'fast-check';
import { readFlat } from './flat.js';
import { formatArbitrary } from './formats.js';
import { decimalPlaces, timesStep } from './numbers.js';
import { isRecord, stringList, type SchemaObject } from './schema.js';
import { matchesOfLength } from './strings.js';
import { codePoints, cut, stretch } from './text.js';

/** A value proposed for a place; whether it does what it is meant for is proven afterwards. */
export interface Candidate {
  readonly value: unknown;
  /** What it is, in a few words. */
  readonly label: string;
}

const fillers = ['Ana Example ', '木村é', '😀𝒜', '7'];

function ofLength(text: string, length: number, patterns: readonly string[]): readonly Candidate[] {
  const [pattern] = patterns;
  const made = pattern === undefined ? [] : matchesOfLength(pattern, length);
  const own = codePoints(text) >= length ? [cut(text, length)] : [stretch(text === '' ? 'x' : text, length)];
  const last = Array.from(text).at(-1) ?? 'x';
  const longer = length > codePoints(text) ? [`${text}${last.repeat(length - codePoints(text))}`] : [];
  const texts = [...made, ...own, ...longer, ...fillers.map((filler) => stretch(filler, length))];
  return [...new Set(texts)]
    .filter((item) => codePoints(item) === length)
    .map((value) => ({ value, label: `${String(length)} characters` }));
}

/** The smallest difference that counts between two numbers of this schema. */
function grain(schema: SchemaObject): number {
  const flat = readFlat(schema);
  const [step] = flat.multiples;
  if (step !== undefined) return step;
  if (flat.types.has('integer') && !flat.types.has('number')) return 1;
  const bounds = [flat.minimum, flat.maximum, flat.aboveMinimum, flat.belowMaximum].filter(Number.isFinite);
  return Math.min(1, ...bounds.map((bound) => 10 ** -Math.min(6, decimalPlaces(bound))));
}

function shifted(bound: unknown, by: number): number {
  return typeof bound === 'number' ? Number((bound + by).toFixed(9)) : 0;
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : -1;
}

function resized(items: unknown, length: number): readonly Candidate[] {
  if (!Array.isArray(items) || length < 0 || length > 2000) return [];
  const source = items as unknown[];
  const last = source.at(-1);
  const fill = (index: number): unknown =>
    typeof last === 'number'
      ? last + index
      : typeof last === 'string'
        ? `${last}${String(index)}`
        : (last ?? `item${String(index)}`);
  const label = `${String(length)} items`;
  const same = { value: Array.from({ length }, (_, index) => (index < source.length ? source[index] : last)), label };
  return [
    { value: Array.from({ length }, (_, index) => (index < source.length ? source[index] : fill(index))), label },
    same,
  ];
}

/** Values on the inner side of the keyword's boundary; `here` is the valid value that stands at the place now. */
export function boundaryCandidates(schema: SchemaObject, keyword: string, here: unknown): readonly Candidate[] {
  const limit = schema[keyword];
  const text = typeof here === 'string' ? here : '';
  const flat = readFlat(schema);
  switch (keyword) {
    case 'minLength':
    case 'maxLength':
      return count(limit) < 0 || count(limit) > 1_000_000 ? [] : ofLength(text, count(limit), flat.patterns);
    case 'pattern':
      return flat.patterns.flatMap((pattern) =>
        [flat.minLength, 1, 8, 15, 16, 30, Math.min(flat.maxLength, 200)].flatMap((length) =>
          matchesOfLength(pattern, length).map((value) => ({
            value,
            label: `${String(length)} characters of the pattern`,
          })),
        ),
      );
    case 'format':
      return sampled(formatArbitrary(String(limit), flat.minLength, flat.maxLength), `format ${String(limit)}`);
    case 'minimum':
    case 'maximum':
      return [{ value: limit, label: `exactly ${String(limit)}` }];
    case 'exclusiveMinimum':
      return [{ value: shifted(limit, grain(schema)), label: `just above ${String(limit)}` }];
    case 'exclusiveMaximum':
      return [{ value: shifted(limit, -grain(schema)), label: `just below ${String(limit)}` }];
    case 'multipleOf':
      return [0, 1, 3, 7].map((times) => ({
        value: timesStep(times, count(limit)),
        label: `${String(times)} times ${String(limit)}`,
      }));
    case 'enum':
      return Array.isArray(limit)
        ? (limit as unknown[]).map((value) => ({ value, label: `value ${JSON.stringify(value)}` }))
        : [];
    case 'const':
      return [{ value: limit, label: `value ${JSON.stringify(limit)}` }];
    case 'type':
      return (typeof limit === 'string' ? [limit] : stringList(limit)).flatMap((type) => ofType(type));
    case 'minItems':
    case 'maxItems':
      return resized(here, count(limit));
    case 'required':
      return isRecord(here)
        ? [
            {
              value: Object.fromEntries(Object.entries(here).filter(([name]) => stringList(limit).includes(name))),
              label: 'only what is required',
            },
          ]
        : [];
    default:
      return [];
  }
}

function sampled(arbitrary: fc.Arbitrary<string> | null, label: string): readonly Candidate[] {
  if (!arbitrary) return [];
  const samples = fc.sample(arbitrary, { seed: 11, numRuns: 24 }).sort((a, b) => a.length - b.length);
  return [...new Set([samples[0], samples.at(-1)])].map((value) => ({ value, label }));
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

function ofType(type: string): readonly Candidate[] {
  return (typed[type] ?? []).map((value) => ({ value, label: `a value of type ${type}` }));
}

/** Values just outside the keyword's boundary. */
export function breachCandidates(schema: SchemaObject, keyword: string, here: unknown): readonly Candidate[] {
  const limit = schema[keyword];
  const text = typeof here === 'string' ? here : '';
  const flat = readFlat(schema);
  switch (keyword) {
    case 'minLength':
      return count(limit) < 1 ? [] : ofLength(text, count(limit) - 1, flat.patterns);
    case 'maxLength':
      return count(limit) < 0 || count(limit) > 1_000_000 ? [] : ofLength(text, count(limit) + 1, flat.patterns);
    case 'pattern':
      return besidePattern(text, flat.minLength, flat.maxLength);
    case 'format':
      return notOfFormat(text);
    case 'minimum':
      return [shifted(limit, -grain(schema)), shifted(limit, -1), shifted(limit, -1000)].map(below(limit));
    case 'maximum':
      return [shifted(limit, grain(schema)), shifted(limit, 1), shifted(limit, 1000)].map(below(limit));
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return [{ value: limit, label: `exactly ${String(limit)}` }];
    case 'multipleOf':
      return [0.5, 1.5, 0.1].map((part) => ({
        value: Number(((count(here) || 0) + count(limit) * part).toFixed(9)),
        label: 'between two multiples',
      }));
    case 'enum':
    case 'const':
      return typeof here === 'number'
        ? [here + 1, here - 1, 987654].map((value) => ({ value, label: 'a value that is not listed' }))
        : [`${text}x`, 'not-a-listed-value', 'nichtgelistet', 'ZZ', ''].map((value) => ({
            value,
            label: 'a value that is not listed',
          }));
    case 'type':
      return (typeof limit === 'string' ? [limit] : [...Object.keys(typed)])
        .flatMap(ofType)
        .map(({ value }) => ({ value, label: `${JSON.stringify(value)}, which has another type` }));
    case 'minItems':
      return resized(here, count(limit) - 1);
    case 'maxItems':
      return resized(here, count(limit) + 1);
    case 'uniqueItems':
      return Array.isArray(here) && here.length > 0
        ? [{ value: [...(here as unknown[]), here[0] as unknown], label: 'an item given twice' }]
        : [];
    default:
      return [];
  }
}

function below(limit: unknown): (value: number) => Candidate {
  return (value) => ({ value, label: `${String(value)} where the bound is ${String(limit)}` });
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

function notOfFormat(text: string): readonly Candidate[] {
  const others = ['not a value of the format', 'x', '!!', '12', `${text}!`, ` ${text}`, ''];
  return others.map((value) => ({ value, label: `${JSON.stringify(value)}, which is not of the format` }));
}
