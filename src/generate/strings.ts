import fc from 'fast-check';
import { alternatives } from './alternatives.js';
import type { Flat } from './flat.js';
import { formatArbitrary } from './formats.js';
import { guarded, passShare } from './guarded.js';
import { compilePattern, surelyMatches } from './patterns.js';
import { codePoints, cut, stretch, textArbitrary } from './text.js';
import { GenerationError } from './schema.js';
import type { JsonSchema } from './schema.js';

/** Strings that often meet a pattern which cannot be generated from (look-around, back references). */
const commonStrings: readonly string[] = [
  'Ana Example', 'ana', 'ANA', 'Ana', 'a', 'A1', 'Abc123', 'Abcdef1!', 'web', 'ana@example.org', '+4930123456', '+14155550123', '2024-02-29',
  '12:30', '12:30:00Z', '2024-02-29T12:30:00Z', '0', '1', '42', '1000', '12.50', 'DE', 'de-DE', 'EUR', 'https://example.org/', 'abc-def',
  'abc_def', '550e8400-e29b-41d4-a716-446655440000', '1HGCM82633A004352', '#a1b2c3', '10115', 'AB-CD 123', 'x'.repeat(20), 'x1'.repeat(20),
]; // prettier-ignore

/** Strings that meet the length, patterns and formats of a flat schema; says into `notes` what it had to leave out. */
export function stringArbitrary(flat: Flat, where: string, notes: Set<string>): fc.Arbitrary<string> {
  const patterns = flat.patterns.map(compilePattern);
  for (const pattern of patterns)
    if (pattern.hazard !== null) notes.add(`pattern ${pattern.source} (${pattern.hazard})`);
  const passes = (text: string): boolean => {
    const length = codePoints(text);
    return (
      length >= flat.minLength && length <= flat.maxLength && patterns.every((pattern) => surelyMatches(pattern, text))
    );
  };
  const [format] = flat.formats;
  const formatted = format === undefined ? null : formatArbitrary(format, flat.minLength, flat.maxLength);
  if (format !== undefined && !formatted) notes.add(`format ${format}`);
  const bases: fc.Arbitrary<string>[] = [];
  if (formatted) bases.push(formatted);
  else if (flat.patterns.length === 0) bases.push(textArbitrary(flat.minLength, flat.maxLength));
  for (const pattern of formatted ? [] : flat.patterns) bases.push(...matching(pattern, flat));
  const given = flat.examples.filter((value): value is string => typeof value === 'string' && passes(value));
  if (given.length > 0 && flat.patterns.length > 0) bases.push(fc.constantFrom(...given));
  const usable = bases.filter((base) => passShare(base, passes) >= 0.2);
  if (usable.length > 0) return guarded(fc.oneof(...usable), passes, where);
  const weak = bases.filter((base) => passShare(base, passes) >= 0.05);
  if (weak.length > 0) return guarded(fc.oneof(...weak), passes, where);
  const common = [...given, ...commonStrings, ...['', stretch('Abc1', flat.minLength)]].filter(passes);
  if (common.length > 0) {
    notes.add(
      `pattern ${flat.patterns.join(' and ')} (cannot be generated from; only known strings that meet it are used)`,
    );
    return fc.constantFrom(...new Set(common));
  }
  throw new GenerationError(`No string was found for ${where} (pattern ${flat.patterns.join(' and ')}).`);
}

/** A few texts that a schema within `whole` allows, drawn by the seed; none where it cannot be generated from. */
export function sampleTexts(schema: JsonSchema | undefined, whole: JsonSchema, seed: number): string[] {
  const [flat] = schema === undefined ? [] : alternatives(schema, whole).map((one) => one.flat);
  if (flat === undefined) return [];
  try {
    return fc.sample(stringArbitrary(flat, 'a text', new Set()), { seed, numRuns: 12 });
  } catch {
    return [];
  }
}

function matching(pattern: string, flat: Flat): fc.Arbitrary<string>[] {
  const compiled = compilePattern(pattern);
  if (!compiled.regExp) return [];
  const exact = [flat.minLength, Math.min(flat.maxLength, flat.minLength + 12)]
    .filter(
      (length) => length > 0 && Number.isFinite(length) && (flat.minLength > 0 || Number.isFinite(flat.maxLength)),
    )
    .flatMap((length) => matchesOfLength(pattern, length));
  try {
    const size = flat.minLength > 10 ? 'medium' : 'small';
    const limit = Number.isFinite(flat.maxLength) ? { maxLength: Math.max(1, flat.maxLength * 2) } : {};
    const made = fc.stringMatching(compiled.regExp, { size, ...limit });
    return [...(exact.length > 0 ? [fc.constantFrom(...exact)] : []), made];
  } catch {
    // Look-around and back references are not generated from; strings made for the pattern without look-ahead may still pass.
    return withoutLookAround(pattern);
  }
}

function withoutLookAround(pattern: string): fc.Arbitrary<string>[] {
  const rest = pattern.replace(/\(\?<?[=!](?:[^()\\]|\\.|\([^()]*\))*\)/g, '').replaceAll('\\b', '');
  const compiled = rest === pattern ? null : compilePattern(rest).regExp;
  if (!compiled) return [];
  try {
    return [fc.stringMatching(compiled, { size: 'small' })];
  } catch {
    return [];
  }
}

/** Strings that meet the pattern and have exactly so many code points, found by stretching its open-ended parts; may be none. */
export function matchesOfLength(pattern: string, length: number): readonly string[] {
  const compiled = compilePattern(pattern);
  const quantifiers = [...pattern.matchAll(/(?<!\\)(?:\*|\+|\{(\d+),(\d*)\})\??/g)];
  const found = new Set<string>();
  for (const quantifier of quantifiers.slice(-3)) {
    for (let count = length; count >= Math.max(0, length - 12) && found.size < 3; count -= 1) {
      const at = quantifier.index;
      const fixed = `${pattern.slice(0, at)}{${String(count)}}${pattern.slice(at + quantifier[0].length)}`;
      for (const text of tryMatches(fixed, length)) if (surelyMatches(compiled, text)) found.add(text);
    }
  }
  return [...found];
}

function tryMatches(pattern: string, length: number): readonly string[] {
  const regExp = compilePattern(pattern).regExp;
  if (!regExp) return [];
  try {
    const samples = fc.sample(fc.stringMatching(regExp, { size: 'xsmall' }), { seed: 3, numRuns: 6 });
    return samples.map((text) => cut(text, length)).filter((text) => codePoints(text) === length);
  } catch {
    return [];
  }
}
