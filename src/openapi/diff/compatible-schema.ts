import { lostBranches, type LocatedSchema } from './compatible-branches.js';
import { child } from '../schema/pointer.js';
import { follow } from '../schema/resolve.js';
import { asList, asObject } from '../values.js';

/** One promise of the pinned document that the served one does not keep. */
export interface Incompatibility {
  readonly pointer: string;
  /** The kind of breach, as in a finding. */
  readonly code: string;
  /** The member that it is about, where the pointer leads to what should hold it. */
  readonly member?: string;
  readonly expected: string;
  readonly actual: string;
}

type Direction = 'response' | 'request';

interface FlattenedSchema {
  readonly properties: ReadonlyMap<string, { readonly schema: unknown; readonly pointer: string }>;
  readonly required: ReadonlySet<string>;
  readonly types: ReadonlySet<string> | null;
  readonly node: Record<string, unknown>;
  readonly pointer: string;
  /** Holds oneOf or anyOf, which are not compared member by member. */
  readonly open: boolean;
}

/** One schema with its references and `allOf` folded in; null where it cannot be read. */
function flatten(
  document: unknown,
  schema: unknown,
  pointer: string,
  depth = 0,
  budget = { left: 500 },
): FlattenedSchema | null {
  const here = follow(document, schema, pointer);
  budget.left -= 1;
  if (here === null || depth > 12 || budget.left < 0) return null;
  const own = here.node;
  const properties = new Map<string, { schema: unknown; pointer: string }>();
  const required = new Set(asList(own['required']).filter((one): one is string => typeof one === 'string'));
  let types: ReadonlySet<string> | null = typesOf(own);
  let node = own;
  let open = own['oneOf'] !== undefined || own['anyOf'] !== undefined;
  for (const [name, property] of Object.entries(asObject(own['properties']) ?? {})) {
    properties.set(name, { schema: property, pointer: child(child(here.pointer, 'properties'), name) });
  }
  for (const [index, part] of asList(own['allOf']).entries()) {
    const inner = flatten(document, part, child(child(here.pointer, 'allOf'), index), depth + 1, budget);
    if (inner === null) continue;
    for (const [name, property] of inner.properties) if (!properties.has(name)) properties.set(name, property);
    for (const name of inner.required) required.add(name);
    types ??= inner.types;
    node = { ...inner.node, ...node };
    open ||= inner.open;
  }
  for (const word of types === null ? ['oneOf', 'anyOf'] : []) {
    const members = asList(own[word]).map(
      (part, index) =>
        flatten(document, part, child(child(here.pointer, word), index), depth + 1, budget)?.types ?? null,
    );
    if (members.length > 0 && members.every((one) => one !== null)) types = new Set(members.flatMap((one) => [...one]));
  }
  return { properties, required, types, node, pointer: here.pointer, open };
}

function typesOf(node: Record<string, unknown>): Set<string> | null {
  const all = [node['type'], ...asList(node['type'])].filter((one): one is string => typeof one === 'string');
  if (all.length > 0) return new Set(all);
  const values = valuesOf(node);
  return values === null
    ? null
    : new Set(values.map((one) => (one === null ? 'null' : Array.isArray(one) ? 'array' : typeof one)));
}

/** The only values that a schema lets through, where it lists them. */
function valuesOf(node: Record<string, unknown>): readonly unknown[] | null {
  if ('const' in node) return [node['const']];
  return Array.isArray(node['enum']) ? (node['enum'] as unknown[]) : null;
}

const covers = (wide: ReadonlySet<string>, type: string): boolean =>
  wide.has(type) || (type === 'integer' && wide.has('number'));

/** Bounds whose growth (or shrinking) takes accepted input away. */
const lower = ['minLength', 'minimum', 'exclusiveMinimum', 'minItems', 'minProperties'];
const upper = ['maxLength', 'maximum', 'exclusiveMaximum', 'maxItems', 'maxProperties'];

/** The pairs compared so far, and the number that is still allowed. */
interface Walk {
  readonly seen: Set<string>;
  readonly budget: { left: number };
}

