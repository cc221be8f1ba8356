import { createHash } from 'node:crypto';
import { follow, partsOf, typesOf } from './resolve.js';
import { child } from './pointer.js';
import { surelyMatches, textsMatching } from './patterns.js';
import { asList, asObject } from '../values.js';

/** The options of a sample. */
export interface InstanceOptions {
  readonly document: unknown;
  /** Records whose values for a field of the same name are tried first. */
  readonly like?: readonly unknown[];
  readonly unique: string;
  /** The index of the alternative of `oneOf` and `anyOf`, modulo their number; the first unless given. */
  readonly alternative?: number;
  /** How many schemas may still be visited. */
  readonly budget: { left: number };
  /** Whether an optional field is filled in; none is where this is left out. */
  readonly includes?: (name: string) => boolean;
}

const byFormat: Readonly<Record<string, string>> = {
  date: '2026-01-15',
  'date-time': '2026-01-15T12:00:00Z',
  time: '12:00:00Z',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
};

/** Common texts that a pattern is tried with, shortest first. */
const texts =
  'a A 1 AB 12 ABC 123 ABC-123 abc-def 12345 +14155550123 Conformance 1FTFW1ET5DFC10312 2026-01-15 #1A2B3C US USD en-US'.split(
    ' ',
  );

function text(schema: Record<string, unknown>, name: string, { unique }: InstanceOptions): string {
  const { format, minLength, maxLength, pattern } = schema;
  const least = typeof minLength === 'number' ? minLength : 0;
  const most = typeof maxLength === 'number' ? maxLength : 64;
  const hash = createHash('sha256').update(`${unique}/${name}`).digest('hex').toUpperCase();
  const mark = hash.replace(/[IOQ]/g, 'X');
  const digits = mark.replace(/\D/g, '7');
  const own: Readonly<Record<string, string>> = {
    ...byFormat,
    email: `conformance-${hash.slice(0, 8).toLowerCase()}@example.com`,
    uuid: `0b0c8a34-6f0c-4f43-9d3a-${hash.slice(0, 12).toLowerCase()}`,
  };
  const plain = typeof format === 'string' ? own[format] : undefined;
  const fitted = [plain ?? `Conformance ${mark.slice(0, 8)}`, mark, mark.toLowerCase(), digits, ...texts].map((one) =>
    one.length > most ? one.slice(0, most) : one.padEnd(least, '7'),
  );
  const [first = ''] = fitted;
  if (typeof pattern !== 'string') return first;
  const lengths = [17, 8, 10, 6, 5, 4, 3, 2, 1, 12, 16, 20].flatMap((length) =>
    [mark, mark.toLowerCase(), digits].map((one) => one.slice(0, length)),
  );
  const fits = (one: string): boolean => surelyMatches(pattern, one) && one.length >= least && one.length <= most;
  return (
    [...fitted, ...lengths].find(fits) ??
    textsMatching(pattern, 30, Number.parseInt(digits.slice(0, 8), 10)).find(fits) ??
    first
  );
}

function number(schema: Record<string, unknown>, whole: boolean): number {
  const bound = (name: string): number | undefined => (typeof schema[name] === 'number' ? schema[name] : undefined);
  const above = bound('exclusiveMinimum');
  const below = bound('exclusiveMaximum');
  const step =
    bound('multipleOf') ?? (whole ? 1 : above !== undefined && below !== undefined ? (below - above) / 2 : 0.5);
  const least = bound('minimum') ?? (above === undefined ? undefined : above + step);
  const most = bound('maximum') ?? (below === undefined ? undefined : below - step);
  const start = least ?? (most === undefined || most > 1 ? 1 : most);
  if (!whole && bound('multipleOf') === undefined) return start;
  const value = Number(((least === undefined ? Math.floor(start / step) : Math.ceil(start / step)) * step).toFixed(10));
  return whole ? Math.round(value) : value;
}

/** A value for a schema, built from its keywords; whether it is valid is for a validator to say. */
export function sample(schema: unknown, pointer: string, context: InstanceOptions, name = '', depth = 0): unknown {
  const here = follow(context.document, schema, pointer);
  context.budget.left -= 1;
  if (here === null || depth > 12 || context.budget.left < 0) return null;
  const node = here.node;
  if ('const' in node) return node['const'];
  const like = name === '' ? undefined : context.like?.find((one) => (asObject(one)?.[name] ?? null) !== null);
  const known = asObject(like)?.[name];
  const choices = asList(node['enum']);
  if (choices.length > 0) return choices.includes(known) ? known : (choices.find((one) => one !== null) ?? null);
  if (name !== '' && node['example'] !== undefined) return node['example'];
  const inner = ({ schema: part, pointer: at }: { schema: unknown; pointer: string }): unknown =>
    sample(part, at, context, name, depth + 1);
  const merged: unknown[] = partsOf(here, 'allOf').map(inner);
  for (const word of ['oneOf', 'anyOf']) {
    const parts = partsOf(here, word);
    // Null comes last: what may be null is tried with a value first.
    const isNull = (one: { schema: unknown }): number => Number(asObject(one.schema)?.['type'] === 'null');
    const part = parts.sort((a, b) => isNull(a) - isNull(b))[(context.alternative ?? 0) % Math.max(1, parts.length)];
    if (part !== undefined) merged.push(inner(part));
  }
  const types = typesOf(node);
  if (types.includes('object') || asObject(node['properties']) !== null)
    merged.push(object(node, here.pointer, context, depth));
  if (merged.length > 0) {
    const objects = merged.map(asObject);
    return objects.every((one) => one !== null)
      ? Object.assign({}, ...objects)
      : (merged.find((one) => one !== null && one !== undefined) ?? null);
  }
  if (known !== undefined && (types.includes(typeof known) || (types.includes('integer') && Number.isInteger(known))))
    return known;
  if (types.includes('string')) return text(node, name, context);
  if (types.includes('integer') || types.includes('number'))
    return number(node, types.includes('integer') && !types.includes('number'));
  if (types.includes('boolean')) return true;
  if (types.includes('array')) {
    const count = typeof node['minItems'] === 'number' ? Math.min(node['minItems'], 20) : 0;
    return Array.from({ length: count }, (_, index) =>
      sample(
        node['items'],
        child(here.pointer, 'items'),
        { ...context, unique: `${context.unique}/${index}`, alternative: (context.alternative ?? 0) + index },
        '',
        depth + 1,
      ),
    );
  }
  return types.includes('null') ? null : (known ?? `Conformance ${context.unique.slice(0, 8)}`);
}

function object(
  node: Record<string, unknown>,
  pointer: string,
  context: InstanceOptions,
  depth: number,
): Record<string, unknown> {
  const properties = asObject(node['properties']) ?? {};
  const required = new Set(asList(node['required']).filter((one) => typeof one === 'string'));
  const optional = Object.keys(properties).filter((name) => context.includes?.(name) === true);
  const out: Record<string, unknown> = {};
  for (const name of new Set([...required, ...optional])) {
    const place = child(child(pointer, 'properties'), name);
    const isReadOnly = follow(context.document, properties[name], place)?.node['readOnly'] === true;
    if (required.has(name) || !isReadOnly) out[name] = sample(properties[name] ?? {}, place, context, name, depth + 1);
  }
  return out;
}
