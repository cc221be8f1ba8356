import type { Operation } from './operations.js';
import { follow } from './schema/resolve.js';
import { child } from './schema/pointer.js';
import { asList, asObject } from './values.js';

/** A query parameter with a value that its declaration allows. */
export interface BoundedParameter {
  readonly name: string;
  readonly value: string;
}

/** Names of parameters that may ask for other records, or for other fields, than a filter beside them says. */
const overriding =
  /status|state|avail|sold|stage|phase|cycle|include|exclude|expand|with|fields|select|view|scope|mode|match|operator|logic|any|all/i;

function numberFor(name: string, schema: Record<string, unknown>, known: readonly unknown[]): number | null {
  const bound = (at: string): number | null => (typeof schema[at] === 'number' ? schema[at] : null);
  const [low, high] = [bound('minimum'), bound('maximum')];
  const allowed = (value: unknown): value is number =>
    Number.isInteger(value) && Number(value) >= (low ?? -Infinity) && Number(value) <= (high ?? Infinity);
  if (low === null && high === null) return null;
  if (['exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].some((word) => schema[word] !== undefined)) return null;
  const wide = /max|upto|before|until|to$/i.test(name) ? (high ?? low) : (low ?? high);
  return [...known, wide].find(allowed) ?? null;
}

/**
 * Query parameters of a bounded whole number or of listed texts. Where one is named after a field of `records`, a value that one of them
 * holds is taken, so that something may be found.
 */
export function boundedParameters(
  document: unknown,
  operation: Operation,
  records: readonly unknown[],
): readonly BoundedParameter[] {
  return operation.parameters.flatMap(({ in: place, name, node, pointer }) => {
    const schema = follow(document, node['schema'], child(pointer, 'schema'))?.node;
    if (place !== 'query' || node['deprecated'] === true || schema === undefined || overriding.test(name)) return [];
    const known = records.map((record) => asObject(record)?.[name]);
    const listed = asList(schema['enum']).filter((one) => typeof one === 'string' && one !== '');
    const value =
      schema['type'] === 'integer' && schema['enum'] === undefined
        ? numberFor(name, schema, known)
        : (known.find((one) => listed.includes(one)) ?? listed[0]);
    return value === null || value === undefined ? [] : [{ name, value: String(value) }];
  });
}
