/** Whether a plain object looks like one of the marks below. */
function isMarked(value: unknown): value is Record<string, unknown> {
  if (
    typeof value !== 'object' ||
    value === null ||
    Array.isArray(value) ||
    value instanceof Map ||
    Buffer.isBuffer(value)
  )
    return false;
  const names = Object.keys(value);
  return names.length === 1 && /^\$(bytes|number|map|set|plain|signal)$/.test(names[0] ?? '');
}

/** Encodes values with bytes and non-finite numbers as JSON, so that a recorded value can be decoded again. */
export function encodeRecorded(value: unknown): string {
  return JSON.stringify(value, function replace(this: unknown, name: string, shown: unknown): unknown {
    const raw = typeof this === 'object' && this !== null ? (this as Record<string, unknown>)[name] : shown;
    if (Buffer.isBuffer(raw)) return { $bytes: raw.toString('base64') };
    if (typeof raw === 'number' && !Number.isFinite(raw)) return { $number: String(raw) };
    if (isMarked(raw)) return { $plain: Object.entries(raw) };
    if (raw instanceof Map) return { $map: [...(raw as Map<unknown, unknown>)] };
    if (raw instanceof Set) return { $set: [...(raw as Set<unknown>)] };
    return shown;
  });
}

/** The inverse of `encodeRecorded`. */
export function decodeRecorded(text: string): unknown {
  return JSON.parse(text, (_name, value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const entries = Object.entries(value);
    const [key, inner] = entries[0] ?? [];
    if (entries.length !== 1) return value;
    if (key === '$bytes' && typeof inner === 'string') return Buffer.from(inner, 'base64');
    if (key === '$plain' && Array.isArray(inner)) return Object.fromEntries(inner as [string, unknown][]);
    if (key === '$number' && typeof inner === 'string') return Number(inner);
    if (key === '$map' && Array.isArray(inner)) return new Map(inner as [unknown, unknown][]);
    if (key === '$set' && Array.isArray(inner)) return new Set(inner as unknown[]);
    return value;
  });
}
