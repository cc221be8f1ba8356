import { choiceBesideNull, lostBranches, type LocatedSchema } from './compatible-branches.js';
import { child } from '../schema/pointer.js';
import { joinedSchemas } from '../schema/joined-schemas.js';
import { follow, partsOf, typesOf } from '../schema/resolve.js';
import { asList, asObject } from '../values.js';

/** One promise of the pinned document that the served one does not keep. */
export interface Incompatibility {
  readonly pointer: string;
  /** The kind of breach, as in a finding. */
  readonly code: string;
  /** The member that it is about, where the pointer leads to what should hold it. */
  readonly member?: string | undefined;
  readonly expected: string;
  readonly actual: string;
}

/** Adds an incompatibility. */
export type Report = (pointer: string, code: string, expected: string, actual: string, member?: string) => void;

/** What is there of something that the served document lacks. */
export const gone = 'it is no longer declared';

interface FlattenedSchema {
  readonly properties: ReadonlyMap<string, Omit<LocatedSchema, 'document'>>;
  readonly required: ReadonlySet<string>;
  readonly types: ReadonlySet<string> | null;
  readonly node: Record<string, unknown>;
  readonly pointer: string;
  /** Holds oneOf or anyOf, which are not compared member by member, but for a single one beside null. */
  readonly open: boolean;
}

/** One schema with its references, `allOf` and a choice beside null folded in; null where it cannot be read. */
function flatten({ document, schema, pointer }: LocatedSchema, budget = { left: 500 }): FlattenedSchema | null {
  const here = follow(document, schema, pointer);
  budget.left -= 1;
  if (here === null || budget.left < 0) return null;
  const own = joinedSchemas(document, schema, pointer, ['allOf']);
  const choices = own.flatMap((one) => choiceBesideNull(document, one) ?? []);
  const all = [...own, ...choices.flatMap((one) => joinedSchemas(document, one.node, one.pointer, ['allOf']))];
  const takesNull = choices.length > 0 && own.every((one) => valueTypes(one.node) === null);
  const nodes = all.map(({ node }) => node);
  const properties = all.flatMap(({ node, pointer: at }) =>
    Object.entries(asObject(node['properties']) ?? {}).map(
      ([name, property]) => [name, { schema: property, pointer: child(child(at, 'properties'), name) }] as const,
    ),
  );
  let types = nodes.map(valueTypes).find((one) => one !== null) ?? null;
  for (const members of all.flatMap((one) => ['oneOf', 'anyOf'].map((word) => partsOf(one, word)))) {
    if (types !== null || members.length === 0) continue;
    const each = members.map((part) => flatten({ document, ...part }, budget)?.types ?? null);
    if (each.every((one) => one !== null)) types = new Set(each.flatMap((one) => [...one]));
  }
  if (takesNull && types !== null) types = new Set([...types, 'null']);
  const node = Object.assign({}, ...nodes.toReversed()) as Record<string, unknown>;
  const values = valuesOf(node);
  if (takesNull && values !== null) Object.assign(node, { const: undefined, enum: [...values, null] });
  return {
    // The first that names a property says what it is.
    properties: new Map(properties.toReversed()),
    required: new Set(nodes.flatMap((node) => asList(node['required']).filter((one) => typeof one === 'string'))),
    types,
    node,
    pointer: here.pointer,
    open: all.some(
      (one) => (one.node['oneOf'] ?? one.node['anyOf']) !== undefined && choiceBesideNull(document, one) === null,
    ),
  };
}

/** The types of the values that a schema allows; null where it does not say. */
function valueTypes(node: Record<string, unknown>): ReadonlySet<string> | null {
  const listed = typesOf(node);
  const values = valuesOf(node)?.map((one) => (one === null ? 'null' : Array.isArray(one) ? 'array' : typeof one));
  return listed.length > 0 ? new Set(listed) : values ? new Set(values) : null;
}

/** The only values that a schema lets through, where it lists them. */
function valuesOf(node: Record<string, unknown>): readonly unknown[] | null {
  if (node['const'] !== undefined) return [node['const']];
  return Array.isArray(node['enum']) ? (node['enum'] as unknown[]) : null;
}

const covers = (wide: ReadonlySet<string>, type: string): boolean =>
  wide.has(type) || (type === 'integer' && wide.has('number'));

/** Keywords whose growth (or shrinking) takes accepted input away. */
const lower = ['minLength', 'minimum', 'exclusiveMinimum', 'minItems', 'minProperties'];
const upper = ['maxLength', 'maximum', 'exclusiveMaximum', 'maxItems', 'maxProperties'];

type Say = (code: string, expected: string, actual: string, member?: string) => void;

const words = (types: ReadonlySet<string>): string => `type ${[...types].join(' or ')}`;

