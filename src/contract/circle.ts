import { at, localPointer } from './pointer.js';

/** Whether a schema is nothing but references that lead back to it. */
export function isCircle(document: unknown, schema: unknown): boolean {
  const seen = new Set<unknown>();
  for (let node = schema; typeof node === 'object' && node !== null;) {
    if (seen.has(node)) return true;
    seen.add(node);
    const ref = (node as Record<string, unknown>)['$ref'];
    const target = typeof ref === 'string' ? localPointer(ref) : null;
    node = target === null ? null : at(document, target);
  }
  return false;
}
