import fc from 'fast-check';
import { readPattern, surelyMatches, textsMatching } from '../../openapi/index.js';
import { acceptanceRate, filterWithAcceptanceRate } from './filter-with-acceptance-rate.js';
import { alternatives, normalize, type NormalizedSchema } from './normalized-schema.js';
import { phoneArbitrary } from '../leads/phones.js';
import { GenerationError, type JsonSchema } from './schema.js';
import { codePoints, cut, stretch, textArbitrary } from './text.js';

/** Strings that often meet a pattern which cannot be generated from (look-around, back references). */
const commonStrings: readonly string[] = [
  'Ana Example', 'ana', 'ANA', 'Ana', 'a', 'A1', 'Abc123', 'Abcdef1!', 'web', 'ana@example.org', '+4930123456', '+14155550123', '2024-02-29',
  '12:30', '12:30:00Z', '2024-02-29T12:30:00Z', '0', '1', '42', '1000', '12.50', 'DE', 'de-DE', 'EUR', 'https://example.org/', 'abc-def',
  'abc_def', '550e8400-e29b-41d4-a716-446655440000', '1HGCM82633A004352', '#a1b2c3', '10115', 'AB-CD 123', 'x'.repeat(20), 'x1'.repeat(20),
]; // prettier-ignore

const instant = fc
  .date({ min: new Date('1970-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString());
const word = fc.stringMatching(/^[a-z]{3,10}$/);

/** Formats that texts of leads are known to have. */
const byFormat: Readonly<Record<string, fc.Arbitrary<string>>> = {
  uuid: fc.uuid({ version: [4] }),
  'date-time': instant,
  date: instant.map((text) => text.slice(0, 10)),
  time: instant.map((text) => text.slice(11)),
  email: word.map((name) => `${name}@example.org`),
  uri: word.map((name) => `https://example.org/${name}`),
  url: word.map((name) => `https://example.org/${name}`),
  phone: phoneArbitrary(),
  tel: phoneArbitrary(),
};

/** Strings that meet the lengths, the patterns and, where it is known, the format of a schema. */
export function stringArbitrary(schema: NormalizedSchema, where: string): fc.Arbitrary<string> {
  const { minLength, maxLength, patterns } = schema;
  const passes = (text: string): boolean =>
    codePoints(text) >= minLength &&
    codePoints(text) <= maxLength &&
    patterns.every((pattern) => surelyMatches(pattern, text));
  const format = byFormat[schema.formats[0] ?? ''];
  const bases =
    format !== undefined
      ? [format]
      : patterns.length === 0
        ? [textArbitrary(minLength, maxLength)]
        : patterns.flatMap((pattern) => matching(pattern, schema));
  const usable = bases.filter((base) => acceptanceRate(base, passes) >= 0.05);
  if (usable.length > 0) return filterWithAcceptanceRate(fc.oneof(...usable), passes, where);
  const given = schema.examples.filter((value) => typeof value === 'string');
  const known = [...given, ...commonStrings, '', stretch('Abc1', minLength)].filter(passes);
  if (known.length > 0) return fc.constantFrom(...new Set(known));
  throw new GenerationError(`No string was found for ${where} (pattern ${patterns.join(' and ')}).`);
}

/** A few texts that a schema within `whole` allows, drawn by the seed; none where it cannot be generated from. */
export function sampleTexts(schema: JsonSchema | undefined, whole: JsonSchema, seed: number): string[] {
  const [first] = schema === undefined ? [] : alternatives(schema, whole);
  if (first === undefined) return [];
  try {
    return fc.sample(stringArbitrary(first, 'a text'), { seed, numRuns: 12 });
  } catch {
    return [];
  }
}

function matching(pattern: string, { minLength, maxLength }: NormalizedSchema): fc.Arbitrary<string>[] {
  const lengths = minLength > 0 || Number.isFinite(maxLength) ? [minLength, Math.min(maxLength, minLength + 12)] : [];
  const exact = lengths.filter((length) => length > 0).flatMap((length) => matchesOfLength(pattern, length));
  try {
    const size = minLength > 10 ? 'medium' : 'small';
    const limit = Number.isFinite(maxLength) ? { maxLength: Math.max(1, maxLength * 2) } : {};
    const made = fc.stringMatching(readPattern(pattern), { size, ...limit });
    return [...(exact.length > 0 ? [fc.constantFrom(...exact)] : []), made];
  } catch {
    // Look-around and back references are not generated from; strings made for the pattern without look-around may still pass.
    const rest = pattern.replace(/\(\?<?[=!](?:[^()\\]|\\.|\([^()]*\))*\)/g, '').replaceAll('\\b', '');
    return rest === pattern ? [] : matching(rest, unbounded);
  }
}

const unbounded = normalize({});

/** Strings of exactly `length` code points that match the pattern, found by repeating its open-ended parts; may be empty. */
export function matchesOfLength(pattern: string, length: number): readonly string[] {
  const quantifiers = [...pattern.matchAll(/(?<!\\)(?:\*|\+|\{(\d+),(\d*)\})\??/g)];
  const found = new Set<string>();
  for (const quantifier of quantifiers.slice(-3)) {
    for (let count = length; count >= Math.max(0, length - 12) && found.size < 3; count -= 1) {
      const at = quantifier.index;
      const fixed = `${pattern.slice(0, at)}{${String(count)}}${pattern.slice(at + quantifier[0].length)}`;
      for (const text of textsMatching(fixed, 6, 3, 'xsmall').map((sample) => cut(sample, length)))
        if (codePoints(text) === length && surelyMatches(pattern, text)) found.add(text);
    }
  }
  return [...found];
}
