import { at, isMarked, isReadable, referenceTargets } from '../../openapi/index.js';
import { isRecord, isSchema, schemaEntries, stringList, type JsonSchema, type SchemaObject } from './schema.js';

/** A schema that needs no document beside it: every reference points into its own `$defs`. */
export interface Bundle {
  readonly schema: JsonSchema;
  readonly unknownKeywords: readonly string[];
}

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));
const one = words(
  'not if then else additionalProperties unevaluatedProperties propertyNames items unevaluatedItems contains contentSchema',
);
const many = words('allOf anyOf oneOf prefixItems');
const named = words('properties patternProperties dependentSchemas');
const plain = words(
  'type enum const required dependentRequired minProperties maxProperties minItems maxItems uniqueItems minContains maxContains ' +
    'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern format ' +
    'title description default examples example deprecated readOnly writeOnly contentEncoding contentMediaType $comment',
);
const dropped = words(
  '$id $schema $anchor $dynamicAnchor $defs definitions discriminator xml externalDocs $vocabulary',
);

/**
 * Makes the schema of a request self-contained (`#/…` points into `root`) and lists the keywords in it that the generator does not know. `readOnly`
 * properties are neither sent nor required.
 */
export function bundle(schema: JsonSchema, root: unknown = schema): Bundle {
  const unknown = new Set<string>();
  const names = new Map<unknown, string>();
  const defs: Record<string, JsonSchema> = {};
  const targets = isRecord(root) ? referenceTargets(root) : null;

  const reference = (holder: SchemaObject, keyword: string): JsonSchema => {
    const pointer = targets?.get(holder)?.[keyword];
    const target = pointer === undefined ? undefined : at(root, pointer);
    // Nothing may be claimed valid under a schema that cannot be read: what refers to it is left out.
    if (!isSchema(target)) unknown.add(`${keyword} ${String(holder[keyword])} (leads nowhere)`);
    if (!isRecord(target)) return target === true;
    const name = names.get(target) ?? `r${String(names.size)}`;
    if (!names.has(target)) {
      names.set(target, name);
      defs[name] = copy(target);
    }
    return { $ref: `#/$defs/${name}` };
  };

  /** Adds a keyword to a copy, in the form that it has there. */
  const add = (result: Record<string, unknown>, source: SchemaObject, keyword: string, value: unknown): void => {
    const properties = isRecord(source['properties']) ? source['properties'] : {};
    const isSent = (name: string): boolean =>
      !Object.hasOwn(properties, name) || !isMarked(root, properties[name], 'readOnly');
    const put = (inner: unknown): void => void (result[keyword] = inner);
    if (keyword === '$ref' || keyword === '$dynamicRef') {
      const target = typeof value === 'string' ? reference(source, keyword) : null;
      // Siblings of `$ref` count in 2020-12; a second reference beside the first goes into `allOf`.
      if (isRecord(target) && result['$ref'] === undefined) result['$ref'] = target['$ref'];
      else if (target !== null) result['allOf'] = [...listOf(result['allOf']), target];
    } else if (one.has(keyword)) put(isSchema(value) ? copy(value) : value);
    else if (many.has(keyword)) {
      const items = Array.isArray(value) ? value.map((item: unknown) => (isSchema(item) ? copy(item) : item)) : value;
      put(Array.isArray(items) ? [...listOf(result[keyword]), ...(items as unknown[])] : items);
    } else if (named.has(keyword)) {
      const isKept = (name: string): boolean =>
        keyword === 'properties' ? isSent(name) : keyword !== 'patternProperties' || isReadable(name);
      const entries = schemaEntries(value).filter(([name]) => isKept(name));
      put(Object.fromEntries(entries.map(([name, item]) => [name, copy(item)])));
    } else if (keyword === 'required') put(stringList(value).filter(isSent));
    else if (keyword === 'pattern' && typeof value === 'string' && !isReadable(value)) unknown.add(keyword);
    else if (plain.has(keyword)) put(value);
    else if (!dropped.has(keyword) && !keyword.startsWith('x-')) {
      unknown.add(keyword);
      // A 3.0 leftover that 3.1 does not know and Ajv honours: null is then neither sent nor called a breach.
      if (keyword === 'nullable' && source['type'] !== undefined) put(value);
    }
  };

  const copy = (source: JsonSchema): JsonSchema => {
    // Nothing is valid under an empty list, which Ajv does not take.
    if (typeof source === 'boolean' || (Array.isArray(source['enum']) && source['enum'].length === 0))
      return source === true;
    const result: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(source)) add(result, source, keyword, value);
    return result;
  };

  const body = copy(schema);
  const whole = isRecord(body) && Object.keys(defs).length > 0 ? { ...body, $defs: defs } : body;
  return { schema: whole, unknownKeywords: [...unknown] };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);
