/** A JSON object, or null for anything else (arrays included). */
export function asObject(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

/** A JSON array, or an empty one. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/** Entries whose values are objects. */
export function objectsIn(value: unknown): [string, Record<string, unknown>][] {
  return Object.entries(asObject(value) ?? {}).flatMap(([name, inner]) => {
    const object = asObject(inner);
    return object === null ? [] : [[name, object] as [string, Record<string, unknown>]];
  });
}

/** A short quotation of a value for a sentence. */
export function quote(value: unknown, most = 160): string {
  const text = value === undefined ? 'nothing' : ((JSON.stringify(value) as string | undefined) ?? typeof value);
  return text.length > most ? `${text.slice(0, most - 3)}…` : text;
}
