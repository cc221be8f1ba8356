import { at as valueAt, child, localPointer, tokensOf } from '../../openapi/index.js';
import { isRecord, isSchema, schemaEntries, type JsonSchema, type SchemaObject } from './schema.js';
import { isValid, partOf } from './validity.js';

/** A schema object that applies to a place in a value. */
export interface ApplicableSchema {
  /** JSON Pointer into the value, as tokens. */
  readonly at: readonly string[];
  readonly value: unknown;
  readonly schema: SchemaObject;
  /** JSON Pointer into the bundled schema, as tokens. */
  readonly path: readonly string[];
}

const most = 400;

/** Every schema object of a bundled schema that applies somewhere in a valid value; branches of `anyOf`/`oneOf`/`if` only where they hold. */
export function applicableSubschemas(whole: JsonSchema, value: unknown): readonly ApplicableSchema[] {
  const found: ApplicableSchema[] = [];
  const visit = (part: unknown, path: readonly string[], at: readonly string[], here: unknown): void => {
    if (!isRecord(part) || found.length >= most) return;
    const place = at.join('\u0000');
    if (found.some((other) => other.schema === part && other.at.join('\u0000') === place)) return;
    found.push({ at, value: here, schema: part, path });
    const holds = (one: JsonSchema): boolean => isValid(partOf(whole, one), here);
    const pointer = typeof part['$ref'] === 'string' ? localPointer(part['$ref']) : null;
    if (pointer !== null) visit(valueAt(whole, pointer), tokensOf(pointer) ?? [], at, here);
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
      const parts = Array.isArray(part[keyword]) ? (part[keyword] as unknown[]) : [];
      for (const [index, one] of parts.entries())
        if (isSchema(one) && (keyword === 'allOf' || holds(one)))
          visit(one, [...path, keyword, String(index)], at, here);
    }
    if (isSchema(part['if'])) {
      const branch = holds(part['if']) ? 'then' : 'else';
      visit(part[branch], [...path, branch], at, here);
    }
    if (isRecord(here)) {
      const properties = new Map(schemaEntries(part['properties']));
      for (const [name, member] of Object.entries(here)) {
        const own = properties.get(name);
        if (own !== undefined) visit(own, [...path, 'properties', name], [...at, name], member);
        else if (part['patternProperties'] === undefined)
          visit(part['additionalProperties'], [...path, 'additionalProperties'], [...at, name], member);
      }
    }
    if (Array.isArray(here) && part['prefixItems'] === undefined)
      for (const [index, item] of here.entries())
        visit(part['items'], [...path, 'items'], [...at, String(index)], item);
  };
  visit(whole, [], [], value);
  return found;
}

/** The place as a JSON Pointer; the empty text is the value itself. */
export function pointerOf(at: readonly string[]): string {
  return at.reduce(child, '');
}
