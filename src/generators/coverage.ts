import { keywordPlaces, type MinimalPair } from './schema/minimal-pairs.js';
import { applicableSubschemas, pointerOf } from './schema/applicable-subschemas.js';
import type { JsonSchema } from './schema/schema.js';

/** The keywords of a schema that were exercised, each as `/properties/name minLength`. */
export interface Coverage {
  readonly all: readonly string[];
  readonly valid: readonly string[];
  readonly invalid: readonly string[];
  readonly notReachedValid: readonly string[];
  readonly notReachedInvalid: readonly string[];
}

/** Counts the keywords that the valid values were under, and those that the pairs broke. */
export function coverageOf(
  whole: JsonSchema,
  valid: readonly unknown[],
  broken: readonly Pick<MinimalPair, 'place'>[],
): Coverage {
  const all = keywordPlaces(whole);
  const met = new Set<string>();
  for (const value of valid) {
    for (const { schema, path } of applicableSubschemas(whole, value))
      for (const keyword of Object.keys(schema)) met.add(`${pointerOf(path)} ${keyword}`);
  }
  const hit = new Set(broken.map((pair) => pair.place));
  return {
    all,
    valid: all.filter((place) => met.has(place)),
    invalid: all.filter((place) => hit.has(place)),
    notReachedValid: all.filter((place) => !met.has(place)),
    notReachedInvalid: all.filter((place) => !hit.has(place)),
  };
}

/** The coverage as one sentence for a report. */
export function coverageText(coverage: Coverage): string {
  const count = String(coverage.all.length);
  const list = (places: readonly string[]): string =>
    places.length === 0
      ? 'none'
      : `${places
          .slice(0, 16)
          .map((place) => place.trim())
          .join('; ')}${places.length > 16 ? ' …' : ''}`;
  return (
    `of the ${count} keywords of the declared schema, valid leads used ${String(coverage.valid.length)}, and ${String(coverage.invalid.length)} were broken one at a time; ` +
    `not used: ${list(coverage.notReachedValid)}; not broken: ${list(coverage.notReachedInvalid)}`
  );
}
