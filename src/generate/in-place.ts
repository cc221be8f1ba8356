import {
  atPointer,
  isRecord,
  isSchema,
  pointerTokens,
  schemaEntries,
  type JsonSchema,
  type SchemaObject,
} from './schema.js';
import { isValid, partOf } from './validity.js';

/** A schema object with its place in the bundle. */
export interface Placed {
  readonly schema: SchemaObject;
  readonly path: readonly string[];
}

/** The schema and all that it applies in place to this value: references, `allOf`, the branches that hold, `then` or `else`. */
export function alternativesHere(
  whole: JsonSchema,
  schema: JsonSchema,
  path: readonly string[],
  value: unknown,
): readonly Placed[] {
  const found: Placed[] = [];
  const holds = (part: JsonSchema): boolean => isValid(partOf(whole, part), value);
  const add = (part: unknown, at: readonly string[]): void => {
    if (!isRecord(part) || found.some((other) => other.schema === part)) return;
    found.push({ schema: part, path: at });
    const ref = part['$ref'];
    if (typeof ref === 'string') add(atPointer(whole, pointerTokens(ref)), pointerTokens(ref));
    each(part['allOf'], [...at, 'allOf'], () => true);
    each(part['anyOf'], [...at, 'anyOf'], holds);
    each(part['oneOf'], [...at, 'oneOf'], holds);
    if (isSchema(part['if'])) {
      const branch = holds(part['if']) ? 'then' : 'else';
      add(part[branch], [...at, branch]);
    }
    for (const [name, dependent] of schemaEntries(part['dependentSchemas'])) {
      if (isRecord(value) && Object.hasOwn(value, name)) add(dependent, [...at, 'dependentSchemas', name]);
    }
  };
  const each = (parts: unknown, at: readonly string[], applies: (part: JsonSchema) => boolean): void => {
    if (!Array.isArray(parts)) return;
    for (const [index, part] of (parts as unknown[]).entries())
      if (isSchema(part) && applies(part)) add(part, [...at, String(index)]);
  };
  add(schema, path);
  return found;
}
