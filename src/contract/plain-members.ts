import { schemaObjects } from './schema-objects.js';

const compositions = new Set(['allOf', 'anyOf', 'oneOf']);

/** Writes `true` and `false` among the members of compositions as objects that mean the same, which generators expect. Changes the document. */
export function spellOutMembers(document: Record<string, unknown>): void {
  const waiting: unknown[] = schemaObjects(document).map(({ schema }) => schema);
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (typeof node !== 'object' || node === null) continue;
    for (const [name, value] of Object.entries(node) as [string, unknown][]) {
      waiting.push(value);
      if (!compositions.has(name) || !Array.isArray(value)) continue;
      for (const [index, member] of value.entries())
        if (typeof member === 'boolean') value[index] = member ? {} : { not: {} };
    }
  }
}
