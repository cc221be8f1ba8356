import { at, localPointer } from './pointer.js';
import { asList, asObject } from './values.js';

const one = ['not', 'if', 'then', 'else'];
const many = ['allOf', 'anyOf', 'oneOf'];

/** More than so many schemas laid on one value make a validator run for ever; no honest document comes near. */
const most = 50_000;

/** The schemas that a schema lays on the same value as itself. */
function inPlace(document: unknown, node: Record<string, unknown>): unknown[] {
  const target = typeof node['$ref'] === 'string' ? localPointer(node['$ref']) : null;
  return [
    ...(target === null ? [] : [at(document, target)]),
    ...one.map((name) => node[name]),
    ...many.flatMap((name) => asList(node[name])),
    ...Object.values(asObject(node['dependentSchemas']) ?? {}),
  ];
}

/** Whether a schema or one that it reaches stands for so many schemas, all laid on one value, that a validator would not end. */
export function isBomb(document: unknown, schema: unknown): boolean {
  const known = new Map<unknown, number>();
  const open = new Set<unknown>();
  const count = (raw: unknown, depth: number): number => {
    const node = asObject(raw);
    if (node === null) return 1;
    const before = known.get(node);
    if (before !== undefined) return before;
    if (open.has(node) || depth > 500) return 1;
    open.add(node);
    let total = 1;
    for (const inner of inPlace(document, node))
      if (inner !== undefined && total <= most) total += count(inner, depth + 1);
    open.delete(node);
    known.set(node, total);
    return total;
  };
  const seen = new Set<unknown>();
  const waiting: unknown[] = [schema];
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (typeof node !== 'object' || node === null || seen.has(node)) continue;
    seen.add(node);
    if (count(node, 0) > most) return true;
    waiting.push(...(Object.values(node) as unknown[]));
    const ref = (node as Record<string, unknown>)['$ref'];
    const target = typeof ref === 'string' ? localPointer(ref) : null;
    if (target !== null) waiting.push(at(document, target));
  }
  return false;
}