/** Compares two schemas: a response must keep its fields and types, a request must accept all it did. */
export function compareSchemas(
  side: Direction,
  pinned: LocatedSchema,
  served: LocatedSchema,
  report: (found: Incompatibility) => void,
  walk: Walk = { seen: new Set(), budget: { left: 20_000 } },
): void {
  const before = flatten(pinned.document, pinned.schema, pinned.pointer);
  const after = flatten(served.document, served.schema, served.pointer);
  if (before === null || after === null) return;
  const mark = `${side} ${before.pointer} ${after.pointer}`;
  walk.budget.left -= 1;
  if (walk.seen.has(mark) || walk.budget.left < 0) return;
  walk.seen.add(mark);
  const say = (code: string, expected: string, actual: string, member = ''): void =>
    report({ pointer: after.pointer, code, expected, actual, member });
  if (before.types !== null && after.types !== null) {
    const [wide, narrow] = side === 'response' ? [before.types, after.types] : [after.types, before.types];
    const strange = [...narrow].find((type) => !covers(wide, type));
    if (strange !== undefined)
      say('type-changed', `type ${[...before.types].join(' or ')}, as pinned`, `type ${[...after.types].join(' or ')}`);
  }
  const both = [before.node, after.node].map((node) => valuesOf(node)?.map((value) => JSON.stringify(value)) ?? null);
  if (side === 'request') {
    if (before.types === null && !before.open && after.types !== null && valuesOf(after.node) === null)
      say('any-type-gone', 'any type to be accepted, as pinned', `type ${[...after.types].join(' or ')}`);
    const [old, now] = both;
    const lost = now ? (old ? old.find((value) => !now.includes(value)) : 'any other value') : undefined;
    if (lost !== undefined)
      say('value-gone', `${lost} to be accepted, as pinned`, 'it is no longer among the allowed values');
    if (before.open)
      for (const branch of lostBranches(pinned, served, (one, two) => accepts(one, two, walk.budget)))
        say('branch-gone', `${branch} to be accepted, as pinned`, 'no branch accepts it any more');
    for (const name of after.required)
      if (!before.required.has(name)) say('field-required', `${name} to stay optional`, 'it is required now', name);
    for (const [names, tighter] of [
      [lower, (a: number, b: number) => b > a],
      [upper, (a: number, b: number) => b < a],
    ] as const) {
      for (const name of names) {
        const [a, b] = [before.node[name], after.node[name]];
        if (typeof b === 'number' && (typeof a === 'number' ? tighter(a, b) : !(names === lower && b <= 0)))
          say('bound-tighter', `${name} ${typeof a === 'number' ? a : 'not set'}, as pinned`, `${name} ${b}`, name);
      }
    }
    if (typeof after.node['pattern'] === 'string' && after.node['pattern'] !== before.node['pattern'])
      say(
        'pattern-changed',
        `the pattern ${JSON.stringify(before.node['pattern'] ?? null)}, as pinned`,
        JSON.stringify(after.node['pattern']),
      );
    if (after.node['additionalProperties'] === false && !after.open) {
      if (before.node['additionalProperties'] !== false)
        say('closed', 'additional fields to be accepted, as pinned', 'additionalProperties: false');
      for (const name of before.properties.keys())
        if (!after.properties.has(name))
          say('field-gone', `the field ${name} to be accepted, as pinned`, 'it is no longer declared', name);
    }
  } else if (!after.open) {
    for (const name of before.properties.keys())
      if (!after.properties.has(name))
        say('field-gone', `the field ${name}, as pinned`, 'it is no longer declared', name);
    for (const name of before.required)
      if (after.properties.has(name) && !after.required.has(name))
        say('field-optional', `${name} in every answer, as pinned`, 'it is optional now', name);
  }
  for (const [name, property] of before.properties) {
    const now = after.properties.get(name);
    if (now)
      compareSchemas(
        side,
        { document: pinned.document, ...property },
        { document: served.document, ...now },
        report,
        walk,
      );
  }
  if (before.node['items'] !== undefined && after.node['items'] !== undefined) {
    compareSchemas(
      side,
      { document: pinned.document, schema: before.node['items'], pointer: child(before.pointer, 'items') },
      { document: served.document, schema: after.node['items'], pointer: child(after.pointer, 'items') },
      report,
      walk,
    );
  }
}

/** Whether a schema certainly accepts all that another did. */
function accepts(before: LocatedSchema, after: LocatedSchema, budget: Walk['budget']): boolean {
  let whole = true;
  const narrower = (): void => {
    whole = false;
  };
  compareSchemas('request', before, after, narrower, { seen: new Set(), budget });
  return whole;
}
