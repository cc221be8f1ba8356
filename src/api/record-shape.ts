import { asArray, asObject } from '../service/index.js';

/** The JSON type of a value, integers being numbers. */
export function jsonType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** The types of each field over many records, and the number of records that have it. */
export interface Shape {
  readonly records: number;
  readonly fields: ReadonlyMap<string, { readonly types: ReadonlySet<string>; readonly count: number }>;
}

/** Collects the shape of records, nested objects by pointer, array elements under `/*`. */
export function shapeOf(records: readonly unknown[]): Shape {
  const fields = new Map<string, { types: Set<string>; count: number }>();
  const visit = (value: unknown, pointer: string, depth: number): void => {
    if (depth > 6) return;
    const entry = fields.get(pointer) ?? { types: new Set<string>(), count: 0 };
    entry.types.add(jsonType(value));
    entry.count += 1;
    fields.set(pointer, entry);
    for (const [name, inner] of Object.entries(asObject(value) ?? {})) visit(inner, `${pointer}/${name}`, depth + 1);
    for (const inner of asArray(value) ?? []) visit(inner, `${pointer}/*`, depth + 1);
  };
  for (const record of records)
    for (const [name, value] of Object.entries(asObject(record) ?? {})) visit(value, `/${name}`, 0);
  return { records: records.length, fields };
}

/** Fields that show that `other` and `known` are different kinds of records; null counts as any type. */
export function shapeConflicts(known: Shape, other: Shape): string[] {
  const found: string[] = [];
  for (const [pointer, { types }] of other.fields) {
    const expected = known.fields.get(pointer);
    if (expected === undefined) continue;
    const plain = [...expected.types].filter((type) => type !== 'null');
    const strange = [...types].find((type) => type !== 'null' && !expected.types.has(type));
    if (plain.length > 0 && strange !== undefined)
      found.push(`${pointer} is ${strange} where production shows ${plain.join(' or ')}`);
  }
  // One absent field in a few records may be an optional one; one that every production record has and no demo record has is not.
  if (known.records >= 5 && other.records >= 3) {
    for (const [pointer, { count }] of known.fields) {
      if (!pointer.slice(1).includes('/') && count === known.records && !other.fields.has(pointer)) {
        found.push(`${pointer} is in every production record and in no demo record`);
      }
    }
  }
  return found;
}
