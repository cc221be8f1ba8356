import { sample, surelyMatches, textsMatching } from '../../openapi/index.js';
import type { JsonSchema } from './schema.js';
import { codePoints, cut } from './text.js';

/** A few texts that a schema within `whole` describes, drawn by the seed; whether they are valid is for the whole schema to say. */
export function sampleTexts(schema: JsonSchema | undefined, whole: JsonSchema, seed: number, count = 12): string[] {
  const made = Array.from({ length: schema === undefined ? 0 : count }, (_, at) =>
    sample(schema, '', { document: whole, unique: `text ${seed + at}`, budget: { left: 100 } }),
  );
  return made.filter((one) => typeof one === 'string');
}

const matches = new Map<string, readonly string[]>();

/** Strings of exactly `length` code points that match the pattern, found by repeating its open-ended parts; may be empty. */
export function matchesOfLength(pattern: string, length: number): readonly string[] {
  const key = `${length} ${pattern}`;
  // Each text that is drawn from a pattern with \p{…} takes tens of milliseconds.
  const known = matches.get(key) ?? findMatches(pattern, length);
  if (matches.size > 2000) matches.clear();
  matches.set(key, known);
  return known;
}

function findMatches(pattern: string, length: number): readonly string[] {
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
