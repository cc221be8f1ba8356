import { at, isReadable, references } from '../../openapi/index.js';
import { isRecord, isSchema, schemaEntries, stringList, type JsonSchema, type SchemaObject } from './schema.js';

/** A schema that needs no document beside it: every reference points into its own `$defs`. */
export interface Bundle {
  readonly schema: JsonSchema;
  readonly unknownKeywords: readonly string[];
}

const one = new Set(
  'not if then else additionalProperties unevaluatedProperties propertyNames items unevaluatedItems contains contentSchema'.split(
    ' ',
  ),
);
const many = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const named = new Set(['properties', 'patternProperties', 'dependentSchemas']);
const plain = new Set(
  (
    'type enum const required dependentRequired minProperties maxProperties minItems maxItems uniqueItems minContains maxContains ' +
    'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern format ' +
    'title description default examples example deprecated readOnly writeOnly contentEncoding contentMediaType $comment'
  ).split(' '),
);
const dropped = new Set(
  '$id $schema $anchor $dynamicAnchor $defs definitions discriminator xml externalDocs $vocabulary'.split(' '),
);

/**
 * Makes a schema self-contained (`#/…` points into `root`) and lists the keywords in it that the generator does not know. In requests,
 * `readOnly` properties are neither sent nor required; in responses, `writeOnly` ones.
 */
export function bundle(
  schema: JsonSchema,
  root: unknown = schema,
  direction: 'request' | 'response' = 'request',
): Bundle {
  const unknown = new Set<string>();
  const names = new Map<unknown, string>();
  const defs: Record<string, JsonSchema> = {};

  const lookUp = referredIn(root);

  const reference = (holder: SchemaObject, keyword: string): JsonSchema => {
    const target = lookUp(holder, keyword);
    if (!isSchema(target)) {
      // Nothing may be claimed valid under a schema that cannot be read: what refers to it is left out.
      unknown.add(`${keyword} ${String(holder[keyword])} (leads nowhere)`);
      return false;
    }
    if (typeof target === 'boolean') return target;
    const known = names.get(target);
    if (known !== undefined) return { $ref: `#/$defs/${known}` };
    const name = `r${String(names.size)}`;
    names.set(target, name);
    defs[name] = copy(target);
    return { $ref: `#/$defs/${name}` };
  };

  const mark = direction === 'request' ? 'readOnly' : 'writeOnly';
  const isHidden = (property: unknown, hops = 0): boolean => {
    if (!isRecord(property) || hops > 8) return false;
    if (property[mark] === true) return true;
    return typeof property['$ref'] === 'string' && isHidden(lookUp(property, '$ref'), hops + 1);
  };

  const copy = (source: JsonSchema): JsonSchema => {
    // Nothing is valid under an empty list, which Ajv does not take.
    if (typeof source === 'boolean' || (Array.isArray(source['enum']) && source['enum'].length === 0))
      return source === true;
    const result: Record<string, unknown> = {};
    const hidden = hiddenProperties(source);
    for (const [keyword, value] of Object.entries(source)) {
      if (keyword === '$ref' || keyword === '$dynamicRef') {
        if (typeof value === 'string') addReference(result, reference(source, keyword));
      } else if (one.has(keyword)) result[keyword] = isSchema(value) ? copy(value) : value;
      else if (many.has(keyword)) addMany(result, keyword, value);
      else if (named.has(keyword)) {
        const isLeftOut = (name: string): boolean =>
          (keyword === 'properties' && hidden.has(name)) || (keyword === 'patternProperties' && !isReadable(name));
        const entries = schemaEntries(value).filter(([name]) => !isLeftOut(name));
        result[keyword] = Object.fromEntries(entries.map(([name, item]) => [name, copy(item)]));
      } else if (keyword === 'required') result[keyword] = stringList(value).filter((name) => !hidden.has(name));
      else if (keyword === 'pattern' && typeof value === 'string' && !isReadable(value)) unknown.add(keyword);
      else if (plain.has(keyword)) result[keyword] = value;
      else if (keyword === 'nullable' && source['type'] !== undefined) {
        // A 3.0 leftover that 3.1 does not know and Ajv honours: null is then neither sent nor called a breach.
        unknown.add(keyword);
        result[keyword] = value;
      } else if (!dropped.has(keyword) && !keyword.startsWith('x-')) unknown.add(keyword);
    }
    return result;
  };

  const addMany = (result: Record<string, unknown>, keyword: string, value: unknown): void => {
    const items = Array.isArray(value) ? value.map((item: unknown) => (isSchema(item) ? copy(item) : item)) : value;
    const before = result[keyword];
    result[keyword] =
      Array.isArray(before) && Array.isArray(items) ? [...(before as unknown[]), ...(items as unknown[])] : items;
  };

  /** Siblings of `$ref` count in 2020-12; a second reference beside the first goes into `allOf`. */
  const addReference = (result: Record<string, unknown>, target: JsonSchema): void => {
    if (isRecord(target) && result['$ref'] === undefined) result['$ref'] = target['$ref'];
    else result['allOf'] = [...(Array.isArray(result['allOf']) ? (result['allOf'] as unknown[]) : []), target];
  };

  const hiddenProperties = (source: SchemaObject): ReadonlySet<string> => {
    const properties = isRecord(source['properties']) ? Object.entries(source['properties']) : [];
    return new Set(properties.filter(([, property]) => isHidden(property)).map(([name]) => name));
  };

  const body = copy(schema);
  const whole = isRecord(body) && Object.keys(defs).length > 0 ? { ...body, $defs: defs } : body;
  return { schema: whole, unknownKeywords: [...unknown] };
}

/** What each reference of a document leads to, by the object that holds it and the keyword; undefined where it leads nowhere. */
function referredIn(root: unknown): (holder: SchemaObject, keyword: string) => unknown {
  if (!isRecord(root)) return () => undefined;
  const known = referred.get(root);
  if (known !== undefined) return known;
  const targets = new Map<unknown, Record<string, string>>();
  for (const { pointer, target } of references(root)) {
    if (target === null) continue;
    const end = pointer.lastIndexOf('/');
    const holder = at(root, pointer.slice(0, end));
    targets.set(holder, { ...targets.get(holder), [pointer.slice(end + 1)]: target });
  }
  const find = (holder: SchemaObject, keyword: string): unknown => {
    const target = targets.get(holder)?.[keyword];
    return target === undefined ? undefined : at(root, target);
  };
  referred.set(root, find);
  return find;
}

const referred = new WeakMap<object, (holder: SchemaObject, keyword: string) => unknown>();
