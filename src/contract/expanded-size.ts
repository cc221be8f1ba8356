import { at, localPointer } from './pointer.js';
import { asObject } from './values.js';

/** How many values a document would hold with every reference written out, capped; a few lines of references can stand for billions. */
export function expandedSize(document: Record<string, unknown>, cap: number): number {
  const known = new Map<unknown, number>();
  const open = new Set<unknown>();
  const size = (node: unknown, depth: number): number => {
    if (typeof node !== 'object' || node === null) return 1;
    const before = known.get(node);
    if (before !== undefined) return before;
    if (open.has(node) || depth > 1000) return 1;
    open.add(node);
    const ref = asObject(node)?.['$ref'];
    const target = typeof ref === 'string' ? localPointer(ref) : null;
    let total = 1 + (target === null ? 0 : size(at(document, target), depth + 1));
    for (const value of Object.values(node)) {
      total += size(value, depth + 1);
      if (total > cap) break;
    }
    open.delete(node);
    known.set(node, Math.min(total, cap + 1));
    return Math.min(total, cap + 1);
  };
  return size(document, 0);
}
