import { alternativesHere } from './in-place.js';
import { propertySchema, readFlat } from './flat.js';
import { escapeToken, isRecord, schemaEntries, type JsonSchema, type SchemaObject } from './schema.js';

/** A schema object that applies to a place in a value. */
export interface Occurrence {
  /** JSON Pointer into the value, as tokens. */
  readonly at: readonly string[];
  readonly value: unknown;
  readonly schema: SchemaObject;
  /** JSON Pointer into the bundled schema, as tokens. */
  readonly path: readonly string[];
}

const tooMany = 400;

/** Every schema object of a bundled schema that applies somewhere in a valid value; branches of `anyOf`/`oneOf`/`if` only where they hold. */
export function occurrences(whole: JsonSchema, value: unknown): readonly Occurrence[] {
  const found: Occurrence[] = [];
  const visit = (schema: JsonSchema, path: readonly string[], at: readonly string[], here: unknown): void => {
    if (found.length >= tooMany) return;
    for (const part of alternativesHere(whole, schema, path, here)) {
      found.push({ at, value: here, schema: part.schema, path: part.path });
      if (isRecord(here)) visitMembers(part.schema, part.path, at, here);
      if (Array.isArray(here)) visitItems(part.schema, part.path, at, here);
    }
  };
  const visitMembers = (
    schema: SchemaObject,
    path: readonly string[],
    at: readonly string[],
    here: Record<string, unknown>,
  ): void => {
    const flat = readFlat(schema);
    for (const [name, value_] of Object.entries(here)) {
      const inside = [...at, name];
      const own = flat.properties.get(name);
      if (own !== undefined) visit(own, [...path, 'properties', name], inside, value_);
      for (const [pattern, matching] of schemaEntries(schema['patternProperties'])) {
        if (
          propertySchema(
            readFlat({ patternProperties: { [pattern]: matching }, additionalProperties: false }),
            name,
          ) === matching
        ) {
          visit(matching, [...path, 'patternProperties', pattern], inside, value_);
        }
      }
      const covered = own !== undefined || flat.patternProperties.length > 0;
      if (!covered && isRecord(schema['additionalProperties']))
        visit(schema['additionalProperties'], [...path, 'additionalProperties'], inside, value_);
    }
  };
  const visitItems = (
    schema: SchemaObject,
    path: readonly string[],
    at: readonly string[],
    here: readonly unknown[],
  ): void => {
    const flat = readFlat(schema);
    for (const [index, item] of here.entries()) {
      const prefix = flat.prefixItems[index];
      const inside = [...at, String(index)];
      if (prefix !== undefined) visit(prefix, [...path, 'prefixItems', String(index)], inside, item);
      else if (isRecord(schema['items'])) visit(schema['items'], [...path, 'items'], inside, item);
    }
  };
  visit(whole, [], [], value);
  return found;
}

/** The place as a JSON Pointer; the empty text is the value itself. */
export function pointerOf(at: readonly string[]): string {
  return at.map((token) => `/${escapeToken(token)}`).join('');
}
