import { referredBy } from './resolve.js';
import { asList, asObject } from '../values.js';

/** More schemas than this, all applied to one value, keep a validator busy for hours; no honest document comes near. */
const most = 50_000;

/** Whether a schema, or one that it reaches, applies so many schemas to one value that a validator would not end. */
export function exceedsExpansionLimit(document: unknown, schema: unknown): boolean {
  const known = new Map<unknown, number>();
  const count = (raw: unknown, depth: number): number => {
    const node = asObject(raw);
    if (node === null || depth > 500) return 1;
    const before = known.get(node);
    if (before !== undefined) return before;
    // A schema within itself counts once.
    known.set(node, 1);
    const inPlace = [
      referredBy(document, node),
      ...['not', 'if', 'then', 'else'].map((name) => node[name]),
      ...['allOf', 'anyOf', 'oneOf'].flatMap((name) => asList(node[name])),
      ...Object.values(asObject(node['dependentSchemas']) ?? {}),
    ];
    let total = 1;
    for (const inner of inPlace) if (inner !== undefined && total <= most) total += count(inner, depth + 1);
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
    waiting.push(...(Object.values(node) as unknown[]), referredBy(document, node as Record<string, unknown>));
  }
  return false;
}
