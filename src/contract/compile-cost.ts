import { at, localPointer } from './pointer.js';

/** What a schema merely refers to is compiled once for all who do; to find it again costs this much of a part of its own. */
const referredWeight = 1 / 64;

/** The schema that a schema refers to and says nothing besides; null where it says anything itself. */
function bareTarget(document: unknown, node: unknown): unknown {
  if (typeof node !== 'object' || node === null) return null;
  const ref = (node as Record<string, unknown>)['$ref'];
  const target = typeof ref === 'string' && Object.keys(node).length === 1 ? localPointer(ref) : null;
  return target === null ? null : at(document, target);
}

/**
 * About what it costs to compile a schema, in parts of JSON: its own, and a little for each that its references reach. About 40 µs each on
 * one core. Counted, not timed, so that the same document is judged alike on every machine. Ends once it passes `most`.
 */
export function compileCost(document: unknown, schema: unknown, most: number): number {
  const seen = new Set<unknown>();
  const referred: unknown[] = [];
  let cost = 0;
  const walk = (waiting: unknown[], weight: number): void => {
    while (waiting.length > 0 && cost <= most) {
      const node = waiting.pop();
      if (typeof node !== 'object' || node === null) {
        cost += weight;
        continue;
      }
      if (seen.has(node)) continue;
      seen.add(node);
      // References to references are followed to their end each time anew.
      const next = bareTarget(document, node);
      cost += next !== null && bareTarget(document, next) !== null ? 1 : weight;
      waiting.push(...(Object.values(node) as unknown[]));
      const ref = (node as Record<string, unknown>)['$ref'];
      const target = typeof ref === 'string' ? localPointer(ref) : null;
      if (target !== null) (weight === 1 ? referred : waiting).push(at(document, target));
    }
  };
  walk([schema], 1);
  walk(referred, referredWeight);
  return cost;
}