/** What a request no longer accepts. */
function compareInputs(before: FlattenedSchema, after: FlattenedSchema, say: Say): void {
  const [old, now] = [before.node, after.node].map((node) => valuesOf(node)?.map((value) => JSON.stringify(value)));
  if (before.types === null && !before.open && after.types !== null && now === undefined)
    say('any-type-gone', 'any type to be accepted, as pinned', words(after.types));
  const lost = now && (old ? old.find((value) => !now.includes(value)) : 'any other value');
  if (lost !== undefined)
    say('value-gone', `${lost} to be accepted, as pinned`, 'it is no longer among the allowed values');
  for (const name of after.required)
    if (!before.required.has(name)) say('field-required', `${name} to stay optional`, 'it is required now', name);
  for (const name of [...lower, ...upper]) {
    const [a, b] = [before.node[name], after.node[name]];
    // Beyond this, no number is exact in JSON (RFC 8259 §6).
    if (Math.abs(Number(b)) >= Number.MAX_SAFE_INTEGER) continue;
    const sign = lower.includes(name) ? 1 : -1;
    if (typeof b === 'number' && (typeof a === 'number' ? sign * (b - a) > 0 : sign < 0 || b > 0))
      say('bound-tighter', `${name} ${typeof a === 'number' ? a : 'not set'}, as pinned`, `${name} ${b}`, name);
  }
  const [pattern, narrower] = [before.node['pattern'], after.node['pattern']];
  if (typeof narrower === 'string' && narrower !== pattern)
    say('pattern-changed', `the pattern ${JSON.stringify(pattern ?? null)}, as pinned`, JSON.stringify(narrower));
  if (after.node['additionalProperties'] !== false || after.open) return;
  if (before.node['additionalProperties'] !== false)
    say('closed', 'additional fields to be accepted, as pinned', 'additionalProperties: false');
  for (const name of before.properties.keys())
    if (!after.properties.has(name)) say('field-gone', `the field ${name} to be accepted, as pinned`, gone, name);
}

/** What an answer no longer shows. */
function compareOutputs(before: FlattenedSchema, after: FlattenedSchema, say: Say): void {
  if (after.open) return;
  for (const name of before.properties.keys())
    if (!after.properties.has(name)) say('field-gone', `the field ${name}, as pinned`, gone, name);
  for (const name of before.required)
    if (after.properties.has(name) && !after.required.has(name))
      say('field-optional', `${name} in every answer, as pinned`, 'it is optional now', name);
}

/** Compares two schemas: a response must keep its fields and types, a request must accept all it did. `walk`: the pairs compared so far, and the number that is still allowed. */
export function compareSchemas(
  side: 'response' | 'request',
  pinned: LocatedSchema,
  served: LocatedSchema,
  report: Report,
  walk = { seen: new Set<string>(), budget: { left: 20_000 } },
): void {
  const [before, after] = [flatten(pinned), flatten(served)];
  if (before === null || after === null) return;
  const mark = `${side} ${before.pointer} ${after.pointer}`;
  walk.budget.left -= 1;
  if (walk.seen.has(mark) || walk.budget.left < 0) return;
  walk.seen.add(mark);
  const say: Say = (...found) => report(after.pointer, ...found);
  const [wide, narrow] = side === 'response' ? [before.types, after.types] : [after.types, before.types];
  if (before.types && after.types && wide && [...(narrow ?? [])].some((type) => !covers(wide, type)))
    say('type-changed', `${words(before.types)}, as pinned`, words(after.types));
  if (side === 'response') compareOutputs(before, after, say);
  else {
    compareInputs(before, after, say);
    for (const branch of before.open ? lostBranches(pinned, served, (...two) => accepts(...two, walk.budget)) : [])
      say('branch-gone', `${branch} to be accepted, as pinned`, 'no branch accepts it any more');
  }
  const inner = [...before.properties].map(([name, one]) => [one, after.properties.get(name)] as const);
  const [old, now] = [before, after].map(({ node, pointer }) => ({
    schema: node['items'],
    pointer: child(pointer, 'items'),
  }));
  if (old?.schema !== undefined && now?.schema !== undefined) inner.push([old, now]);
  for (const [one, other] of inner)
    if (other)
      compareSchemas(
        side,
        { document: pinned.document, ...one },
        { document: served.document, ...other },
        report,
        walk,
      );
}

/** Whether a schema certainly accepts all that another did. */
function accepts(before: LocatedSchema, after: LocatedSchema, budget: { left: number }): boolean {
  let whole = true;
  const narrower = (): void => {
    whole = false;
  };
  compareSchemas('request', before, after, narrower, { seen: new Set(), budget });
  return whole;
}
