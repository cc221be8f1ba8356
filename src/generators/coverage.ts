import type { MinimalPair } from './schema/minimal-pairs.js';
import { applicableSubschemas, pointerOf } from './schema/applicable-subschemas.js';
import { isRecord, schemaEntries, type JsonSchema } from './schema/schema.js';

/** The keywords of a schema that were exercised, each as `/properties/name minLength`. */
export interface Coverage {
  readonly all: readonly string[];
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
    notReachedValid: all.filter((place) => !met.has(place)),
    notReachedInvalid: all.filter((place) => !hit.has(place)),
  };
}

/** The coverage as one sentence for a report. */
export function coverageText(coverage: Coverage): string {
  const { all, notReachedValid, notReachedInvalid } = coverage;
  const list = (places: readonly string[]): string =>
    places.length === 0
      ? 'none'
      : `${places
          .slice(0, 16)
          .map((place) => place.trim())
          .join('; ')}${places.length > 16 ? ' …' : ''}`;
  return (
    `of the ${all.length} keywords of the declared schema, valid leads used ${all.length - notReachedValid.length}, and ${all.length - notReachedInvalid.length} were broken one at a time; ` +
    `not used: ${list(notReachedValid)}; not broken: ${list(notReachedInvalid)}`
  );
}

/** All keywords of the schema with their places, for saying which were reached; `properties/name minLength`. */
export function keywordPlaces(whole: JsonSchema): readonly string[] {
  const found = new Set<string>();
  const visit = (schema: JsonSchema, path: string): void => {
    if (typeof schema === 'boolean') return;
    for (const [keyword, value] of Object.entries(schema)) {
      if (['properties', 'patternProperties', '$defs', 'dependentSchemas'].includes(keyword)) {
        for (const [name, inner] of schemaEntries(value)) visit(inner, `${path}/${keyword}/${name}`);
      } else if (['allOf', 'anyOf', 'oneOf', 'prefixItems'].includes(keyword) && Array.isArray(value)) {
        if (keyword === 'anyOf' || keyword === 'oneOf') found.add(`${path} ${keyword}`);
        for (const [index, inner] of (value as JsonSchema[]).entries())
          visit(inner, `${path}/${keyword}/${String(index)}`);
      } else if (
        ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'].includes(keyword) &&
        isRecord(value)
      ) {
        visit(value, `${path}/${keyword}`);
      } else if (!silent.has(keyword)) found.add(`${path} ${keyword}`);
    }
  };
  visit(whole, '');
  return [...found];
}

const silent = new Set(
  '$ref $comment title description default examples example deprecated readOnly writeOnly contentEncoding contentMediaType contentSchema'.split(
    ' ',
  ),
);
